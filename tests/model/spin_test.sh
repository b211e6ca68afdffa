#!/bin/sh
# spin_test.sh MODEL DIRECTORY - checks the parking protocol exhaustively, then that the check sees
# each part of it that is taken away.
set -eu

model=$1
work=$2/parking_model
mkdir -p "$work"
cd "$work"
failed=0

# verify NAME OPTION FILE: prints the verdict of spin's search through all states.
verify()
{
    # shellcheck disable=SC2086 # no option is no word
    spin -a $2 "$3" >/dev/null
    cc -O0 -w -DSAFETY -o pan pan.c
    ./pan -m100000 >pan.out
    rm -f ./*.trail
    grep -q 'errors: 0' pan.out
}

expect()
{
    if [ "$1" = "$2" ]; then echo "ok $3"; else echo "FAILED $3" && failed=1; fi
}

# mutant NAME SED: spin must find an error in one of the three scenes.
mutant()
{
    sed "$2" "$model" >mutant.pml
    cmp -s "$model" mutant.pml && echo "FAILED $1: the model has no such line" && failed=1
    verdict=caught
    verify "$1" '' mutant.pml && verify "$1" -DTOGETHER mutant.pml &&
        verify "$1" -DSPARE mutant.pml && verdict=missed
    expect "$verdict" caught "catches a protocol in which $1"
}

for option in '' -DTOGETHER -DSPARE; do
    verdict=holds
    verify parking "$option" "$model" || verdict=fails
    expect "$verdict" holds "no wake-up is missed ${option:-with three jobs}"
done
mutant 'the sleeper does not look a last time' 's/        :: public_jobs > 0$/        :: false/'
mutant 'who stops searching does not look' 's/:: last && wakeable/:: false/'
# The rest with ./dev test --full: each is two or three searches.
[ -n "${RICO_TEST_FULL-}" ] || exit $failed
mutant 'who wakes does not count the woken' 's/searching++; .* rico__idle_wake_one .*/skip;/'
mutant 'the publisher does not look for sleepers' \
    's/:: searching == 0 && wakeable ->/:: false ->/'
mutant 'who sleeps in a join does not hand its CPU on' \
    's/:: wakeable && public_jobs > 0 -> wake_one.*/:: false/'
exit $failed
