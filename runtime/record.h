/* record.h - cell records: all surfaces of one cell of space, small enough to cache.
 *
 * A record knows each triangle that comes near its cell as a plane and, projected along the
 * plane's main axis, three edges. It answers which surface a path meets without asking the
 * scene again.
 */
#ifndef RICO_RECORD_H
#define RICO_RECORD_H

#include "bits.h"
#include "kernel.h"

#include <ricochet/cache.h>
#include <ricochet/scene_query.h>

#include <stddef.h>

/* A cell with more is divided. */
#define RICO__RECORD_SURFACES 24u

/* Cells of level 0 have the world's cell size; each further level halves it. A cell is divided
 * where it has more triangles than a record holds. At the last level, or where division would
 * be of no use (rico__record_divides), the scene is asked. */
#define RICO__RECORD_LEVELS (RICO__FINEST_LEVEL + 1)

/* 16-bit numbers of the longest record: all surfaces, a collider each, rounded up to whole
 * units. */
#define RICO__RECORD_NUMBERS 428u

/* The cache's payload: arrays of `count`, one after the other, without gaps, so that a record
 * of few surfaces is on few cache lines. First come planes, outlines and tags (kernel.h), all
 * relative to the cell's centre. Then come the triangles' numbers, 32 bits each, and, where
 * surfaces belong to several colliders, the numbers of these. The arrays are searched in
 * vectors: kernels may read past an array, within the record.
 *
 * An outline is a triangle in its plane, seen along the plane's main axis. For each edge it has
 * the outward normal (u, v) and how far out the edge is from the cell's centre. Beyond 2 m both
 * are in a smaller unit. Very far away they are (0, 0) and INT16_MAX, so that everything is
 * within.
 */
typedef struct rico__record {
    uint8_t count;
    uint8_t crowded; /* more triangles than fit, or rico__record_build says so */
    uint8_t mixed;   /* surfaces of several colliders */
    uint8_t reserved;
    uint32_t collider; /* of the first surface */
    int16_t numbers[RICO__RECORD_NUMBERS];
} rico__record;

#define RICO__RECORD_HEADER ((uint32_t)offsetof(rico__record, numbers))
/* Bytes per surface: planes and outlines; these and tags; the number of a triangle or collider. */
#define RICO__RECORD_TAGS_AT 26u
#define RICO__RECORD_IDS_AT 27u
#define RICO__RECORD_ID_BYTES 4u
/* Bytes of the longest vector of shorts. */
#define RICO__RECORD_VECTOR_BYTES 32u

/* How many bytes of the record are kept, in eights, as the cache wants it. An empty one that is
 * not crowded reads as zeros: 0. Others are kept as far as kernels read, which in short ones is
 * past their end. */
static inline uint32_t rico__record_bytes(const rico__record *record)
{
    uint32_t count = record->count;
    uint32_t bytes =
        (RICO__RECORD_IDS_AT + (1u + record->mixed) * RICO__RECORD_ID_BYTES) * count;
    if (count == 0)
        return record->crowded != 0 ? RICO__RECORD_HEADER : 0;
    bytes = uint_max(bytes, (RICO__RECORD_TAGS_AT - 2u) * count + RICO__RECORD_VECTOR_BYTES);
    return (RICO__RECORD_HEADER + bytes + 7u) & ~7u;
}

/* The table's memory for records: its unit, and bytes per bucket of seven. Half of the records
 * are empty, crowded or marks; the mean of all is 166 bytes in Sponza, 267 in the courtyard. */
#define RICO__RECORD_UNIT 32u
#define RICO__RECORD_ROOM 1024u

/* The surfaces in the form that kernels want. */
rico__surfaces rico__record_surfaces(const rico__record *record);

/* Bytes that are prefetched before the number of surfaces is known: enough for nine. The rest
 * is not guessed, because a wrong guess takes longer than what it would fetch. */
#define RICO__RECORD_FIRST_BYTES 256u
_Static_assert(RICO__RECORD_FIRST_BYTES == 4 * RICO_CACHE_LINE, "rico__record_fetch_first has as many");

_Static_assert(RICO__RECORD_HEADER + RICO__RECORD_SURFACES *
                                         (RICO__RECORD_IDS_AT + 2u * RICO__RECORD_ID_BYTES) <=
                   sizeof(rico__record),
               "the longest has no room");
_Static_assert(sizeof(rico__record) % RICO__RECORD_UNIT == 0, "payloads are whole units");

