#!/bin/sh
# program_test.sh PROGRAM [FILTER] - the command line of `ricochet run`, from outside.
#
# One function per behaviour, named as a sentence; each runs in an empty directory of its own.
# Bad input must give exit status 2, one clear line on standard error that names what is wrong
# and where, nothing on standard output, and no file. Needs python3 (its standard library only).
set -u

program=$1
filter=${2-}
# 128 MiB of cache take longer to clear than a short run lasts; the courtyard's cells need them.
little_cache='--cache-mib 8'
[ -z "${RICO_TEST_FULL-}" ] || little_cache=
short='--frames 60 --effects 200 --particles 12000 --no-png --quiet'
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

# --- Helpers ---------------------------------------------------------------------------------

fail()
{
    printf '  %s\n' "$@"
    exit 1
}

# Seconds for a run; more for builds that are not optimised.
patience=120
[ -z "${RICO_TEST_FULL-}" ] || patience=600

# run ARGUMENT...: fills $status, the files out and err (beside the test's directory).
run()
{
    # shellcheck disable=SC2086 # words on purpose
    timeout $patience "$program" run $little_cache "$@" >../out 2>../err </dev/null
    status=$?
}

# run_short ARGUMENT...: a run of a second or so that must succeed.
run_short()
{
    # shellcheck disable=SC2086 # words on purpose
    run $short "$@"
    [ "$status" = 0 ] || fail "exit status $status, expected 0, of: $*" "$(cat ../err)"
}

# refuses WORDS ARGUMENT...: bad input as the head of this file says. WORDS: patterns that the
# line must match, whatever their order, case ignored.
refuses()
{
    words=$1
    shift
    before=$(ls -A)
    run "$@"
    [ "$status" = 2 ] || fail "exit status $status, expected 2, of: $*" "$(cat ../err)"
    [ ! -s ../out ] || fail "it wrote on standard output: $(head -c 200 ../out)"
    lines=$(wc -l <../err)
    [ "$lines" = 1 ] || fail "$lines lines on standard error, expected 1, of: $*" "$(cat ../err)"
    for word in $words; do
        grep -qiE -e "$word" ../err || fail "the line does not name '$word': $(cat ../err)"
    done
    [ "$(ls -A)" = "$before" ] || fail "it left files behind: $(ls -A)"
}

# run_yard ARGUMENT...: the same in a yard of forty boxes, which takes a tenth of the courtyard's time to make;
# with --full in the courtyard.
run_yard()
{
    if [ -n "${RICO_TEST_FULL-}" ]; then
        run_short "$@"
    else
        yard_obj >../yard.obj
        run_short --world ../yard.obj "$@"
    fi
}

# json FILE EXPRESSION: the value of a Python expression on the object in FILE, named o.
json()
{
    python3 - "$1" "$2" <<'END'
import json, sys
with open(sys.argv[1], encoding='utf-8') as file:
    o = json.load(file)  # one object and nothing after it, or an error
print(eval(sys.argv[2]))
END
}

floor_obj()
{
    printf 'v -20 -20 0\nv 20 -20 0\nv 20 20 0\nv -20 20 0\nf 1 2 3\nf 1 3 4\n'
}

# A floor with boxes of five heights on it.
yard_obj()
{
    floor_obj
    awk 'BEGIN {
        for (i = 0; i < 40; i++)
            for (n = 0; n < 8; n++)
                print "v", -18 + i % 8 * 5 + 2 * (n >= 4), -16 + int(i / 8) * 7 + 1.5 * (int(n / 2) % 2),
                    n % 2 * (0.4 + 0.3 * (i % 5))
        for (i = 5; i <= 317; i += 8) {
            print "f", i, i + 1, i + 3, i + 2 "\nf", i + 4, i + 6, i + 7, i + 5
            print "f", i, i + 4, i + 5, i + 1 "\nf", i + 2, i + 3, i + 7, i + 6
            print "f", i, i + 2, i + 6, i + 4 "\nf", i + 1, i + 5, i + 7, i + 3
        }
    }'
}

no_control_characters()
{
    for file in ../out ../err; do
        if LC_ALL=C grep -q "$(printf '[\033\r\b]')" $file; then
            fail "control characters in $file"
        fi
    done
}

# --- Worlds ----------------------------------------------------------------------------------

missing_world_is_refused()
{
    refuses 'nowhere\.obj' --world nowhere.obj
    refuses 'no/such/dir/x\.glb' --world no/such/dir/x.glb
}

directory_as_world_is_refused()
{
    mkdir town.obj
    refuses 'town\.obj' --world town.obj
    refuses . --world .
}

empty_world_is_refused()
{
    : >empty.obj
    refuses 'empty\.obj' --world empty.obj
    : >empty.gltf
    refuses 'empty\.gltf' --world empty.gltf
}

file_that_is_no_mesh_is_refused()
{
    echo 'Dear diary, today I fell through the floor.' >diary.txt
    refuses 'diary\.txt' --world diary.txt
    cp diary.txt diary.obj
    refuses 'diary\.obj' --world diary.obj
    cp diary.txt diary.glb
    refuses 'diary\.glb' --world diary.glb
    head -c 4096 /dev/urandom >noise.stl
    refuses 'noise\.stl' --world noise.stl
    head -c 4096 /dev/urandom >noise
    refuses noise --world noise
}

world_without_a_valid_triangle_is_refused()
{
    printf 'v nan 0 0\nv 1 inf 0\nv 0 1 -inf\nf 1 2 3\n' >nan.obj
    refuses 'nan\.obj triangle' --world nan.obj
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 7 8 9\nf 1 2 99\n' >indices.obj
    refuses 'indices\.obj triangle' --world indices.obj
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\n' >points.obj
    refuses 'points\.obj triangle' --world points.obj
}

bad_triangles_are_dropped_counted_and_warned_about()
{
    { floor_obj && printf 'v nan 0 0\nv 0 inf 0\nf 1 2 5\nf 1 2 6\nf 1 2 77\n'; } >mixed.obj
    run_short --world mixed.obj
    grep -qiE 'mixed\.obj' ../err || fail "no warning names mixed.obj: $(cat ../err)"
    grep -qE '(^|[^0-9])3([^0-9]|$)' ../err || fail "no warning counts 3: $(cat ../err)"
}

good_world_gives_no_warning()
{
    floor_obj >floor.obj
    run_short --world floor.obj
    [ ! -s ../err ] || fail "on standard error: $(cat ../err)"
}

world_can_be_turned_and_scaled()
{
    floor_obj >floor.obj
    run_short --world floor.obj --up z --scale 1 --json z.json
    run_short --world floor.obj --up y --scale 0.5 --json y.json
    run_short --world floor.obj --json default.json
    [ "$(json z.json 'o["state_hash"]')" != "$(json y.json 'o["state_hash"]')" ] ||
        fail '--up and --scale change nothing'
    refuses '--up --scale --world' --up y
    refuses '--up --scale --world' --scale 2
}

