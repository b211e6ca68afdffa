/* simulate.h - one block on its way through a step.
 *
 * simulate.c drives; compact.c, emit.c, cached.c, classic.c, exact.c and contact.c do parts of
 * it. All of them see one block through this context and touch nothing else that is shared: the
 * caches and the scene are read-only while blocks are simulated.
 */
#ifndef RICO_SIMULATE_H
#define RICO_SIMULATE_H

#include "known_cells.h"
#include "own_plane.h"
#include "state.h"
#include "vec.h"

#include <string.h>

/* The cells of this many contacts of a block are looked up ahead. */
#define RICO__HIT_CELLS 8u

/* The cell of a particle that has a contact. */
typedef struct rico__hit_cell {
    int32_t finest[3];
    bool empty; /* as coverage knows */
    rico__cell cell;
} rico__hit_cell;

/* This many movers near a block are listed. */
#define RICO__BODIES_NEAR 32u
#define RICO__ANY_BODY UINT32_MAX

/* Owner: the stack frame of simulate_fours, simulate_pairs or unstick_block (simulate.c).
 * Threads: the job that has the block. */
typedef struct rico__block_context {
    rico_world *world;
    const rico__recipe *recipe;
    const rico__effect *effect;
    rico__block *block;
    rico__scratch *scratch;
    uint32_t worker, place; /* place: in the block list */
    rico__step step;
    rico__streams streams;
    const rico__recipe *next_recipe; /* of the block that is prefetched */
    float *data;
    rico__masks masks;
    uint32_t first_born;        /* particles from this number on were born in this step */
    bool pushed;                /* forces beside gravity and drag have acted on the block */
    float most_push;            /* most that these may accelerate a particle by, m/s^2; 0 = none */
    const rico__forces *forces; /* births: forces on them beside gravity; NULL = none */
    rico__mask near, near_asleep; /* ride_near.c: particles that may meet movers; those at rest */
    /* ride_near.c: the block's reach in this step, and the movers that meet it, in their order. */
    rico_box reach;
    uint32_t bodies[RICO__BODIES_NEAR];
    uint32_t body_count; /* RICO__ANY_BODY: more, or not looked for */
    rico__cells cells;
    rico__hit_cell hit_cells[RICO__HIT_CELLS]; /* of the first lanes of masks.hit */
} rico__block_context;

/* simulate.c: evaluates sizes and colours by the ages of a block's first `count` particles. */
void rico__evaluate_curves(const rico_world *world, const rico__recipe *recipe, float *data,
                           uint32_t count);

static inline rico_vec3 block_position(const rico__block_context *c, uint32_t i)
{
    return vec3(c->streams.px[i], c->streams.py[i], c->streams.pz[i]);
}

static inline rico_vec3 block_velocity(const rico__block_context *c, uint32_t i)
{
    return vec3(c->streams.vx[i], c->streams.vy[i], c->streams.vz[i]);
}

static inline void block_set_position(rico__block_context *c, uint32_t i, rico_vec3 p)
{
    c->streams.px[i] = p.x;
    c->streams.py[i] = p.y;
    c->streams.pz[i] = p.z;
}

static inline void block_set_velocity(rico__block_context *c, uint32_t i, rico_vec3 v)
{
    c->streams.vx[i] = v.x;
    c->streams.vy[i] = v.y;
    c->streams.vz[i] = v.z;
}

static inline rico_plane block_plane(const rico__block_context *c, uint32_t i)
{
    return rico__watched_plane(c->data + i, c->recipe->stream_floats);
}

/* Sets the plane; what is around it is not known, nor whose it is. */
static inline void block_set_plane(rico__block_context *c, uint32_t i, rico_plane plane)
{
    rico__watch(c->data + i, c->recipe->stream_floats, plane, 0);
    if (rico__names_owners(c->recipe))
        rico__set_plane_owner(c->data + i, c->recipe->stream_floats, rico__nobody());
}

/* rico__nobody() for recipes that do not ask. */
static inline rico__owner block_plane_owner(const rico__block_context *c, uint32_t i)
{
    if (!rico__names_owners(c->recipe))
        return rico__nobody();
    return rico__plane_owner(c->data + i, c->recipe->stream_floats);
}

/* own_plane.h */
static inline uint32_t block_known(const rico__block_context *c, uint32_t i)
{
    return rico__known(c->data + i, c->recipe->stream_floats);
}

/* Mode fixed: sets the number of the particle's plane. */
static inline void block_watch_plane(rico__block_context *c, uint32_t i, uint32_t number)
{
    c->streams.life[i] = rico__life_with_plane(c->streams.life[i], number);
}

static inline rico_plane no_plane(void)
{
    return (rico_plane){{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET};
}

/* The product of two packed colours, per channel. */
static inline uint32_t rico__tinted(uint32_t color, uint32_t tint)
{
    uint32_t product = 0;
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        uint32_t channel = (color >> shift & 0xffu) * (tint >> shift & 0xffu);
        product |= (channel + 127u) / 255u << shift;
    }
    return product;
}

/* emit.c: appends the births planned for the block. They have lived for the rest of the step,
 * except in mode cached on a scene. There, paths are followed from the places of birth, and
 * rico__birth_settle moves the particles when that is done. first: the particle's number in the
 * first stream; kick: what forces add to the velocity in a step, NULL = nothing. */
void rico__emit(rico__block_context *c);
void rico__birth_settle(const rico_world *world, const rico__effect *effect, float *first,
                        const rico_vec3 *kick);

/* Recipes with interpolate: notes the positions of `count` particles from number `first` on as
 * those when the step began, or at their birth. */
static inline void rico__keep_places(rico__block_context *c, uint32_t first, uint32_t count)
{
    const float *now[3] = {c->streams.px + first, c->streams.py + first, c->streams.pz + first};
    for (uint32_t k = 0; k < 3; ++k)
        memcpy(rico__stream(c->recipe, c->data, (rico__field)(FIELD_LAST_PX + k)) + first,
               now[k], count * sizeof(float));
}

static inline bool rico__any_bit(const rico__mask words)
{
    return (words[0] | words[1] | words[2] | words[3]) != 0;
}

/* compact.c: removes dead particles; the last survivors take their places. */
void rico__compact(rico__block_context *c);

/* cached.c: makes the contacts that the guard pass left. What they will read is prefetched in
 * two calls, with time between: what finding the cells reads, then the records. */
void rico__cached_fetch(rico__block_context *c, bool records);
void rico__cached_contacts(rico__block_context *c);

/* classic.c: looks up the own plane in the plane cache, at birth and after a bounce. */
void rico__classic_look_up(rico__block_context *c, uint32_t i, bool newborn);

/* ride.c: whether the surface to which a particle at p sticks is near. */
bool rico__is_held(rico__block_context *c, rico_vec3 p);

/* cached.c: the first contact of a path with static geometry. */
bool rico__cached_contact(rico__block_context *c, uint32_t i, rico_vec3 p, rico_vec3 v,
                          float dt, struct rico__contact *contact);

/* exact.c: moves all awake particles of the block by scene queries. */
void rico__exact_move(rico__block_context *c);

#endif
