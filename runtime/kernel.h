/* kernel.h - the inner loops, one implementation per ISA, all with the same bits.
 *
 * kernel_body.h holds the one source; kernel_<isa>.c compile it with another lane count.
 * Streams hold RICO__MAX_BLOCK floats at most and may be read and written up to the next
 * multiple of 16 past `count`; masks come back with no bit at or past `count`.
 */
#ifndef RICO_KERNEL_H
#define RICO_KERNEL_H

#include "coverage.h"
#include "cpu.h"
#include "extents.h"
#include "force_list.h"
#include "packing.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RICO__MAX_BLOCK 256u
#define RICO__MASK_WORDS (RICO__MAX_BLOCK / 64)

/* What one step is for all particles of a block. */
typedef struct rico__step {
    float dt;
    float gx, gy, gz;  /* gravity * kick */
    float drag_factor; /* exp(-drag * kick) */
    float radius;      /* of contact, > 0 */
    float restitution;
    float slip;                   /* 1 - friction */
    float rest_speed2;            /* squared */
    float hold_x, hold_y, hold_z; /* unit vector against gravity; zero without gravity */
    float hold_cosine;            /* surfaces steeper than this do not hold a particle */
    float depth;      /* behind the plane by more than this: no longer its business */
    float ahead;      /* seconds of a path that must be known before they are gone */
    float fall;       /* length of gravity: no other force speeds a particle up */
    float cell_rate;  /* cells of level 0 per metre */
    float fast_step2; /* squared length of a step that needs a ray */
    bool chord;       /* guard pass: all who live and are awake count as hits */
    float kick;       /* seconds for which forces act on velocities: dt where steps are even */
    float middle;     /* seconds from the step's begin to when velocities are those of: half of dt */
} rico__step;

/* Planes that particles name by a number: it is the lowest RICO__PALETTE_BITS bits of a lifetime,
 * which are too small to matter there (4e-7 of it). Arrays are as long as the longest vector. */
#define RICO__PALETTE_BITS 3u
#define RICO__PALETTE_SIZE (1u << RICO__PALETTE_BITS)
#define RICO__NOT_LEVEL 3u
typedef struct rico__palette {
    float x[16], y[16], z[16], offset[16];
    bool single;    /* every particle's number is 0 */
    uint8_t level;  /* single, and its normal is this axis, x = 0; RICO__NOT_LEVEL */
    uint32_t count; /* of the recipe's planes: the first ones */
} rico__palette;

static inline float rico__life_with_plane(float life, uint32_t number)
{
    uint32_t bits;
    memcpy(&bits, &life, sizeof bits);
    bits = (bits & ~(RICO__PALETTE_SIZE - 1)) | number;
    memcpy(&life, &bits, sizeof bits);
    return life;
}

static inline uint32_t rico__plane_of_life(float life)
{
    uint32_t bits;
    memcpy(&bits, &life, sizeof bits);
    return bits & (RICO__PALETTE_SIZE - 1);
}

typedef struct rico__streams {
    /* For passes, the first six at equal distances. Velocities are finite, or NaN. */
    float *px, *py, *pz, *vx, *vy, *vz, *age, *life;
    /* Own planes, as in own_plane.h (bits of integers); NULL: the palette's, by number. */
    float *nxy, *nz_known, *nd;
    const rico__palette *palette;
    /* Guard pass. until: the age up to which the path is known to meet nothing but the own plane; NULL:
     * nobody has to look ahead. Clearance, in nz_known: in flight, how far from the point of impact
     * nothing but that plane matters, in metres, 0 or less = not known; after a bounce within it
     * (rebound), what is left of it over what is left of the time: the particle cannot be faster, so it
     * cannot leave before `until`. */
    float *until;
    /* Memory that is needed next, to be fetched on the way (guard pass: by who calls it): the first floats of so many
     * streams, which are so many apart. NULL = none. Near: into the first cache, else into the second. */
    const float *ahead;
    uint32_t ahead_floats, ahead_count, ahead_stride;
    bool ahead_near;
} rico__streams;