# --- Options ---------------------------------------------------------------------------------

thread_count_out_of_range_is_refused()
{
    for count in 0 -1 abc 100000 1.5 2x '' 99999999999999999999; do
        refuses "threads ${count:-threads}" --threads "$count"
    done
}

particle_count_out_of_range_is_refused()
{
    for count in 1e12 0 -5 many 1000000000000; do
        refuses "particles $count" --particles "$count"
    done
}

only_json_goes_to_standard_output()
{
    for option in png trace bake cache capture; do
        refuses "--$option --json \./-" --frames 2 --effects 5 --particles 100 "--$option" -
        refuses "--$option expected.a.file" --frames 2 --effects 5 --particles 100 "--$option" ''
    done
}

other_numbers_out_of_range_are_refused()
{
    refuses 'effects -1' --effects -1
    refuses 'effects abc' --effects abc
    refuses 'effects 99999999999' --effects 99999999999
    refuses 'frames -1' --frames -1
    refuses 'frames soon' --frames soon
    refuses 'seed x' --seed x
    refuses 'cache-mib 0' --cache-mib 0
    refuses 'cache-mib 65537 65536' --cache-mib 65537
    refuses 'png-width 63 64' --png-width 63
    refuses 'png-width wide' --png-width wide
    floor_obj >floor.obj
    for scale in 0 -1 nan inf big 1e-300 1e-46 1e7; do
        refuses "scale $scale 1e-12 1e.06" --world floor.obj --scale "$scale"
    done
    refuses 'up x' --world floor.obj --up x
}

unknown_options_and_commands_are_refused()
{
    refuses wibble --wibble
    refuses wibble --frames 10 wibble
    refuses threads --threads
    refuses 'x|-x' -x
    refuses '--s --scale --seed --scenes' --s 7
    refuses '--p=5 --particles --png --png-width' --p=5
    refuses '--quiet=1 no.value' --quiet=1
    refuses '--frame 0' --frame 0
    timeout 20 "$program" wibble >../out 2>../err </dev/null
    status=$?
    [ "$status" = 2 ] || fail "exit status $status of an unknown command, expected 2"
    grep -q wibble ../err || fail "the unknown command is not named: $(cat ../err)"
}

# Names that would end the line, or tell the terminal what to do.
names_are_printed_without_control_characters()
{
    odd=$(printf 'x\ny\033[31m\302\233z')
    for option in --world --effect --json --cache; do
        refuses 'y..31m' $option "$odd/none.json"
    done
    refuses 'y..31m' "--$odd"
    refuses 'y..31m' "$odd"
    floor_obj >"$odd.obj"
    run --world "$odd.obj" --frames 2 --effects 5 --particles 100 --png "$odd.png" --png-width 64
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
    no_control_characters
    ! LC_ALL=C grep -q "$(printf '\302\233')" ../out ../err || fail "controls in $(cat ../out ../err)"
    grep -q '^world .*y.*: 2 triangles' ../out || fail "the world's name is in two lines: $(cat ../out)"
    "$program" "$odd" 2>../err
    no_control_characters
}

help_lists_every_option()
{
    run --help
    [ "$status" = 0 ] || fail "exit status $status, expected 0"
    [ ! -s ../err ] || fail "on standard error: $(cat ../err)"
    for option in world up scale effects particles frames threads seed json png png-width trace \
        video video-width video-fps no-png draw bake cache cache-mib capture capture-every quiet help; do
        grep -qE -e "--$option([^a-z-]|\$)" ../out || fail "--$option is not listed"
    done
}

# --- Files -----------------------------------------------------------------------------------

unwritable_png_is_refused()
{
    small='--frames 10 --effects 20 --particles 2000 --quiet'
    # shellcheck disable=SC2086 # words on purpose
    refuses 'no/such/dir/x\.png' $small --png no/such/dir/x.png
    mkdir folder.png
    # shellcheck disable=SC2086
    refuses 'folder\.png' $small --png folder.png
    # shellcheck disable=SC2086
    refuses 'folder\.png' $small --png folder.png --json report.json
}

unwritable_json_is_refused()
{
    small='--frames 10 --effects 20 --particles 2000 --quiet --no-png'
    # shellcheck disable=SC2086 # words on purpose
    refuses 'no/such/dir/x\.json' $small --json no/such/dir/x.json
    mkdir folder.json
    # shellcheck disable=SC2086
    refuses 'folder\.json' $small --json folder.json
}

refused_input_leaves_no_file()
{
    refuses 'nowhere\.obj' --world nowhere.obj --json report.json --png picture.png
    refuses threads --threads 0 --json report.json --png picture.png
    echo old >report.json
    echo old >picture.png
    refuses 'nowhere\.obj' --world nowhere.obj --json report.json --png picture.png
    [ "$(cat report.json picture.png)" = "$(printf 'old\nold')" ] ||
        fail 'it overwrote files of an earlier run'
}

