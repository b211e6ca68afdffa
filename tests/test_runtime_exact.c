/* Mode exact: knowledge of cells saves queries and changes no result. */
#include "runtime_terrain.h"

#include "state.h"

#define DT (1.0f / 60.0f)

static rico_collider_id add_kind(rico_world *world, rico_shape_kind kind, rico_transform where)
{
    rico_shape_def def = rico_shape_def_default();
    rico_collider_def collider = rico_collider_def_default();
    def.kind = kind;
    def.half_size = (rico_vec3){0.6f, 0.4f, 0.7f};
    def.radius = 0.8f;
    def.half_length = 0.5f;
    CHECK_EQ(rico_world_add_shape(world, &def, NULL, &collider.shape), RICO_OK);
    collider.motion.transform = where;
    rico_collider_id id = rico_world_add_collider(world, &collider);
    CHECK(id.index1 != 0);
    return id;
}

static rico_transform tilted(float x, float y, float z, float scale)
{
    rico_transform t = at(x, y, z);
    t.rotation = (rico_quat){0.3f, -0.2f, 0.5f, sqrtf(1.0f - 0.38f)};
    t.scale = scale;
    return t;
}

/* Effects of sparks, slow large stones that roll, fast splinters, and particles with drag and
 * without rest. */
static void add_effects(rico_world *world)
{
    static const float speeds[] = {4.0f, 1.0f, 40.0f, 9.0f};
    static const float radii[] = {0.005f, 0.05f, 0.002f, 0.0f};
    for (uint32_t i = 0; i < 4; ++i) {
        rico_recipe r = rico_recipe_default();
        r.mode = RICO_COLLIDE_EXACT;
        r.spread = 3.0f;
        r.speed = (rico_range){0.5f * speeds[i], speeds[i]};
        r.radius = radii[i];
        r.drag = i == 3 ? 0.8f : 0.0f;
        r.rest_speed = i == 3 ? 0.0f : r.rest_speed;
        r.rolls = i == 1; /* so it grazes the ground */
        r.burst_count = 20;
        r.burst_interval = 0.2f;
        r.max_particles = 600;
        rico_recipe_id id = rico_world_add_recipe(world, &r);
        for (int k = 0; k < 3; ++k)
            CHECK(rico_effect_spawn(world, id, at(4.0f * (float)k - 4.0f, (float)i, 2.0f))
                      .index1 != 0);
    }
}

/* What is known of cells: all as usual, only few at a time, or nothing. */
typedef enum knowledge { KNOWS_ALL, KNOWS_FEW, KNOWS_NOTHING } knowledge;

static void limit(rico_world *world, knowledge knows)
{
    rico__extents *e = &world->extents;
    CHECK(e->cells != NULL);
    if (knows == KNOWS_FEW && e->used < e->capacity - 9)
        e->used = e->capacity - 9; /* leaves so many numbers */
    if (knows != KNOWS_NOTHING)
        return;
    memset(e->size, 0, sizeof e->size);
    e->beyond = RICO__EXTENT_UNKNOWN; /* stays so from now on */
}

typedef struct outcome {
    uint64_t hash[6];
    uint64_t rays;
} outcome;

/* Adds two small boxes far away, on opposite sides. */
static void widen(rico_world *world, float far)
{
    if (far > 0.0f) {
        add_kind(world, RICO_SHAPE_BOX, at(far, far, 0.5f * far));
        add_kind(world, RICO_SHAPE_BOX, at(-far, -far, -0.5f * far));
    }
}

/* Colliders come, go and move. A new wall stands where cells are known to be empty. */
static outcome run_edited(knowledge knows, uint32_t workers, float far)
{
    outcome o = {.rays = 0};
    rico_world *world = small_world(workers, true);
    widen(world, far);
    add_kind(world, RICO_SHAPE_BOX, tilted(3.0f, 1.0f, 1.0f, 1.3f));
    rico_collider_id ball = add_kind(world, RICO_SHAPE_SPHERE, at(-4.0f, 2.0f, 0.5f));
    rico_collider_id lift = add_kind(world, RICO_SHAPE_BOX, at(0.0f, -3.0f, 0.5f)), wall = {0};
    add_kind(world, RICO_SHAPE_CAPSULE, tilted(0.0f, 4.0f, 1.0f, 0.7f));
    add_effects(world);
    for (uint32_t i = 0; i < 120; ++i) {
        limit(world, knows);
        rico_motion motion = {.transform = at(0.0f, -3.0f + 0.02f * (float)i, 1.0f)};
        if (i >= 20 && i < 60)
            CHECK_EQ(rico_world_move_colliders(world, &lift, &motion, 1), RICO_OK);
        if (i == 30)
            wall = add_kind(world, RICO_SHAPE_BOX, tilted(0.5f, 1.0f, 2.0f, 1.0f));
        if (i == 50)
            CHECK_EQ(rico_world_remove_collider(world, ball), RICO_OK);
        if (i == 70)
            CHECK_EQ(rico_world_remove_collider(world, wall), RICO_OK);
        if (i == 90)
            CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){2.0f, -1.0f, 0.0f}), RICO_OK);
        rico_world_step(world, DT);
        o.rays += rico_world_get_stats(world).rays;
        if (i % 20 == 19)
            o.hash[i / 20] = rico_world_hash(world);
    }
    rico_world_destroy(world);
    return o;
}

