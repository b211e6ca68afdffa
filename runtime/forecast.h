/* forecast.h - looking ahead: where the path of a particle leads, and until when that is known.
 *
 * A particle of mode cached is looked after once in a while, not in each step: its path is
 * followed through the cells that it will cross, up to the first surface, the first cell of which
 * nothing is known, or the horizon. From then on it only watches one plane and the time.
 */
#ifndef RICO_FORECAST_H
#define RICO_FORECAST_H

#include "forces.h"
#include "simulate.h"

/* A path that comes to a cell without a record is followed on, as if nothing were there, to ask for
 * the next ones as well: so many. */
#define RICO__MOST_LACKS 4u

/* Steps after the expected impact in which it may still come. More than what must be known ahead
 * (rico__step), or each impact would be looked at twice. */
#define RICO__LATE_STEPS 1.5f

/* A particle whose path is followed. */
typedef struct rico__flight {
    rico__block *block;
    float *numbers; /* in the first stream; in the next ones, always `stride` further */
    size_t stride;
    uint32_t lane;
    float radius, fall, dt;
    float age, life_left;
    float time;          /* when done: the path is known up to there */
    float speed, jerk;   /* at first */
    rico_vec3 middle;    /* its velocity in the middle of its first step */
    float grazes;        /* of who is pushed: its way along the plane it meets, per way to that */
    rico__choice choice; /* its time is from `time` on */
    rico__owner owner;   /* of that */
    bool names;          /* its recipe asks for the owner */
    bool done;           /* its path was followed to its end */
    bool again;          /* at the start of a step */
    bool newborn;        /* in this step: it has not moved yet */
    bool mourned;        /* its death is told of: its path is followed for a step more */
    bool pushed;         /* by forces that change on its way */
    bool rides;          /* of space local: was carried along */
    bool coarse;         /* so far out that rounding says which way it goes */
    bool adrift;         /* far out, and pulled nowhere: each bounce looks again */
    uint32_t unseen;     /* layers of colliders that are not there for it */
    rico__aim aim;       /* then: for how long they are taken to stay as they are */
    uint8_t most_lacks;
    uint32_t lacks;  /* cells without a record on its way */
    float lack_time; /* when it comes to the first */
    bool looked;     /* into those, by rays */
} rico__flight;

/* Flights in the order of particles, as a ring; a power of two. */
#define RICO__FLIGHTS 512u

/* The paths that are followed together, so that their waits for memory overlap: each in a column,
 * which the next one takes when it has come to its end. Flights land in the order in which they
 * took off, whatever was found first: only so many cells can be asked for.
 *
 * Owner: the world, one per worker. Threads: that worker; once all blocks were simulated, any one.
 * Order: flights in the order of particles. */
struct rico__wave {
    rico__cells cells;
    uint32_t first,
        count; /* flights that did not land: from number `first` on, in ring order */
    uint64_t flying, starting;            /* sets of columns; starting: not placed yet */
    uint16_t flight[RICO__FLIGHT_COLUMNS]; /* of each column */
    rico__flights paths;                  /* columns */
    /* Of each column: its cell, its path in there, what that meets, and when. */
    rico__cell cell[RICO__FLIGHT_COLUMNS];
    rico__path path[RICO__FLIGHT_COLUMNS];
    uint32_t found[RICO__FLIGHT_COLUMNS];
    float found_time[RICO__FLIGHT_COLUMNS][RICO__RECORD_TIMES];
    rico__flight flights[RICO__FLIGHTS];
    rico__lack lack[RICO__FLIGHTS][RICO__MOST_LACKS]; /* the flights' */
    rico__aims aims;                                  /* of the block whose paths take off */
};

/* What a path meets in its cell; no need to follow it further when that is something. */
typedef enum rico__meeting { MEETS_NOTHING, MEETS_SURFACES, MEETS_END } rico__meeting;

/* chords.c. In a cell of which no record tells: the first surface of the scene that the path meets, asked in chords, so
 * many at most, until it leaves the places where a record would have followed it. Who is slow is there for
 * longer: its path is known so far. */
#define RICO__CHORDS 4u
rico__meeting rico__meet_by_rays(rico__wave *w, uint32_t column, uint32_t most);

/* coarse_places.c, of who is so far out. Each step leads elsewhere than its velocity, by which ways into walls are told
 * from ways out of them: along axes on which nothing changes that, it becomes what steps make of it. It goes where it would have
 * gone. */
void rico__keep_to_places(const rico__flight *f, const rico__step *step);

/* Its plane, when it touches that but for rounding, is put where the guard pass surely sees it touched: when it comes to it
 * slowly nobody knows when, and a step that was to be this contact's might lead through another wall. */
void rico__touch_coarsely(const rico__flight *f);

/* Under forces that change the path is believed so far; then it is only followed to ask for the records
 * that it may need next. */
static inline float rico__believed(const rico__flight *f)
{
    return f->pushed ? f->aim.trust : RICO__NEVER;
}

/* How far a path that is followed may be from the true one. */
static inline float rico__most_drift(float radius)
{
    return float_clamp(radius, RICO__LEAST_DRIFT, RICO__MOST_DRIFT);
}

/* Adds the block's particles that must look ahead (masks.look) to the worker's wave. */
void rico__look_ahead(rico__block_context *c);

/* The same for those that wait for a record, and for all when what is known of paths is not true
 * any more. */
void rico__look_again(rico_world *world, uint32_t worker, rico__block *block);

/* Follows what is left in the worker's wave: each particle gets its plane, its clearance and the
 * time until which its path is known. Cells that lack a record are asked for. Blocks must not
 * change between taking off and this. */
void rico__land_all(rico_world *world, uint32_t worker);

#endif
