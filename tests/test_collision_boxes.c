/* Queries about boxes: gather, occupancy and extents. */
#include "cell_box.h"
#include "chunk.h"
#include "collision_fixture.h"
#include "scene_private.h"

enum { GATHER_CAPACITY = 200000 };
static rico_triangle gathered[GATHER_CAPACITY];

/* Checks that the gathered triangles are those of brute force, in order, and that occupancy
 * agrees. */
static uint32_t check_gather(const rico_scene *scene, const rico_box *box)
{
    uint32_t count = rico_scene_gather(scene, NULL, box, gathered, GATHER_CAPACITY),
             expected = 0;
    for (uint32_t i = 0; i < scene->triangle_count; ++i) {
        rico__triangle triangle = scene_triangle(scene, i);
        if (!oracle_touches(triangle.v, box))
            continue;
        CHECK(expected < count);
        CHECK_EQ(gathered[expected].collider, triangle.collider);
        CHECK_EQ(gathered[expected].triangle, triangle.triangle);
        CHECK(memcmp(&gathered[expected].a, triangle.v, sizeof triangle.v) == 0);
        expected += 1;
    }
    CHECK_EQ(count, expected);
    CHECK(count == 0 || rico_scene_occupied(scene, box));
    CHECK(count == 0 || rico_scene_occupied_closely(scene, UINT32_MAX, box, 0.0f));
    return count;
}

static rico_box random_box(fixture_random *random, const rico_box *within, float size)
{
    rico_vec3 lo = random_in_box(random, within);
    rico_vec3 half =
        vec3(random_between(random, 0.0f, size), random_between(random, 0.0f, size),
             random_between(random, 0.0f, size));
    return (rico_box){vec3_sub(lo, half), vec3_add(lo, half)};
}

TEST(collision, gather_finds_what_brute_force_finds_each_once_and_in_order)
{
    static const float cells[] = {0.0f, 0.05f, 3.0f};
    fixture_random random = {31};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 5.0f, 2000);
    for (int c = 0; c < 3; ++c) {
        rico_scene *scene = scene_of(&mesh, cells[c]);
        scene_add(scene, &mesh, (rico_transform){{0.1f, 0.2f, 0.3f}, {0, 0, 0, 1}, 0.9f});
        rico_box room = rico_scene_get_stats(scene).bounds;
        for (int i = 0; i < FIXTURE_MANY(1000); ++i) {
            rico_box box = random_box(&random, &room, i % 20 == 0 ? 6.0f : 0.5f);
            check_gather(scene, &box);
        }
        rico_box all = {vec3(-1.0e30f, -1.0e30f, -1.0e30f), vec3(3.0e38f, 1.0e30f, 1.0e30f)};
        CHECK_EQ(check_gather(scene, &all), scene->triangle_count);
        rico_scene_destroy(scene);
    }
    mesh_free(&mesh);
}

/* Small cells far apart: a box covers thousands of brick positions, of which nearly all are
 * empty. The query does not look up each of them. */
TEST(collision, occupancy_of_large_boxes_is_that_of_every_brick)
{
    fixture_random random = {41};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 300.0f, 300);
    rico_scene *scene = scene_of(&mesh, 0.1f);
    const rico__grid *grid = scene_grid(scene);
    rico_box room = rico_scene_get_stats(scene).bounds;
    uint32_t occupied = 0, many = 0;
    for (int i = 0; i < 1000; ++i) {
        const float sizes[] = {5.0f, 50.0f, 150.0f, 300.0f};
        rico_box box = random_box(&random, &room, sizes[i % 4]);
        cell_box cells;
        bool expected = false;
        uint32_t bricks = 1;
        CHECK(cells_of_box(grid, &box, &cells));
        for (uint32_t b = 0; b < grid->brick_count; ++b) {
            bool meets = true;
            for (int k = 0; k < 3; ++k)
                meets = meets && grid->bricks[b].at[k] >= cells.lo[k] >> RICO_BRICK_SHIFT &&
                        grid->bricks[b].at[k] <= cells.hi[k] >> RICO_BRICK_SHIFT;
            expected = expected || (meets && brick_occupied(&grid->bricks[b], &cells));
        }
        for (int k = 0; k < 3; ++k)
            bricks *= (uint32_t)((cells.hi[k] - cells.lo[k]) / RICO_BRICK_CELLS + 1);
        CHECK_EQ(rico_scene_occupied(scene, &box), expected);
        check_gather(scene, &box);
        occupied += expected;
        many += bricks >= RICO_MANY_BRICKS;
    }
    CHECK_MSG(grid->key_count == grid->brick_count, "%u of %u", grid->key_count,
              grid->brick_count);
    CHECK_MSG(many > 300 && occupied > 100 && occupied < 900, "%u large, %u occupied", many,
              occupied);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

