/* kernel.h - the inner loops: one implementation per instruction set (ISA), all with the same
 * bits.
 *
 * kernel_body.h holds the one source; each kernel_<isa>.c compiles it with another lane count.
 * Streams hold RICO__MAX_BLOCK floats at most, and may be read and written up to the next
 * multiple of 16 past `count`. Masks come back with no bit at or past `count`.
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

/* One step, as it is for all particles of a block. */
typedef struct rico__step {
    float dt;
    float gx, gy, gz;  /* kick * what pulls: gravity, and wind by drag */
    float drag_factor; /* exp(-drag * kick) */
    float radius;      /* of contact, > 0 */
    float restitution;
    float slip;                   /* 1 - friction */
    float rest_speed2;            /* squared */
    float hold_x, hold_y, hold_z; /* unit vector against what pulls; zero if nothing does */
    float hold_cosine;            /* surfaces steeper than this do not hold a particle */
    float depth;      /* farther behind a plane than this, particles do not meet it */
    float ahead;      /* seconds ahead for which a path must be known */
    float fall;       /* length of what pulls, m/s^2; the force pass may add more */
    float cell_rate;  /* cells of level 0 per metre */
    float fast_step2; /* squared length of a step from which on it needs a ray */
    bool chord;       /* guard pass: all live, awake particles count as hits */
    float kick;       /* seconds for which forces act on velocities: dt in even steps */
    /* Seconds from the step's start to the time that velocities are those of, as impacts reckon:
     * half of dt; after a far longer step half of kick. */
    float middle;
} rico__step;

/* Planes that particles name by a number: the lowest RICO__PALETTE_BITS bits of a lifetime,
 * which are too small to matter there (9e-7 of it). Arrays are as long as the longest vector. */
#define RICO__PALETTE_BITS 3u
#define RICO__PALETTE_SIZE (1u << RICO__PALETTE_BITS)
#define RICO__NOT_LEVEL 3u
typedef struct rico__palette {
    float x[16], y[16], z[16], offset[16];
    bool single;    /* every particle's number is 0 */
    uint8_t level;  /* single, and its normal is this axis, x = 0; else RICO__NOT_LEVEL */
    uint32_t count; /* how many are the recipe's planes: the first ones */
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
    /* For passes, the first six lie at equal distances. Velocities are finite, or NaN. */
    float *px, *py, *pz, *vx, *vy, *vz, *age, *life;
    /* Own planes, as in own_plane.h (bits of integers). NULL: planes are the palette's, by
     * number. */
    float *nxy, *nz_known, *nd;
    const rico__palette *palette;
    /* Guard pass. until: the age up to which the path is known to meet nothing but the own
     * plane. NULL: no particle has to look ahead. Clearance, in nz_known:
     * - in flight: how far from the point of impact nothing but that plane matters, in metres;
     *   0 or less = not known;
     * - after a bounce within it (rebound): what is left of it over what is left of the time.
     *   The particle cannot be faster, so it cannot leave the clearance before `until`. */
    float *until;
    /* Memory that is needed next, to be fetched on the way (in the guard pass, by its caller):
     * the first ahead_floats of ahead_count streams, which are ahead_stride apart. NULL = none.
     * ahead_near: into the first cache, else into the second. */
    const float *ahead;
    uint32_t ahead_floats, ahead_count, ahead_stride;
    bool ahead_near;
} rico__streams;

/* Curves over life, baked for RICO__TABLE_SIZE parts of it.
 * - Sizes where each part begins, and by how much they change in it, evenly.
 * - Colours in the middle of each part. Colours in between are not worth a second look-up: a
 *   colour that goes all the way from 0 to 1 has steps of 255 / 128, less than two 255ths.
 * - Drag, 1/s, from the beginning of life to its end, and evenly in between. */
#define RICO__TABLE_SIZE 128u
typedef struct rico__tables {
    float size[RICO__TABLE_SIZE], size_change[RICO__TABLE_SIZE];
    uint32_t color[RICO__TABLE_SIZE];
    float drag[RICO__TABLE_SIZE];
    /* Bits of size, change and colour, for code that looks up whole rows. */
    float rows[RICO__TABLE_SIZE][4];
} rico__tables;

