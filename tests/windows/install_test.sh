#!/bin/sh
# install_test.sh ROOT CROSS BUILD - installs BUILD, a build for Windows, into an empty directory, and builds the
# README's hello and examples/effect_files.c against it, by pkg-config and by CMake with MinGW's gcc. All are run
# under wine. CROSS: what windows.sh has written. What is not here (cmake) is skipped and named.
set -u

root=$1 cross=$2 build=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stage=$scratch/stage
passed=0
failed=0

# check NAME COMMAND...
check()
{
    name=$1
    shift
    if "$@" >"$scratch/log" 2>&1 </dev/null; then
        echo "ok $name"
        passed=$((passed + 1))
    else
        echo "FAILED $name"
        cat "$scratch/log"
        failed=$((failed + 1))
    fi
}

# in_wine PROGRAM ARGUMENT...: beside the DLLs that were installed. A program that wine did not start says nothing.
in_wine()
{
    for _ in 1 2 3; do
        WINEPATH=$home/bin "$cross/wine" "$@" >says && return 0
        [ ! -s says ] || break
    done
    cat says
    return 1
}

says_sparks()
{
    in_wine "$1" && grep -q 'frame 300: .* sparks' says
}

loads_effects()
{
    # shellcheck disable=SC2046 # words on purpose
    in_wine "$1" $(find "$home/share/ricochet/effects" -name '*.json' ! -name '*.schema.json') && cat says &&
        grep -q '^[2-9][0-9] files' says
}

DESTDIR=$stage meson install -C "$build" --quiet >"$scratch/install.log" 2>&1
library=$(find "$stage" -name 'libricochet.dll.a' 2>/dev/null)
[ -n "$library" ] || { cat "$scratch/install.log" && echo '0 passed, 1 failed' && exit 1; }
lib=$(dirname "$library")
home=$(dirname "$lib")
with_effects=
[ ! -f "$lib/libricochet-effects.dll.a" ] || with_effects=1

mkdir "$scratch/host"
cd "$scratch/host" || exit 1
sh "$root/tests/readme/extract_hello.sh" "$root/README.md" hello.c
cp "$root/examples/effect_files.c" .

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(host C)
find_package(ricochet 0.1 REQUIRED)
foreach(kind ricochet static shared)
  add_executable(hello_${kind} hello.c)
  target_link_libraries(hello_${kind} ricochet::${kind})
endforeach()
if(WITH_EFFECTS)
  foreach(kind effects effects_static)
    add_executable(${kind} effect_files.c)
    target_link_libraries(${kind} ricochet::${kind})
  endforeach()
endif()
END

config()
{
    PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage pkg-config "$@"
}

by_pkg_config()
{
    # shellcheck disable=SC2046 # words on purpose
    x86_64-w64-mingw32-gcc-posix -std=c11 hello.c -o hello.exe $(config --cflags --libs ricochet) &&
        says_sparks hello.exe
}

effects_by_pkg_config()
{
    # shellcheck disable=SC2046
    x86_64-w64-mingw32-gcc-posix -std=c11 effect_files.c -o effects.exe \
        $(config --cflags --libs ricochet-effects) && loads_effects effects.exe
}

# jansson, for the static library of effects, is the cross build's.
cmake_builds()
{
    cmake -S . -B cmake_build -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc-posix \
        -DCMAKE_EXE_LINKER_FLAGS="-static -L$cross/root/lib" -DCMAKE_PREFIX_PATH="$home" -DWITH_EFFECTS=$with_effects &&
        cmake --build cmake_build
}

by_cmake()
{
    for kind in ricochet shared static; do
        says_sparks cmake_build/hello_$kind.exe || return 1
    done
    x86_64-w64-mingw32-objdump -p cmake_build/hello_ricochet.exe | grep -q libricochet-0.1.dll
}

effects_by_cmake()
{
    loads_effects cmake_build/effects.exe && loads_effects cmake_build/effects_static.exe &&
        x86_64-w64-mingw32-objdump -p cmake_build/effects.exe | grep -q libricochet-effects-0.1.dll
}

check 'hello builds by pkg-config' by_pkg_config
[ -z "$with_effects" ] || check 'a host loads the installed effects by pkg-config' effects_by_pkg_config
if command -v cmake >/dev/null 2>&1; then
    check 'hosts build by CMake' cmake_builds
    check 'hello runs that CMake built, shared and static' by_cmake
    [ -z "$with_effects" ] || check 'a host loads the installed effects by CMake, shared and static' effects_by_cmake
else
    echo 'skipped: no cmake here'
fi
[ -n "$with_effects" ] || echo 'skipped: this build has no libricochet-effects'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
