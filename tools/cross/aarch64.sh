#!/bin/sh
# aarch64.sh FOLDER - writes what a cross build for aarch64 needs, on Debian: FOLDER/aarch64.ini, a
# cross file for meson, and Concurrency Kit's arm64 package, unpacked in FOLDER/root. Then:
#   meson setup --cross-file FOLDER/aarch64.ini -Dprogram=false -Deffects=disabled build/mine
#
# The compiler and qemu are packages as others are: gcc-aarch64-linux-gnu libc6-dev-arm64-cross
# qemu-user-static. Concurrency Kit's for arm64 takes the place of the one for amd64 when it is
# installed. So it is only fetched, with lists, cache and settings of apt's in FOLDER: of the system
# nothing but its sources is read, and nothing is changed.
set -eu

[ $# = 1 ] || { echo "usage: $0 FOLDER" >&2 && exit 2; }
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd -P)
root=$folder/root

# Hooks would do something to the system after an update of these lists, too.
write_settings()
{
    cat >"$folder/apt.conf" <<CONF
#clear APT::Architectures;
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
Acquire::Languages "none";
Dir::State::status "$folder/apt/status";
Dir::State::lists "$folder/apt/lists";
Dir::Cache "$folder/apt/cache";
CONF
}

# The shared library goes: a static program is wanted, and the linker would prefer it.
fetch_ck()
{
    rm -rf "$root" "$folder/apt" "$folder/part"
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/part"
    : >"$folder/apt/status"
    write_settings
    apt-get -c "$folder/apt.conf" update
    (cd "$folder/apt" && apt-get -c "$folder/apt.conf" download libck-dev)
    dpkg-deb -x "$folder"/apt/libck-dev_*_arm64.deb "$folder/part"
    rm -f "$folder/part/usr/lib/aarch64-linux-gnu"/libck.so*
    rm -rf "$folder/apt"
    mv "$folder/part" "$root"
}

[ -f "$root/usr/include/ck_pr.h" ] || fetch_ck
cat >"$folder/aarch64.ini" <<INI
[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-gcc-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = 'qemu-aarch64-static'

[built-in options]
default_library = 'static'
c_link_args = ['-static']

[properties]
needs_exe_wrapper = true
sys_root = '$root'
pkg_config_libdir = '$root/usr/lib/aarch64-linux-gnu/pkgconfig'

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
INI
