/* Colliders that go elsewhere: moves, and the origin. */
#include "collision_crowd.h"

TEST(collision, moves_are_made_all_or_none)
{
    crowd *c = crowd_create(227);
    for (int i = 0; i < 3; ++i)
        crowd_add(c, i == 2);
    rico_motion motions[3] = {c->members[0].motion, c->members[1].motion, c->members[0].motion};
    rico_collider_id ids[3] = {c->members[0].id, c->members[1].id, c->members[2].id};
    uint32_t version = rico_scene_version(c->scene);
    motions[0].transform.position = vec3(9.0f, 9.0f, 9.0f);
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_OUT_OF_RANGE);
    ids[2].index1 = 77;
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_STALE_ID);
    ids[2] = ids[1];
    motions[2].velocity.y = NAN;
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_NOT_FINITE);
    motions[2] = motions[0];
    motions[2].transform.scale = 1.0e-7f;
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_OUT_OF_RANGE);
    motions[2] = motions[0];
    motions[2].transform.position.z = -1.000001e6f;
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 0), RICO_OK);
    CHECK_EQ(rico_scene_version(c->scene), version);
    crowd_check(c, 0);
    motions[2] = motions[0];
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_OK);
    CHECK_EQ(rico_scene_version(c->scene), version + 1);
    c->members[0].motion = motions[0];
    c->members[1].motion = motions[2]; /* the later of two */
    c->members[0].version = c->members[1].version = version + 1;
    crowd_check(c, 0);
    crowd_destroy(c);
}

TEST(collision, shifting_the_origin_keeps_every_answer_where_it_is_exact)
{
    fixture_random random = {239};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 3.0f, 500);
    for (uint32_t i = 0; i < 3 * mesh.vertex_count; ++i) /* 4096ths: exact up to 4 km */
        mesh.positions[i] = floorf(mesh.positions[i] * 4096.0f) / 4096.0f;
    rico_scene *here = scene_create_quiet(0.0f), *there = scene_create_quiet(0.0f);
    const rico_vec3 by = vec3(512.0f, -256.5f, 3.25f);
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    shape.mesh = mesh_view(&mesh);
    for (int i = 0; i < 2; ++i) {
        rico_scene *scene = i == 0 ? here : there;
        scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
        CHECK_EQ(rico_scene_merge(scene), RICO_OK);
        scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
        CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &def.shape), RICO_OK);
        def.motion.transform.position = vec3(1.0f, 2.0f, 0.5f);
        CHECK_EQ(rico_scene_add(scene, &def, NULL), RICO_OK);
    }
    CHECK_EQ(rico_scene_shift_origin(there, vec3(NAN, 0.0f, 0.0f)), RICO_NOT_FINITE);
    CHECK_EQ(rico_scene_shift_origin(there, vec3(1.0e6f, 0.0f, 0.0f)), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_scene_version(there), 3);
    CHECK_EQ(rico_scene_shift_origin(there, by), RICO_OK);
    CHECK_EQ(rico_scene_version(there), 4);
    for (uint32_t slot = 1; slot <= 3; ++slot)
        CHECK_EQ(rico_scene_collider_version(there, slot), 4);
    for (int i = 0; i < FIXTURE_REPEATS(20000); ++i) {
        rico_ray ray = ray_near_surface(&random, here), moved;
        for (int k = 0; k < 3; ++k)
            (&ray.origin.x)[k] = floorf((&ray.origin.x)[k] * 4096.0f) / 4096.0f;
        moved = ray;
        moved.origin = vec3_sub(ray.origin, by);
        rico_hit a = rico_scene_raycast(here, NULL, &ray),
                 b = rico_scene_raycast(there, NULL, &moved);
        CHECK(hit_equal(&a, &b));
    }
    rico_scene_destroy(here);
    rico_scene_destroy(there);
    mesh_free(&mesh);
}