png_is_a_valid_picture()
{
    small='--png-width 320'
    [ -z "${RICO_TEST_FULL-}" ] || small=
    # shellcheck disable=SC2086 # words on purpose
    run --frames 30 --effects 100 --particles 10000 --quiet --png picture.png $small
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
    python3 - picture.png ${small:+320} <<'END' || fail 'picture.png is not a valid PNG'
import struct, sys, zlib
data = open(sys.argv[1], 'rb').read()
assert data[:8] == b'\x89PNG\r\n\x1a\n'
at, kinds, pixels = 8, [], b''
while at < len(data):
    size, kind = struct.unpack('>I4s', data[at:at + 8])
    body = data[at + 8:at + 8 + size]
    assert zlib.crc32(kind + body) == struct.unpack('>I', data[at + 8 + size:at + 12 + size])[0]
    kinds.append(kind)
    if kind == b'IHDR':
        width, height, depth, colour = struct.unpack('>IIBB', body[:10])
    if kind == b'IDAT':
        pixels += body
    at += 12 + size
assert kinds[0] == b'IHDR' and kinds[-1] == b'IEND' and at == len(data)
asked = int(sys.argv[2]) if len(sys.argv) > 2 else 1280
assert width == asked and height == asked * 9 // 16, (width, height)
channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
raw = zlib.decompress(pixels)
assert len(raw) == height * (1 + (width * channels * depth + 7) // 8)
assert len(set(raw)) > 8, 'the picture is empty'
END
}

# Pictures of the usual size take seconds: that, and most kinds, are for --full. Under a sanitizer
# the one of png_is_a_valid_picture must do.
drawn_scene_shows_in_the_picture()
{
    if grep -q __asan_init "$program"; then return 0; fi
    small='--world ../yard.obj --frames 2 --effects 5 --particles 100 --threads 1 --quiet --png-width 320'
    kinds=grid
    yard_obj >../yard.obj
    if [ -n "${RICO_TEST_FULL-}" ]; then
        # As many frames as the first queries need to be seen.
        small='--frames 30 --effects 5 --particles 100 --threads 1 --quiet'
        kinds='grid occupancy leaves colliders queries'
    fi
    # shellcheck disable=SC2086 # words on purpose
    run $small --png plain.png
    for what in $kinds; do
        # shellcheck disable=SC2086
        run $small --png "$what.png" --draw "$what"
        [ "$status" = 0 ] || fail "exit status $status of --draw $what" "$(cat ../err)"
        cmp -s plain.png "$what.png" && fail "--draw $what shows nothing"
    done
    # In two frames the scene is hardly known: baked, the picture is full of it.
    # shellcheck disable=SC2086
    run $small --png one.png --draw grid --bake warm.cache
    # shellcheck disable=SC2086
    run $small --png both.png --draw grid --draw planes --cache warm.cache
    [ "$status" = 0 ] || fail "exit status $status of two --draw" "$(cat ../err)"
    cmp -s one.png both.png && fail 'the second --draw shows nothing'
    # shellcheck disable=SC2086
    run $small --png aside.png --camera 3,-8,2,0,0,1
    [ "$status" = 0 ] || fail "exit status $status of --camera" "$(cat ../err)"
    cmp -s plain.png aside.png && fail 'the picture from --camera is that from the usual place'
    [ -n "${RICO_TEST_FULL-}" ] || return 0
    # shellcheck disable=SC2086
    run $small --png ray.png --draw ray=-6,-8,5,0.4,1,-0.3
    [ "$status" = 0 ] || fail "exit status $status of --draw ray" "$(cat ../err)"
    cmp -s plain.png ray.png && fail '--draw ray shows nothing'
    true
}

what_cannot_be_drawn_is_refused()
{
    refuses 'draw wibble grid' --draw wibble
    refuses 'draw ray=1,2' --draw ray=1,2
    refuses 'draw ray= zero' --draw ray=1,2,3,0,0,0
    refuses 'draw ray=' --draw ray=1,2,3,4,5,x
    refuses 'draw ray=' --draw ray=nan,2,3,4,5,6
    refuses 'draw no-png' --draw grid --no-png
    refuses 'draw no-png' --draw queries --no-png
}

cameras_that_see_nothing_are_refused()
{
    refuses 'camera X,Y,Z,TX,TY,TZ' --camera 1,2,3,4,5
    refuses 'camera FOV 150' --camera 1,2,3,4,5,6,151
    refuses 'camera FOV' --camera 1,2,3,4,5,6,60,7
    refuses 'camera 1e6' --camera 1,2,3,4,5,1e7
    refuses 'camera 1 mm' --camera 1,2,3,1,2,3
    refuses 'camera no-png' --camera 1,2,3,4,5,6 --no-png
}

options_that_say_nothing_are_refused()
{
    refuses 'png no-png one' --no-png --png x.png
    refuses 'png no-png one' --png x.png --no-png
    refuses 'png-width no-png' --no-png --png-width 320
    refuses 'capture-every --capture' --no-png --capture-every 5
    run --no-png --png-width 320 --help
    [ "$status" = 0 ] || fail "exit status $status of --help, expected 0"
}

no_png_writes_no_picture()
{
    run_yard
    [ -z "$(ls -A)" ] || fail "it wrote: $(ls -A)"
}

# To a file that is read, or by two options, however its name is written.
no_file_is_written_twice_or_over_what_is_read()
{
    mkdir there
    ln -s there link
    effect_file 5 >fire.json
    floor_obj >floor.obj
    echo old >old
    ln old linked
    cp fire.json before.json
    cp floor.obj before.obj
    small='--frames 2 --effects 5 --particles 100 --no-png --quiet'
    quick='--frames 2 --effects 5 --no-png --quiet'
    # shellcheck disable=SC2086 # words on purpose
    refuses '--json --effect same fire\.json' $quick --effect fire.json --json fire.json
    # shellcheck disable=SC2086
    refuses '--json --effect same' $quick --effect ./fire.json --json there/../fire.json
    # shellcheck disable=SC2086
    (export RICO_EFFECTS=. && refuses '--json --effect same' $quick --effect fire --json fire.json) || exit 1
    # shellcheck disable=SC2086
    refuses '--json --world same floor\.obj' $small --world floor.obj --json floor.obj
    # shellcheck disable=SC2086
    refuses '--capture --world same' $small --world floor.obj --scenes . --capture ./floor.obj
    # shellcheck disable=SC2086
    refuses '--json --cache same' $small --cache old --json linked
    # shellcheck disable=SC2086
    refuses '--trace --bake same' $small --bake s --trace s
    # shellcheck disable=SC2086
    refuses '--json --capture same' $small --json s3 --capture ./s3
    # shellcheck disable=SC2086
    refuses '--json --trace same' $small --json there/s --trace link/s
    refuses '--json --png same' --frames 2 --effects 5 --particles 100 --quiet --json ricochet.png
    { cmp -s fire.json before.json && cmp -s floor.obj before.obj && [ "$(cat old)" = old ]; } ||
        fail 'it wrote over what it reads'
    # shellcheck disable=SC2086
    run $small --world floor.obj --json /dev/stdout --trace /dev/null
    [ "$status" = 0 ] || fail "two devices are refused: $(cat ../err)"
}

# What is read because a file names it.
no_file_is_written_over_what_a_file_names()
{
    printf '{"format": "ricochet effect 1", "sub_emitters": [{"on": "death", "effect": "%s"}]}\n' middle >top.json
    printf '{"format": "ricochet effect 1", "sub_emitters": [{"on": "death", "effect": "%s"}]}\n' low >middle.json
    effect_file 0 >low.json
    cp top.json beside.json
    printf '{"format": "ricochet effect 1", "with": [{"effect": "%s"}]}\n' beside >group.json
    { echo 'mtllib stone.mtl' && floor_obj; } >floor.obj
    echo 'newmtl stone' >stone.mtl
    for name in sparks rain gravel smoke casings; do cp low.json $name.json; done
    cp -r . ../before
    small='--world floor.obj --frames 2 --effects 5 --no-png --quiet'
    # shellcheck disable=SC2086 # words on purpose
    refuses '--json sub-emitter same middle' $small --effect top.json --json middle.json
    # shellcheck disable=SC2086
    refuses '--capture sub-emitter same low' $small --effect ./top.json --capture ./low.json
    # shellcheck disable=SC2086
    refuses '--capture with same beside' $small --effect ./group.json --capture ./beside.json
    # shellcheck disable=SC2086
    refuses '--json sub-emitter same low' $small --effect group.json --json low.json
    # shellcheck disable=SC2086
    refuses '--bake --world same stone' $small --bake stone.mtl
    # shellcheck disable=SC2086
    (export RICO_EFFECTS=. && refuses '--trace show same rain' $small --trace rain.json) || exit 1
    diff -r . ../before || fail 'it wrote over what it reads'
}

# --- Videos ----------------------------------------------------------------------------------

# fake_ffmpeg LINE...: a program of these lines that is found as ffmpeg, and nothing else is.
fake_ffmpeg()
{
    mkdir -p ../bin
    printf '%s\n' "#!$(command -v sh)" "PATH=$PATH" "$@" >../bin/ffmpeg
    chmod +x ../bin/ffmpeg
}

# films ARGUMENT...: as run, with 6 frames of the little world of floor_obj and the fake ffmpeg.
films()
{
    floor_obj >../floor.obj
    timeout 60 env "PATH=$(pwd)/../bin" "$program" run --world ../floor.obj --frames 6 --effects 5 \
        --particles 500 --threads 1 --no-png --quiet --video film.mp4 --video-width 64 "$@" \
        >../out 2>../err </dev/null
    status=$?
}

# no_film WORDS ARGUMENT...: one line on standard error that has the words, status 2, and no file.
no_film()
{
    words=$1
    shift
    films "$@"
    [ "$status" = 2 ] || fail "exit status $status, expected 2" "$(cat ../err)"
    [ "$(wc -l <../err)" = 1 ] || fail "not one line on standard error: $(cat ../err)"
    for word in $words; do
        grep -qF -e "$word" ../err || fail "the line does not name '$word': $(cat ../err)"
    done
    [ -z "$(ls -A)" ] || fail "it left files behind: $(ls -A)"
}

# What ffmpeg is given: its last argument is the file; a picture has 64 x 36 pixels of 3 bytes.
video_has_a_picture_per_frame_at_its_rate()
{
    fake_ffmpeg 'while [ $# -gt 1 ]; do shift; done' 'exec cat >"${1#file:}"'
    for fps in 20 30; do
        films --video-fps $fps
        [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
        [ "$(ls -A)" = film.mp4 ] || fail "not one file: $(ls -A)"
        bytes=$(wc -c <film.mp4)
        [ "$bytes" = $((6 * fps / 60 * 64 * 36 * 3)) ] || fail "$bytes bytes at $fps per second"
    done
    head -c 6912 film.mp4 >first
    tail -c 6912 film.mp4 | cmp -s first - && fail 'the pictures are all the same'
    true
}

video_without_ffmpeg_is_refused()
{
    mkdir ../bin
    no_film 'film.mp4 ffmpeg package'
}

ffmpeg_that_stops_half_way_is_named_and_leaves_no_file()
{
    fake_ffmpeg 'head -c 100 >/dev/null' 'echo some words >&2' 'echo the disk is full >&2' 'exit 3'
    no_film 'film.mp4 ffmpeg disk' --video-width 256
    no_film 'film.mp4 ffmpeg disk'
    fake_ffmpeg 'head -c 100 >/dev/null' 'kill -9 $$'
    no_film 'film.mp4 ffmpeg signal' --video-width 256
    fake_ffmpeg 'exit 0'
    no_film 'film.mp4 ffmpeg' --video-width 256
    fake_ffmpeg 'cat >/dev/null'
    no_film 'film.mp4 ffmpeg nothing'
}

# Its ffmpeg is stopped, too: it could begin the file anew.
video_that_is_interrupted_leaves_no_file_and_no_ffmpeg()
{
    fake_ffmpeg 'echo $$ >../ffmpeg' 'echo $PPID >../its_parent' 'exec sleep 60'
    (
        while [ ! -s ../its_parent ]; do sleep 0.1; done
        ls -A >../seen
        kill -TERM "$(cat ../its_parent)"
    ) &
    films
    wait
    [ "$status" = 143 ] || fail "exit status $status, expected 143" "$(cat ../err)"
    grep -q '^film.mp4.*\.tmp$' ../seen || fail "no file was there: $(cat ../seen)"
    [ -z "$(ls -A)" ] || fail "it left files behind: $(ls -A)"
    ! kill -0 "$(cat ../ffmpeg)" 2>/dev/null || fail 'ffmpeg still runs'
}

video_that_cannot_be_written_is_refused()
{
    refuses 'no/such/dir/x\.mp4' --video no/such/dir/x.mp4
    refuses 'video mp4' --video film.avi
    refuses 'video-width 63 64' --video film.mp4 --video-width 63
    refuses 'video-fps 7 60' --video film.mp4 --video-fps 7
    refuses 'video-fps --video' --video-fps 30
    refuses 'video same' --video film.mp4 --json film.mp4
}

real_ffmpeg_makes_a_video()
{
    command -v ffmpeg >/dev/null || { echo 'skipped: there is no ffmpeg'; return 0; }
    mkdir ../bin
    ln -s "$(command -v ffmpeg)" ../bin/ffmpeg
    films
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
    [ "$(head -c 8 film.mp4 | tail -c 4)" = ftyp ] || fail 'film.mp4 is no MP4'
}

# --- The window ------------------------------------------------------------------------------

# Where it was not built it says so; where it was, tests/programs/view_test.sh has more.
view_refuses_bad_input_or_says_what_to_install()
{
    words='frames 0 1000000'
    if "$program" help view | grep -q 'built without'; then words='install libsdl2-dev libgl-dev'; fi
    timeout 20 "$program" view --frames 0 >../out 2>../err </dev/null
    [ $? = 2 ] || fail 'the exit status is not 2' "$(cat ../err)"
    { [ "$(wc -l <../err)" = 1 ] && [ ! -s ../out ]; } || fail "not one line: $(cat ../out ../err)"
    for word in $words; do
        grep -qF -e "$word" ../err || fail "the line does not name '$word': $(cat ../err)"
    done
}

a_subcommand_explains_itself_to_dash_h_too()
{
    for word in run view replay; do
        "$program" help $word >../help
        "$program" $word -h >../out 2>../err </dev/null || fail "exit status $? of $word -h" "$(cat ../err)"
        cmp -s ../help ../out || fail "$word -h is not help $word" "$(cat ../out)"
    done
}

view_prints_its_help_with_or_without_a_window()
{
    timeout 20 "$program" view --help >../out 2>../err </dev/null
    [ $? = 0 ] || fail 'the exit status is not 0' "$(cat ../err)"
    [ ! -s ../err ] || fail "on standard error: $(cat ../err)"
    "$program" help view | cmp -s - ../out || fail 'it is not that of `help view`' "$(cat ../out)"
}

# --- Warm starts -----------------------------------------------------------------------------

baked_cache_starts_the_same_run_again()
{
    run_yard --bake warm.cache --json baked.json --threads 1
    [ -s warm.cache ] || fail 'it wrote no cache'
    run_yard --cache warm.cache --json loaded.json --threads 2
    run_yard --json cold.json
    baked=$(json baked.json 'o["state_hash"]')
    [ "$(json loaded.json 'o["state_hash"]')" = "$baked" ] || fail 'loaded is not as baked'
    [ "$(json cold.json 'o["state_hash"]')" != "$baked" ] || fail '--bake changes nothing'
    [ "$(json baked.json 'o["cache"]["hit_pct"] > 99.9')" = True ] || fail 'baked, and not known'
}

cache_that_is_not_of_this_world_is_refused()
{
    floor_obj >../floor.obj
    small='--world ../floor.obj --frames 2 --effects 5 --particles 100 --no-png --quiet'
    # shellcheck disable=SC2086 # words on purpose
    run $small --bake warm.cache
    head -c 5000 warm.cache >cut.cache
    echo 'this is no cache, whatever its name says, and it is long enough' >text.cache
    # shellcheck disable=SC2086
    refuses 'cache:.cut.cache truncated --bake' $small --cache cut.cache
    # shellcheck disable=SC2086
    refuses 'text.cache saved' $small --cache text.cache
    # shellcheck disable=SC2086
    refuses 'nowhere.cache such' $small --cache nowhere.cache
    # shellcheck disable=SC2086
    refuses 'cache:.warm.cache another.scene the.same.world' $small --scale 2 --cache warm.cache
    # shellcheck disable=SC2086
    refuses 'bake cache one' $small --bake other.cache --cache warm.cache
    # shellcheck disable=SC2086
    refuses 'no/such/dir' $small --bake no/such/dir/x.cache
}

# What cannot be a cache is refused after its first bytes, or as soon as it is too long.
file_that_cannot_be_a_cache_is_not_read_to_its_end()
{
    floor_obj >../floor.obj
    small='--world ../floor.obj --frames 2 --effects 5 --particles 100 --no-png --quiet'
    # shellcheck disable=SC2086 # words on purpose
    refuses '/dev/zero not.a.saved.cache' $small --cache /dev/zero
    : >empty.cache
    # shellcheck disable=SC2086
    refuses 'empty.cache' $small --cache empty.cache
    printf 'RICO' >short.cache
    # shellcheck disable=SC2086
    refuses 'cache:.short.cache truncated --bake' $small --cache short.cache
    printf 'RICOBAKE' >long.cache
    dd if=/dev/zero of=long.cache bs=1 count=1 seek=8000000000 conv=notrunc 2>/dev/null
    # shellcheck disable=SC2086
    refuses 'long.cache 8000000001 at.most.[0-9]+' $small --cache long.cache
    rm long.cache
}

# --- Captured rays ---------------------------------------------------------------------------

# replays FILE: fills $status, ../out and ../err.
replays()
{
    timeout 60 "$program" replay "$@" >../out 2>../err </dev/null
    status=$?
}

# refuses_replay WORDS FILE: exit status 2, one line that has the words, nothing else.
refuses_replay()
{
    words=$1
    shift
    replays "$@"
    [ "$status" = 2 ] || fail "exit status $status, expected 2, of: $*" "$(cat ../out ../err)"
    [ ! -s ../out ] || fail "it wrote on standard output: $(head -c 200 ../out)"
    [ "$(wc -l <../err)" = 1 ] || fail "not one line on standard error: $(cat ../err)"
    for word in $words; do
        grep -qF -e "$word" ../err || fail "the line does not name '$word': $(cat ../err)"
    done
}

# edits: for each line "WORDS STATEMENT" on standard input, rays.json with the object o changed by Python, to a
# file of its own; prints "FILE INDEX WORDS STATEMENT". flip(TEXT, N) turns the lowest bit of the N-th float; hit
# is an answered query, and INDEX its number.
edits()
{
    python3 -c '
import json, struct, sys
text = open("rays.json", encoding="utf-8").read()
def flip(text, n):
    words = text.split()
    bits, = struct.unpack("I", struct.pack("f", float.fromhex(words[n])))
    words[n] = struct.unpack("f", struct.pack("I", bits ^ 1))[0].hex()
    return " ".join(words)
for number, line in enumerate(sys.stdin):
    o = json.loads(text)
    index = [i for i, q in enumerate(o["queries"]) if q["answer"]["collider"]][2]
    hit = o["queries"][index]
    exec(line.split(" ", 1)[1])
    json.dump(o, open(f"broken{number}.json", "w", encoding="utf-8"))
    print(f"broken{number}.json", index, line, end="")
'
}

captures()
{
    run_yard --capture rays.json --capture-every 20
    [ -s rays.json ] || fail 'it captured nothing'
}

# The same for those who only read it: one run for all of them.
captured()
{
    if [ ! -s "$scratch/rays.json" ]; then
        captures
        cp rays.json "$scratch/rays.json"
    fi
    cp "$scratch/rays.json" .
}

captured_rays_pass_when_replayed()
{
    captures
    count=$(json rays.json 'len(o["queries"])')
    hits=$(json rays.json 'sum(q["answer"]["collider"] != 0 for q in o["queries"])')
    { [ "$count" -ge 20 ] && [ "$hits" -ge 5 ]; } || fail "only $count queries, $hits hits"
    [ "$(json rays.json 'o["failed"]')" = 0 ] || fail 'rays differ from brute force'
    replays rays.json
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../out ../err)"
    [ "$(tail -n 1 ../out)" = "$count passed, 0 failed" ] || fail "$(cat ../out)"
    cp rays.json first.json
    captures
    cmp -s first.json rays.json || fail 'the same run captured other rays'
}

capture_changes_no_result()
{
    run_yard --json with.json --capture rays.json --capture-every 20
    run_yard --json without.json
    [ "$(json with.json 'o["state_hash"]')" = "$(json without.json 'o["state_hash"]')" ] ||
        fail '--capture changes the run'
}

captured_ray_with_one_bit_flipped_fails_and_is_named()
{
    captured
    edits >../edited <<'END' || fail "Python: $(cat ../edited)"
- hit['answer']['t'] = flip(hit['answer']['t'], 0)
- hit['answer']['normal'] = flip(hit['answer']['normal'], 2)
- hit['answer']['triangle'] ^= 1
- hit['answer']['collider'] += 1
- hit['answer']['back_face'] = not hit['answer']['back_face']
- hit['ray']['t_max'] = '0x1p-20'
- hit['triangles'] = []
- hit['answer']['collider'] = 0
END
    while read -r file index _ statement; do
        replays "$file"
        [ "$status" = 1 ] || fail "exit status $status of: $statement" "$(cat ../out ../err)"
        grep -qF "FAILED queries[$index]" ../out || fail "not named: $statement" "$(cat ../out)"
        grep -qE '^[0-9]+ passed, 1 failed$' ../out || fail "not one failure: $statement"
    done <../edited
}

broken_captures_are_refused_with_file_and_field()
{
    captured
    refuses_replay 'nowhere.json expected --capture' nowhere.json
    mkdir folder.json
    refuses_replay 'folder.json directory expected --capture' folder.json
    refuses_replay 'one file' rays.json rays.json
    for bytes in 0 1 100 2000 9000; do
        head -c $bytes rays.json >cut.json
        refuses_replay 'cut.json line' cut.json
    done
    echo '[1, 2]' >list.json
    refuses_replay 'list.json array object' list.json
    echo '{"format": "something else"}' >other.json
    refuses_replay 'other.json format ricochet' other.json
    edits >../edited <<'END' || fail "Python: $(cat ../edited)"
format,text o['format'] = 7
cell_size o['cell_size'] = 0.5
cell_size,metres o['cell_size'] = 'nan'
queries,array o['queries'] = {}
queries,none o['queries'] = []
queries[1],object o['queries'][1] = 3
queries[2].ray,nothing del o['queries'][2]['ray']
queries[2].ray.origin,3,floats o['queries'][2]['ray']['origin'] = '0x1p+0 0x1p+0'
queries[2].ray.origin,0x1q o['queries'][2]['ray']['origin'] = '0x1p+0 0x1p+0 0x1q'
queries[2].ray.t_max,null o['queries'][2]['ray']['t_max'] = None
queries[3].ray.ignore,integer o['queries'][3]['ray']['ignore'] = -1
queries[3].filter.layers,text o['queries'][3]['filter']['layers'] = 'all'
queries[3].answer.back_face,true o['queries'][3]['answer']['back_face'] = 1
queries[3].complete o['queries'][3]['complete'] = 'yes'
queries[0].triangles[0].corners,9 o['queries'][0]['triangles'][0]['corners'] = ''
queries[0].triangles[0].corners,1e6 o['queries'][0]['triangles'][0]['corners'] = 'inf ' * 8 + 'inf'
queries[0].triangles[0].collider,slot o['queries'][0]['triangles'][0]['collider'] = 0
queries[0].triangles[1].triangle,after o['queries'][0]['triangles'] = [o['queries'][0]['triangles'][0]] * 2
END
    while read -r file _ words _; do
        refuses_replay "$file $(echo "$words" | tr ',' ' ')" "$file"
    done <../edited
}

unwritable_capture_is_refused()
{
    refuses 'no/such/dir/x\.json' --frames 10 --no-png --capture no/such/dir/x.json
    refuses 'capture-every 0' --capture x.json --capture-every 0
    refuses 'capture json' --no-png --capture x.json --json x.json
}

# --- JSON ------------------------------------------------------------------------------------

json_on_standard_output_is_one_object_and_nothing_else()
{
    run_short --json -
    python3 - ../out <<'END' || fail "$(head -c 400 ../out)"
import json, sys
o = json.load(open(sys.argv[1], encoding='utf-8'))
assert isinstance(o, dict), 'not an object'
missing = [key for key in ('threads', 'frames', 'particles_mean', 'frame_ms', 'stages', 'queries',
                           'cache', 'state_hash') if key not in o]
assert not missing, f'missing: {missing}'
assert o['frames'] == 60, o['frames']
assert o['threads'] >= 1 and 0 < o['particles_mean'] <= 30000
frame = o['frame_ms']
assert 0 < frame['p50'] <= frame['p99'] <= frame['max'], frame
assert len(o['stages']) >= 5, o['stages']
world = o['world']
assert world['levels'] >= 1 and world['duplicates'] > 0 and world['build_ms'] > 0, world
assert isinstance(o['state_hash'], str) and int(o['state_hash'], 16) != 0, o['state_hash']
workers = o['workers']
counts = ('busy_pct', 'jobs', 'steals', 'failed_steals', 'spins', 'parks', 'wakes')
assert len(workers) == o['threads'], workers
assert all(w[count] >= 0 for w in workers for count in counts) and workers[0]['jobs'] > 0, workers
scaling = o['scaling']
assert scaling['frames'] > 0 and 0 < scaling['span_us'] < scaling['work_us'], scaling
assert set(scaling['stages']) == set(o['stages']), scaling
predicted = [scaling['predicted_speedup'][str(1 << i)] for i in range(8)]
assert predicted[0] == 1 and predicted == sorted(predicted) and predicted[1] > 1, predicted
assert predicted[7] <= scaling['work_us'] / scaling['span_us'] + 0.01, predicted
END
}

json_without_quiet_is_still_alone_on_standard_output()
{
    run --frames 20 --effects 50 --particles 5000 --no-png --json -
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
    json ../out 'len(o)' >/dev/null || fail "$(head -c 400 ../out)"
}

json_goes_to_a_file()
{
    run_yard --json report.json
    [ "$(json report.json 'o["frames"]')" = 60 ] || fail 'report.json is not the report'
}

piped_output_has_no_control_characters()
{
    run --frames 30 --effects 100 --particles 10000 --no-png
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
    [ -s ../out ] || fail 'it printed no table'
    no_control_characters
}

warnings_of_the_library_are_printed_but_for_quiet_runs()
{
    RICO_ISA=foo
    export RICO_ISA
    floor_obj >../floor.obj
    small='--world ../floor.obj --frames 2 --effects 5 --particles 100 --no-png --json r.json'
    # shellcheck disable=SC2086 # words on purpose
    run $small
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
    [ "$(grep -c '^ricochet: .*foo' ../err)" = 1 ] || fail "not one warning: $(cat ../err)"
    # shellcheck disable=SC2086
    run $small --quiet
    [ ! -s ../err ] || fail "on standard error: $(cat ../err)"
    { floor_obj && printf 'v nan 0 0\nf 1 2 5\n'; } >../floor.obj
    # shellcheck disable=SC2086
    run $small
    [ "$(grep -c dropped ../err)" = 1 ] || fail "triangles are not warned about once: $(cat ../err)"
}

quiet_run_says_nothing_on_standard_error()
{
    run_yard
    [ ! -s ../err ] || fail "on standard error: $(cat ../err)"
    no_control_characters
}

means_are_said_to_be_of_the_second_half_of_a_short_run()
{
    yard_obj >../yard.obj
    run --world ../yard.obj --frames 60 --effects 50 --particles 3000 --no-png
    grep -q 'alive (mean in the second half)' ../out || fail "no such mean in: $(cat ../out)"
    ! grep -q 'first 4 s' ../out || fail "a shorter run speaks of 4 s: $(cat ../out)"
}

# --- Determinism -----------------------------------------------------------------------------

hash_of_show()
{
    run_short --json - "$@"
    json ../out 'o["state_hash"]'
}

hash_with()
{
    run_yard --json - "$@"
    json ../out 'o["state_hash"]'
}

state_hash_is_equal_for_any_thread_count()
{
    one=$(hash_of_show --threads 1) || fail "$one"
    for threads in 2 3; do
        many=$(hash_of_show --threads $threads) || fail "$many"
        [ "$many" = "$one" ] || fail "$many with $threads threads, $one with 1"
    done
    [ -z "${RICO_TEST_FULL-}" ] || for threads in 4 7 16; do
        many=$(hash_with --threads $threads --frames 600) || fail "$many"
        one=$(hash_with --threads 1 --frames 600) || fail "$one"
        [ "$many" = "$one" ] || fail "$many with $threads threads, $one with 1, 600 frames"
    done
}

state_hash_is_equal_on_every_instruction_set()
{
    best=$(hash_with) || fail "$best"
    for isa in scalar sse2 avx2 avx512 neon; do
        other=$(export RICO_ISA=$isa && hash_with) || fail "$other"
        [ "$other" = "$best" ] || fail "$other with RICO_ISA=$isa, $best without"
    done
}

state_hash_follows_the_seed()
{
    first=$(hash_with --seed 1) || fail "$first"
    again=$(hash_with --seed 1) || fail "$again"
    other=$(hash_with --seed 2) || fail "$other"
    [ "$first" = "$again" ] || fail "seed 1 gave $first, then $again"
    [ "$first" != "$other" ] || fail "seeds 1 and 2 both give $first"
}

cache_takes_the_memory_that_it_is_given()
{
    yard_obj >yard.obj
    for mib in 1 3; do
        run --world yard.obj --frames 60 --effects 50 --particles 5000 --cache-mib $mib --no-png --json -
        [ "$status" = 0 ] || fail "exit status $status with $mib MiB" "$(cat ../err)"
        json ../out "o['cache']['bytes'], o['cache']['capacity']" >cache.$mib
    done
    # Mode classic has a table of its own, and there is room for what is on its way to them: the same in both.
    python3 - "$(cat cache.1)" "$(cat cache.3)" <<'END' || fail "$(cat cache.1 cache.3)"
import ast, sys
(bytes_1, records_1), (bytes_3, records_3) = map(ast.literal_eval, sys.argv[1:])
ok = abs(bytes_3 - bytes_1 - (2 << 20)) < 200000 and 160 < (2 << 20) / (records_3 - records_1) < 210
sys.exit(0 if ok else 1)
END
}

# --- Effects ---------------------------------------------------------------------------------

effect_file()
{
    printf '{"format": "ricochet effect 1", "mode": "none", "lifetime": 1,\n "rate": %s}\n' "$1"
}

broken_effect_is_refused_with_its_line_and_column()
{
    effect_file -5 >mine.json
    refuses 'mine\.json:2:10: rate.*-5.*expected' --effect mine.json
    printf '{"format": "ricochet effect 1", "rtae": 3}\n' >mine.json
    refuses 'mine\.json:1:33: rtae.*rate' --effect mine.json
    refuses 'nowhere\.json' --effect nowhere.json
    printf '{"format": "ricochet effect 1", "sub_emitters": [\n  {"on": "death", "effect": "%s"}]}\n' \
        nosuch >mine.json
    refuses 'mine\.json:2:29: sub_emitters\[0\]\.effect nosuch\.json expected' --effect mine.json
    printf '{"format": "ricochet effect 1", "sub_emitters": [\n  {"on": "death", "effect": "%s"}]}\n' \
        mine >mine.json
    refuses 'mine\.json:2:29: sub_emitters\[0\]\.effect mine circle' --effect mine.json
    printf '{"format": "ricochet effect 1", "shape": "mesh", "mesh": {"indices": [0, 0, 0],\n%s}}\n' \
        '"positions": [0, 0, 0]' >mine.json
    refuses 'mine\.json:1:70: mesh\.indices area expected' --effect mine.json
    effect_file 5 >mine.json
    refuses '--particles --effect' --effect mine.json --particles 1000
    printf '{"format": "ricochet effect 1", "max_particles": 16777216}\n' >mine.json
    refuses '--effect max_particles' --effect mine.json
}

what_does_nothing_in_an_effect_is_noted()
{
    printf '{"format": "ricochet effect 1", "lifetime": 1,\n "wind": [3, 0, 0], "rolling_friction": 1}\n' >mine.json
    run --effect mine.json --effects 2 --frames 2 --no-png
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
    grep -qF 'note: mine.json:2:10: wind does nothing: there is no drag (and 1 more)' ../err ||
        fail "no note: $(cat ../err)"
    run --effect mine.json --effects 2 --frames 2 --no-png --quiet
    [ ! -s ../err ] || fail "a note, although --quiet: $(cat ../err)"
}

# falls FIELD...: a box of 4 m with these fields, in the sky: what leaves it comes to the floor.
falls()
{
    printf '{"format": "ricochet effect 1", "shape": "box", "size": [2, 2, 0], "spread": 0, "lifetime": 4,\n' >mine.json
    printf ' "rate": 50, "on_collision": "die", "mode": "exact", %s}\n' "$1" >>mine.json
    run --world floor.obj --effect mine.json --effects 1 --frames 200 --no-png --json r.json --quiet
    [ "$status" = 0 ] || fail "exit status $status, expected 0" "$(cat ../err)"
    python3 -c 'import json; assert json.load(open("r.json"))["particles_mean"] < 120' ||
        fail "nobody dies on the floor with $1"
}

what_falls_from_the_sky_goes_down_whatever_the_sign_of_its_speed()
{
    { echo 'v -40 -40 0' && echo 'v 40 -40 0' && echo 'v 40 40 0' && echo 'v -40 40 0' &&
        echo 'v 0 0 8' && echo 'v 1 0 8' && echo 'v 0 1 8' &&
        echo 'f 1 2 3' && echo 'f 1 3 4' && echo 'f 5 6 7'; } >floor.obj
    falls '"speed": [17, 20]'
    falls '"speed": [-20, -17]'
}

# shows CAMERA FIELDS [GRAVITY]: the picture differs from the one in which nothing is born.
shows()
{
    for rate in 0 200; do
        printf '{"format": "ricochet effect 1", "mode": "none", "speed": 0.5, "gravity": [0, 0, %s],\n' \
            "${3-0}" >mine.json
        printf ' "lifetime": 2, %s, "rate": %s}\n' "$2" $rate >>mine.json
        run --world floor.obj --effect mine.json --effects 1 --frames 60 --camera="$1" --png $rate.png \
            --png-width 64 --quiet
        [ "$status" = 0 ] || fail "exit status $status, expected 0" "$(cat ../err)"
    done
    ! cmp -s 0.png 200.png || fail "nothing is seen of $2 from $1"
}

pictures_show_what_is_near_a_chosen_camera_and_smoke_that_grows_from_nothing()
{
    printf 'v -0.5 -0.5 0\nv 0.5 -0.5 0\nv 0.5 0.5 0\nv -0.5 0.5 0\nf 1 2 3\nf 1 3 4\n' >floor.obj
    shows 0,-1.6,0.6,0,0,0.6 '"particle_size": 0.1'
    shows 0,-5,0.6,0,0,0.6 '"particle_size": [{"at": 0, "value": 0}, {"at": 1, "value": 2}], "color": [0, 0, 0, 1]'
}

# Seen from the usual place, a particle of 1 cm is less than a pixel. The last effect begins high up, and is only seen
# from 3 m below that on.
cameras_find_the_first_effect_or_the_ground_below_one_in_the_sky()
{
    yard_obj >floor.obj
    shows effect '"particle_size": 0.2'
    shows effect,0.5 '"particle_size": 0.01'
    shows effect,2 '"shape": "box", "size": [0.75, 0.75, 0], "particle_size": [
        {"at": 0.13, "value": 0}, {"at": 0.13, "value": 0.1}]' -100
    run --world floor.obj --effect mine.json --effects 1 --frames 60 --camera effect,5 --png away.png \
        --png-width 64 --quiet
    cmp -s 200.png away.png && fail 'two distances give one picture'
    refuses 'camera effects METRES' --camera effects
    refuses 'camera effect, METRES 0.1' --camera effect,0
    refuses 'camera effect, METRES 1000' --camera effect,1001
    refuses 'camera effect, METRES' --camera effect,2,3
    refuses 'camera effect, METRES' --camera effect,
}

