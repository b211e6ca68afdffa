/* world_view.h - reading particles after a step: views, rotations, bounds. Part of world.h.
 *
 * Renderers usually let output.h write vertices; views are for everything else.
 */
#ifndef RICOCHET_WORLD_VIEW_H
#define RICOCHET_WORLD_VIEW_H

#include <ricochet/export.h>
#include <ricochet/types.h>
#include <ricochet/world_effects.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A walk over an effect's particles, block by block, without a copy:
 *
 *     rico_view v = rico_effect_view(world, effect);
 *     while (rico_view_next(&v))
 *         for (uint32_t i = 0; i < v.count; ++i)
 *             draw(v.px[i], v.py[i], v.pz[i]);
 *
 * Arrays have `count` elements and are 4-byte aligned. A particle's place in them changes from step
 * to step, because the last particles of a block take the places of those that die. To recognise
 * particles, use a recipe with particle_ids.
 *
 * A stale id gives an empty walk. For an effect that sleeps (rico_world_stats.sleeping_effects),
 * rico_effect_view works out ages, sizes and colours first. It may be called in each frame.
 *
 * Lifetime: until the next call that changes the world.
 */
typedef struct rico_view {
    uint32_t count;            /* particles in this block */
    const float *px, *py, *pz; /* position; metres, world space */
    const float *vx, *vy, *vz; /* velocity; m/s, world space */
    /* Seconds; 0 <= age < lifetime. In mode fixed the lowest bits of a lifetime name a plane. A
     * bounce there may leave the age above the lifetime for one step, by 1e-6 of it. */
    const float *age, *lifetime;
    const float *size;         /* metres; NULL = all have constant_size */
    const uint32_t *color;     /* r | g << 8 | b << 16 | a << 24; NULL = all have constant_color */
    const float *wx, *wy, *wz; /* angular velocity, radians/s; NULL unless recipe.rolls */
    /* Orientation in world space, a unit quaternion. At birth it is that of the emitter; from then
     * on the angular velocity turns it. NULL unless recipe.rolls. */
    const float *qx, *qy, *qz, *qw;
    /* Unique within the effect, until rico_effect_seek restarts it. Ids then begin again, and the
     * same id means another particle. NULL unless the recipe asks for ids (particle_ids; events
     * imply it). */
    const uint32_t *id;
    /* Position at the beginning of the last step, or at birth if that was later; NULL unless
     * recipe.interpolate. Equal to px, py, pz if the effect's time stood still in that step (a
     * paused or frozen effect, for example), and just after rico_effect_seek. In local space, it is
     * the position before a move of the effect in that step carried the particle along. A teleport
     * counts as if it had happened before that step. */
    const float *last_px, *last_py, *last_pz;
    float constant_size;     /* metres */
    uint32_t constant_color; /* as color */
    uint32_t tint; /* as color: rico_effect_set_tint; not yet multiplied into the colours above */

    const rico_world *world; /* private */
    uint32_t next_block;     /* private */
} rico_view;

/* Begins a walk over an effect's particles. */
RICO_API rico_view rico_effect_view(const rico_world *world, rico_effect_id effect);

/* Goes on to the next block. Returns false at the end. */
RICO_API bool rico_view_next(rico_view *view);

/* Returns the angle of the particle of that id and age, in radians, 0..2 pi. It counts
 * recipe.start_rotation and spin, but not rotation_over_life, for which the lifetime is needed.
 * Returns 0 for a stale id. */
RICO_API float rico_particle_rotation(const rico_world *world, rico_effect_id effect,
                                      uint32_t particle, float age);

/* The same with rotation_over_life. Pass id, age and lifetime (above 0 s) as a view has them. The
 * result is bit-identical to that of outputs. If the recipe draws neither start_rotation nor spin,
 * and views therefore may have no ids, any id will do. */
RICO_API float rico_particle_rotation_over_life(const rico_world *world, rico_effect_id effect,
                                                uint32_t particle, float age, float lifetime);

/* Computes the box around one effect's particles as the last step left them. It is the box of their
 * centres, grown on all sides by the size of the largest particle (recipe.particle_size,
 * start_size, inherit_size). It is bit-identical to rico_output_part.bounds. It includes neither
 * the stretch of particles along their velocity nor the past positions of trails.
 *
 * Returns false if there are no particles or the id is stale; *box then has lo > hi.
 *
 * Threads: one at a time, because for an effect that sleeps the call works out sizes, as
 *   rico_effect_view does.
 * Cost: reads all positions, at 7 instructions each. */
RICO_API bool rico_effect_bounds(const rico_world *world, rico_effect_id effect, rico_box *box);

#ifdef __cplusplus
}
#endif
#endif