#define RICO__WHOLE_TURN 6.2831855f

#define RICO__CURVE_KEYS 8u

/* A curve. From key k on, at the share s = (x - from) rate of the way to the next key, its
 * value is a + s (b[0] + s (b[1] + s b[2])), clamped to lo..hi. Each array is as long as the
 * longest vector. count 0: there is no curve. */
typedef struct rico__keys {
    uint32_t count;
    float from[16], rate[16], a[16], b[3][16], lo[16], hi[16];
} rico__keys;

/* What angles are made of, in radians: `start`, `spin` per second of age, and a curve over
 * life. begun: the array has the first two already. wraps: whole turns are taken off; else no
 * angle ever comes to one. */
typedef struct rico__turning {
    float start, spin;
    bool begun, wraps;
    rico__keys over_life;
} rico__turning;

/* One bit per particle. A pass leaves alone the masks that it does not name. */
typedef uint64_t rico__mask[RICO__MASK_WORDS];

/* Word w of the mask of the first `count` particles. */
static inline uint64_t rico__first_bits(uint32_t count, uint32_t w)
{
    if (count >= (w + 1) * 64)
        return UINT64_MAX;
    return count <= w * 64 ? 0 : ((uint64_t)1 << (count - w * 64)) - 1;
}

typedef struct rico__masks {
    /* All passes. asleep, in and out: at rest. dead, out: past its lifetime, or out of the
     * world. */
    rico__mask asleep, dead;
    /* Fixed, plane and guard pass. bounced, out: bounced off its plane; with several planes
     * also dead particles that did, which are not counted. bounces, out: how many did; in: a
     * guess at that, by the last block like this one, on which only time depends. */
    rico__mask bounced;
    uint32_t bounces;
    /* Guard pass, out. hit: would cross its plane without clearance, or rico__step.chord says
     * so; was not moved. look: has to look ahead again before the next step. Exact pass: see
     * rico__kernels. */
    rico__mask hit, look;
    /* Guard pass, in and out: has bounced in clearance since it last looked ahead. */
    rico__mask rebound;
    /* Exact pass, out: see rico__kernels. */
    rico__mask ground;
} rico__masks;

/* Written for lanes that bounced: time of impact (fraction of the step), and speed of impact, of
 * the whole velocity and of its part into the plane. NULL when they are not wanted. */
typedef struct rico__impacts {
    float *time, *speed, *into;
} rico__impacts;

/* Surfaces as structure of arrays of `count` each.
 * - planes: normals x, y, z in 1 / RICO__NORMAL_UNIT, and offsets in 1 / RICO__LENGTH_UNIT
 *   metres.
 * - outlines: for each of three edges, its outward normal u, v and how far out it is, both in 1
 *   / RICO__LENGTH_UNIT (record.h says what u and v are).
 * - tags: bits 0..2 = beyond that edge another surface goes on, bent by little. Above them: a
 *   number, less than 32, that the surfaces of one sheet share, which hang together in this
 *   way. */
typedef struct rico__surfaces {
    const int16_t *planes, *outlines;
    const uint8_t *tags;
    uint32_t count;
} rico__surfaces;

#define RICO__NORMAL_UNIT 32767.0f
#define RICO__LENGTH_UNIT 16384.0f
#define RICO__TAG_SHIFT 3
#define RICO__TAG_SHEET (1 << RICO__TAG_SHIFT)

/* m/s; slower particles have time enough. Keeps clearance over time finite. */
#define RICO__LEAST_RATE 1.0e-3f

typedef struct rico__path {
    float p[3], v[3], accel[3];
    float radius;
} rico__path;

/* Later than anything, in seconds. */
#define RICO__NEVER 1.0e30f

/* A contact ray looks this many radii past the step. So a contact is known before the centre is
 * nearer than the radius, at all but grazing angles. At those the next step's ray is in time,
 * because only the radius is at stake, not the surface. */
#define RICO__RAY_REACH_RADII 4.0f

/* A contact ray that neither rises nor falls more steeply than this sine may miss ground that
 * the ball touches, on which it slides or rolls, up or down slopes of 45 degrees. A ray
 * straight down, of RICO__GROUND_RADII radii, meets that ground. */
