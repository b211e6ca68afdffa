#!/bin/sh
# windows.sh FOLDER - writes what a cross build for 64-bit Windows needs, on Debian: FOLDER/windows.ini, a cross
# file for meson, and in FOLDER/root Concurrency Kit's headers, which is all of it that Windows takes. Then:
#   meson setup --cross-file FOLDER/windows.ini -Dprogram=false -Deffects=disabled build/mine
#
# Packages: gcc-mingw-w64-x86-64-posix libck-dev; wine64 to run what was built.
set -eu

[ $# = 1 ] || { echo "usage: $0 FOLDER" >&2 && exit 2; }
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd -P)
root=$folder/root

rm -rf "$root"
mkdir -p "$root/include" "$root/pkgconfig"
dpkg-query -L libck-dev | while read -r file; do
    case $file in
    */include/*.h)
        part=${file#*/include/}
        part=${part#*-linux-gnu/}
        mkdir -p "$root/include/$(dirname "$part")"
        cp "$file" "$root/include/$part"
        ;;
    esac
done
[ -f "$root/include/ck_pr.h" ] || { echo "$0: package libck-dev has no ck_pr.h" >&2 && exit 1; }

cat >"$root/pkgconfig/ck.pc" <<PC
Name: ck
Description: Concurrency Kit, headers alone
Version: $(dpkg-query -W -f '${Version}' libck-dev)
Cflags: -I$root/include
PC

# Programs that need no library beside them. No default_library: what a cross file says of it comes back, whatever was
# asked for, as soon as ninja configures again. Wine is quiet, and has a home of its own.
cat >"$folder/windows.ini" <<INI
[binaries]
c = 'x86_64-w64-mingw32-gcc-posix'
ar = 'x86_64-w64-mingw32-gcc-ar-posix'
strip = 'x86_64-w64-mingw32-strip'
windres = 'x86_64-w64-mingw32-windres'
pkgconfig = 'pkg-config'
exe_wrapper = '$folder/wine'

[built-in options]
c_link_args = ['-static']

[properties]
needs_exe_wrapper = true
sys_root = ''
pkg_config_libdir = '$root/pkgconfig'

[host_machine]
system = 'windows'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
INI

cat >"$folder/wine" <<WINE
#!/bin/sh
export WINEDEBUG=-all WINEPREFIX='$folder/home' DISPLAY=
exec wine "\$@"
WINE
chmod +x "$folder/wine"
