#!/bin/sh
# under_xvfb.sh COMMAND [ARGUMENT...] - runs it with an X server that nobody sees, on a display of its
# own. 77, which means skipped to meson: there is no Xvfb, or it does not start.
set -eu
command -v Xvfb >/dev/null || {
    echo 'no Xvfb'
    exit 77
}
dir=$(mktemp -d)
Xvfb -displayfd 3 -screen 0 800x600x24 -nolisten tcp 3>"$dir/display" >"$dir/log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
tries=0
until [ -s "$dir/display" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ] || ! kill -0 "$server" 2>/dev/null; then
        cat "$dir/log"
        exit 77
    fi
    sleep 0.1
done
DISPLAY=:$(cat "$dir/display")
export DISPLAY
"$@"