#define RICO__GRAZING_SINE 0.75f
#define RICO__GROUND_RADII 1.42f

/* Cells of the finest level are numbered up to this. */
#define RICO__FINEST_LIMIT 4.0e6f

/* How far past a border the next cell is looked for, metres. What lies in corners that are cut
 * by this is in the margins of the cells around. The path goes there at RICO__NUDGE_SPEED at
 * least, m/s. */
#define RICO__BORDER_NUDGE 0.002f
#define RICO__NUDGE_SPEED 0.1f

/* A particle at a border leaves when it is past it by this share of the coordinate. Before that
 * its place is still rounded to the border, which is part of the cell above. */
#define RICO__BORDER_ROUNDING (1.0f / 4194304.0f)

/* Far from the origin each step rounds coordinates the same way, so sliding particles sink at a
 * steady rate. A particle that bounces nearer to a surface than its radius is put out by this
 * share of its largest coordinate, at most: more than rounding takes in a step. Modes cached
 * and exact. */
#define RICO__PUT_OUT (1.0f / 2097152.0f)

/* The series of drag, and parabolas, stand for the path while they are nearer to it than
 * RICO__MOST_DRIFT (metres), and no longer than RICO__HORIZON (seconds). They must be nearer
 * than the radius, too: a smaller ball whose path ends could be unnoticed behind what it comes
 * to. RICO__LEAST_DRIFT is enough for balls smaller than that. */
#define RICO__MOST_DRIFT 0.01f
#define RICO__LEAST_DRIFT 0.001f
#define RICO__HORIZON 4.0f

/* Ground that bends counts as the plane that touches it while it rises above that plane by no
 * more than RICO__MOST_RISE, and no more than half of the radius, and falls below it by no more
 * than RICO__MOST_FALL. Up to RICO__SAME_PLANE it always does: rounding does as much to one
 * plane. Metres. */
#define RICO__MOST_RISE 0.008f
#define RICO__MOST_FALL 0.008f
#define RICO__SAME_PLANE 0.0005f

/* A path passes by what is farther from it than its particle's radius and this. It allows for
 * how far the path may be off, and for how far past surfaces' edges they are met: 1 cm of
 * projections. Metres. */
#define RICO__PASSING_ROOM 0.03f

/* A path is followed through no more cells than this. */
#define RICO__MOST_CELLS 64.0f

/* Paths that are followed from cell to cell, as structure of arrays. They begin with velocity v
 * and acceleration a, which drag reduces by e^(-drag t); terms beyond drag^5 are left out. A
 * set of columns is a word with a bit for each. */
#define RICO__FLIGHT_COLUMNS 48u
typedef struct rico__flights {
    /* At the start: place, velocity, what a step adds to it and then multiplies it by, the
     * step. */
    float p[3][RICO__FLIGHT_COLUMNS], v[3][RICO__FLIGHT_COLUMNS];
    float push[3][RICO__FLIGHT_COLUMNS], factor[RICO__FLIGHT_COLUMNS], dt[RICO__FLIGHT_COLUMNS];
    float drag[RICO__FLIGHT_COLUMNS], life_left[RICO__FLIGHT_COLUMNS];
    float reach[RICO__FLIGHT_COLUMNS]; /* metres: the path may meet what is this near */
    float drift[RICO__FLIGHT_COLUMNS]; /* metres: the path may be off by this much */
    /* What follows from that. v becomes the velocity of a parabola through the places of steps. */
    float a[3][RICO__FLIGHT_COLUMNS];
    float speed[RICO__FLIGHT_COLUMNS];
    /* By which drag changes the acceleration at first, m/s^3. */
    float jerk[RICO__FLIGHT_COLUMNS];
    float end[RICO__FLIGHT_COLUMNS];
    float stretch[RICO__FLIGHT_COLUMNS]; /* how long the path counts as a parabola */
    /* At `time`: place, velocity, acceleration, coordinates of the finest cell. */
    float time[RICO__FLIGHT_COLUMNS];
    float at[3][RICO__FLIGHT_COLUMNS], velocity[3][RICO__FLIGHT_COLUMNS];
    float accel[3][RICO__FLIGHT_COLUMNS];
    int32_t finest[3][RICO__FLIGHT_COLUMNS];
    /* The cell that the path is in: set where that is empty. */
    float center[3][RICO__FLIGHT_COLUMNS], half[RICO__FLIGHT_COLUMNS];
    int32_t covered[RICO__FLIGHT_COLUMNS]; /* coverage's cell, by its place in the array */
    float cells[RICO__FLIGHT_COLUMNS];     /* number of cells that it was in before */
} rico__flights;