given_effects_run_at_their_own_rates()
{
    effect_file 30 >one.json
    effect_file 90 >two.json
    run --effect one.json --effect two.json --effects 10 --frames 120 --no-png --quiet --json o.json
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
    births=$(json o.json 'round(o["births"])')
    [ "$births" = 10 ] || fail "$births births per frame, expected those of 5 x 30 + 5 x 90 per second"
}

# 5 effects of 10 births per second, each with two of 60: the second begins half a second later.
effects_are_spawned_with_those_that_their_file_names()
{
    printf '{"format": "ricochet effect 1", "mode": "none", "rate": 10, "with": [{"effect": "%s"},\n%s]}\n' \
        beside '{"effect": "later", "position": [0, 0, 1]}' >group.json
    effect_file 60 >beside.json
    printf '{"format": "ricochet effect 1", "mode": "none", "rate": 60, "delay": 0.5}\n' >later.json
    run --effect group.json --effects 5 --frames 120 --quiet --png picture.png --png-width 64 --json o.json
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
    births=$(json o.json 'round(o["births"])')
    [ "$births" = 11 ] || fail "$births births per frame, expected 5 x (10 + 60 + 60) per second"
    printf '{"format": "ricochet effect 1", "with": [\n {"effect": "nosuch"}]}\n' >group.json
    refuses 'group\.json:2:13: with\[0\]\.effect nosuch\.json expected' --effect group.json
}