/* Curves over life, baked, of so many parts of it. Sizes where each part begins, and by how much they
 * change in it, evenly. Colours in the middle of each: those that lie between are not worth a second look-up,
 * for the steps of one that goes all the way from 0 to 1 are 255 / 128, less than two 255ths. Drag, 1/s, from
 * life's beginning to its end, and evenly in between. */
#define RICO__TABLE_SIZE 128u
typedef struct rico__tables {
    float size[RICO__TABLE_SIZE], size_change[RICO__TABLE_SIZE];
    uint32_t color[RICO__TABLE_SIZE];
    float drag[RICO__TABLE_SIZE];
    float rows[RICO__TABLE_SIZE]
              [4]; /* bits of size, change and colour: for those who look up whole rows */
} rico__tables;

#define RICO__WHOLE_TURN 6.2831855f

#define RICO__CURVE_KEYS 8u

/* A curve. From key k on, at the share s = (x - from) rate of the way to the next one, it is a + s (b[0] + s (b[1] +
 * s b[2])), held within lo..hi. Each array is as long as the longest vector. Count 0: there is none. */
typedef struct rico__keys {
    uint32_t count;
    float from[16], rate[16], a[16], b[3][16], lo[16], hi[16];
} rico__keys;

/* What angles are made of, in radians: `start` and `spin` per second of age, unless they are begun: then the array
 * has both already; and a curve over life. Less whole turns, if it wraps: else it never comes to one. */
typedef struct rico__turning {
    float start, spin;
    bool begun, wraps;
    rico__keys over_life;
} rico__turning;

/* One bit per particle. What a pass does not name is left alone. */
typedef uint64_t rico__mask[RICO__MASK_WORDS];

/* Word w of the mask of the first `count` particles. */
static inline uint64_t rico__first_bits(uint32_t count, uint32_t w)
{
    if (count >= (w + 1) * 64)
        return UINT64_MAX;
    return count <= w * 64 ? 0 : ((uint64_t)1 << (count - w * 64)) - 1;
}

typedef struct rico__masks {
    /* All passes. In and out: at rest. Out: of age, or out of the world. */
    rico__mask asleep, dead;
    /* Fixed, plane and guard pass, out: bounced off its plane, and how many did; of several planes also who is dead, but
     * is not counted. In: a guess at that, by the last block like this one; only time depends on it. */
    rico__mask bounced;
    uint32_t bounces;
    /* Guard pass, out. hit: would cross its plane without clearance, or rico__step.chord says so, and was not moved. look:
     * has to look ahead again before the next step. Exact pass: below. */
    rico__mask hit, look;
    /* Guard pass, in and out: has bounced in clearance since it last looked ahead. */
    rico__mask rebound;
    /* Exact pass, out. */
    rico__mask ground;
} rico__masks;

/* Written for lanes that bounced: time (fraction of the step) and speed of impact, of all the velocity. NULL when
 * nobody wants to know. */
typedef struct rico__impacts {
    float *time, *speed;
} rico__impacts;

/* Surfaces as structure of arrays of `count` each. planes: normals x, y, z in 1 / RICO__NORMAL_UNIT and
 * offsets in 1 / RICO__LENGTH_UNIT metres. outlines: for each of three edges its outward normal u, v and
 * how far out it is, both in 1 / RICO__LENGTH_UNIT (record.h says what u and v are). tags: bits 0..2 =
 * beyond that edge another surface goes on, bent by little; above: a number, less than 32, that surfaces share
 * which hang together so: a sheet. */
typedef struct rico__surfaces {
    const int16_t *planes, *outlines;
    const uint8_t *tags;
    uint32_t count;
} rico__surfaces;

#define RICO__NORMAL_UNIT 32767.0f
#define RICO__LENGTH_UNIT 16384.0f
#define RICO__TAG_SHIFT 3
#define RICO__TAG_SHEET (1 << RICO__TAG_SHIFT)

/* m/s; whoever is slower has time enough: keeps clearance over time finite. */
#define RICO__LEAST_RATE 1.0e-3f

typedef struct rico__path {
    float p[3], v[3], accel[3];
    float radius;
} rico__path;

/* Later than anything, in seconds. */
#define RICO__NEVER 1.0e30f