/* Triangles of hundreds of metres, which make cells several metres wide: in one mesh, in merged
 * meshes, and in a placed collider. */
static rico_scene *coarse_scene(int kind, const fixture_mesh *mesh)
{
    const rico_transform turned = {{10.0f, -20.0f, 5.0f}, {0.0f, 0.6f, 0.0f, 0.8f}, 1.5f};
    rico_scene *scene = scene_create_quiet(0.0f);
    rico_collider_def collider = rico_collider_def_default();
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_id id;
    if (kind < 2)
        scene_add(scene, mesh, turned);
    if (kind == 1) {
        scene_add(scene, mesh, RICO_TRANSFORM_IDENTITY);
        CHECK_EQ(rico_scene_merge(scene), RICO_OK);
    }
    if (kind < 2)
        return scene;
    shape.kind = RICO_SHAPE_MESH;
    shape.mesh = mesh_view(mesh);
    CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &collider.shape), RICO_OK);
    collider.motion.transform = turned;
    CHECK_EQ(rico_scene_add(scene, &collider, &id), RICO_OK);
    return scene;
}

/* A box up to 1 m wide, usually within 3 m of a triangle. Where no triangle is near, it lies
 * anywhere. */
static rico_box box_near(const rico_scene *scene, fixture_random *random)
{
    const rico_box bounds = rico_scene_get_stats(scene).bounds;
    const rico_box around = {vec3(-1.5f, -1.5f, -1.5f), vec3(1.5f, 1.5f, 1.5f)};
    rico_triangle t;
    rico_box box = random_box(random, &bounds, 200.0f);
    if (rico_scene_gather_first(scene, NULL, &box, &t, 1) == 0)
        return random_box(random, &bounds, 0.5f);
    const rico_vec3 p = vec3_mad(t.a, vec3_sub(t.b, t.a), random_between(random, 0.0f, 1.0f));
    const rico_vec3 q = vec3_mad(p, vec3_sub(t.c, p), random_between(random, 0.0f, 1.0f));
    box = random_box(random, &around, 0.5f);
    return (rico_box){vec3_add(box.lo, q), vec3_add(box.hi, q)};
}

TEST(collision, close_occupancy_of_boxes_within_coarse_cells_is_what_gather_finds)
{
    fixture_random random = {47};
    fixture_mesh mesh = {0};
    const rico_box room = {vec3(-500.0f, -500.0f, -500.0f), vec3(500.0f, 500.0f, 500.0f)};
    for (int i = 0; i < 12; ++i)
        mesh_loose(&mesh, random_in_box(&random, &room), random_in_box(&random, &room),
                   random_in_box(&random, &room));
    for (int kind = 0; kind < 3; ++kind) {
        rico_scene *scene = coarse_scene(kind, &mesh);
        uint32_t air = 0, found = 0;
        for (int i = 0; i < FIXTURE_MANY(3000); ++i) {
            rico_triangle any;
            rico_box box = box_near(scene, &random);
            box.hi.x += kind < 2 && i % 3 == 0 ? 30.0f : 0.0f; /* longer than a cell */
            const bool touches = rico_scene_gather_first(scene, NULL, &box, &any, 1) > 0;
            const bool close = rico_scene_occupied_closely(scene, UINT32_MAX, &box, 0.0f);
            const bool coarse = rico_scene_occupied(scene, &box);
            CHECK_MSG(close == touches, "kind %d, box %d: %d, not %d", kind, i, close, touches);
            CHECK(coarse || !close);
            CHECK(!close || rico_scene_occupied_closely(scene, UINT32_MAX, &box, 0.3f));
            CHECK(kind < 2 || !rico_scene_occupied_closely(scene, 0, &box, 0.0f));
            air += coarse && !touches;
            found += touches;
        }
        CHECK_MSG(air > 20 && found > 20, "kind %d: %u of air, %u found", kind, air, found);
        rico_scene_destroy(scene);
    }
    mesh_free(&mesh);
}