births_without_room_are_counted_and_named()
{
    yard_obj >../yard.obj
    printf '{"format": "ricochet effect 1", "mode": "none", "rate": 90, "lifetime": 3, "max_particles": 5}\n' >few.json
    run --world ../yard.obj --effect few.json --effects 2 --frames 120 --no-png
    grep -q 'starved .* births .* max_particles is too small' ../out || fail "$(grep starved ../out)"
    grep -q 'few.json:1:57: rate times lifetime is more than max_particles: that is 5,' ../err || fail "$(cat ../err)"
}

# What ends begins anew, as in a window; what cannot be seen is named.
effects_that_end_begin_anew_and_those_that_show_nothing_are_named()
{
    printf '{"format": "ricochet effect 1", "mode": "none", "duration": 0.05, "rate": 0,\n%s}\n' \
        '"burst_count": 12, "lifetime": 0.1' >splash.json
    printf '{"format": "ricochet effect 1", "rate": 0, "rate_per_metre": 90}\n' >trail.json
    effect_file 0 >idle.json
    yard_obj >../yard.obj
    run --world ../yard.obj --effect splash.json --effect trail.json --effect idle.json --effects 3 \
        --frames 180 --no-png --json o.json
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
    [ "$(json o.json 'o["births"] > 0.5')" = True ] || fail "$(cat o.json)"
    [ "$(wc -l <../err)" = 2 ] || fail "not two warnings: $(cat ../err)"
    grep -q 'trail shows nothing.*moved' ../err || fail "trail is not named: $(cat ../err)"
    grep -q 'idle shows nothing' ../err || fail "idle is not named: $(cat ../err)"
}