TEST(runtime, exact_particles_do_the_same_whatever_is_known_of_cells)
{
    outcome nothing = run_edited(KNOWS_NOTHING, 1, 0), all = run_edited(KNOWS_ALL, 2, 0);
    outcome few = run_edited(KNOWS_FEW, 1, 0);
    for (int i = 0; i < 6; ++i) {
        CHECK_MSG(all.hash[i] == nothing.hash[i], "with all, differs at %d", i);
        CHECK_MSG(few.hash[i] == nothing.hash[i], "with few, differs at %d", i);
    }
    CHECK_MSG(4 * all.rays < 3 * nothing.rays, "%llu rays, without %llu",
              (unsigned long long)all.rays, (unsigned long long)nothing.rays);
    CHECK(few.rays > all.rays);
}

TEST(runtime, exact_particles_do_the_same_in_wide_worlds_for_no_more_rays)
{
    static const float far[] = {120.0f, 300.0f, 1000.0f, 5.0e4f};
    const uint64_t near = run_edited(KNOWS_ALL, 1, 0).rays;
    for (int k = 0; k < 4; ++k) {
        outcome nothing = run_edited(KNOWS_NOTHING, 1, far[k]);
        outcome all = run_edited(KNOWS_ALL, 2, far[k]);
        outcome few = run_edited(KNOWS_FEW, 1, far[k]);
        for (int i = 0; i < 6; ++i) {
            CHECK_MSG(all.hash[i] == nothing.hash[i], "%g m: with all, differs at %d",
                      (double)far[k], i);
            CHECK_MSG(few.hash[i] == nothing.hash[i], "%g m: with few, differs at %d",
                      (double)far[k], i);
        }
        CHECK_MSG(10 * all.rays < 11 * near, "%g m: %llu rays, else %llu", (double)far[k],
                  (unsigned long long)all.rays, (unsigned long long)near);
    }
}

static rico_effect_id rain(rico_world *world)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_EXACT;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){9.0f, 9.0f, 0.1f};
    r.spread = 0.5f;
    r.speed = (rico_range){-9.0f, -3.0f};
    r.rate = 1500.0f;
    r.lifetime = (rico_range){1.0f, 2.0f};
    r.max_particles = 4000;
    rico_effect_id e =
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 2.0f));
    CHECK(e.index1 != 0);
    return e;
}

static rico_collider_id add_sheet(rico_world *world, float lo, float hi, float z)
{
    const float corners[12] = {lo, lo, z, hi, lo, z, hi, hi, z, lo, hi, z};
    const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    const rico_mesh sheet = {
        .positions = corners, .vertex_count = 4, .indices = indices, .triangle_count = 2};
    rico_collider_id id = rico_world_add_mesh(world, &sheet, RICO_TRANSFORM_IDENTITY);
    CHECK(id.index1 != 0);
    return id;
}

/* First much of what is known of cells is discarded, then all of it. */
static uint64_t hash_of_forgetful(knowledge knows)
{
    rico_world *world = small_world(1, true);
    rain(world);
    for (int step = 0; step < 60; ++step) {
        limit(world, knows);
        if (step == 30) {
            rico_collider_id sheet = add_sheet(world, -6.0f, 6.0f, 0.3f);
            CHECK_EQ(rico_world_remove_collider(world, sheet), RICO_OK);
            CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){2.0f, -1.0f, 0.0f}), RICO_OK);
        }
        rico_world_step(world, DT);
    }
    uint64_t hash = rico_world_hash(world);
    rico_world_destroy(world);
    return hash;
}

TEST(runtime, exact_particles_do_the_same_where_cells_are_forgotten_twice)
{
    CHECK(hash_of_forgetful(KNOWS_ALL) == hash_of_forgetful(KNOWS_NOTHING));
}

/* A sheet appears just beyond a border of cells that were empty, outside the cells through
 * which particles come. They come from above or from below. Returns how many get through. */
