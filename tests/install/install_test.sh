#!/bin/sh
# install_test.sh ROOT BUILD PREFIX LIBDIR CC... - installs BUILD into an empty directory and
# builds the README's hello against it, and examples/effect_files.c: by pkg-config, by CMake and by Meson. What is not here
# (cmake, meson) is skipped and named. PREFIX and LIBDIR are those that BUILD was configured with.
set -u

root=$1 build=$2 prefix=$3 libdir=$4
shift 4
cc=$*
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stage=$scratch/stage
home=$stage$prefix
lib=$home/$libdir
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

# says_sparks PROGRAM...: hello runs and prints.
says_sparks()
{
    LD_LIBRARY_PATH=$lib "$@" | grep -q 'frame 300: .* sparks'
}

# --- What a host writes, as little as it can ----------------------------------------------------

mkdir -p "$scratch/host"
cd "$scratch/host" || exit 1
sh "$root/tests/readme/extract_hello.sh" "$root/README.md" hello.c

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(host C)
find_package(ricochet 0.1 REQUIRED)
foreach(kind ricochet static shared)
  add_executable(hello_${kind} hello.c)
  target_link_libraries(hello_${kind} ricochet::${kind})
endforeach()
END

cat >meson.build <<'END'
project('host', 'c', default_options: ['c_std=c11'])
executable('hello', 'hello.c', dependencies: dependency('ricochet', version: '>=0.1'))
END

# Directories of their own: a host with effects from files, and one with Ricochet in its tree.
mkdir -p effects sub/subprojects
cp "$root/examples/effect_files.c" effects/
cat >effects/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(host C)
find_package(ricochet 0.1 REQUIRED)
foreach(kind effects effects_static)
  add_executable(${kind} effect_files.c)
  target_link_libraries(${kind} ricochet::${kind})
endforeach()
END
cat >effects/meson.build <<'END'
project('host', 'c', default_options: ['c_std=c11'])
executable('effects', 'effect_files.c', dependencies: dependency('ricochet-effects'))
END
ln -s "$root" sub/subprojects/ricochet
cp hello.c sub/
{
    echo "project('host', 'c', default_options: ['c_std=c11'])"
    # The very line of the page.
    sed -n "s/^| Meson | .\(dependency('ricochet',[^)]*)\).*/ricochet = \1/p" "$root/docs/embedding.md"
    echo "executable('hello', 'hello.c', dependencies: ricochet)"
} >sub/meson.build

# --- The ways -----------------------------------------------------------------------------------

installs()
{
    DESTDIR=$stage meson install -C "$build" --no-rebuild --quiet
}

# The staged prefix, and nothing of the system's but what the compiler knows anyway.
stage_config()
{
    PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage pkg-config "$@"
}

pkg_config_shared()
{
    # shellcheck disable=SC2046,SC2086 # words on purpose
    $cc -std=c11 hello.c -o by_pkg_config $(stage_config --cflags --libs ricochet) &&
        says_sparks ./by_pkg_config
}

pkg_config_static()
{
    # shellcheck disable=SC2046,SC2086
    $cc -std=c11 hello.c -o by_static $(stage_config --cflags ricochet) \
        "$lib/libricochet.a" -lck -pthread && ./by_static | grep -q 'frame 300: .* sparks'
}

no_flag_leaks()
{
    flags=$(stage_config --cflags ricochet)
    echo "flags: $flags"
    for flag in $flags; do
        case $flag in -I*) ;; *) return 1 ;; esac
    done
}

as_cpp()
{
    printf '#include <ricochet/ricochet.h>\n%s\n' \
        'int main() { rico_world_def d = rico_world_def_default(); rico_world *w = nullptr;
         if (rico_world_create(&d, &w) != RICO_OK) return 1;
         rico_world_step(w, 1.0f / 60.0f); rico_world_destroy(w); return 0; }' >host.cpp
    # shellcheck disable=SC2046
    c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror host.cpp -o by_cpp \
        $(stage_config --cflags --libs ricochet) && LD_LIBRARY_PATH=$lib ./by_cpp
}

by_cmake()
{
    cmake -S . -B cmake_build -DCMAKE_PREFIX_PATH="$home" && cmake --build cmake_build &&
        says_sparks cmake_build/hello_ricochet && says_sparks cmake_build/hello_shared &&
        cmake_build/hello_static | grep -q sparks
}