# Whose files are of one name, or of one that JSON cannot have.
every_effect_is_in_the_report()
{
    mkdir a b
    odd=$(printf 'f\377')
    for file in a/fire b/fire a/fire\ 2 "$odd" "$(printf 'f\376')"; do effect_file 5 >"$file.json"; done
    yard_obj >../yard.obj
    run --world ../yard.obj --effect a/fire.json --effect b/fire.json --effect 'a/fire 2.json' \
        --effect "$odd.json" --effect "$(printf 'f\376').json" --effects 5 --frames 2 --no-png --quiet --json o.json
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
    names=$(json o.json '",".join(o["falls"]["recipes"])')
    [ "$names" = 'fire,fire 2,fire 2 2,f?,f? 2' ] || fail "$names"
}

effects_that_come_with_the_program_go_by_name()
{
    run --effect fire --effect snow --effects 4 --frames 30 --png picture.png --png-width 64 --quiet
    [ "$status" = 0 ] || fail "exit status $status" "$(cat ../err)"
}

# Of those that were looked through, not of a place that nobody meant.
effect_that_does_not_exist_is_refused_with_those_that_do()
{
    refuses 'smoek there.are:.*embers,.*fire,.*snow did.you.mean..smoke.' --effect smoek
    ! grep -q schema ../err || fail "what is no effect is listed: $(cat ../err)"
    effect_file 5 >my_fire.json
    refuses 'my_fire for.the.file.*write..my_fire.json.$' --effect my_fire
    rm my_fire.json
    refuses 'effects particles burst_interval expected.0.to.1e\+06' --effects 1000000 --particles 1
    mkdir mine
    effect_file 5 >mine/glow.json
    RICO_EFFECTS=mine
    export RICO_EFFECTS
    refuses 'smoke.*in.mine; are:.glow$' --effect smoke
    rm mine/glow.json
    refuses 'smoke.*in.mine none' --effect smoke
}

