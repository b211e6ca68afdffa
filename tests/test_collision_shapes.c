/* Shapes: how long they live, and when two shapes are the same. */
#include "collision_crowd.h"

TEST(collision, shapes_stay_while_they_are_placed_and_their_ids_go_stale)
{
    crowd *c = crowd_create(229);
    rico_shape_id shape = c->models[1].shape, null = {0, 0};
    rico_collider_def def = rico_collider_def_default();
    rico_collider_id id;
    def.shape = shape;
    CHECK_EQ(rico_scene_get_stats(c->scene).shape_count, CROWD_SHAPES);
    CHECK_EQ(rico_scene_version(c->scene), 0);
    CHECK_EQ(rico_scene_add(c->scene, &def, &id), RICO_OK);
    CHECK_EQ(rico_scene_remove_shape(c->scene, shape), RICO_IN_USE);
    CHECK_EQ(rico_scene_remove(c->scene, id), RICO_OK);
    CHECK_EQ(rico_scene_remove_shape(c->scene, shape), RICO_OK);
    CHECK_EQ(rico_scene_remove_shape(c->scene, shape), RICO_STALE_ID);
    CHECK_EQ(rico_scene_remove_shape(c->scene, null), RICO_STALE_ID);
    CHECK_EQ(rico_scene_add(c->scene, &def, &id), RICO_STALE_ID);
    CHECK_EQ(id.index1, 0);
    /* The shape that an added mesh creates has no id of its own, in the same place or not. */
    rico_mesh view = crowd_view(&c->models[0]);
    CHECK_EQ(rico_scene_add_mesh(c->scene, &view, RICO_TRANSFORM_IDENTITY, NULL, NULL),
             RICO_OK);
    for (uint32_t generation = 0; generation < 4; ++generation) {
        def.shape = (rico_shape_id){shape.index1, generation};
        CHECK_EQ(rico_scene_add(c->scene, &def, &id), RICO_STALE_ID);
    }
    def = (rico_collider_def){.shape = c->models[0].shape};
    CHECK_EQ(rico_scene_add(c->scene, &def, &id), RICO_UNINITIALIZED_DEF);
    def = rico_collider_def_default();
    def.shape = c->models[0].shape;
    def.motion.transform.position.x = INFINITY;
    CHECK_EQ(rico_scene_add(c->scene, &def, &id), RICO_NOT_FINITE);
    CHECK_EQ(rico_scene_version(c->scene), 3);
    crowd_destroy(c);
}

TEST(collision, indices_of_16_bits_make_the_same_mesh)
{
    fixture_mesh mesh = {0};
    mesh_sphere(&mesh, 1.0f, 2);
    uint16_t *narrow = calloc(3 * mesh.triangle_count, sizeof *narrow);
    for (uint32_t i = 0; i < 3 * mesh.triangle_count; ++i)
        narrow[i] = (uint16_t)mesh.indices[i];
    rico_mesh view = mesh_view(&mesh);
    view.indices16 = narrow;
    rico_scene *scene = scene_create_quiet(0.0f), *wide = scene_of(&mesh, 0.0f);
    CHECK_EQ(rico_scene_add_mesh(scene, &view, RICO_TRANSFORM_IDENTITY, NULL, NULL),
             RICO_OUT_OF_RANGE);
    view.indices = NULL;
    view.smooth_angle = NAN;
    CHECK_EQ(rico_scene_add_mesh(scene, &view, RICO_TRANSFORM_IDENTITY, NULL, NULL),
             RICO_NOT_FINITE);
    view.smooth_angle = 0.0f;
    CHECK_EQ(rico_scene_add_mesh(scene, &view, RICO_TRANSFORM_IDENTITY, NULL, NULL), RICO_OK);
    fixture_random random = {233};
    for (int i = 0; i < 1000; ++i) {
        rico_ray ray = ray_near_surface(&random, wide);
        rico_hit a = rico_scene_raycast(scene, NULL, &ray),
                 b = rico_scene_raycast(wide, NULL, &ray);
        CHECK(hit_equal(&a, &b));
    }
    free(narrow);
    rico_scene_destroy(scene);
    rico_scene_destroy(wide);
    mesh_free(&mesh);
}

#define MOST_KEPT 16384u
#define RAYS 20

/* Memory that is released is kept and overwritten, so that a read after release shows. */
typedef struct keeper {
    void *blocks[MOST_KEPT];
    uint32_t count;
} keeper;

static void *keeper_allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void keeper_release(void *user, void *memory, size_t bytes, size_t alignment)
{
    keeper *k = user;
    (void)alignment;
    memset(memory, 0xff, bytes);
    CHECK(k->count < MOST_KEPT);
    k->blocks[k->count++] = memory;
}

/* With many shapes, adding shapes that are not placed moves the existing ones. */
TEST(collision, rays_at_one_mesh_stay_right_while_shapes_come_and_go)
{
    static keeper kept;
    fixture_random random = {239};
    fixture_mesh mesh = {0};
    mesh_sphere(&mesh, 1.0f, 2);
    rico_scene_def def = rico_scene_def_default();
    def.allocator = (rico_allocator){keeper_allocate, keeper_release, &kept};
    rico_scene *scene = NULL;
    CHECK_EQ(rico_scene_create(&def, &scene), RICO_OK);
    rico_mesh view = mesh_view(&mesh);
    CHECK_EQ(rico_scene_add_mesh(scene, &view, RICO_TRANSFORM_IDENTITY, NULL, NULL), RICO_OK);
    rico_ray rays[RAYS];
    rico_hit hits[RAYS];
    rico_shape_id ids[40];
    for (int i = 0; i < RAYS; ++i) {
        rays[i] = ray_near_surface(&random, scene);
        hits[i] = rico_scene_raycast(scene, NULL, &rays[i]);
    }
    for (int n = 0; n < 80; ++n) {
        rico_shape_def ball = rico_shape_def_default();
        ball.kind = RICO_SHAPE_SPHERE;
        ball.radius = 0.5f;
        if (n < 40)
            CHECK_EQ(rico_scene_add_shape(scene, &ball, NULL, &ids[n]), RICO_OK);
        else
            CHECK_EQ(rico_scene_remove_shape(scene, ids[n - 40]), RICO_OK);
        for (int i = 0; i < RAYS; ++i) {
            rico_hit again = rico_scene_raycast(scene, NULL, &rays[i]);
            CHECK_MSG(hit_equal(&again, &hits[i]), "after %d shapes", n + 1);
        }
    }
    rico_scene_destroy(scene);
    for (uint32_t i = 0; i < kept.count; ++i)
        free(kept.blocks[i]);
    mesh_free(&mesh);
}