by_meson()
{
    PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage meson setup meson_build &&
        ninja -C meson_build && says_sparks meson_build/hello
}

# configure_sub DIRECTORY OPTION...: where nothing but ck is installed that pkg-config could find.
configure_sub()
{
    directory=$1
    shift
    mkdir -p only_ck && cp "$(pkg-config --variable=pcfiledir ck)/ck.pc" only_ck/ &&
        PKG_CONFIG_LIBDIR=$PWD/only_ck meson setup "$directory" sub "$@"
}

# targets_of DIRECTORY: the programs that a plain ninja builds there.
targets_of()
{
    meson introspect --targets "$1" | python3 -c '
import json, sys
print(*sorted(t["name"] for t in json.load(sys.stdin)
              if t["build_by_default"] and t["type"] == "executable"))'
}

# Only the library is built, which needs ck; who asks for more gets it.
subproject_is_the_library_alone()
{
    configure_sub sub_alone && targets_of sub_alone && [ "$(targets_of sub_alone)" = hello ] ||
        return 1
    configure_sub sub_alone --reconfigure -Dricochet:examples=true -Dricochet:plain_tests=true &&
        targets_of sub_alone | grep -q 'example_moving.*plain_runtime'
}

# The whole library once more: for --full.
by_subproject()
{
    configure_sub sub_build && ninja -C sub_build && sub_build/hello | grep -q sparks
}

# --- Effects from files -------------------------------------------------------------------------

effect_files()
{
    find "$home/share/ricochet/effects" -name '*.json' ! -name '*.schema.json'
}

# loads_effects PROGRAM...: each of the files that were installed.
loads_effects()
{
    # shellcheck disable=SC2046 # words on purpose
    LD_LIBRARY_PATH=$lib "$@" $(effect_files) >says && cat says && grep -q '^[2-9][0-9] files' says
}

# jansson is the system's.
effects_config()
{
    PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage pkg-config "$@"
}

effects_by_pkg_config()
{
    # shellcheck disable=SC2046,SC2086 # words on purpose
    $cc -std=c11 effects/effect_files.c -o by_effects \
        $(effects_config --cflags --libs ricochet-effects) && loads_effects ./by_effects &&
        effects_config --variable=effects_dir ricochet-effects |
        grep -q "$prefix/share/ricochet/effects\$"
}

effects_by_cmake()
{
    cmake -S effects -B effects/cmake_build -DCMAKE_PREFIX_PATH="$home" &&
        cmake --build effects/cmake_build && loads_effects effects/cmake_build/effects &&
        loads_effects effects/cmake_build/effects_static
}

effects_by_meson()
{
    PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage \
        meson setup effects/meson_build effects && ninja -C effects/meson_build &&
        loads_effects effects/meson_build/effects
}

