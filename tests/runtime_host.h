/* runtime_host.h - a host whose own ray caster is made of a scene, and worlds that use it. */
#ifndef RICO_RUNTIME_HOST_H
#define RICO_RUNTIME_HOST_H

#include "runtime_terrain.h"

#include "atomics.h"

typedef enum host_kind {
    HOST_PLAIN,     /* answers a batch in one call, in the given order */
    HOST_SINGLY,    /* answers ray by ray, from the last to the first */
    HOST_MUTE,      /* answers nothing */
    HOST_LAZY,      /* deferred: answers when collected */
    HOST_KEEPS_AWAY /* deferred: answers only every second time */
} host_kind;

typedef struct host {
    rico_scene *scene;
    host_kind kind;
    rico__atomic32 calls, rays, bad_requests; /* workers call at the same time */
    uint32_t collects;
    /* The last deferred call. */
    rico_filter filter;
    const rico_ray *asked;
    rico_hit *answers;
    uint32_t count;
} host;

uint32_t counted(const rico__atomic32 *count);
bool all_requests_were_good(const host *h);

/* The callbacks, and ray casters made of them. */
void host_cast(void *user, const rico_filter *filter, const rico_ray *rays, rico_hit *hits,
               uint32_t count);
void host_collect(void *user);
bool host_occupied(void *user, const rico_box *box);
rico_ray_caster at_once(host *h);
rico_ray_caster at_once_with_boxes(host *h);
rico_ray_caster one_frame_later(host *h);

/* Hosts whose scene the caller destroys. The ramp's mesh is a floor 16 m long that rises by 0.5
 * m per metre from x = 2 m on. */
host host_of(const rico_mesh *mesh, host_kind kind);
host terrain_host(host_kind kind);
host ramp_host(host_kind kind);

rico_world *world_on_budget(rico_ray_caster caster, uint32_t workers, uint32_t budget);
rico_world *world_on(rico_ray_caster caster, uint32_t workers);

/* Adds nine effects with events over the terrain. */
void add_sparks(rico_world *world, rico_collision_mode mode, float queries);

/* What three seconds of four effects over the ramp lead to. */
typedef struct outcome {
    uint32_t born, fell, bounces, far_bounces, sleeping;
    uint64_t units, rays, hash;
} outcome;

rico_recipe ramp_recipe(float queries);
outcome run_ramp_by(rico_ray_caster caster, uint32_t workers, const rico_recipe *recipe);
outcome run_ramp(rico_ray_caster caster, uint32_t workers, float queries);

/* fallen, far: limits in parts per thousand of particles that fall through, and of bounces off
 * the surface. */
void check_outcome(const char *name, const outcome *o, uint32_t fallen, uint32_t far);

#endif
