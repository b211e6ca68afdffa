/* forecast.h - looking ahead: where the path of a particle leads, and until when that is known.
 *
 * A particle of mode cached is looked after once in a while, not in each step. Its path is
 * followed through the cells that it will cross, up to the first surface, the first cell of
 * which nothing is known, or the horizon. From then on it only watches one plane and the time.
 */
#ifndef RICO_FORECAST_H
#define RICO_FORECAST_H

#include "forces.h"
#include "simulate.h"

/* A path that comes to a cell without a record is followed on, as if nothing were there, to ask
 * for the next ones as well: for this many cells at most. */
#define RICO__MOST_LACKS 4u

/* Steps after the expected impact in which it may still come. More than what must be known
 * ahead (rico__step), or each impact would be looked at twice. */
#define RICO__LATE_STEPS 1.5f

/* A particle whose path is followed. */
typedef struct rico__flight {
    rico__block *block;
    /* In the first stream; the number in each next stream is `stride` farther. */
    float *numbers;
    size_t stride;
    uint32_t lane;
    float radius, fall, dt;
    float age, life_left;
    float time;          /* when done: the path is known up to this time */
    float speed, jerk;   /* at the path's start */
    rico_vec3 middle;    /* its velocity in the middle of its first step */
    /* If pushed: its way along the plane that it meets, per metre of way to the plane. */
    float grazes;
    rico__choice choice; /* its time counts from `time` on */
    rico__owner owner;   /* of the choice */
    bool names;          /* its recipe asks for the owner */
    bool done;           /* its path was followed to its end */
    bool again;          /* taken off at the start of a step */
    bool newborn;        /* born in this step: it has not moved yet */
    /* Its death is reported: its path is followed for a step more. */
    bool mourned;
    bool pushed;         /* by forces that change on its way */
    bool rides;          /* in local space: it was carried along */
    bool coarse;         /* so far out that rounding decides which way it goes */
    bool adrift;         /* far out, and without a pull: it looks again after each bounce */
    uint32_t unseen;     /* layers of colliders that it ignores */
    rico__aim aim;       /* if pushed: for how long forces count as constant */
    uint8_t most_lacks;
    uint32_t lacks;  /* cells without a record on its way */
    float lack_time; /* when it comes to the first of them */
    bool looked;     /* rays have looked into those cells */
} rico__flight;

/* Flights in the order of particles, as a ring. A power of two. */
#define RICO__FLIGHTS 512u

/* The paths that are followed together, so that their waits for memory overlap. Each is in a
 * column, which the next one takes when the path has come to its end. Flights land in the order
 * in which they took off, whatever was found first, because only a limited number of cells can
 * be asked for.
 *
 * Owner: the world, one per worker. Threads: that worker; once all blocks were simulated, any
 * one. Order: flights in the order of particles.
 */
struct rico__wave {
    rico__cells cells;
    /* Flights that have not landed: from number `first` on, in ring order. */
    uint32_t first, count;
    uint64_t flying, starting;            /* sets of columns; starting: not placed yet */
    uint16_t flight[RICO__FLIGHT_COLUMNS]; /* the flight in each column */
    rico__flights paths;                  /* columns */
    /* Of each column: its cell, its path in there, what that path meets, and when. */
    rico__cell cell[RICO__FLIGHT_COLUMNS];
    rico__path path[RICO__FLIGHT_COLUMNS];
    uint32_t found[RICO__FLIGHT_COLUMNS];
    float found_time[RICO__FLIGHT_COLUMNS][RICO__RECORD_TIMES];
    rico__flight flights[RICO__FLIGHTS];
    rico__lack lack[RICO__FLIGHTS][RICO__MOST_LACKS]; /* of the flights */
    rico__aims aims;                                  /* of the block whose paths take off */
};

/* What a path meets in its cell. It is followed no further when that is something. */
typedef enum rico__meeting { MEETS_NOTHING, MEETS_SURFACES, MEETS_END } rico__meeting;

/* chords.c. For a cell that no record describes: asks the scene for the first surface that the
 * path meets, in `most` chords at most, until the path leaves the places where a record would
 * have followed it. A slow particle is there for longer; its path is then known up to the last
 * chord. */
#define RICO__CHORDS 4u
rico__meeting rico__meet_by_rays(rico__wave *w, uint32_t column, uint32_t most);

/* coarse_places.c, for a particle that is so far out. Each of its steps leads elsewhere than
 * its velocity, and velocities tell ways into walls from ways out of them. So along axes on
 * which nothing changes the velocity, it becomes what steps make of it. The particle goes where
 * it would have gone anyway. */
void rico__keep_to_places(const rico__flight *f, const rico__step *step);

/* If the particle touches its plane but for rounding, the plane is put where the guard pass
 * surely sees it touched. Otherwise the time at which a slow particle comes to it would be
 * unknown, and a step that was meant for this contact might lead through another wall. */
void rico__touch_coarsely(const rico__flight *f);

/* For how long the path is believed under forces that change. After that it is only followed to
 * ask for the records that it may need next. */
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

/* The same for particles that wait for a record; for all particles when what is known of paths
 * is not true any more. */
void rico__look_again(rico_world *world, uint32_t worker, rico__block *block);

/* Follows what is left in the worker's wave: each particle gets its plane, its clearance and
 * the time until which its path is known. Cells that lack a record are asked for. Blocks must
 * not change between taking off and this call. */
void rico__land_all(rico_world *world, uint32_t worker);

#endif