every_header_of_effects_is_installed()
{
    for file in "$root"/tools/effect_io/include/ricochet/effects/*.h; do
        [ -f "$home/include/ricochet/effects/$(basename "$file")" ] || { echo "$file" && return 1; }
    done
}

only_rio_names_are_linkable()
{
    others=$(nm -g --defined-only "$lib/libricochet-effects.a" 2>/dev/null |
        awk 'NF == 3 { print $3 }' | grep -v '^rio_')
    echo "linkable: $others"
    [ -z "$others" ]
}

# --- What is in it ------------------------------------------------------------------------------

only_our_names_are_exported()
{
    others=$(nm -D --defined-only "$lib/libricochet.so" | awk '{ print $NF }' |
        grep -v '^rico_[a-z]')
    echo "exported: $others"
    [ -z "$others" ]
}

only_our_names_are_linkable()
{
    others=$(nm -g --defined-only "$lib/libricochet.a" 2>/dev/null | awk 'NF == 3 { print $3 }' |
        grep -v '^rico_')
    echo "linkable: $others"
    [ -z "$others" ]
}

# 0.1.0 has soname libricochet.so.0.1: a program keeps the version it was linked with.
the_soname_is_versioned()
{
    version=$(stage_config --modversion ricochet)
    readelf -d "$lib/libricochet.so" | grep SONAME
    case $version in
    0.*) want=libricochet.so.${version%.*} ;;
    *) want=libricochet.so.${version%%.*} ;;
    esac
    readelf -d "$lib/libricochet.so" | grep -qF "[$want]" && [ -e "$lib/$want" ]
}

every_public_header_is_installed()
{
    for file in "$root"/*/include/ricochet/*.h; do
        [ -f "$home/include/ricochet/$(basename "$file")" ] || { echo "$file" && return 1; }
    done
}

# What a debugger reads may name the directories of the build. What is loaded may not, so that two builds of the same
# sources give the same bytes.
no_directory_of_the_build_is_in()
{
    objcopy --strip-debug "$1" stripped && strings -a stripped >strings.txt && [ -s strings.txt ] || return 1
    ! grep -F -e '../' -e "$root" -e "$build" strings.txt
}

nothing_tells_where_it_was_built()
{
    no_directory_of_the_build_is_in "$lib/libricochet.so" && no_directory_of_the_build_is_in "$lib/libricochet.a" ||
        return 1
    ! readelf -d "$lib/libricochet.so" | grep -E 'RPATH|RUNPATH' || return 1
    [ ! -f "$lib/libricochet-effects.a" ] || no_directory_of_the_build_is_in "$lib/libricochet-effects.a"
}

# Who includes ricochet.h has everything.
the_umbrella_has_every_header()
{
    printf '#include <ricochet/ricochet.h>\n' >umbrella.c
    # shellcheck disable=SC2046,SC2086
    $cc -M umbrella.c $(stage_config --cflags ricochet) >umbrella.d || return 1
    for file in "$home"/include/ricochet/*.h; do
        grep -qF "ricochet/$(basename "$file")" umbrella.d || { echo "not: $file" && return 1; }
    done
}

# The program finds its library and its effects beside itself, wherever the tree was moved.
the_program_finds_its_own()
{
    [ -x "$home/bin/ricochet" ] || { echo 'no program in this build' && return 0; }
    mv "$home" "$scratch/moved" && ls "$scratch/moved/share/ricochet/effects"
    runs_own_effect "$scratch/moved/bin/ricochet"
    result=$?
    mv "$scratch/moved" "$home"
    return $result
}

# A file that only the moved tree has says whose effects are read.
runs_own_effect()
{
    printf '{"format": "ricochet effect 1", "rate": 5}\n' \
        >"$scratch/moved/share/ricochet/effects/only_here.json"
    env -u RICO_EFFECTS "$1" run --effect only_here --effects 1 --frames 1 --no-png --quiet
    found=$?
    rm "$scratch/moved/share/ricochet/effects/only_here.json"
    return $found
}

check 'it installs' installs
check 'the program finds its library and its effects in a tree that was moved' the_program_finds_its_own
check 'every public header is installed' every_public_header_is_installed
check 'ricochet.h includes every public header' the_umbrella_has_every_header
check 'the shared library exports rico_ names only' only_our_names_are_exported
check 'the static library has no other linkable names' only_our_names_are_linkable
check 'the soname is versioned' the_soname_is_versioned
check 'nothing tells where it was built' nothing_tells_where_it_was_built
check 'pkg-config gives no flag but the include directory' no_flag_leaks
check 'hello builds by pkg-config' pkg_config_shared
check 'hello builds by pkg-config, static' pkg_config_static
check 'a C++17 host builds by pkg-config' as_cpp
check 'hello builds by Meson' by_meson
if command -v cmake >/dev/null 2>&1; then
    check 'hello builds by CMake, shared and static' by_cmake
else
    echo 'skipped: no cmake here'
fi
if [ -f "$lib/libricochet-effects.a" ]; then
    check 'every header of effects is installed' every_header_of_effects_is_installed
    check 'libricochet-effects has rio_ names only' only_rio_names_are_linkable
    check 'a host loads the installed effects by pkg-config' effects_by_pkg_config
    check 'a host loads the installed effects by Meson' effects_by_meson
    ! command -v cmake >/dev/null 2>&1 ||
        check 'a host loads the installed effects by CMake, shared and static' effects_by_cmake
else
    echo 'skipped: this build has no libricochet-effects'
fi
check 'a Meson subproject is the library alone, and needs ck alone' subproject_is_the_library_alone
[ -z "${RICO_TEST_FULL-}" ] || check 'hello builds with Ricochet as a Meson subproject' by_subproject
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
