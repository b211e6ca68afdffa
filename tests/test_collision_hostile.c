/* Questions that are meant to go wrong or to take for ever. */
#include "collision_crowd.h"

/* Out of range in the world; in the plane's space, 1000 times smaller, it would not be. */
TEST(collision, a_ray_that_is_out_of_range_in_the_world_hits_no_plane_either)
{
    rico_scene *scene = scene_create_quiet(0.0f);
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    shape.kind = RICO_SHAPE_PLANE;
    CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &def.shape), RICO_OK);
    def.motion.transform.scale = 1000.0f;
    CHECK_EQ(rico_scene_add(scene, &def, NULL), RICO_OK);
    const rico_vec3 down = {0.0f, 0.0f, -1.0f};
    const rico_ray rays[] = {{vec3(0.0f, 0.0f, 1.0f), 9.0f, down, 0},
                             {vec3(0.0f, 0.0f, 1.0f), 9.0f, vec3_scale(down, 1.1e30f), 0},
                             {vec3(1.1e9f, 0.0f, 1.0f), 9.0f, down, 0},
                             {vec3(0.0f, 0.0f, 1.0f), 9.0f, vec3(NAN, 0.0f, -1.0f), 0}};
    rico_hit hits[4];
    bool blocked[4];
    rico_scene_raycast_batch(scene, NULL, rays, hits, 4);
    rico_scene_blocked_batch(scene, NULL, rays, blocked, 4);
    for (int i = 0; i < 4; ++i) {
        CHECK_EQ(hits[i].collider, i == 0);
        CHECK_EQ(blocked[i], i == 0);
        CHECK_EQ(rico_scene_raycast(scene, NULL, &rays[i]).collider, i == 0);
        CHECK_EQ(rico_scene_blocked(scene, NULL, &rays[i]), i == 0);
    }
    rico_scene_destroy(scene);
}
