/* Filters of queries: layers, ignored colliders, faces from behind and flat faces; and queries
 * for any hit. Checked against every triangle in turn, on the test's own grid. */
#include "cast.h"
#include "collision_fixture.h"

#include <string.h>

enum { COLLIDERS = 6, TRIANGLES = 500, BATCH = 150 };

typedef struct corpus {
    rico__memory memory;
    rico__vertex vertices[3 * TRIANGLES];
    rico__face faces[TRIANGLES];
    uint32_t layers[COLLIDERS];
    rico__triangles triangles;
    rico__grid grid;
} corpus;

/* Triangles of 5 cm to 80 cm in a cube of 3 m. Each has the collider of its own number. A few
 * have no area. Every seventh lies in the plane of the one before it, turned over, so that t
 * ties. */
static corpus *corpus_create(uint64_t seed)
{
    fixture_random random = {seed};
    corpus *c = calloc(1, sizeof *c);
    const rico_box box = {{-1.5f, -1.5f, -1.5f}, {1.5f, 1.5f, 1.5f}};
    rico_allocator none = {0};
    rico__memory_init(&c->memory, &none);
    for (uint32_t i = 0; i < TRIANGLES; ++i) {
        rico_vec3 p[3];
        p[0] = random_in_box(&random, &box);
        p[1] = vec3_mad(p[0], random_direction(&random), random_between(&random, 0.05f, 0.8f));
        p[2] = vec3_mad(p[0], random_direction(&random), random_between(&random, 0.05f, 0.8f));
        if (i % 50 == 9)
            p[2] = p[1];
        uint32_t collider = i * COLLIDERS / TRIANGLES + 1;
        for (uint32_t j = 0; j < 3; ++j) {
            memcpy(c->vertices[3 * i + j].at, &p[j], sizeof p[j]);
            c->vertices[3 * i + j].collider = collider;
            c->faces[i].corner[j] = 3 * i + j;
        }
        if (i % 7 == 6)
            for (uint32_t j = 0; j < 3; ++j)
                memcpy(c->vertices[3 * i + j].at, c->vertices[3 * i - 1 - j].at, sizeof p[0]);
        c->faces[i].triangle = i;
    }
    c->triangles = (rico__triangles){c->vertices, c->faces};
    for (uint32_t i = 0; i < TRIANGLES; ++i) {
        rico__triangle triangle = rico__triangle_at(&c->triangles, i);
        if (rico__triangle_is_flat(&triangle))
            c->faces[i].corner[0] |= RICO_FACE_FLAT;
    }
    for (uint32_t i = 0; i < COLLIDERS; ++i)
        c->layers[i] = 1u << (i % 3) | (i == 4 ? 0x80000000u : 0u);
    CHECK_EQ(rico__grid_build(&c->grid, &c->memory, &c->triangles, TRIANGLES, TRIANGLES,
                              &(rico__grid_options){.cell_size = 0.2f}),
             RICO_OK);
    return c;
}

static void corpus_destroy(corpus *c)
{
    rico__grid_release(&c->grid, &c->memory);
    CHECK_EQ(c->memory.live_bytes, 0);
    free(c);
}

/* Tests each triangle by itself, with the filter applied to its answer. */
static rico_hit brute_closest(const corpus *c, const rico__cast_filter *filter,
                              const rico_ray *ray)
{
    rico__ray_frame frame;
    rico_hit best = {.t = ray->t_max, .triangle = RICO_NO_TRIANGLE};
    if (!rico__ray_frame_init(&frame, ray))
        return best;
    for (uint32_t i = 0; i < TRIANGLES; ++i) {
        rico__ray_best one = {frame.t_max, RICO_NO_TRIANGLE};
        rico__ray_test(&frame, &c->triangles, i, &one);
        if (one.id == RICO_NO_TRIANGLE)
            continue;
        rico_hit hit = rico__ray_hit(ray, one, &c->triangles, 0);
        bool there = hit.collider != ray->ignore || ray->ignore == 0;
        if (filter != NULL && filter->layers != NULL) {
            uint32_t layers = filter->layers[hit.collider - 1];
            there &= (layers & filter->wanted) != 0 && (layers & filter->unwanted) == 0;
        }
        if (filter != NULL && filter->skip_back_faces)
            there &= !hit.back_face;
        if (there && (best.collider == 0 || hit.t < best.t))
            best = hit;
    }
    return best;
}

static rico_ray random_ray(fixture_random *random, bool ignores)
{
    static const float lengths[] = {0.1f, 0.5f, 2.0f, 10.0f, INFINITY, 0.0f};
    const rico_box box = {{-1.7f, -1.7f, -1.7f}, {1.7f, 1.7f, 1.7f}};
    rico_ray ray = {.origin = random_in_box(random, &box),
                    .t_max = lengths[random_below(random, 6)],
                    .direction = random_direction(random)};
    if (ignores && random_below(random, 3) > 0)
        ray.ignore = 1 + random_below(random, COLLIDERS);
    if (random_below(random, 50) == 0)
        ray.direction.y = NAN;
    if (random_below(random, 20) == 0) { /* so far out that walking the grid is not safe */
        ray.origin = vec3_mad(ray.origin, ray.direction, -2.0e5f);
        ray.t_max = random_below(random, 2) ? INFINITY : 1.0e5f;
    }
    return ray;
}