/* What a ray's hit tells about boxes near it. In scenes of several grids it tells nothing. */
TEST(collision, hits_tell_of_occupied_boxes_what_occupancy_says)
{
    static const float cells[] = {0.0f, 0.05f, 3.0f}, far[] = {0.0f, 1.0e3f, 1.0e5f};
    fixture_random random = {53};
    for (int c = 0; c < 9; ++c) {
        fixture_mesh mesh = {0};
        mesh_scatter(&mesh, &random, 5.0f, 2000);
        for (uint32_t i = 0; i < mesh.vertex_count; ++i)
            mesh.positions[3 * i] += far[c / 3];
        rico_scene *scene = scene_of(&mesh, cells[c % 3]);
        const rico_box room = rico_scene_get_stats(scene).bounds;
        uint32_t told = 0, silent = 0, hits = 0;
        const uint32_t rays = (uint32_t)FIXTURE_MANY(3000);
        for (uint32_t i = 0; i < rays; ++i) {
            rico_vec3 from = random_in_box(&random, &room);
            from.z += i % 50 == 0 ? 1.0e5f : 0.0f;
            const rico_ray ray = {.origin = from,
                                  .t_max = 1.0f,
                                  .direction = vec3_sub(random_in_box(&random, &room), from)};
            const rico_hit hit = rico_scene_raycast(scene, NULL, &ray);
            if (hit.collider == 0)
                continue;
            const rico_vec3 at = vec3_mad(ray.origin, ray.direction, hit.t);
            const rico_box around = {vec3_sub(at, vec3(0.1f, 0.1f, 0.1f)),
                                     vec3_add(at, vec3(0.1f, 0.1f, 0.1f))};
            const rico_box box = random_box(&random, &around, i % 2 == 0 ? 0.02f : 2.0f);
            const bool tells = rico_scene_occupied_by_hit(scene, &box, &ray, hit.t);
            CHECK_MSG(!tells || rico_scene_occupied(scene, &box), "case %d, ray %u", c, i);
            hits += 1;
            told += tells;
            silent += !tells && rico_scene_occupied(scene, &box);
        }
        CHECK_MSG(30 * hits > rays && 60 * told > rays, "case %d: %u hits, %u told, %u silent",
                  c, hits, told, silent);
        scene_add(scene, &mesh, (rico_transform){{0.1f, 0.2f, 0.3f}, {0, 0, 0, 1}, 0.9f});
        const rico_ray again = {
            .origin = room.lo, .t_max = 1.0f, .direction = vec3_sub(room.hi, room.lo)};
        CHECK(scene->only != NULL || !rico_scene_occupied_by_hit(scene, &room, &again, 0.5f));
        rico_scene_destroy(scene);
        mesh_free(&mesh);
    }
}

TEST(collision, gather_counts_touching_as_touching)
{
    fixture_mesh mesh = {0};
    for (int i = -3; i <= 3; ++i)
        mesh_box(&mesh, vec3(-1.0f, -1.0f, (float)i), vec3(1.0f, 1.0f, (float)i + 0.5f));
    rico_scene *scene = scene_of(&mesh, 0.25f);
    for (int x = -6; x <= 6; ++x)
        for (int z = -16; z <= 16; ++z) {
            rico_vec3 lo = vec3((float)x * 0.25f, -0.25f, (float)z * 0.25f);
            rico_box box = {lo, vec3_add(lo, vec3(0.25f, 0.5f, 0.25f))}, point = {lo, lo};
            check_gather(scene, &box);
            check_gather(scene, &point);
        }
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, gather_in_sponza_finds_what_brute_force_finds)
{
    fixture_mesh mesh = {0};
    if (mesh_read_scene(&mesh, "sponza.obj")) {
        fixture_random random = {37};
        rico_scene *scene = scene_of(&mesh, 0.0f);
        rico_box bounds = rico_scene_get_stats(scene).bounds;
        for (int i = 0; i < FIXTURE_MANY(500); ++i) {
            rico_box box = random_box(&random, &bounds, i % 50 == 0 ? 20.0f : 1.0f);
            check_gather(scene, &box);
        }
        rico_scene_destroy(scene);
    }
    mesh_free(&mesh);
}