/* A contact ray looks this many radii past the step, so that a contact is known before the
 * centre is nearer than the radius at all but grazing angles; at those the next step's ray is in
 * time, because only the radius is at stake, not the surface. */
#define RICO__RAY_REACH_RADII 4.0f

/* A contact ray that neither rises nor falls more steeply than this may miss ground that the ball touches, on
 * which it slides or rolls, up or down slopes of 45 degrees: that is met by a ray straight down, of so many
 * radii. */
#define RICO__GRAZING_SINE 0.75f
#define RICO__GROUND_RADII 1.42f

/* Cells of the finest level are numbered up to this. */
#define RICO__FINEST_LIMIT 4.0e6f

/* How far past a border the next cell is looked for: what lies in corners that are cut by this is
 * in the margins of the cells around. Metres; and no slower than so many metres per second. */
#define RICO__BORDER_NUDGE 0.002f
#define RICO__NUDGE_SPEED 0.1f

/* Who is at a border leaves when it is past it by so much, of the coordinate: before that its place is still
 * rounded to the border, which is part of the cell above. */
#define RICO__BORDER_ROUNDING (1.0f / 4194304.0f)

/* Far from the origin each step rounds coordinates the same way, so that who slides sinks at a steady rate. Who bounces
 * nearer to a surface than its radius is put out by this part of its largest coordinate, at most: more than rounding
 * takes in a step. Modes cached and exact. */
#define RICO__PUT_OUT (1.0f / 2097152.0f)

/* The series of drag, and parabolas, are taken for the path while they are nearer than this to it
 * (metres), and no longer than this (seconds). Nearer than the radius, too: a smaller ball whose path ends could be
 * behind what it comes to, and nobody would know; but of those smaller than that, this will do. */
#define RICO__MOST_DRIFT 0.01f
#define RICO__LEAST_DRIFT 0.001f
#define RICO__HORIZON 4.0f

/* Ground that bends is taken for the plane that touches it for as long as it rises above that by no more
 * than this and half of the radius, and falls below it by no more than that. What rounding makes of one plane
 * is one. Metres. */
#define RICO__MOST_RISE 0.008f
#define RICO__MOST_FALL 0.008f
#define RICO__SAME_PLANE 0.0005f

/* A path passes by what is farther from it than its particle's radius and this, which is for how far it may
 * be off, and how far past surfaces' edges they are met: 1 cm of projections. Metres. */
#define RICO__PASSING_ROOM 0.03f

/* Paths are not followed through more cells. */
#define RICO__MOST_CELLS 64.0f

/* Paths that are followed from cell to cell, as structure of arrays. They begin with velocity v
 * and acceleration a, which drag makes less by e^(-drag t): in that, terms beyond drag^5 are left
 * out. A set of columns is a word with a bit for each. */
#define RICO__FLIGHT_COLUMNS 48u
typedef struct rico__flights {
    /* To begin with: place, velocity, what a step adds to it and then multiplies it by, the step. */
    float p[3][RICO__FLIGHT_COLUMNS], v[3][RICO__FLIGHT_COLUMNS];
    float push[3][RICO__FLIGHT_COLUMNS], factor[RICO__FLIGHT_COLUMNS], dt[RICO__FLIGHT_COLUMNS];
    float drag[RICO__FLIGHT_COLUMNS], life_left[RICO__FLIGHT_COLUMNS];
    float reach[RICO__FLIGHT_COLUMNS]; /* metres: so near to something, it may meet it */
    float drift[RICO__FLIGHT_COLUMNS]; /* metres: by so much it may be off */
    /* What follows from that. v becomes the velocity of a parabola through the places of steps. */
    float a[3][RICO__FLIGHT_COLUMNS];
    float speed[RICO__FLIGHT_COLUMNS];
    float
        jerk[RICO__FLIGHT_COLUMNS]; /* by which drag changes the acceleration at first, m/s^3 */
    float end[RICO__FLIGHT_COLUMNS];
    float stretch[RICO__FLIGHT_COLUMNS]; /* how long the path is taken for a parabola */
    /* At `time`: place, velocity, acceleration, coordinates of the finest cell. */
    float time[RICO__FLIGHT_COLUMNS];
    float at[3][RICO__FLIGHT_COLUMNS], velocity[3][RICO__FLIGHT_COLUMNS];
    float accel[3][RICO__FLIGHT_COLUMNS];
    int32_t finest[3][RICO__FLIGHT_COLUMNS];
    /* The cell that it is in: set for those that are empty. */
    float center[3][RICO__FLIGHT_COLUMNS], half[RICO__FLIGHT_COLUMNS];
    int32_t covered[RICO__FLIGHT_COLUMNS]; /* coverage's cell */
    float cells[RICO__FLIGHT_COLUMNS];     /* that it has left */
} rico__flights;