static inline void rico__record_fetch_first(const rico__record *record)
{
    const char *at = (const char *)record;
    __builtin_prefetch(at);
    __builtin_prefetch(at + RICO_CACHE_LINE);
    __builtin_prefetch(at + 2 * RICO_CACHE_LINE);
    __builtin_prefetch(at + 3 * RICO_CACHE_LINE);
    __builtin_prefetch(at + RICO__RECORD_FIRST_BYTES - 1);
}

/* What is known of the cell at a position. */
typedef enum rico__cell_state {
    CELL_UNKNOWN, /* not looked up yet */
    CELL_EMPTY,   /* no geometry near */
    CELL_MISSING, /* geometry, but no record */
    CELL_DIVIDED, /* more geometry than a record holds: see the next level */
    CELL_CROWDED, /* more geometry than a record holds, but not divided */
    CELL_RECORDED
} rico__cell_state;

/* A cell of any level. */
typedef struct rico__cell {
    rico__cell_state state;
    uint32_t level;
    int32_t at[3];   /* coordinates */
    uint32_t bucket; /* of the key: known_cells.c */
    rico_cache_key key;
    rico_vec3 center;
    float half;                 /* of its edge; its record covers a margin more */
    const rico__record *record; /* if recorded; valid until the frame's merge */
} rico__cell;

/* The cache's keys have a direction where keys of records have a level (6 to 3), or the mark of
 * a divided cell of a level (2 to 0). So plane records (mode classic) and cell records never
 * share a cache. */
#define RICO__KEY_OF_LEVEL(level) (RICO_WHOLE_CELL - (level))
#define RICO__KEY_OF_DIVIDED(level) (RICO__RECORD_LEVELS - 2u - (level))

/* The level of a cell's key, or of a mark's. */
static inline uint32_t rico__record_level_of(uint32_t direction)
{
    return direction >= RICO__KEY_OF_LEVEL(RICO__RECORD_LEVELS - 1)
               ? RICO_WHOLE_CELL - direction
               : RICO__RECORD_LEVELS - 2u - direction;
}
/* These bits of a direction tell levels apart, and are the same for a cell and its mark. */
#define RICO__KEY_LEVEL_BITS 3u

/* The coordinates of the finest cell at p. Shifted right, they are those of coarser cells.
 * False: p is too far out. Inline, like what follows: they are asked for many times in a step. */
static inline bool rico__record_finest(rico_vec3 p, float cells_per_metre, int32_t finest[3])
{
    typedef float floats __attribute__((vector_size(16)));
    typedef int32_t ints __attribute__((vector_size(16)));
    typedef int64_t longs __attribute__((vector_size(16)));
    float rate = cells_per_metre * (float)(1u << (RICO__RECORD_LEVELS - 1));
    floats at = {p.x * rate, p.y * rate, p.z * rate, 0.0f};
    longs in = (longs)((at < RICO__FINEST_LIMIT) & (at > -RICO__FINEST_LIMIT));
    if ((in[0] & in[1]) != -1)
        return false;
    ints cell = __builtin_convertvector(at, ints);
    cell += (ints)(__builtin_convertvector(cell, floats) > at);
    finest[0] = cell[0];
    finest[1] = cell[1];
    finest[2] = cell[2];
    return true;
}

static inline int32_t rico__record_coarsen(int32_t finest, uint32_t level)
{
    return finest >> (RICO__RECORD_LEVELS - 1 - level); /* arithmetic: rounds down */
}

/* The key of the cell of that level; RICO_NO_KEY: it is too far out. */
static inline rico_cache_key rico__record_key(const int32_t finest[3], uint32_t level)
{
    return rico_cache_key_of_cell(
        rico__record_coarsen(finest[0], level), rico__record_coarsen(finest[1], level),
        rico__record_coarsen(finest[2], level), RICO__KEY_OF_LEVEL(level));
}

/* The key of the mark that says that the key's cell, not of the last level, is divided. It is
 * in the same bucket, so that asking for both costs one cache line. */
static inline rico_cache_key rico__record_divided_key(rico_cache_key key, uint32_t level)
{
    return rico_cache_key_turned(key, RICO__KEY_OF_DIVIDED(level));
}

/* Sets the cell's coordinates, and what follows from them and its level. cell_size: of level 0. */
static inline void rico__record_place(rico__cell *cell, int32_t x, int32_t y, int32_t z,
                                      float cell_size)
{
    static const float part[RICO__RECORD_LEVELS] = {1.0f, 0.5f, 0.25f, 0.125f};
    float size = cell_size * part[cell->level];
    cell->at[0] = x;
    cell->at[1] = y;
    cell->at[2] = z;
    cell->center.x = ((float)x + 0.5f) * size;
    cell->center.y = ((float)y + 0.5f) * size;
    cell->center.z = ((float)z + 0.5f) * size;
    cell->half = 0.5f * size;
}

