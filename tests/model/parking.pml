/* parking.pml - the parking protocol of jobs/idle.c for the spin model checker: exhaustively, under
 * sequential consistency (which the fences buy; what they buy it from is relacy's part).
 *
 * One publisher puts WORK jobs on its deque, one at a time; THIEVES take them and sleep when there
 * is nothing. With SPARE, one of the three is to rest: the publisher does, asleep in a join, once it
 * has published. Claims: (W) when the publisher is done and nothing moves any more, no public job is
 * left while a thief sleeps: the end states are valid only with all jobs taken; and the count of
 * searchers never falls below zero.
 *
 *   spin -a [-DTOGETHER] [-DSPARE] parking.pml && gcc -O2 -DSAFETY -o pan pan.c && ./pan
 */
#define THIEVES 2
#ifdef SPARE
#define TOGETHER
#define LEAST_RESTING 1
#else
#define LEAST_RESTING 0
#endif
#ifdef TOGETHER /* two jobs that need each other: both thieves have to come */
#define WORK 2
#else
#define WORK 3
#endif

byte public_jobs, searching, taken;
bit asleep[THIEVES], leaping;
byte event[THIEVES];

/* crew_wakeable */
#define any_asleep (asleep[0] || asleep[1])
#define wakeable (any_asleep && asleep[0] + asleep[1] + leaping > LEAST_RESTING)

/* crew_pick_sleeper and rico__parker_wake; the caller has raised `searching` before. */
inline hand_over(found)
{
    found = 0;
    if
    :: !wakeable
    :: else ->
        if
        :: atomic { asleep[0] -> asleep[0] = 0; found = 1 }; event[0]++
        :: else ->
            if
            :: atomic { asleep[1] -> asleep[1] = 0; found = 1 }; event[1]++
            :: else
            fi
        fi
    fi
}

/* end_search: the last to stop searching looks once more. */
inline end_search(last, found)
{
    do
    :: atomic { assert(searching > 0); searching--; last = (searching == 0) };
        if
        :: last && wakeable && public_jobs > 0 ->
            searching++;
            hand_over(found);
            if
            :: found -> break
            :: else
            fi
        :: else -> break
        fi
    od
}

inline wake_one(last, found)
{
    searching++; /* rico__idle_wake_one */
    hand_over(found);
    if
    :: found
    :: else -> end_search(last, found)
    fi
}

active proctype publisher()
{
    byte left = WORK;
    bit last, found;
    do
    :: left > 0 ->
        public_jobs++; /* publish; fence */
        left--;
        if
        :: searching == 0 && wakeable -> wake_one(last, found)
        :: else
        fi
    :: else -> break
    od;
#ifdef SPARE
    leaping = 1; /* fence */
    if
    :: wakeable && public_jobs > 0 -> wake_one(last, found) /* rico__idle_leave_cpu */
    :: else
    fi;
#endif
    (taken == WORK) /* blocks for ever, an invalid end state, if a wake was missed */
}

active [THIEVES] proctype thief()
{
    byte me = _pid - 1, ticket;
    bit last, found, got;
    searching++;
end:
    do
    :: atomic { public_jobs > 0 -> public_jobs--; got = 1 };
        end_search(last, found);
        taken++; /* runs it */
#ifdef TOGETHER
        (taken == WORK);
#endif
        searching++
    :: public_jobs == 0 -> /* park */
        ticket = event[me];
        asleep[me] = 1;
        searching--; /* crew_search_end; no look: rule 3 does it */
        if /* fence; may_sleep */
        :: public_jobs > 0
        :: else ->
endasleep:  (event[me] != ticket)
        fi;
        searching++;
        if
        :: atomic { asleep[me] -> asleep[me] = 0 }
        :: else -> searching--
        fi
    od
}
