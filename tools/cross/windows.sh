#!/bin/sh
# windows.sh FOLDER - writes what a cross build for 64-bit Windows needs, on Debian: FOLDER/windows.ini, a cross
# file for meson, and FOLDER/root, with Concurrency Kit's headers, which is all of it that Windows takes, and with
# jansson as a static library. Then:
#   meson setup --cross-file FOLDER/windows.ini -Dprogram=false build/mine
#
# Debian has no jansson for MinGW, so its source package is fetched, checked by apt, and built: once per FOLDER.
# Where it cannot be fetched there is no jansson, and so no libricochet-effects. A folder of the source that is there
# already is taken: FOLDER/jansson-VERSION.
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

# fetch_jansson: unpacks Debian's source of jansson into FOLDER. It has apt read a list of sources of our own, made of
# the system's, so that the system's lists stay as they are.
fetch_jansson()
{
    apt=$folder/apt
    key=/usr/share/keyrings/debian-archive-keyring.gpg
    [ ! -f "$key" ] || signed="[signed-by=$key]"
    mkdir -p "$apt/lists/partial" "$apt/cache" "$apt/source"
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(ORIGIN) $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        sed -n "s|^Debian |deb-src ${signed-} |p" | sort -u >"$apt/list"
    [ -s "$apt/list" ] || return 1
    (
        cd "$apt/source" && rm -f ./*
        set -- -q -o Dir::Etc::SourceList="$apt/list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$apt/lists" \
            -o Dir::Cache="$apt/cache"
        apt-get "$@" update && apt-get "$@" source --download-only jansson && tar -xf jansson_*.orig.tar.* -C "$folder"
    )
}

# build_jansson SOURCE: makes a static library of it, with what its configure would find in MinGW.
build_jansson()
{
    built=$root/jansson
    mkdir -p "$built" "$root/lib"
    sed -e 's/@json_inline@/inline/' -e 's/@json_have_[a-z]*_builtins@/1/' -e 's/@json_have_[a-z_]*@/1/' \
        "$1/src/jansson_config.h.in" >"$root/include/jansson_config.h"
    cp "$1/src/jansson.h" "$root/include/"
    for name in HAVE_STDINT_H HAVE_SYS_TYPES_H HAVE_SYS_TIME_H HAVE_FCNTL_H HAVE_SYS_STAT_H HAVE_UNISTD_H HAVE_SCHED_H \
        HAVE_SCHED_YIELD HAVE_GETTIMEOFDAY HAVE_GETPID HAVE_ATOMIC_BUILTINS USE_WINDOWS_CRYPTOAPI; do
        echo "#define $name 1"
    done >"$built/jansson_private_config.h"
    echo '#define INITIAL_HASHTABLE_ORDER 3' >>"$built/jansson_private_config.h"
    for file in "$1"/src/*.c; do
        x86_64-w64-mingw32-gcc-posix -O2 -DHAVE_CONFIG_H=1 -I"$built" -I"$root/include" -c "$file" \
            -o "$built/$(basename "$file" .c).o"
    done
    x86_64-w64-mingw32-gcc-ar-posix rcs "$root/lib/libjansson.a" "$built"/*.o
    cat >"$root/pkgconfig/jansson.pc" <<PC
Name: jansson
Description: JSON, as a static library
Version: $(sed -n 's/^#define JANSSON_VERSION *"\(.*\)"/\1/p' "$1/src/jansson.h")
Libs: -L$root/lib -ljansson
Cflags: -I$root/include
PC
}

source=$(find "$folder" -maxdepth 1 -name 'jansson-[0-9]*' -type d | head -n 1)
if [ -z "$source" ]; then
    fetch_jansson >"$folder/apt.log" 2>&1 || true
    source=$(find "$folder" -maxdepth 1 -name 'jansson-[0-9]*' -type d | head -n 1)
fi
if [ -n "$source" ]; then
    build_jansson "$source"
else
    echo "$0: no jansson: its source could not be fetched; see $folder/apt.log" >&2
fi

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