/* A cell by its coordinates and level. Its state is unknown, and it has no key. */
static inline rico__cell rico__record_cell_at(int32_t x, int32_t y, int32_t z, uint32_t level,
                                              float cell_size)
{
    rico__cell cell = {.state = CELL_UNKNOWN, .level = level, .key = RICO_NO_KEY};
    rico__record_place(&cell, x, y, z, cell_size);
    return cell;
}

/* The same by its key. cell_size: of level 0. */
rico__cell rico__record_cell(rico_cache_key key, float cell_size);

/* The box that the cell's record covers, with the world's margin (coverage.h). */
rico_box rico__record_box(const rico__cell *cell, float margin);

/* Whether a cell with more surfaces than a record holds is divided. Parts that are smaller than
 * a wide margin would have nearly as many. */
static inline bool rico__record_divides(const rico__cell *cell, float margin)
{
    return cell->level + 1 < RICO__RECORD_LEVELS &&
           (margin <= RICO__LEAST_MARGIN || 2.0f * cell->half > margin);
}

/* Fills the cell's record from the triangles that touch its box (count may exceed what was
 * gathered). scene: knows the numbers of their surfaces; NULL: all have one.
 *
 * With a wide margin, planes may have offsets too large for 16 bits. Those that no ball touches
 * whose centre is in the cell are left out. A cell where balls may touch one has no record
 * either, and counts as crowded; its parts have records.
 */
void rico__record_build(rico__record *record, const rico__cell *cell, float margin,
                        const rico_scene *scene, const rico_triangle *triangles,
                        uint32_t gathered, uint32_t count);

/* Whose a surface is, as in rico_event. Collider 0: no known one's. */
typedef struct rico__owner {
    uint32_t collider, triangle;
} rico__owner;

static inline rico__owner rico__nobody(void)
{
    return (rico__owner){0, RICO_NO_TRIANGLE};
}

/* The owner of surface i. */
rico__owner rico__record_owner(const rico__record *record, uint32_t i);

/* The plane to watch. Its normal is rounded as in records (own_plane.h).
 * time: when the path meets it, in seconds; RICO__NEVER: "no plane".
 * clearance: how far the particle may go from that point before anything but that plane can
 * matter: another surface, the end of the plane's own surfaces, the end of what the record
 * covers. (A particle that nothing pulls along the plane only comes to what is ahead.)
 * RICO__SURE_CONTACT: there is none, but the particle will touch the surface. 0: not even that
 * is known.
 */
#define RICO__SURE_CONTACT (-1.0f)

typedef struct rico__choice {
    rico_plane plane;
    float time, clearance;
    uint32_t surface; /* its number in the record, if it is from one */
} rico__choice;

/* Room for times that kernels write. */
#define RICO__RECORD_TIMES (RICO__RECORD_SURFACES + 16u)

/* What of a record does not exist for a recipe: surfaces of colliders that have one of the
 * layers. NULL: all of it exists. */
typedef struct rico__unseen {
    const rico_scene *scene;
    uint32_t layers;
} rico__unseen;

/* The surfaces that the path meets within the cell and the horizon, as bits, and when. The path
 * is relative to the cell's centre. */
uint32_t rico__record_search(const rico__kernels *kernels, const rico__cell *cell,
                             const rico__unseen *unseen, const rico__path *path, float horizon,
                             float time[RICO__RECORD_TIMES]);

/* The first of the surfaces found, as a plane that faces the path there; "no plane" if none was
 * found. pull: all that will bend the path after that, up to a factor; NULL: more may bend it. */
rico__choice rico__record_choose(const rico__kernels *kernels, const rico__cell *cell,
                                 const rico__path *path, uint32_t found, const float *time,
                                 const rico_vec3 *pull);

/* The same for a path that is made in steps of dt, each a chord of it, and that is watched for
 * `late` steps after the impact. A plane that it leaves again within a step is mostly passed
 * by. So a surface that is met while that plane would be watched takes precedence. */
rico__choice rico__record_choose_in_steps(const rico__kernels *kernels, const rico__cell *cell,
                                          const rico__path *path, uint32_t found,
                                          const float *time, const rico_vec3 *pull, float dt,
                                          float late);

typedef struct rico__contact rico__contact; /* contact.h */

/* The first contact of the straight path p .. p + v * dt with the record's surfaces. */
bool rico__record_contact(const rico__kernels *kernels, const rico__cell *cell,
                          const rico__unseen *unseen, rico_vec3 p, rico_vec3 v, float dt,
                          float radius, rico__contact *contact);

#endif
