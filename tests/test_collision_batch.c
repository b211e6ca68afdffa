/* Properties of ray batches only: groups, their lists, and the places of answers. */
#include "collision_fixture.h"
#include "scene_private.h"

#define MOST 300u /* rays: two groups and a part of one */

/* Checks that every kernel gives each ray of a batch the answer that the ray has alone, and
 * writes nothing around the batch's answers. */
static void check_batch(const rico_scene *scene, const rico_ray *rays, uint32_t count)
{
    static rico_hit hits[MOST + 2], alone[MOST];
    rico_hit guard;
    memset(&guard, 0xa5, sizeof guard);
    for (uint32_t i = 0; i < count; ++i)
        rico__cast_scalar.closest(scene_grid(scene), NULL, &rays[i], &alone[i], 1);
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__cast_kernel *kernel = rico__cast_for_isa((rico__isa)isa);
        if (kernel == NULL)
            continue;
        memset(hits, 0xa5, sizeof hits);
        kernel->closest(scene_grid(scene), NULL, rays, hits + 1, count);
        for (uint32_t i = 0; i < count; ++i) {
            CHECK_MSG(hit_equal(&hits[1 + i], &alone[i]), "%s: ray %u of %u hits %u, alone %u",
                      rico__isa_name((rico__isa)isa), i, count, hits[1 + i].triangle,
                      alone[i].triangle);
            CHECK(hits[1 + i].surface == 0 && !hits[1 + i].moving);
            CHECK(memcmp(&hits[1 + i].velocity, &alone[i].velocity, sizeof(rico_vec3)) == 0);
        }
        CHECK(memcmp(&hits[0], &guard, sizeof guard) == 0);
        CHECK(memcmp(&hits[1 + count], &guard, sizeof guard) == 0);
    }
}

/* Sheets that lie across each other: a ray meets every box in the tree over them. */
static rico_scene *make_pile(int count)
{
    fixture_random random = {71};
    fixture_mesh mesh = {0};
    const rico_box spot = {{-0.2f, -0.2f, 0.0f}, {0.2f, 0.2f, 3.0f}};
    for (int i = 0; i < count; ++i) {
        rico_vec3 a = vec3_add(random_in_box(&random, &spot), vec3(-1.5f, -1.5f, 0.0f));
        rico_vec3 b = vec3_add(random_in_box(&random, &spot), vec3(1.5f, -1.5f, 0.0f));
        rico_vec3 c = vec3_add(random_in_box(&random, &spot), vec3(0.0f, 1.5f, 0.0f));
        mesh_loose(&mesh, a, b, c);
    }
    rico_scene *scene = scene_of(&mesh, 1.0f);
    mesh_free(&mesh);
    return scene;
}

/* 16 bundles below the root; 16 nodes. */
TEST(collision, rays_that_meet_all_of_a_tree_overfill_no_list)
{
    const int counts[] = {250, 6000};
    rico_ray rays[128];
    for (uint32_t i = 0; i < 128; ++i)
        rays[i] = i % 2 ? (rico_ray){{0.4f, 0.4f, -1.0f}, 9.0f, {0.0f, 0.0f, 1.0f}, 0}
                        : (rico_ray){{1.4f, 1.4f, -1.0f}, 9.0f, {-0.1f, -0.1f, 1.0f}, 0};
    for (int i = 0; i < 2; ++i) {
        rico_scene *scene = make_pile(counts[i]);
        check_batch(scene, rays, 128);
        rico_scene_destroy(scene);
    }
}

static rico_ray odd_ray(fixture_random *random, const rico_scene *scene)
{
    rico_ray ray = ray_near_surface(random, scene);
    switch (random_below(random, 16)) {
    case 0:
        ray.t_max = INFINITY;
        break;
    case 1:
        ray.t_max = NAN;
        break;
    case 2:
        ray.t_max = -0.0f;
        break;
    case 3:
        ray.direction = vec3(0.0f, 0.0f, random_below(random, 2) ? 1.0f : -1.0f);
        break;
    case 4:
        ray.origin.z = 3.0e6f;
        ray.t_max = INFINITY;
        ray.direction = vec3(0.0f, 0.0f, -1.0f);
        break;
    case 5:
        ray.direction.x = INFINITY;
        break;
    default:
        break;
    }
    return ray;
}

TEST(collision, a_batch_of_any_size_answers_its_rays_and_writes_nothing_else)
{
    fixture_random random = {72};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 4.0f, 3000);
    rico_scene *scene = scene_of(&mesh, 0.0f);
    rico_ray rays[MOST];
    for (uint32_t count = 1; count <= MOST; count += count < 40 ? 1 : 13) {
        for (uint32_t i = 0; i < count; ++i)
            rays[i] = odd_ray(&random, scene);
        check_batch(scene, rays, count);
    }
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

/* Without a filter, in groups of rays most of which ignore no collider. */
TEST(collision, each_ray_of_a_batch_ignores_what_it_names)
{
    fixture_random random = {73};
    rico_scene *scene = scene_create_quiet(0.0f);
    for (int i = 0; i < 3; ++i) {
        fixture_mesh mesh = {0};
        mesh_scatter(&mesh, &random, 2.0f, 2000);
        scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
        mesh_free(&mesh);
    }
    CHECK_EQ(rico_scene_merge(scene), RICO_OK);
    rico_ray rays[MOST];
    rico_hit hits[MOST];
    uint32_t changed = 0;
    for (uint32_t round = 0; round < 20; ++round) {
        for (uint32_t i = 0; i < MOST; ++i) {
            rays[i] = ray_near_surface(&random, scene);
            bool ignores = random_below(&random, 32) == 0;
            rays[i].ignore = ignores ? 1 + random_below(&random, 3) : 0;
        }
        rico_scene_raycast_batch(scene, NULL, rays, hits, MOST);
        for (uint32_t i = 0; i < MOST; ++i) {
            rico_ray all = rays[i];
            all.ignore = 0;
            rico_hit alone = rico_scene_raycast(scene, NULL, &rays[i]);
            rico_hit hit = rico_scene_raycast(scene, NULL, &all);
            CHECK_MSG(hit_equal(&hits[i], &alone), "ray %u hits %u, alone %u", i,
                      hits[i].triangle, alone.triangle);
            CHECK(rays[i].ignore == 0 || alone.collider != rays[i].ignore);
            changed += !hit_equal(&hit, &alone);
        }
    }
    CHECK_MSG(changed > 10, "%u", changed);
    rico_scene_destroy(scene);
}
