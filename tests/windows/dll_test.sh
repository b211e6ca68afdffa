#!/bin/sh
# dll_test.sh ROOT CROSS BUILD - hosts of the DLL in BUILD, under wine: one by MinGW's gcc, and one by clang for Microsoft's
# ABI, under no name of its own, which is as near to Microsoft's compiler as there is here. Both must end with one line, the
# same. CROSS: what windows.sh has written.
set -u

root=$1
wine=$2/wine
build=$3
line='^[1-9][0-9]* particles, hash [0-9a-f]{16}, hit at 3\.000 m, 1 job$'
includes=
for dir in "$root"/*/include; do
    includes="$includes -I$dir"
done
cd "$build" || exit 1

# gcc links both: it has the libraries of the system.
mingw()
{
    x86_64-w64-mingw32-gcc-posix "$@" libricochet.dll.a -o "$host.exe"
}

msvc()
{
    # shellcheck disable=SC2086 # words on purpose
    clang --target=x86_64-pc-windows-msvc -fms-compatibility-version=19.30 -ffreestanding -U__clang__ -std=c11 -O1 \
        -Wall -Werror $includes -c "$1" -o host.obj && mingw host.obj
}

passed=0
failed=0
# host NAME COMMAND...
host()
{
    host=$1
    shift
    if "$@" && "$wine" "$host.exe" >"$host.out" && tr -d '\r' <"$host.out" | grep -qxE "${line}"; then
        echo "ok $host: $(tr -d '\r' <"$host.out")"
        passed=$((passed + 1))
    else
        echo "FAILED $host: $(cat "$host.out")"
        failed=$((failed + 1))
    fi
}

rm -f host_*.out
# shellcheck disable=SC2086
host host_mingw mingw -std=c11 -Wall -Werror $includes "$root/tests/windows/host.c"
if command -v clang >/dev/null 2>&1; then
    host host_msvc msvc "$root/tests/windows/host.c"
    cmp -s host_mingw.out host_msvc.out || {
        echo 'FAILED: the two differ'
        failed=$((failed + 1))
    }
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