/* What is left of particles' steps: where they are, and how far they would go. */
typedef struct rico__ways {
    float p[3][RICO__MAX_BLOCK], way[3][RICO__MAX_BLOCK];
} rico__ways;

/* Up to this many particles that begin, as structure of arrays; a multiple of all vectors. */
#define RICO__LITTER 16u
typedef struct rico__newborns {
    /* Of all: the emitter's rotation, the velocity that is added, gravity, the cosine of the
     * widest angle to the emitter's +z, drag. */
    float rotation[4], inherited[3], gravity[3], lowest, drag;
    bool moves_on; /* goes on through the rest of the step; else stays where it begins */
    bool plane;    /* there is a plane that it may meet, by step.radius and step.depth: */
    float normal[3], offset;
    /* Of each: two numbers in 0..1 that determine its direction, its speed, its life. */
    float around[RICO__LITTER], tilt[RICO__LITTER], speed[RICO__LITTER], life[RICO__LITTER];
    float age[RICO__LITTER];  /* at the end of the step */
    float p[3][RICO__LITTER]; /* where it begins; on return, where it is */
    float v[3][RICO__LITTER]; /* its velocity, on return */
} rico__newborns;

typedef struct rico__flown {
    uint64_t finished; /* at their end, beyond the cells, or through too many cells */
    uint64_t empty;    /* in a cell that is known to be empty */
} rico__flown;

