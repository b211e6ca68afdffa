#!/bin/sh
# headers_test.sh ROOT COMPILER - every public header compiles alone, twice over, as C11 and as
# C++17, without a warning. COMPILER: gcc or clang. With clang also where nothing says that it is GNU's or clang: as for
# hosts by other compilers, whose extensions these headers may not have.
set -u

root=$1
case $2 in
clang) c=clang cpp=clang++ ;;
*) c=gcc cpp=g++ ;;
esac
passed=0
failed=0

includes=
for dir in "$root"/*/include "$root"/tools/effect_io/include; do
    includes="$includes -I$dir"
done

# check NAME COMMAND...: the command gets a file that includes the header twice.
check()
{
    name=$1
    shift
    if printf '#include <%s>\n#include <%s>\nextern int alone;\n' "$header" "$header" |
        "$@"; then
        echo "ok $name"
        passed=$((passed + 1))
    else
        echo "FAILED $name"
        failed=$((failed + 1))
    fi
}

for file in "$root"/*/include/ricochet/*.h "$root"/tools/*/include/ricochet/*/*.h; do
    header=ricochet/${file##*/include/ricochet/}
    strict='-Wall -Wextra -Wpedantic -Werror -fsyntax-only'
    # shellcheck disable=SC2086 # words on purpose
    check "$header compiles alone as C11" \
        $c -std=c11 $strict -Wstrict-prototypes $includes -x c -
    # shellcheck disable=SC2086
    check "$header compiles alone as C++17" $cpp -std=c++17 $strict $includes -x c++ -
    [ "$c" = clang ] || continue
    other='-U__GNUC__ -U__clang__ -D__builtin_expect=gnu -D__atomic_load_n=gnu -D__atomic_store_n=gnu'
    # shellcheck disable=SC2086
    check "$header needs no extension as C11" $c -std=c11 $strict $other $includes -x c -
    # shellcheck disable=SC2086
    check "$header needs no extension as C++17" $cpp -std=c++17 $strict $other $includes -x c++ -
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