/* What is left of particles' steps: where they are, and how far they would go. */
typedef struct rico__ways {
    float p[3][RICO__MAX_BLOCK], way[3][RICO__MAX_BLOCK];
} rico__ways;

/* Up to so many particles that begin, as structure of arrays; a multiple of all vectors. */
#define RICO__LITTER 16u
typedef struct rico__newborns {
    /* Of all: the emitter's rotation, the velocity that is added, what pulls, the cosine of the widest angle to its
     * +z. */
    float rotation[4], inherited[3], gravity[3], lowest, drag;
    bool moves_on; /* through the rest of the step, else it stays where it begins */
    bool plane;    /* that it may meet, by step.radius and step.depth: */
    float normal[3], offset;
    /* Of each: two numbers in 0..1 that its direction follows from, its speed, its life. */
    float around[RICO__LITTER], tilt[RICO__LITTER], speed[RICO__LITTER], life[RICO__LITTER];
    float age[RICO__LITTER];  /* at the end of the step */
    float p[3][RICO__LITTER]; /* where it begins; then where it is */
    float v[3][RICO__LITTER]; /* what follows */
} rico__newborns;

typedef struct rico__flown {
    uint64_t finished; /* at their end, beyond the cells, or through too many */
    uint64_t empty;    /* in a cell that is known to be empty */
} rico__flown;

