/* runtime_room.h - drops in a room between two slabs, for tests of what contacts do. */
#ifndef RICO_RUNTIME_ROOM_H
#define RICO_RUNTIME_ROOM_H

#include "runtime_births.h"

#define DT (1.0f / 60.0f)
#define RADIUS 0.02f

/* A recipe for a room with a floor at z = 0 and a ceiling at z = 2, both larger than the
 * distance that particles travel. */
static inline rico_recipe drops(rico_collision_mode mode)
{
    rico_recipe r = still_recipe(mode);
    r.gravity = (rico_vec3){0.0f, 0.0f, -9.81f};
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.0f, 1.0f, 0.2f};
    r.burst_count = 40;
    r.speed = (rico_range){0.0f, 2.0f};
    r.spread = 3.0f;
    r.radius = RADIUS;
    r.lifetime = (rico_range){50.0f, 50.0f};
    r.queries_per_frame = 100.0f;
    r.events = RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH;
    r.plane_count = mode == RICO_COLLIDE_FIXED ? 2 : 0;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    r.planes[1] = (rico_plane){{0.0f, 0.0f, -1.0f}, -2.0f};
    return r;
}

static inline rico_collider_id add_slab(rico_world *world, float z, float half_z,
                                        uint16_t surface)
{
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    shape.kind = RICO_SHAPE_BOX;
    shape.half_size = (rico_vec3){8.0f, 8.0f, half_z};
    shape.surface = surface;
    CHECK_EQ(rico_world_add_shape(world, &shape, NULL, &def.shape), RICO_OK);
    def.motion.transform = at(0.0f, 0.0f, z);
    rico_collider_id id = rico_world_add_collider(world, &def);
    CHECK(id.index1 != 0);
    return id;
}

static inline rico_world *room_world(uint32_t workers, rico_collider_id ids[2])
{
    rico_world *world = small_world(workers, false);
    ids[0] = add_slab(world, -0.5f, 0.5f, 1);
    ids[1] = add_slab(world, 2.5f, 0.5f, 2);
    return world;
}

static const rico_collision_mode modes[] = {RICO_COLLIDE_FIXED, RICO_COLLIDE_CACHED,
                                            RICO_COLLIDE_CLASSIC, RICO_COLLIDE_EXACT};
#define MODES (sizeof modes / sizeof modes[0])

#endif