TEST(collision, gather_writes_the_first_that_fit_and_counts_all)
{
    fixture_random random = {41};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 2.0f, 40000); /* more than one window of ids */
    rico_scene *scene = scene_of(&mesh, 0.0f);
    rico_box box = {vec3(-0.5f, -0.5f, -0.5f), vec3(0.5f, 0.5f, 0.5f)};
    uint32_t count = check_gather(scene, &box);
    CHECK(count > 100);
    static rico_triangle few[101];
    few[100].triangle = 12345;
    CHECK_EQ(rico_scene_gather(scene, NULL, &box, few, 100), count);
    CHECK(memcmp(few, gathered, 100 * sizeof few[0]) == 0);
    CHECK_EQ(few[100].triangle, 12345);
    CHECK_EQ(rico_scene_gather(scene, NULL, &box, NULL, 0), count);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, gather_first_stops_when_it_is_full)
{
    fixture_random random = {42};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 2.0f, 40000);
    rico_scene *scene = scene_of(&mesh, 0.0f);
    rico_box box = {vec3(-0.5f, -0.5f, -0.5f), vec3(0.5f, 0.5f, 0.5f)};
    uint32_t count = check_gather(scene, &box);
    static rico_triangle few[101];
    few[100].triangle = 12345;
    CHECK_EQ(rico_scene_gather_first(scene, NULL, &box, few, 100), 100);
    CHECK(memcmp(few, gathered, 100 * sizeof few[0]) == 0);
    CHECK_EQ(few[100].triangle, 12345);
    static rico_triangle all[GATHER_CAPACITY];
    CHECK(count < GATHER_CAPACITY);
    CHECK_EQ(rico_scene_gather_first(scene, NULL, &box, all, GATHER_CAPACITY), count);
    CHECK(memcmp(all, gathered, count * sizeof all[0]) == 0);
    CHECK_EQ(rico_scene_gather_first(scene, NULL, &box, NULL, 0), 0);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, boxes_that_are_inverted_or_not_finite_touch_nothing)
{
    fixture_mesh mesh = {0};
    mesh_box(&mesh, vec3(-1.0f, -1.0f, -1.0f), vec3(1.0f, 1.0f, 1.0f));
    rico_scene *scene = scene_of(&mesh, 0.0f), *empty = scene_create_quiet(0.0f);
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    rico_box all = {vec3(-2.0f, -2.0f, -2.0f), vec3(2.0f, 2.0f, 2.0f)};
    CHECK_EQ(rico_scene_gather(empty, NULL, &all, NULL, 0), 0);
    CHECK(!rico_scene_occupied(empty, &all));
    for (int k = 0; k < 6; ++k)
        for (int i = 0; i < 4; ++i) {
            rico_box box = all;
            float *side = k < 3 ? &box.lo.x + k : &box.hi.x + (k - 3);
            *side = i < 3 ? odd[i] : (k < 3 ? 2.5f : -2.5f);
            CHECK_EQ(rico_scene_gather(scene, NULL, &box, NULL, 0), 0);
            CHECK(!rico_scene_occupied(scene, &box));
        }
    rico_box inside = {vec3(-0.2f, -0.2f, -0.2f), vec3(0.2f, 0.2f, 0.2f)};
    rico_box beside = {vec3(50.0f, 0.0f, 0.0f), vec3(51.0f, 1.0f, 1.0f)};
    CHECK(rico_scene_occupied(scene, &all));
    CHECK(!rico_scene_occupied(scene, &beside));
    CHECK_EQ(rico_scene_gather(scene, NULL, &inside, NULL, 0), 0);
    rico_scene_destroy(scene);
    rico_scene_destroy(empty);
    mesh_free(&mesh);
}

