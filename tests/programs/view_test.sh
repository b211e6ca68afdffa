#!/bin/sh
# view_test.sh PROGRAM - `ricochet view` in a window that nobody sees (Xvfb): what is in its pictures.
#
# Skipped (77) where there is no Xvfb. Needs python3 (its standard library only).
set -u

case $1 in
/*) program=$1 ;;
*) program=$(pwd)/$1 ;;
esac
if [ -z "${VIEW_TEST_DISPLAY-}" ]; then
    command -v xvfb-run >/dev/null || { echo 'skipped: there is no xvfb-run'; exit 77; }
    VIEW_TEST_DISPLAY=1 exec xvfb-run -a -s '-screen 0 640x480x24' sh "$0" "$program"
fi
scratch=$(mktemp -d) || exit 1
cd "$scratch" || exit 1
child=
trap '[ -z "$child" ] || kill "$child"; rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
passed=0
failed=0

check()
{
    name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        echo "ok $name"
    else
        failed=$((failed + 1))
        echo "FAILED $name"
        tail -n 5 err
    fi
}

# effect RATE: a fountain of large white particles, without collision, in mine.json.
effect()
{
    printf '{"format": "ricochet effect 1", "mode": "none", "lifetime": 1, "rate": %s,\n' "$1"
    printf ' "particle_size": 0.3, "speed": 3}\n'
}

# shot FILE ARGUMENT...: a small picture of mine.json, in a world that is a floor.
shot()
{
    file=$1
    shift
    timeout 60 "$program" view --world floor.obj --effect mine.json --effects 9 --threads 1 \
        --width 160 --frames 12 --screenshot "$file" "$@" 2>err
}

# The picture has more than one colour: rows are stored as differences, so bytes other than 0 do.
is_not_blank()
{
    python3 - "$1" <<'PYTHON'
import struct, sys, zlib
data = open(sys.argv[1], 'rb').read()
width, height = struct.unpack('>II', data[16:24])
assert (width, height) == (160, 90), (width, height)
at, pixels = 8, b''
while at < len(data):
    size, kind = struct.unpack('>I4s', data[at:at + 8])
    pixels += data[at + 8:at + 8 + size] if kind == b'IDAT' else b''
    at += 12 + size
assert len(set(zlib.decompress(pixels))) > 8
PYTHON
}

differ()
{
    [ -s "$1" ] && [ -s "$2" ] && ! cmp -s "$1" "$2"
}

printf 'v -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3\nf 1 3 4\n' >floor.obj
effect 0 >mine.json
check a_picture_is_written shot empty.png --bare
check a_picture_is_not_blank is_not_blank empty.png
check overlays_are_written shot grid.png --bare --draw grid
check overlays_show_in_the_picture differ empty.png grid.png
check text_and_graph_are_written shot numbers.png
check text_or_graph_shows_in_the_picture differ empty.png numbers.png
effect 300 >mine.json
check particles_are_written shot full.png --bare
check particles_show_in_the_picture differ empty.png full.png
check a_camera_is_taken shot aside.png --bare --camera 3,-8,2,0,0,1
check it_sees_another_picture differ full.png aside.png
check a_camera_of_60_degrees_is_taken shot same.png --bare --camera 3,-8,2,0,0,1,60
check that_is_how_wide_it_is_without cmp aside.png same.png
check a_narrow_camera_is_taken shot narrow.png --bare --camera 3,-8,2,0,0,1,20
check it_sees_less differ aside.png narrow.png
check the_same_view_is_written_again shot again.png --bare
check the_same_view_gives_the_same_picture cmp full.png again.png
printf '{"format": "ricochet effect 1", "mode": "exact", "lifetime": 9, "rate": 0, "speed": 0,\n' >mine.json
printf ' "burst_count": 5, "particle_size": 0.3, "restitution": 0}\n' >>mine.json
check resting_particles_are_written shot resting.png --bare --frames 40
check marks_of_sleepers_are_written shot marked.png --bare --frames 40 --sleepers
check marks_of_sleepers_show_in_the_picture differ resting.png marked.png
printf '{"format": "ricochet effect 1", "mode": "cached", "lifetime": 9, "rate": 9, "speed": 2,\n' >mine.json
printf ' "particle_size": 0.05}\n' >>mine.json
check cached_particles_are_written shot cached.png --bare
check queries_are_written shot queries.png --bare --draw queries
check queries_show_in_the_picture differ cached.png queries.png
effect 300 >mine.json

# refuses FILE: it is read, is named, and stays what it is.
refuses()
{
    cp "$1" before
    shot "$@"
    [ $? = 2 ] && grep -qF -- "--screenshot" err && grep -qF "same file: $1" err && cmp "$1" before
}
printf '{"format": "ricochet effect 1", "sub_emitters": [{"on": "death", "effect": "under"}]}\n' >top.json
cp mine.json under.json
{ echo 'mtllib stone.mtl' && cat floor.obj; } >named.obj
echo 'newmtl stone' >stone.mtl
check a_picture_is_not_written_over_the_world refuses floor.obj
check a_picture_is_not_written_over_an_effect refuses ./mine.json
check a_picture_is_not_written_over_what_an_effect_names refuses under.json --effect top.json
check a_picture_is_not_written_over_what_the_world_names refuses stone.mtl --world named.obj

# Written again until it is noticed: the first time may be before the file is read.
follows_changes()
{
    "$program" view --world floor.obj --effect mine.json --effects 1 --width 64 2>err &
    child=$!
    rate=300
    while [ $rate -lt 400 ] && ! grep -qF 'mine has changed' err; do
        rate=$((rate + 1))
        effect $rate >next && mv next mine.json
        sleep 0.2
    done
    while [ $rate -lt 500 ] && ! grep -q 'mine\.json:1:[0-9]*: rate' err; do
        rate=$((rate + 1))
        effect -$rate >next && mv next mine.json
        sleep 0.2
    done
    kill -0 "$child" && [ $rate -lt 500 ]
}
check a_file_that_changes_is_followed_and_a_broken_one_is_named follows_changes

ends_when_asked_to()
{
    kill "$child"
    wait "$child"
    status=$?
    child=
    [ $status = 0 ]
}
check the_window_closes_when_asked_to ends_when_asked_to

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