/* Checks every kernel, alone and in a batch. *hit_count counts the rays that hit. */
static void check_rays(const corpus *c, const rico__cast_filter *filter, const rico_ray *rays,
                       uint32_t count, uint32_t *hit_count)
{
    rico_hit expected[BATCH], hits[BATCH], hit;
    bool blocked[BATCH], alone;
    for (uint32_t i = 0; i < count; ++i) {
        expected[i] = brute_closest(c, filter, &rays[i]);
        *hit_count += expected[i].collider != 0;
    }
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__cast_kernel *kernel = rico__cast_for_isa((rico__isa)isa);
        if (kernel == NULL)
            continue;
        const char *name = rico__isa_name((rico__isa)isa);
        memset(blocked, 2, sizeof blocked);
        kernel->closest(&c->grid, filter, rays, hits, count);
        kernel->blocked(&c->grid, filter, rays, blocked, count);
        for (uint32_t i = 0; i < count; ++i) {
            kernel->closest(&c->grid, filter, &rays[i], &hit, 1);
            kernel->blocked(&c->grid, filter, &rays[i], &alone, 1);
            CHECK_MSG(hit_equal(&hits[i], &expected[i]),
                      "ray %u of a batch of %s hits %u at %a, expected %u at %a", i, name,
                      hits[i].triangle, (double)hits[i].t, expected[i].triangle,
                      (double)expected[i].t);
            CHECK_MSG(hit_equal(&hit, &expected[i]), "ray %u alone of %s hits %u", i, name,
                      hit.triangle);
            bool is_hit = expected[i].collider != 0;
            CHECK_MSG(blocked[i] == is_hit, "ray %u of a batch of %s", i, name);
            CHECK_MSG(alone == is_hit, "ray %u alone of %s", i, name);
        }
    }
}

static void check_filter(const rico__cast_filter *filter, uint64_t seed)
{
    corpus *c = corpus_create(seed);
    fixture_random random = {seed + 1};
    rico__cast_filter with = {0};
    if (filter != NULL) {
        with = *filter;
        with.layers = filter->wanted != 0 ? c->layers : NULL;
    }
    uint32_t hit_count = 0, ray_count = 0;
    for (int turn = 0; turn < FIXTURE_REPEATS(20); ++turn) {
        rico_ray rays[BATCH];
        uint32_t count = 1 + random_below(&random, BATCH);
        for (uint32_t i = 0; i < count; ++i)
            rays[i] = random_ray(&random, with.ignores);
        check_rays(c, filter != NULL ? &with : NULL, rays, count, &hit_count);
        ray_count += count;
    }
    CHECK_MSG(hit_count > ray_count / 20 && hit_count < ray_count - ray_count / 20,
              "%u of %u rays hit: they show little", hit_count, ray_count);
    corpus_destroy(c);
}

TEST(collision, any_hit_says_whether_there_is_a_closest_one)
{
    check_filter(NULL, 1);
}

TEST(collision, a_filter_that_wants_nothing_changes_nothing)
{
    check_filter(&(rico__cast_filter){0}, 2);
}

TEST(collision, rays_do_not_see_colliders_without_a_wanted_layer)
{
    check_filter(&(rico__cast_filter){.wanted = 2}, 3);
    check_filter(&(rico__cast_filter){.wanted = 0x80000004u}, 4);
}

TEST(collision, rays_do_not_see_colliders_with_an_ignored_layer)
{
    check_filter(&(rico__cast_filter){.wanted = UINT32_MAX, .unwanted = 2}, 12);
    check_filter(&(rico__cast_filter){.wanted = 3, .unwanted = 0x80000002u}, 13);
}

TEST(collision, rays_do_not_see_the_collider_that_they_ignore)
{
    check_filter(&(rico__cast_filter){.ignores = true}, 5);
}

TEST(collision, rays_do_not_see_faces_from_behind_when_those_are_skipped)
{
    check_filter(&(rico__cast_filter){.skip_back_faces = true}, 6);
}

TEST(collision, filters_add_up)
{
    check_filter(&(rico__cast_filter){.wanted = 3, .ignores = true, .skip_back_faces = true},
                 7);
}

TEST(collision, a_face_made_flat_after_the_build_is_not_there)
{
    corpus *c = corpus_create(8);
    fixture_random random = {9};
    rico__cast_filter filter = {.ignores = true};
    rico_ray rays[BATCH];
    for (uint32_t i = 0; i < TRIANGLES; i += 2)
        c->faces[i].corner[0] |= RICO_FACE_FLAT;
    for (uint32_t i = 0; i < BATCH; ++i)
        rays[i] = random_ray(&random, true);
    uint32_t hit_count = 0;
    check_rays(c, &filter, rays, BATCH, &hit_count);
    for (uint32_t i = 0; i < TRIANGLES; ++i)
        c->faces[i].corner[0] |= RICO_FACE_FLAT;
    CHECK(hit_count > 0);
    hit_count = 0;
    check_rays(c, &filter, rays, BATCH, &hit_count);
    CHECK_EQ(hit_count, 0);
    corpus_destroy(c);
}

