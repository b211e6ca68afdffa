/* Mode cached, in cells with too many surfaces for a record, where particles ask the scene for
 * chords of their paths. No particle may leave a closed room. */
#include "runtime_births.h"
#include "runtime_isa.h"

#define MOST_TILES 24u

/* Adds a cube around the origin, each of whose faces has `tiles` by `tiles` squares. */
static void add_room(rico_world *world, float half, uint32_t tiles)
{
    static float corners[6 * (MOST_TILES + 1) * (MOST_TILES + 1) * 3];
    static uint32_t indices[6 * MOST_TILES * MOST_TILES * 6];
    const uint32_t side = tiles + 1;
    const float edge = 2.0f * half / (float)tiles;
    uint32_t *next = indices;
    for (uint32_t face = 0; face < 6; ++face) {
        const uint32_t a = face / 2, b = (a + 1) % 3, c = (a + 2) % 3;
        for (uint32_t n = 0; n < side * side; ++n) {
            float *p = corners + 3 * (size_t)(face * side * side + n);
            p[a] = face % 2 != 0 ? half : -half;
            p[b] = edge * (float)(n % side) - half;
            p[c] = edge * (float)(n / side) - half;
        }
        for (uint32_t n = 0; n < tiles * tiles; ++n, next += 6) {
            const uint32_t i = face * side * side + n / tiles * side + n % tiles;
            const uint32_t two[6] = {i, i + 1, i + side + 1, i, i + side + 1, i + side};
            memcpy(next, two, sizeof two);
        }
    }
    const rico_mesh mesh = {.positions = corners,
                            .vertex_count = 6 * side * side,
                            .indices = indices,
                            .triangle_count = 12 * tiles * tiles};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
}

static rico_recipe grains(float fastest)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_CACHED;
    r.radius = 0.004f;
    r.rate = 0.0f;
    r.burst_count = 400;
    r.max_particles = 400;
    r.spread = 3.14f;
    r.speed = (rico_range){0.0f, fastest};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.restitution = 0.5f;
    r.friction = 0.2f;
    return r;
}

typedef struct room {
    float half, dt;
    uint32_t tiles, steps;
} room;

/* Returns how many centres are more than a centimetre outside at the end. */
static uint32_t count_outside(const room *in, const rico_recipe *r)
{
    rico_world *world = small_world(1, false);
    add_room(world, in->half, in->tiles);
    rico_effect_id e = begin_effect(world, r, at(0.0f, 0.0f, 0.0f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    for (uint32_t i = 0; i < in->steps; ++i)
        rico_world_step(world, in->dt);
    uint32_t outside = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            const float far = fmaxf(fmaxf(fabsf(v.px[i]), fabsf(v.py[i])), fabsf(v.pz[i]));
            outside += far > in->half + 0.01f;
        }
    rico_world_destroy(world);
    return outside;
}

TEST(chords, hold_who_is_slowed_by_drag)
{
    const room small = {.half = 0.15f, .dt = 1.0f / 60.0f, .tiles = 4, .steps = 150};
    const struct {
        float drag, speed, pull;
    } rows[] = {{5.0f, 2.0f, 9.81f}, {5.0f, 2.0f, 0.0f}, {30.0f, 10.0f, 9.81f}};
    for (int k = 0; k < 3; ++k) {
        rico_recipe r = grains(rows[k].speed);
        r.drag = rows[k].drag;
        r.gravity.z = -rows[k].pull;
        const uint32_t outside = count_outside(&small, &r);
        CHECK_MSG(outside == 0, "%u of 400 with drag %g, gravity %g", outside, (double)r.drag,
                  (double)rows[k].pull);
    }
}

TEST(chords, hold_fast_balls_whose_paths_bend)
{
    const room small = {.half = 0.15f, .dt = 0.0069f, .tiles = 4, .steps = 300};
    rico_recipe r = grains(20.0f);
    r.radius = 0.01f;
    r.restitution = 0.9f;
    r.friction = 0.0f;
    const uint32_t outside = count_outside(&small, &r);
    CHECK_MSG(outside == 0, "%u of 400", outside);
}

/* The ray along a chord ends at a wall, but the path comes to the floor before that. */
TEST(chords, hold_who_hops_along_the_floor_up_to_a_wall)
{
    const room small = {.half = 0.15f, .dt = 1.0f / 60.0f, .tiles = 8, .steps = 100};
    rico_recipe r = grains(2.0f);
    r.burst_count = r.max_particles = 1500;
    r.drag_quadratic = 2.0f;
    const uint32_t outside = count_outside(&small, &r);
    CHECK_MSG(outside == 0, "%u of 1500", outside);
}

TEST(chords, hold_who_is_whirled_around_by_forces)
{
    const room small = {.half = 0.15f, .dt = 1.0f / 60.0f, .tiles = 8, .steps = 100};
    rico_recipe r = grains(2.0f);
    r.burst_count = 200;
    r.gravity.z = 0.0f;
    r.forces[0] = rico_force_default();
    r.forces[0].kind = RICO_FORCE_VORTEX;
    r.forces[0].strength = 20.0f;
    const uint32_t outside = count_outside(&small, &r);
    CHECK_MSG(outside == 0, "%u of 200", outside);
}

static uint64_t whirl_hash(uint32_t workers)
{
    rico_world *world = small_world(workers, false);
    rico_recipe r = grains(4.0f);
    r.burst_count = r.max_particles = 600;
    r.drag = 5.0f;
    add_room(world, 0.15f, 8);
    begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
    r.forces[0] = rico_force_default();
    r.forces[0].kind = RICO_FORCE_TURBULENCE;
    r.forces[0].strength = 20.0f;
    begin_effect(world, &r, at(0.0f, 0.0f, 0.0f));
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    run_steps(world, 40);
    const uint64_t hash = rico_world_hash(world);
    rico_world_destroy(world);
    return hash;
}

TEST(chords, lead_to_the_same_for_any_number_of_workers_on_every_isa)
{
    const uint64_t expected = whirl_hash(1);
    CHECK_EQ(whirl_hash(2), expected);
    CHECK(!test_has_time() || whirl_hash(4) == expected);
    for (int isa = -1; on_next_isa(&isa);)
        CHECK_MSG(whirl_hash(1) == expected, "differs with %s", rico__isa_name((rico__isa)isa));
}
