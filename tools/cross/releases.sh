#!/bin/sh
# releases.sh FOLDER RELEASE... - tries the two commands in fresh systems. For each release of Debian or Ubuntu, such
# as trixie or noble, a minimal system is made in FOLDER/RELEASE, as far as it is not there yet; the committed tree is
# cloned into it; `./dev run` and `./dev test gcc clang asan` run there, and find their own packages.
#
# As root, with packages debootstrap and git, from the network; Ubuntu's releases need its archive's keyring, too. A
# system takes 3 GB. Prints a line for each release; 1: something failed, and FOLDER/RELEASE.log has it.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 FOLDER RELEASE..." >&2 && exit 2; }
[ "$(id -u)" = 0 ] || { echo "$0: needs root" >&2 && exit 2; }
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd -P)
shift

ubuntu_keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg

enter()
{
    mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" && mount -t sysfs sys "$1/sys" &&
        mount -t tmpfs tmpfs "$1/dev/shm" && cp /etc/resolv.conf "$1/etc/"
}

leave()
{
    for part in dev/shm sys dev proc; do
        umount "$1/$part" 2>/dev/null || true
    done
}

# Into FOLDER/RELEASE, all or nothing.
make()
{
    rm -rf "$folder/$1.new"
    case $1 in
    jammy | noble | oracular | plucky | questing | resolute)
        debootstrap --variant=minbase --components=main,universe --keyring="$ubuntu_keys" \
            "$1" "$folder/$1.new" http://archive.ubuntu.com/ubuntu gutsy
        ;;
    *)
        debootstrap --variant=minbase "$1" "$folder/$1.new" http://deb.debian.org/debian sid
        ;;
    esac && mv "$folder/$1.new" "$folder/$1"
}

# In a shell of its own, as a condition, where nothing ends it but `exit`.
try()
{
    system=$folder/$1
    [ -d "$system" ] || make "$1" || exit 1
    rm -rf "$system/ricochet"
    git clone -q "$root" "$system/ricochet" || exit 1
    trap 'leave "$system"' EXIT
    trap 'exit 1' HUP INT TERM
    enter "$system" || exit 1
    chroot "$system" /bin/sh -c \
        'cd /ricochet && ./dev run --frames 60 && ./dev test gcc clang asan'
}

failed=0
for release in "$@"; do
    if (try "$release") >"$folder/$release.log" 2>&1; then
        echo "$release: $(grep -h '^machine' "$folder/$release.log" | tail -1), $(tail -1 "$folder/$release.log")"
    else
        echo "$release: failed; see $folder/$release.log"
        failed=1
    fi
done
exit $failed