/* --- scenes --- */

/* Boxes of 10 cm to 1 m. */
static void mesh_boxes(fixture_mesh *mesh, fixture_random *random)
{
    const rico_box box = {{-1.5f, -1.5f, -1.5f}, {1.5f, 1.5f, 1.5f}};
    const rico_box sizes = {{0.1f, 0.1f, 0.1f}, {1.0f, 1.0f, 1.0f}};
    for (int i = 0; i < 12; ++i) {
        rico_vec3 lo = random_in_box(random, &box);
        mesh_box(mesh, lo, vec3_add(lo, random_in_box(random, &sizes)));
    }
}

TEST(collision, ignoring_a_collider_is_as_if_it_were_removed)
{
    rico_scene *scene = scene_create_quiet(0.0f), *without = scene_create_quiet(0.0f);
    fixture_random random = {10};
    rico_collider_id ids[4];
    for (uint32_t i = 0; i < 4; ++i) {
        fixture_mesh mesh = {0};
        mesh_boxes(&mesh, &random);
        scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
        ids[i] = scene_add(without, &mesh, RICO_TRANSFORM_IDENTITY);
        mesh_free(&mesh);
    }
    CHECK_EQ(rico_scene_remove(without, ids[2]), RICO_OK);
    rico_ray rays[1500], plain[1500];
    rico_hit hits[1500], expected[1500];
    bool blocked[1500];
    uint32_t changed = 0;
    for (uint32_t i = 0; i < 1500; ++i) {
        plain[i] = random_ray(&random, false);
        rays[i] = plain[i];
        rays[i].ignore = ids[2].index1;
    }
    rico_filter filter = rico_filter_default();
    rico_scene_raycast_batch(scene, &filter, rays, hits, 1500);
    rico_scene_blocked_batch(scene, NULL, rays, blocked, 1500);
    rico_scene_raycast_batch(without, NULL, plain, expected, 1500);
    for (uint32_t i = 0; i < 1500; ++i) {
        rico_hit alone = rico_scene_raycast(scene, NULL, &rays[i]);
        rico_hit seen = rico_scene_raycast(scene, NULL, &plain[i]);
        CHECK(hit_equal(&hits[i], &expected[i]) && hit_equal(&alone, &expected[i]));
        CHECK_EQ(blocked[i], expected[i].collider != 0);
        CHECK_EQ(rico_scene_blocked(scene, NULL, &rays[i]), expected[i].collider != 0);
        changed += !hit_equal(&seen, &expected[i]);
    }
    CHECK(changed > 50);
    rico_scene_destroy(scene);
    rico_scene_destroy(without);
}

TEST(collision, a_ray_leaves_a_closed_body_when_it_does_not_see_back_faces)
{
    fixture_mesh mesh = {0};
    mesh_sphere(&mesh, 1.0f, 3);
    rico_scene *scene = scene_of(&mesh, 0.0f);
    fixture_random random = {11};
    rico_filter fronts = rico_filter_default();
    fronts.skip_back_faces = true;
    for (int i = 0; i < 200; ++i) {
        rico_vec3 way = random_direction(&random);
        rico_ray out = {.t_max = 5.0f, .direction = way};
        rico_ray in = {.origin = vec3_scale(way, 3.0f),
                       .t_max = 5.0f,
                       .direction = vec3_scale(way, -1.0f)};
        CHECK(rico_scene_raycast(scene, NULL, &out).back_face);
        CHECK(rico_scene_blocked(scene, NULL, &out));
        CHECK_EQ(rico_scene_raycast(scene, &fronts, &out).collider, 0);
        CHECK(!rico_scene_blocked(scene, &fronts, &out));
        rico_hit hit = rico_scene_raycast(scene, &fronts, &in);
        CHECK(hit.collider == 1 && !hit.back_face && rico_scene_blocked(scene, &fronts, &in));
    }
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, nothing_blocks_a_ray_in_an_empty_scene)
{
    rico_scene *scene = scene_create_quiet(0.0f);
    rico_ray rays[8];
    bool blocked[8];
    for (int i = 0; i < 8; ++i) {
        rays[i] = (rico_ray){.t_max = 1.0f, .direction = {0.0f, 0.0f, -1.0f}};
        blocked[i] = true;
    }
    rico_scene_blocked_batch(scene, NULL, rays, blocked, 8);
    for (int i = 0; i < 8; ++i)
        CHECK(!blocked[i] && !rico_scene_blocked(scene, NULL, &rays[i]));
    rico_scene_destroy(scene);
}