typedef struct rico__kernels {
    rico__isa isa;
    /* Ages, kills, moves freely. Mode none. */
    void (*move)(const rico__streams *streams, uint32_t count, const rico__step *step,
                 rico__masks *masks);
    /* The same with the plane test and the response at the time of impact. Planes are the
     * palette's in mode fixed, the streams' in mode classic. */
    void (*fixed)(const rico__streams *streams, uint32_t count, const rico__step *step,
                  rico__masks *masks, const rico__impacts *impacts);
    void (*plane)(const rico__streams *streams, uint32_t count, const rico__step *step,
                  rico__masks *masks, const rico__impacts *impacts);
    /* The same, but a lane that would cross its plane bounces only while it has clearance; else
     * it keeps position and velocity and is reported as hit. Mode cached. */
    void (*guard)(const rico__streams *streams, uint32_t count, const rico__step *step,
                  rico__masks *masks, const rico__impacts *impacts);
    /* The same as fixed, but all of the palette's planes count: a lane bounces off the one that it meets first, of
     * those met at the same time the first by number, and then has that number. impacts NULL: nobody
     * bounces; who would keeps position and velocity, and is reported as hit. Mode fixed. */
    void (*planes)(const rico__streams *streams, uint32_t count, const rico__step *step,
                   rico__masks *masks, const rico__impacts *impacts);
    /* Ages, kills and accelerates; moves those whose contact rays surely meet nothing, as extents say, nor
     * rays straight down from anywhere on their ways (RICO__GROUND_RADII). The others keep their places and are
     * reported: as hit for contact rays, as ground for those down; those of which extents know nothing as both,
     * and as look. NaN and places too far out count as hit and ground. Mode exact. */
    void (*exact)(const rico__streams *streams, uint32_t count, const rico__step *step,
                  const rico__extents *extents, rico__masks *masks);
    /* The ways, of those given, along which contact rays surely meet nothing. Arrays are read up to the
     * next multiple of 16; NaN: not so. */
    void (*clear_ways)(const rico__ways *ways, uint32_t count, float radius,
                       const rico__extents *extents, rico__mask clear);
    /* Before any of these: forces beside gravity change the velocities of those that are not asleep. Ages
     * and lifetimes are read where drag changes over life; NaN: as at birth.
     * Returns the most that the forces' `most` come to, where any of them is, m/s^2. */
    float (*force)(const rico__streams *streams, uint32_t count, const rico__forces *forces,
                   const uint64_t *asleep);
    /* Speeds along an axis of up to 1e-12 m/s become zero; NaN, too. Who is 1e6 m or more from the origin, the sum
     * of its coordinates' magnitudes, or at NaN, has come to its lifetime: the pass that follows finds it dead. */
    void (*tidy)(const rico__streams *streams, uint32_t count);
    /* The first `count` begin. Bit i set: number i dies before the end of the step, or meets the plane in it,
     * or needs e^x; its place and velocity then mean nothing. */
    uint32_t (*bear)(rico__newborns *newborns, uint32_t count, const rico__step *step);
    /* The box of all places; without NaN. */
    void (*bounds)(const rico__streams *streams, uint32_t count, rico_box *box);
    /* When paths meet surfaces: bit i set = the path reaches the contact distance of plane i, at
     * time[i], and is then within its outline, give or take margin metres. Surfaces are
     * two-sided; count <= 32; arrays are read, and time written, up to the next multiple of 16.
     * The point must be within `half` of the origin per axis.
     * ballistic: p + v t + accel t^2 / 2 for t in 0..horizon, in seconds; where the path meets
     * the plane twice and is within the outline the second time only, that is its time.
     * straight: p + v dt t, for t in 0..1. */
    uint32_t (*ballistic)(const rico__surfaces *surfaces, const rico__path *path, float horizon,
                          float half, float margin, float *time);
    uint32_t (*straight)(const rico__surfaces *surfaces, const rico__path *path, float dt,
                         float half, float margin, float *time);
    /* How far around q, the centre of who touches surface `own`, nothing differs from its plane: at most
     * the distance to where others are farther above or below it than RICO__MOST_RISE and _FALL say, and to
     * where its sheet ends; negative beyond its end. Arrays are read up to the next multiple of 16. */
    float (*clearance)(const rico__surfaces *surfaces, const float *q, uint32_t own,
                       float radius);
    /* Paths that start go to the place at `time`; the others of the set to where they have just left
     * their cells, or by a stretch, or to their end. Columns that have started and are not in the
     * set stay as they are. */
    rico__flown (*fly)(rico__flights *flights, uint64_t set, uint64_t starting,
                       const rico__coverage *coverage);
    /* Size and colour at age over life; either may be NULL. Written up to the next multiple of 16. */
    void (*curves)(const float *age, const float *life, uint32_t count,
                   const rico__tables *tables, float *size, uint32_t *color);
    /* Angles, within 0..2 pi, by ages and lifetimes. Written up to the next multiple of 16. */
    void (*turn)(const rico__packed_from *from, uint32_t count, const rico__turning *turning,
                 float *angle);
    /* Adds to the values what the curve is at age over life. Written up to the next multiple of 16. */
    void (*follow)(const rico__packed_from *from, uint32_t count, const rico__keys *keys,
                   float *values);
    /* Packed colours, each times the tint, as rico__tinted. Read and written up to the next multiple of 16. */
    void (*tint)(const uint32_t *colors, uint32_t count, uint32_t tint, uint32_t *to);
    /* The first `count` particles as billboards, and their extent. `to` is a multiple of 8. Streamed:
     * past the caches, where that is faster; stream_end before others are told. The extent is written, not
     * returned: a copy of it would wait for all that is on its way to memory. */
    void (*billboards)(const rico__packed_from *from, uint32_t count, bool streamed, void *to,
                       rico__extent *extent);
} rico__kernels;

/* The kernels of rico__cpu_isa(), or the best that were built below it. */
const rico__kernels *rico__kernels_for_cpu(void);
/* NULL when that ISA was not built or the CPU lacks it. */
const rico__kernels *rico__kernels_for_isa(rico__isa isa);

#endif
