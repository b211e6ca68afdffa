#!/bin/sh
# layering_test.sh ROOT - the rules on includes that the compiler cannot see. What it can see,
# the build enforces: a module's include directories are only those it may use.
set -u

cd "$1" || exit 1
passed=0
failed=0
modules='base jobs collision cache runtime'
everything="$modules tools examples bench tests"

# report SENTENCE OFFENDERS: no offenders, no failure.
report()
{
    if [ -z "$2" ]; then
        echo "ok $1"
        passed=$((passed + 1))
    else
        echo "FAILED $1"
        printf '%s\n' "$2"
        failed=$((failed + 1))
    fi
}

# grep_in PATTERN DIR...: file:line:text of each match in C and C++ files.
grep_in()
{
    pattern=$1
    shift
    find "$@" \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' \) \
        -exec grep -nE -e "$pattern" /dev/null {} +
}

# private_includes DIR: quoted includes in DIR that name a file neither beside it nor in tools/.
private_includes()
{
    grep_in '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$1" |
        while IFS= read -r line; do
            name=$(printf '%s\n' "$line" | sed 's/^[^"]*"\([^"]*\)".*/\1/')
            file=${line%%:*}
            [ -f "$(dirname "$file")/$name" ] || [ -f "$1/$name" ] ||
                [ -f "tools/$name" ] || [ -f "tools/scene_io/$name" ] || printf '%s\n' "$line"
        done
}

include='^[[:space:]]*#[[:space:]]*include[[:space:]]*'
# shellcheck disable=SC2086 # words on purpose
{
    report 'no include climbs out of its directory' \
        "$(grep_in "${include}[\"<][^\">]*\\.\\./" $everything)"
    report 'Concurrency Kit is included in base/atomics_ck.h and jobs/ only' \
        "$(grep_in "${include}[\"<]ck_" $everything | grep -Ev '^(base/atomics_ck\.h|jobs/)')"
    report 'atomics and fences go through base/atomics.h' \
        "$(grep_in '(^|[^A-Za-z0-9_])(__atomic_|__sync_|_Atomic)|<stdatomic\.h>' $everything |
            grep -v '^base/')"
    report 'public headers include no private header' \
        "$(grep_in "$include\"" base/include jobs/include collision/include cache/include \
            runtime/include tools/effect_io/include)"
    report 'the library includes nothing of tools, examples, bench or tests' \
        "$(grep_in "$include\"[^\"]*(scene_io|testing\\.h)" $modules)"
}
report 'bench sees public headers and tools/ only' "$(private_includes bench)"
report 'examples see public headers and tools/ only' "$(private_includes examples)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
