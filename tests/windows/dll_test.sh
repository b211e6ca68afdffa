#!/bin/sh
# dll_test.sh ROOT CROSS BUILD - hosts of the DLLs in BUILD, under wine: by MinGW's gcc, and by clang for Microsoft's
# ABI, under no name of its own, which is as near to Microsoft's compiler as there is here. Both must print the same:
# one host of libricochet, and one of libricochet-effects where BUILD has it. CROSS: what windows.sh has written.
set -u

root=$1
wine=$2/wine
build=$3
line='^[1-9][0-9]* particles, hash [0-9a-f]{16}, hit at 3\.000 m, 1 job$'
effects_line='^3 effects, [1-9][0-9]* particles, hash [0-9a-f]{16}, [1-9][0-9]* bytes$'
effects_error='no\such.json: No such file or directory, expected an effect file'
effects=tools/effect_io/libricochet-effects
includes=
for dir in "$root"/*/include "$root"/tools/effect_io/include; do
    includes="$includes -I$dir"
done
cd "$build" || exit 1
WINEPATH=$build
export WINEPATH

# gcc links all: it has the libraries of the system.
mingw()
{
    # shellcheck disable=SC2086 # words on purpose
    x86_64-w64-mingw32-gcc-posix "$@" $imports libricochet.dll.a -o "$host.exe"
}

msvc()
{
    # shellcheck disable=SC2086
    clang --target=x86_64-pc-windows-msvc -fms-compatibility-version=19.30 -ffreestanding -U__clang__ -std=c11 -O1 \
        -Wall -Werror $includes -c "$1" -o host.obj && mingw host.obj
}

passed=0
failed=0

# count NAME STATUS: so it ended, with what host.out says.
count()
{
    if [ "$2" = 0 ]; then
        echo "ok $1: $(head -n 1 "$1.out")"
        passed=$((passed + 1))
    else
        echo "FAILED $1: $(cat "$1.out")"
        failed=$((failed + 1))
    fi
}

# runs ARGUMENT...: the host, whose lines get the ends of this system.
runs()
{
    "$wine" "$host.exe" "$@" >"$host.said"
    status=$?
    tr -d '\r' <"$host.said" >"$host.out"
    return $status
}

# host NAME COMMAND...
host()
{
    host=$1
    shift
    "$@" && runs && grep -qxE "$line" "$host.out"
    count "$host" $?
}

# effects_host NAME COMMAND...: of a file that is spawned with two others.
effects_host()
{
    host=$1
    shift
    "$@" && runs "$root/examples/effects/campfire.json" && grep -qxE "$effects_line" "$host.out" &&
        grep -qxF "$effects_error" "$host.out"
    count "$host" $?
}

same()
{
    cmp -s "$1.out" "$2.out" || {
        echo "FAILED: $1 and $2 differ"
        failed=$((failed + 1))
    }
}

# Nothing but Windows and libricochet, and no names but our own.
needs_nothing_else()
{
    x86_64-w64-mingw32-objdump -p "$1" >dll.txt
    others=$(sed -n 's/.*DLL Name: //p' dll.txt | grep -viE '^(api-ms-win-|kernel32|msvcrt|advapi32|libricochet-0)')
    names=$(sed -n 's/^\t\[ *[0-9]*\] \([A-Za-z_]\)/\1/p' dll.txt | grep -vE "^$2_[a-z]")
    echo "$(basename "$1"): needs '$others', exports '$names'" >needs.out
    [ -z "$others$names" ] && grep -q "$2_" dll.txt
    count needs $?
}

rm -f host_*.out effects_*.out
imports=
needs_nothing_else libricochet-0.1.dll rico
# shellcheck disable=SC2086
host host_mingw mingw -std=c11 -Wall -Werror $includes "$root/tests/windows/host.c"
if command -v clang >/dev/null 2>&1; then
    host host_msvc msvc "$root/tests/windows/host.c"
    same host_mingw host_msvc
fi
if [ -f "$effects-0.1.dll" ]; then
    imports=$effects.dll.a
    WINEPATH="$build;$build/tools/effect_io"
    needs_nothing_else "$effects-0.1.dll" rio
    # shellcheck disable=SC2086
    effects_host effects_mingw mingw -std=c11 -Wall -Werror $includes "$root/tests/windows/effects_host.c"
    if command -v clang >/dev/null 2>&1; then
        effects_host effects_msvc msvc "$root/tests/windows/effects_host.c"
        same effects_mingw effects_msvc
    fi
else
    echo 'skipped: this build has no libricochet-effects'
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