TEST(collision, a_box_that_ends_far_away_touches_only_what_it_meets)
{
    fixture_mesh mesh = {
        0}; /* from (0, 0) to (10, 10) in x and y; the box is at its lower right */
    mesh_loose(&mesh, vec3(0.0f, 0.0f, 0.0f), vec3(10.0f, 10.0f, 0.0f),
               vec3(0.0f, 10.0f, 1.0f));
    rico_scene *scene = scene_of(&mesh, 0.0f);
    rico__triangle triangle = scene_triangle(scene, 0);
    for (float far = 1.0e3f; far < 1.0e36f; far *= 10.0f) {
        rico_box box = {vec3(6.0f, -far, -far), vec3(far, 5.0f, far)};
        CHECK(!rico__triangle_touches_box(&triangle, &box));
        CHECK_EQ(rico_scene_gather(scene, NULL, &box, gathered, 1), 0);
        box.hi.y = 6.0f;
        CHECK(rico__triangle_touches_box(&triangle, &box));
        CHECK_EQ(rico_scene_gather(scene, NULL, &box, gathered, 1), 1);
    }
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

typedef struct id_counts {
    uint8_t *listed;
} id_counts;

static void count_ids(void *user, const rico__bundle *bundle, uint32_t count)
{
    id_counts *counts = user;
    for (uint32_t i = 0; i < count; ++i)
        counts->listed[rico__bundle_id(bundle, count, i)] += 1;
}

TEST(collision, a_triangle_is_in_the_cells_and_once_in_the_bricks_that_it_touches)
{
    fixture_random random = {43};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 1.0f, 200);
    rico_scene *scene = scene_of(&mesh, 0.1f);
    const rico__grid *grid = scene_grid(scene);
    static uint8_t listed[200];
    id_counts counts = {listed};
    CHECK_EQ(scene->triangle_count, 200);
    for (int32_t cell = 0; cell < grid->dims[0] * grid->dims[1] * grid->dims[2]; ++cell) {
        uint32_t x = (uint32_t)(cell % grid->dims[0]);
        uint32_t y = (uint32_t)(cell / grid->dims[0] % grid->dims[1]);
        uint32_t z = (uint32_t)(cell / grid->dims[0] / grid->dims[1]);
        rico_vec3 lo = vec3((float)x, (float)y, (float)z);
        rico_box box = {vec3_mad(grid->base, lo, grid->cell_size),
                        vec3_mad(grid->base, vec3_add(lo, vec3(1, 1, 1)), grid->cell_size)};
        uint32_t brick = rico__brick_find(grid, rico__brick_key(x >> 3, y >> 3, z >> 3));
        uint32_t touching = 0;
        bool marked = brick != RICO_NO_BRICK &&
                      grid->bricks[brick].mask[z & 7] >> ((x & 7) | (y & 7) << 3) & 1;
        memset(listed, 0, sizeof listed);
        if (brick != RICO_NO_BRICK) {
            CHECK_EQ(grid->bricks[brick].root, rico__grid_root(grid, x >> 3, y >> 3, z >> 3));
            rico__chunk_each(grid->arena, grid->bricks[brick].root, count_ids, &counts);
        }
        for (uint32_t id = 0; id < scene->triangle_count; ++id) {
            rico__triangle triangle = scene_triangle(scene, id);
            bool touches = rico__triangle_touches_box(&triangle, &box);
            CHECK_EQ(touches, oracle_touches(triangle.v, &box));
            CHECK(listed[id] <= 1);
            CHECK(listed[id] == 1 || !touches);
            touching += touches;
        }
        CHECK(marked || touching == 0);
        CHECK(!marked || brick != RICO_NO_BRICK);
    }
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

/* Casts a ray between two random points of the box: a hit must lie in the extent. */
static void check_way(const rico_scene *scene, fixture_random *random, const rico_box *box,
                      bool any, const rico_box *extent)
{
    rico_vec3 from = random_in_box(random, box), to = random_in_box(random, box);
    rico_ray ray = {.origin = from, .t_max = 1.0f, .direction = vec3_sub(to, from)};
    rico_hit hit = rico_scene_raycast(scene, NULL, &ray);
    rico_vec3 p = vec3_mad(from, ray.direction, hit.t);
    float room = 2.0e-6f * (1.0f + vec3_length(ray.direction));
    if (hit.collider == 0)
        return;
    CHECK(any);
    CHECK(p.x >= extent->lo.x - room && p.x <= extent->hi.x + room);
    CHECK(p.y >= extent->lo.y - room && p.y <= extent->hi.y + room);
    CHECK(p.z >= extent->lo.z - room && p.z <= extent->hi.z + room);
}

static void place_round(rico_scene *scene, rico_shape_kind kind)
{
    rico_shape_def def = rico_shape_def_default();
    rico_collider_def collider = rico_collider_def_default();
    rico_collider_id id;
    def.kind = kind;
    def.radius = 1.5f;
    def.half_length = 0.5f;
    CHECK_EQ(rico_scene_add_shape(scene, &def, NULL, &collider.shape), RICO_OK);
    collider.motion.transform.position = vec3(1.0f, -1.0f, 0.5f);
    CHECK_EQ(rico_scene_add(scene, &collider, &id), RICO_OK);
}

static rico_box lattice_box(const rico_lattice *l, uint32_t n)
{
    rico_vec3 at = vec3((float)(n % l->parts), (float)(n / l->parts % l->parts),
                        (float)(n / (l->parts * l->parts)));
    rico_vec3 room = vec3(l->room, l->room, l->room), one = vec3(1.0f, 1.0f, 1.0f);
    return (rico_box){vec3_mad(l->lo, vec3_sub(at, room), l->edge),
                      vec3_mad(l->lo, vec3_add(vec3_add(at, one), room), l->edge)};
}

/* For boxes that begin in the room, with edges from lo to hi: every ray hit in a box lies in its
 * extent. */
static void check_lattices(const rico_scene *scene, fixture_random *random,
                           const rico_box *room, float lo, float hi, int rounds)
{
    rico_box extents[64];
    uint32_t empty = 0, too_many = 0;
    for (int i = 0; i < rounds; ++i) {
        rico_lattice lattice = {random_in_box(random, room),
                                i % 20 == 0 ? 4.0f * hi : random_between(random, lo, hi),
                                random_between(random, 0.0f, 0.5f), 1 + (uint32_t)i % 4};
        uint32_t parts = lattice.parts * lattice.parts * lattice.parts;
        uint32_t count = rico_scene_extents(scene, NULL, &lattice, extents);
        CHECK(count <= parts);
        for (uint32_t n = 0; n < parts; ++n) {
            rico_box box = lattice_box(&lattice, n);
            bool any = extents[n].lo.x <= extents[n].hi.x;
            count -= any;
            empty += !any;
            CHECK(any || rico_scene_gather(scene, NULL, &box, gathered, 1) == 0);
            too_many += any && rico_scene_gather(scene, NULL, &box, gathered, 1) == 0;
            for (int k = 0; k < 5; ++k)
                check_way(scene, random, &box, any, &extents[n]);
        }
        CHECK_EQ(count, 0);
    }
    CHECK_MSG(empty > 50 && too_many * 20 < empty, "%u empty, %u too many", empty, too_many);
}

TEST(collision, extents_hold_all_that_rays_meet_in_their_boxes)
{
    fixture_random random = {45};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 4.0f, 600);
    rico_scene *scene = scene_of(&mesh, 0.0f);
    rico_shape_def def = rico_shape_def_default();
    rico_collider_def collider = rico_collider_def_default();
    rico_collider_id id;
    def.mesh = mesh_view(&mesh);
    CHECK_EQ(rico_scene_add_shape(scene, &def, NULL, &collider.shape), RICO_OK);
    for (int i = 0; i < 3; ++i) {
        collider.motion.transform =
            (rico_transform){random_direction(&random), random_rotation(&random), 0.7f};
        CHECK_EQ(rico_scene_add(scene, &collider, &id), RICO_OK);
    }
    place_round(scene, RICO_SHAPE_SPHERE);
    place_round(scene, RICO_SHAPE_CAPSULE);
    const rico_box room = rico_scene_get_stats(scene).bounds;
    check_lattices(scene, &random, &room, 0.05f, 0.5f, FIXTURE_MANY(300));
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

/* Large triangles, and objects a few metres wide, in boxes of all legal sizes. */
TEST(collision, extents_hold_all_that_rays_meet_in_boxes_of_many_kilometres)
{
    fixture_random random = {46};
    fixture_mesh mesh = {0};
    const float far = 4.0e5f, edge = 0.25f * RICO_LATTICE_EDGE_MAX;
    mesh_scatter(&mesh, &random, 4.0f, 100);
    for (int i = 0; i < 60; ++i) {
        const rico_box all = {vec3(-far, -far, -far), vec3(far, far, far)};
        const rico_vec3 a = random_in_box(&random, &all);
        const float length = random_between(&random, 1.0f, far);
        mesh_loose(&mesh, a, vec3_mad(a, random_direction(&random), length),
                   vec3_mad(a, random_direction(&random), length));
    }
    rico_scene *scene = scene_of(&mesh, 0.0f);
    const rico_box room = rico_scene_get_stats(scene).bounds;
    check_lattices(scene, &random, &room, 0.01f * edge, edge, FIXTURE_MANY(300));
    const rico_box near = {vec3(-9.0e4f, -9.0e4f, -9.0e4f), vec3(4.0f, 4.0f, 4.0f)};
    check_lattices(scene, &random, &near, 0.01f * edge, edge, FIXTURE_MANY(100));
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, extents_are_no_larger_than_what_triangles_have_in_the_boxes)
{
    const rico_filter others = {.layers = 2u};
    fixture_mesh mesh = {0};
    mesh_loose(&mesh, vec3(-50, -50, 1), vec3(50, -50, 1), vec3(0, 50, 1)); /* horizontal */
    mesh_loose(&mesh, vec3(-1, 3, 0), vec3(1, 3, 0), vec3(0, 3, 2));        /* vertical */
    rico_scene *scene = scene_of(&mesh, 0.0f);
    rico_lattice lattice = {vec3(-0.5f, -0.5f, 0.0f), 2.0f, 0.0f, 1};
    rico_box extent, extents[8], none[64];
    CHECK_EQ(rico_scene_extents(scene, NULL, &lattice, &extent), 1);
    CHECK_NEAR(extent.lo.x, -0.5f, 1.0e-6f);
    CHECK_NEAR(extent.hi.y, 1.5f, 1.0e-6f);
    CHECK_NEAR(extent.lo.z, 1.0f, 1.0e-3f);
    CHECK_NEAR(extent.hi.z, 1.0f, 1.0e-3f);
    CHECK_EQ(rico_scene_extents(scene, &others, &lattice, &extent), 0);
    CHECK(extent.lo.x > extent.hi.x);
    lattice =
        (rico_lattice){vec3(-2.0f, 2.0f, 1.5f), 2.0f, 0.0f, 2}; /* only its tip, in two boxes */
    CHECK_EQ(rico_scene_extents(scene, NULL, &lattice, extents), 2);
    CHECK_NEAR(extents[0].lo.x, -0.25f, 1.0e-3f);
    CHECK_NEAR(extents[0].hi.x, 0.0f, 1.0e-3f);
    CHECK_NEAR(extents[1].lo.x, 0.0f, 1.0e-3f);
    CHECK_NEAR(extents[1].hi.x, 0.25f, 1.0e-3f);
    CHECK_NEAR(extents[0].lo.y, 3.0f, 1.0e-3f);
    CHECK_NEAR(extents[1].hi.z, 2.0f, 1.0e-3f);
    lattice = (rico_lattice){vec3(0.8f, 2.9f, 1.5f), 0.2f, 0.5f, 4}; /* beside the triangle */
    CHECK_EQ(rico_scene_extents(scene, NULL, &lattice, none), 0);
    const rico_lattice here = {vec3(-0.5f, -0.5f, 0.0f), 2.0f, 0.0f, 1};
    rico_lattice bad[8];
    for (int i = 0; i < 8; ++i)
        bad[i] = here;
    bad[0].lo.y = __builtin_inff();
    bad[1].lo.z = __builtin_nanf("");
    bad[2].edge = 0.0f;
    bad[3].edge = 2.0f * RICO_LATTICE_EDGE_MAX;
    bad[4].room = -0.1f;
    bad[5].room = __builtin_nanf("");
    bad[6].parts = 0;
    bad[7].parts = RICO_LATTICE_PARTS + 1;
    none[0].lo.x = 77.0f;
    for (int i = 0; i < 8; ++i)
        CHECK_EQ(rico_scene_extents(scene, NULL, &bad[i], none), 0);
    CHECK(none[0].lo.x == 77.0f);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}