effects_are_looked_for_where_the_environment_says()
{
    mkdir mine
    RICO_EFFECTS=mine
    export RICO_EFFECTS
    refuses 'mine/sparks\.json'
    for name in sparks rain gravel smoke casings; do effect_file 5 >mine/$name.json; done
    run_short
    effect_file '"x"' >mine/smoke.json
    refuses 'mine/smoke\.json:2:10: rate' --frames 1
}

# --- The runner ------------------------------------------------------------------------------

if [ ! -x "$program" ]; then
    echo "FAILED $program is not there"
    echo "0 passed, 1 failed"
    exit 1
fi
case $program in
/*) ;;
*) program=$(pwd)/$program ;;
esac

passed=0
failed=0
# shellcheck disable=SC2013 # the names are words
for test in $(sed -n 's/^\([a-z_]*\)()$/\1/p' "$0" | grep -vxE \
    'fail|run|run_short|run_yard|refuses|json|floor_obj|yard_obj|no_control_characters|hash_of_show|hash_with|replays|refuses_replay|edits|captures|captured|effect_file|falls|shows|fake_ffmpeg|films|no_film'); do
    case $test in *"$filter"*) ;; *) continue ;; esac
    rm -rf "$scratch/test" && mkdir -p "$scratch/test/cwd"
    if report=$(cd "$scratch/test/cwd" && "$test" 2>&1); then
        echo "ok $test${report:+ ($report)}"
        passed=$((passed + 1))
    else
        echo "FAILED $test"
        printf '%s\n' "$report"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