static uint32_t fall_through(float z, float way)
{
    rico_world *world = small_world(1, true);
    add_kind(world, RICO_SHAPE_SPHERE, at(0.0f, 0.0f, 6.0f));
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_EXACT;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.0f, 1.0f, 0.1f};
    r.gravity = (rico_vec3){0.0f, 0.0f, way * 9.81f};
    r.spread = 0.1f;
    r.radius = 0.002f;
    r.speed = way > 0.0f ? (rico_range){1.0f, 5.0f} : (rico_range){-5.0f, -1.0f};
    r.rate = 0.0f;
    r.burst_count = 150;
    r.burst_interval = 0.25f;
    r.lifetime = (rico_range){0.5f, 0.5f};
    rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r),
                                         at(0.0f, 0.0f, z - way * 0.6f));
    CHECK(e.index1 != 0);
    uint32_t through = 0, kept = 0;
    for (int step = 0; step < 60; ++step) {
        if (step == 30)
            add_sheet(world, -2.0f, 2.0f, z);
        rico_world_step(world, DT);
        rico_view v = rico_effect_view(world, e);
        while (step == 59 && rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i)
                *((v.pz[i] - z) * way > 0.0f ? &through : &kept) += 1;
    }
    CHECK(through + kept > 100);
    rico_world_destroy(world);
    return through;
}

TEST(runtime, exact_particles_meet_what_comes_close_to_the_cells_that_they_are_in)
{
    CHECK_EQ(fall_through(1.99f, -1.0f), 0);
    CHECK_EQ(fall_through(2.01f, 1.0f), 0);
}

/* Two large blocks with a slit between them, narrower than a ball, one block a little higher
 * than the other. The mesh has their tops and the walls of the slit. */
static rico_world *slit(rico_recipe *r)
{
    float positions[12 * 3];
    uint32_t indices[8 * 3];
    rico_world *world = small_world(1, false);
    for (uint32_t v = 0; v < 12; ++v) { /* per side: far, near, below; each at both ends */
        uint32_t ring = v % 6 / 2;
        float side = v < 6 ? -1.0f : 1.0f;
        positions[3 * v] = side * (ring == 0 ? 10.0f : 0.012f);
        positions[3 * v + 1] = v % 2 == 0 ? -10.0f : 10.0f;
        positions[3 * v + 2] = ring == 2 ? -1.0f : v < 6 ? 0.01f : 0.002f;
    }
    for (uint32_t q = 0; q < 4; ++q) {
        uint32_t first = q / 2 * 6 + q % 2 * 2;
        const uint32_t quad[6] = {first, first + 1, first + 3, first + 3, first + 2, first};
        memcpy(indices + 6 * q, quad, sizeof quad);
    }
    rico_mesh mesh = {
        .positions = positions, .vertex_count = 12, .indices = indices, .triangle_count = 8};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    *r = rico_recipe_default();
    r->mode = RICO_COLLIDE_EXACT;
    r->radius = 0.02f;
    r->shape = RICO_EMIT_SPHERE;
    r->size.x = 0.02f;
    r->spread = 0.3f;
    r->speed = (rico_range){0.2f, 1.0f};
    r->burst_count = 400;
    r->max_particles = 500;
    r->rate = 0.0f;
    r->events = RICO_EVENT_BIT_COLLISION;
    return world;
}

/* Steps, and checks that each bounce is nearer than `reach` to a surface. Returns the number of
 * bounces. */
static uint32_t bounce_near(rico_world *world, uint32_t steps, float reach)
{
    uint32_t bounces = 0;
    for (uint32_t i = 0; i < steps; ++i) {
        uint32_t count;
        rico_world_step(world, DT);
        const rico_event *e = rico_world_events(world, &count);
        for (uint32_t k = 0; k < count; ++k, ++bounces) {
            rico_nearest n =
                rico_scene_nearest(rico_world_scene(world), NULL, e[k].position, 1.0f, 0);
            CHECK_MSG(n.distance < reach, "a bounce %g m from anything", (double)n.distance);
        }
    }
    return bounces;
}

TEST(runtime, exact_particles_bounce_where_something_is_and_not_before)
{
    rico_recipe r;
    rico_world *world = slit(&r);
    rico_transform down = at(0.0f, 0.0f, 0.1f);
    down.rotation = (rico_quat){1.0f, 0.0f, 0.0f, 0.0f};
    CHECK(rico_effect_spawn(world, rico_world_add_recipe(world, &r), down).index1 != 0);
    CHECK(bounce_near(world, 60, r.radius + 0.022f) > 500);
    rico_world_destroy(world);
}

/* Particles go 10 cm in a step. Some begin the step above the table and would touch its plane
 * only beyond the edge. These must fall, not bounce. */