typedef struct rico__kernels {
    rico__isa isa;
    /* Ages, kills, moves freely. Mode none. */
    void (*move)(const rico__streams *streams, uint32_t count, const rico__step *step,
                 rico__masks *masks);
    /* The same with the plane test, and the response at the time of impact. Planes are the
     * palette's in mode fixed, the streams' in mode classic. */
    void (*fixed)(const rico__streams *streams, uint32_t count, const rico__step *step,
                  rico__masks *masks, const rico__impacts *impacts);
    void (*plane)(const rico__streams *streams, uint32_t count, const rico__step *step,
                  rico__masks *masks, const rico__impacts *impacts);
    /* The same, but a lane that would cross its plane bounces only while it has clearance.
     * Otherwise it keeps position and velocity, and is reported as hit. Mode cached. */
    void (*guard)(const rico__streams *streams, uint32_t count, const rico__step *step,
                  rico__masks *masks, const rico__impacts *impacts);
    /* The same as fixed, but all of the palette's planes count. A lane bounces off the plane
     * that it meets first, and then has that plane's number. Of planes that are met at the same
     * time, the first by number counts. impacts NULL: no lane bounces; one that would keeps
     * position and velocity, and is reported as hit. Mode fixed. */
    void (*planes)(const rico__streams *streams, uint32_t count, const rico__step *step,
                   rico__masks *masks, const rico__impacts *impacts);
    /* Ages, kills and accelerates. Moves lanes whose contact rays surely meet nothing, as
     * extents say, and whose rays straight down from their places (RICO__GROUND_RADII) do not,
     * either. The others keep their places and are reported: as hit where the contact ray may
     * meet something, as ground where the ray down may. Where extents know nothing of a cell,
     * the rays through it may meet something, and the lane is also reported as look. NaN and
     * places too far out count as hit and ground. Mode exact. */
    void (*exact)(const rico__streams *streams, uint32_t count, const rico__step *step,
                  const rico__extents *extents, rico__masks *masks);
    /* Finds the ways, of those given, along which contact rays surely meet nothing. Arrays are
     * read up to the next multiple of 16. Ways with NaN are not clear. */
    void (*clear_ways)(const rico__ways *ways, uint32_t count, float radius,
                       const rico__extents *extents, rico__mask clear);
    /* Before any of these: forces other than gravity change the velocities of particles that
     * are not asleep. Ages and lifetimes are read where drag changes over life; NaN counts as
     * at birth. Returns the most that the forces' `most` come to at the place of any of these
     * particles, m/s^2. */
    float (*force)(const rico__streams *streams, uint32_t count, const rico__forces *forces,
                   const uint64_t *asleep);
    /* Speeds along an axis of up to 1e-12 m/s become zero; NaN, too. A particle that is 1e6 m
     * or more from the origin, by the sum of its coordinates' magnitudes, or at NaN, gets its
     * lifetime as its age: the pass that follows finds it dead. */
    void (*tidy)(const rico__streams *streams, uint32_t count);
    /* Begins the first `count` particles. Bit i set: number i dies before the end of the step,
     * or meets the plane in it, or needs e^x. Its place and velocity then mean nothing. */
    uint32_t (*bear)(rico__newborns *newborns, uint32_t count, const rico__step *step);
    /* The box of all places; NaN is left out. */
    void (*bounds)(const rico__streams *streams, uint32_t count, rico_box *box);
    /* When paths meet surfaces. Bit i set: the path reaches the contact distance of plane i, at
     * time[i], and is then within its outline, give or take `margin` metres. Surfaces are
     * two-sided; count <= 32. Arrays are read, and time is written, up to the next multiple of
     * 16. The point must be within `half` of the origin per axis.
     * - ballistic: p + v t + accel t^2 / 2 for t in 0..horizon, in seconds. Where the path
     *   meets the plane twice and is within the outline only the second time, that is its time.
     * - straight: p + v dt t, for t in 0..1. */
    uint32_t (*ballistic)(const rico__surfaces *surfaces, const rico__path *path, float horizon,
                          float half, float margin, float *time);
    uint32_t (*straight)(const rico__surfaces *surfaces, const rico__path *path, float dt,
                         float half, float margin, float *time);
    /* How far around q, the centre of a particle that touches surface `own`, nothing differs
     * from its plane. At most the distance to where other surfaces are farther above or below
     * it than RICO__MOST_RISE and RICO__MOST_FALL say, and to where its sheet ends; negative
     * beyond its end. Arrays are read up to the next multiple of 16. */
    float (*clearance)(const rico__surfaces *surfaces, const float *q, uint32_t own,
                       float radius);
    /* Moves paths on. Paths that start go to the place at `time`. The others of the set go to
     * where they have just left their cells, or by a stretch, or to their end. Columns that
     * have started and are not in the set stay as they are. */
    rico__flown (*fly)(rico__flights *flights, uint64_t set, uint64_t starting,
                       const rico__coverage *coverage);
    /* Size and colour at age over life; either may be NULL. Written up to the next multiple of
     * 16. */
    void (*curves)(const float *age, const float *life, uint32_t count,
                   const rico__tables *tables, float *size, uint32_t *color);
    /* Angles, within 0..2 pi, by ages and lifetimes. Written up to the next multiple of 16. */
    void (*turn)(const rico__packed_from *from, uint32_t count, const rico__turning *turning,
                 float *angle);
    /* Adds the curve at age over life to the values. Written up to the next multiple of 16. */
    void (*follow)(const rico__packed_from *from, uint32_t count, const rico__keys *keys,
                   float *values);
    /* Packed colours, each multiplied by the tint, as rico__tinted. Read and written up to the
     * next multiple of 16. */
    void (*tint)(const uint32_t *colors, uint32_t count, uint32_t tint, uint32_t *to);
    /* Writes the first `count` particles as billboards, and their extent. `to` is a multiple of
     * 8. streamed: past the caches, where that is faster; stream_end is due before others are
     * told. The extent is written, not returned: a copy of it would wait for everything on its
     * way to memory. */
    void (*billboards)(const rico__packed_from *from, uint32_t count, bool streamed, void *to,
                       rico__extent *extent);
} rico__kernels;

/* The kernels of rico__cpu_isa(), or the best below it that were built. */
const rico__kernels *rico__kernels_for_cpu(void);
/* NULL when that ISA was not built or the CPU lacks it. */
const rico__kernels *rico__kernels_for_isa(rico__isa isa);

#endif
