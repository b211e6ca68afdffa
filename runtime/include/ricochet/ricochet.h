/* ricochet.h - includes every public header of libricochet.
 *
 * Start with:
 *   world.h            worlds, the step, statistics; includes the four below
 *   world_colliders.h  levels, bodies that move, layers, kill volumes
 *   world_effects.h    recipes in a world, effects, births at places
 *   world_view.h       particles after a step
 *   world_events.h     collisions, births and deaths of the last step, effects that ended
 *   recipe.h           what an effect's particles do: emission, motion, looks, collision
 *   recipe_emitter.h   emitter shapes, bursts, births at events
 *   recipe_curve.h     curves and gradients over life
 *   force.h            forces of recipes and force fields, beside gravity and drag
 *
 * To draw:
 *   output.h           billboards, sprites, streaks, meshes and trails, written to the renderer's
 *                      memory
 *   step_clock.h       steps of one length from frames of any length
 *
 * More of a world:
 *   world_fields.h     force fields: forces in a part of the world
 *   world_detail.h     level of detail: hidden, far and less important effects
 *   world_cache.h      warm starts of mode cached: bake, save, load, draw
 *   world_commands.h   calls recorded by several threads, carried out in a fixed order
 *   world_step.h       a step in two halves, between which the host does its own work
 *   world_queries.h    what the last step asked of the scene, and how queries were shared
 *   ray_caster.h       the host's own ray caster in place of meshes
 *   version.h          the version of the headers and of the library
 *
 * Parts that can be used alone:
 *   scene.h            shapes and colliders of a collision scene
 *   scene_query.h      rays, paths, sweeps, nearest points and boxes in a scene
 *   scene_draw.h       how a scene is stored and searched, as boxes and lines
 *   cache.h            the table of records, keyed by place
 *   jobs.h             the pool of workers: fork, join, parallel for
 *   tasks.h            work that is handed to a pool without a join
 *   job_graph.h        a frame as a graph of jobs
 *   jobs_profile.h     whether more cores would help
 *   jobs_replay.h      schedules, recorded and followed again
 *   jobs_trace.h       what each worker did when, as a trace
 *
 * Included by these:
 *   types.h            vectors, rotations, transforms, boxes, planes
 *   result.h           result codes
 *   hooks.h            the host's allocator, log and assert handler
 *   export.h           symbol visibility
 *   relaxed.h          private
 *
 * Effects in JSON files are in a library of their own, libricochet-effects, whose headers are
 * not included here: ricochet/effects/effect_file.h, effect_links.h, effect_group.h,
 * effect_source.h.
 */
#ifndef RICOCHET_RICOCHET_H
#define RICOCHET_RICOCHET_H

#include <ricochet/cache.h>
#include <ricochet/force.h>
#include <ricochet/job_graph.h>
#include <ricochet/jobs.h>
#include <ricochet/jobs_profile.h>
#include <ricochet/jobs_replay.h>
#include <ricochet/jobs_trace.h>
#include <ricochet/output.h>
#include <ricochet/ray_caster.h>
#include <ricochet/recipe.h>
#include <ricochet/recipe_curve.h>
#include <ricochet/recipe_emitter.h>
#include <ricochet/scene_draw.h>
#include <ricochet/scene_query.h>
#include <ricochet/step_clock.h>
#include <ricochet/tasks.h>
#include <ricochet/version.h>
#include <ricochet/world.h>
#include <ricochet/world_cache.h>
#include <ricochet/world_colliders.h>
#include <ricochet/world_commands.h>
#include <ricochet/world_detail.h>
#include <ricochet/world_effects.h>
#include <ricochet/world_events.h>
#include <ricochet/world_fields.h>
#include <ricochet/world_queries.h>
#include <ricochet/world_step.h>
#include <ricochet/world_view.h>

#endif