TEST(runtime, exact_particles_that_skim_over_an_edge_do_not_bounce_beyond_it)
{
    rico_recipe r;
    rico_world *world = slit(&r);
    rico_shape_def def = rico_shape_def_default();
    rico_collider_def table = rico_collider_def_default();
    def.kind = RICO_SHAPE_BOX;
    def.half_size = (rico_vec3){1.0f, 1.0f, 0.1f};
    CHECK_EQ(rico_world_add_shape(world, &def, NULL, &table.shape), RICO_OK);
    table.motion.transform = at(0.0f, 0.0f, 5.0f);
    CHECK(rico_world_add_collider(world, &table).index1 != 0);
    r.shape = RICO_EMIT_BOX; /* the effect's z is the world's x */
    r.size = (rico_vec3){0.02f, 0.5f, 0.3f};
    r.spread = 0.0f;
    r.speed = (rico_range){6.0f, 6.0f};
    rico_transform along = at(0.5f, 0.0f, 5.1f + r.radius + 0.025f);
    along.rotation = (rico_quat){0.0f, 0.70710678f, 0.0f, 0.70710678f};
    CHECK(rico_effect_spawn(world, rico_world_add_recipe(world, &r), along).index1 != 0);
    CHECK(bounce_near(world, 20, r.radius + 0.022f) > 100);
    rico_world_destroy(world);
}

/* Slopes of 39 degrees, up and down. */
static void add_ridges(rico_world *world)
{
    float positions[3 * 18];
    uint32_t indices[6 * 8];
    for (uint32_t v = 0; v < 18; ++v) {
        positions[3 * v] = (float)(v / 2) - 4.0f;
        positions[3 * v + 1] = v % 2 == 0 ? -6.0f : 6.0f;
        positions[3 * v + 2] = v / 2 % 2 == 0 ? 0.0f : 0.8f;
    }
    for (uint32_t q = 0; q < 8; ++q) {
        const uint32_t quad[6] = {2 * q, 2 * q + 2, 2 * q + 3, 2 * q + 3, 2 * q + 1, 2 * q};
        memcpy(indices + 6 * q, quad, sizeof quad);
    }
    rico_mesh mesh = {
        .positions = positions, .vertex_count = 18, .indices = indices, .triangle_count = 16};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
}

/* A ball flies along a slope. The slope below it may end at the crest before the ball would
 * touch its plane, so the ball must not bounce there. */
TEST(runtime, exact_balls_do_not_bounce_off_what_slopes_would_be_beyond_their_crests)
{
    static const float radii[] = {0.15f, 0.36f};
    for (uint32_t k = 0; k < 4; ++k) {
        rico_world *world = small_world(1, false);
        add_ridges(world);
        rico_recipe r = rico_recipe_default();
        r.mode = RICO_COLLIDE_EXACT;
        r.radius = radii[k / 2];
        r.shape = RICO_EMIT_BOX;
        r.size = (rico_vec3){3.0f, 3.0f, 0.2f};
        r.spread = 3.0f;
        r.rate = 0.0f;
        r.burst_count = 300;
        r.lifetime = (rico_range){10.0f, 10.0f};
        r.rolls = k % 2 != 0;
        r.events = RICO_EVENT_BIT_COLLISION;
        CHECK(rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 2.0f))
                  .index1 != 0);
        CHECK(bounce_near(world, 120, r.radius + 0.022f) > 1000);
        rico_world_destroy(world);
    }
}

static uint64_t steps_bytes(rico_world *world, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; ++i)
        rico_world_step(world, DT);
    return rico_world_get_stats(world).bytes;
}

TEST(runtime, exact_recipes_reserve_memory_once_and_fail_without_it)
{
    counting_allocator counter;
    kept_log log;
    rico_world_def def = counted_def(&counter, &log);
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    terrain *t = malloc(sizeof *t);
    terrain_build(t);
    CHECK(rico_world_add_mesh(world, &t->mesh, at(0.0f, 0.0f, 0.0f)).index1 != 0);
    free(t);
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_EXACT;
    long before = counter.live_bytes;
    for (long n = 0; n < 2; ++n) {
        counter.fail_at = counter.calls + n;
        CHECK_EQ(rico_world_add_recipe(world, &r).index1, 0);
        CHECK_EQ(rico_world_last_result(world), RICO_OUT_OF_MEMORY);
        CHECK_EQ(counter.live_bytes, before);
    }
    counter.fail_at = counter.calls + 2; /* memory to grow: it does without */
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    CHECK(id.index1 != 0);
    counter.fail_at = -1;
    uint64_t bytes = steps_bytes(world, 1);
    CHECK(rico_world_add_recipe(world, &r).index1 != 0);
    CHECK(rico_effect_spawn(world, id, at(0.0f, 0.0f, 2.0f)).index1 != 0);
    CHECK_EQ(steps_bytes(world, 60), bytes);
    rico_world_destroy(world);
    CHECK_EQ(counter.live_bytes, 0);
}
