#!/bin/sh
# extract_hello.sh README OUTPUT.c - writes the first C block of README that steps a world. If
# there is none, writes a program that says so and fails: the test is then what fails, not the
# build.
set -eu

readme=$1
output=$2
[ -f "$readme" ] || readme=/dev/null

awk '
    !inside && /^```c[[:space:]]*$/ { inside = 1; text = ""; steps = 0; next }
    inside && /^```/ {
        if (steps) { printf "%s", text; exit }
        inside = 0
        next
    }
    inside { text = text $0 "\n"; if (/rico_world_step/) steps = 1 }
' "$readme" >"$output"

[ -s "$output" ] || cat >"$output" <<'END'
#include <stdio.h>

int main(void)
{
    fputs("README.md has no ```c block that calls rico_world_step\n", stderr);
    return 1;
}
END
