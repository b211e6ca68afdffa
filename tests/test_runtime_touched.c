/* A collision event names what the ball touches, wherever its way leads. */
#include "runtime_births.h"
#include "runtime_host.h"
#include "runtime_movers.h"
#include "vec.h"

#define TILES 64u /* per side */

/* A floor of square tiles around the origin, two triangles each, with surfaces 3 and 7 as on a
 * chessboard. */
static const rico_mesh *tiled_floor(float size)
{
    static float corners[(TILES + 1) * (TILES + 1) * 3];
    static uint32_t indices[TILES * TILES * 6];
    static uint16_t surfaces[TILES * TILES * 2];
    static rico_mesh mesh = {.positions = corners,
                             .vertex_count = (TILES + 1) * (TILES + 1),
                             .indices = indices,
                             .triangle_count = TILES * TILES * 2,
                             .surfaces = surfaces};
    for (uint32_t n = 0; n < mesh.vertex_count; ++n) {
        corners[3 * n] = size * ((float)(n % (TILES + 1)) - 0.5f * TILES);
        corners[3 * n + 1] = size * ((float)(n / (TILES + 1)) - 0.5f * TILES);
    }
    for (uint32_t k = 0; k < TILES * TILES; ++k) {
        const uint32_t a = k / TILES * (TILES + 1) + k % TILES, b = a + TILES + 1;
        const uint32_t corner[6] = {a, a + 1, b + 1, a, b + 1, b};
        memcpy(indices + 6 * k, corner, sizeof corner);
        surfaces[2 * k] = surfaces[2 * k + 1] = (k / TILES + k % TILES) % 2 != 0 ? 7 : 3;
    }
    return &mesh;
}

/* This near to an edge, in metres, either side is right, because records are within 4 mm. */
#define EDGE 0.006f

/* Returns the triangle at a place over the floor; RICO_NO_TRIANGLE near edges and outside. */
static uint32_t triangle_at(float x, float y, float size)
{
    const float column = floorf(x / size), row = floorf(y / size), half = 0.5f * TILES;
    const float u = x - size * column, v = y - size * row;
    if (u < EDGE || v < EDGE || u > size - EDGE || v > size - EDGE ||
        fabsf(u - v) < 2.0f * EDGE)
        return RICO_NO_TRIANGLE;
    if (column < -half || row < -half || column >= half || row >= half)
        return RICO_NO_TRIANGLE;
    return 2 * ((uint32_t)(row + half) * TILES + (uint32_t)(column + half)) + (v > u);
}

typedef struct tally {
    uint32_t all, wrong_surface, wrong_triangle, wrong_bounce;
} tally;

/* Adds collisions of the last step with the floor, which moved from one place to the other. On
 * surface 7 a ball must lose its velocity along the floor, on surface 3 nothing. */
static void add_collisions(const rico_world *world, float size, rico_vec3 from, rico_vec3 to,
                           tally *sum)
{
    uint32_t count;
    const rico_event *e = rico_world_events(world, &count);
    for (uint32_t n = 0; n < count; ++n) {
        const rico_vec3 floor = vec3_mad(from, vec3_sub(to, from), e[n].time / DT);
        const rico_vec3 p = vec3_sub(e[n].position, floor);
        const uint32_t triangle = triangle_at(p.x, p.y, size);
        if (triangle == RICO_NO_TRIANGLE || e[n].collider == 0)
            continue;
        const uint16_t surface = tiled_floor(size)->surfaces[triangle];
        const rico_vec3 v = e[n].velocity;
        sum->all += 1;
        sum->wrong_surface += e[n].surface != surface;
        sum->wrong_triangle += e[n].triangle != triangle;
        sum->wrong_bounce += (fabsf(v.x) + fabsf(v.y) < 1.0e-5f) != (surface == 7);
    }
}

/* Balls fly flat, so their ways lead a few tiles past what they touch. */
static rico_recipe skimmer(rico_collision_mode mode, float radius)
{
    rico_recipe r = still_recipe(mode);
    r.gravity = (rico_vec3){0.0f, 0.0f, -9.81f};
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){0.5f, 0.5f, 0.1f};
    r.rate = 300.0f;
    r.speed = (rico_range){1.0f, 3.0f};
    r.spread = 3.0f;
    r.lifetime = (rico_range){0.6f, 0.6f};
    r.radius = radius;
    r.friction = 0.5f;
    r.rest_speed = 0.0f;
    r.by_surface = true;
    r.events = RICO_EVENT_BIT_COLLISION;
    r.queries_per_frame = 1000.0f;
    return r;
}

static tally run_skimmers(rico_world *world, rico_collision_mode mode, float size,
                          rico_collider_id moves)
{
    const rico_recipe r = skimmer(mode, 0.05f);
    rico_vec3 from = {0.0f, 0.0f, 0.0f};
    tally sum = {0};
    CHECK_EQ(rico_world_set_surface(world, 3, 1.0f, 0.0f), RICO_OK);
    CHECK_EQ(rico_world_set_surface(world, 7, 1.0f, 2.0f), RICO_OK);
    begin_effect(world, &r, at(0.01f, 0.02f, 0.3f));
    for (int i = 0; i < 60; ++i) {
        rico_vec3 to = from;
        if (moves.index1 != 0) {
            to.z = 0.05f * rico__sin(0.1f * (float)i);
            move_to(world, moves, at(to.x, to.y, to.z));
        }
        run_steps(world, 1);
        add_collisions(world, size, from, to, &sum);
        from = to;
    }
    rico_world_destroy(world);
    return sum;
}

static void check_tally(const char *what, const tally *sum)
{
    CHECK_MSG(sum->all > 100 && sum->wrong_surface == 0 && sum->wrong_triangle == 0 &&
                  sum->wrong_bounce == 0,
              "%s: of %u, %u name another surface, %u another triangle, %u bounce by another",
              what, sum->all, sum->wrong_surface, sum->wrong_triangle, sum->wrong_bounce);
}

static const rico_collider_id none = {0};

TEST(touched, is_what_collisions_of_mode_exact_name_and_bounce_by)
{
    rico_world *world = bare_world(1);
    rico_world_add_mesh(world, tiled_floor(0.2f), RICO_TRANSFORM_IDENTITY);
    tally sum = run_skimmers(world, RICO_COLLIDE_EXACT, 0.2f, none);
    check_tally("exact", &sum);
}

TEST(touched, is_what_collisions_in_crowded_cells_name_and_bounce_by)
{
    rico_world *world = bare_world(1);
    rico_world_add_mesh(world, tiled_floor(0.05f), RICO_TRANSFORM_IDENTITY);
    CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    tally sum = run_skimmers(world, RICO_COLLIDE_CACHED, 0.05f, none);
    check_tally("cached", &sum);
}

TEST(touched, is_what_collisions_with_bodies_that_move_name_and_bounce_by)
{
    for (uint32_t m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_shape_def def = rico_shape_def_default();
        rico_shape_id shape;
        def.mesh = *tiled_floor(0.2f);
        CHECK_EQ(rico_world_add_shape(world, &def, NULL, &shape), RICO_OK);
        const rico_collider_id id = place_shape(world, shape, at(0.0f, 0.0f, 0.0f));
        tally sum = run_skimmers(world, modes[m], 0.2f, id);
        check_tally(m == 0 ? "exact" : "cached", &sum);
    }
}

TEST(touched, is_what_the_hosts_rays_are_asked_for)
{
    host h = host_of(tiled_floor(0.2f), HOST_PLAIN);
    tally sum = run_skimmers(world_on(at_once(&h), 1), RICO_COLLIDE_EXACT, 0.2f, none);
    check_tally("host", &sum);
    CHECK(all_requests_were_good(&h));
    rico_scene_destroy(h.scene);
}

/* Names that are not asked for must cost no rays and change no particle. */
TEST(touched, is_asked_for_by_recipes_that_want_names_alone)
{
    double rays[2];
    for (uint32_t hears = 0; hears < 2; ++hears) {
        rico_world *world = bare_world(1);
        rico_world_add_mesh(world, tiled_floor(0.2f), RICO_TRANSFORM_IDENTITY);
        rico_recipe r = skimmer(RICO_COLLIDE_EXACT, 0.05f);
        r.by_surface = false;
        r.events = hears != 0 ? RICO_EVENT_BIT_COLLISION : 0;
        rico_effect_id e = begin_effect(world, &r, at(0.01f, 0.02f, 0.3f));
        static born state[2][512];
        rays[hears] = 0.0;
        for (int i = 0; i < 60; ++i) {
            run_steps(world, 1);
            rays[hears] += rico_world_get_stats(world).rays;
        }
        collect_born(world, e, state[hears], 512);
        for (uint32_t i = 0; i < 512 && hears != 0; ++i) {
            const born *a = &state[0][i], *b = &state[1][i];
            CHECK(a->alive == b->alive && memcmp(a->p, b->p, sizeof a->p) == 0 &&
                  memcmp(a->v, b->v, sizeof a->v) == 0);
        }
        rico_world_destroy(world);
    }
    CHECK(rays[0] < rays[1]);
}

/* A sheet that is long in y; seen along y, it goes from one point to the other. */
typedef struct profile {
    float x, z, to_x, to_z;
} profile;

static rico_world *world_of_sheets(const profile *sheets, uint32_t count)
{
    float corners[3 * 12];
    uint32_t faces[3 * 6];
    for (uint32_t k = 0; k < count; ++k) {
        const profile s = sheets[k];
        const float corner[12] = {s.x,    -8.0f, s.z,    s.to_x, -8.0f, s.to_z,
                                  s.to_x, 8.0f,  s.to_z, s.x,    8.0f,  s.z};
        const uint32_t first = 4 * k;
        const uint32_t face[6] = {first, first + 1, first + 2, first, first + 2, first + 3};
        memcpy(corners + 12 * k, corner, sizeof corner);
        memcpy(faces + 6 * k, face, sizeof face);
    }
    const rico_mesh mesh = {.positions = corners,
                            .vertex_count = 4 * count,
                            .indices = faces,
                            .triangle_count = 2 * count};
    rico_world *world = small_world(1, false);
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    return world;
}

static float distance_from(const profile *s, rico_vec3 p)
{
    const float x = p.x - s->x, z = p.z - s->z, u = s->to_x - s->x, w = s->to_z - s->z;
    const float part = fminf(fmaxf((x * u + z * w) / (u * u + w * w), 0.0f), 1.0f);
    return hypotf(x - part * u, z - part * w);
}

/* Pellets fly straight in the same direction, and die at what they touch. */
static rico_recipe pellet(float radius, float speed)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_EXACT);
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){0.05f, 0.5f, 0.05f};
    r.rate = 1000.0f;
    r.speed = (rico_range){speed, speed};
    r.radius = radius;
    r.on_collision = RICO_ON_COLLISION_DIE;
    r.events = RICO_EVENT_BIT_COLLISION;
    return r;
}

/* The ways of pellets meet the slope, whose plane goes on above the floor. The pellets touch
 * the floor before the crest, so none may end in mid-air. */
TEST(touched, is_what_is_before_a_crest_not_above_it)
{
    const profile sheets[2] = {{-8.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 7.518f, -2.736f}};
    rico_world *world = world_of_sheets(sheets, 2);
    const rico_recipe r = pellet(0.05f, 5.0f);
    rico_transform where = at(-0.7f, 0.0f, 0.6f); /* 4 m/s towards +x, 3 downwards */
    where.rotation = (rico_quat){0.0f, 0.89442719f, 0.0f, 0.44721360f};
    begin_effect(world, &r, where);
    uint32_t all = 0, high = 0, low = 0;
    for (int i = 0; i < 60; ++i) {
        uint32_t count;
        run_steps(world, 1);
        const rico_event *e = rico_world_events(world, &count);
        for (uint32_t n = 0; n < count; ++n) {
            const float height = fminf(distance_from(&sheets[0], e[n].position),
                                       distance_from(&sheets[1], e[n].position));
            all += 1;
            high += height > 0.055f;
            low += height < 0.045f; /* at the crest itself */
        }
    }
    CHECK_MSG(all > 500 && high == 0 && low * 5 < all, "%u, %u in mid-air, %u deep", all, high,
              low);
    rico_world_destroy(world);
}

/* A step up, and a ramp down behind it. Pellets touch the ramp's plane over the floor before
 * the step, and meet the ramp before they touch the floor. They must end at the ramp, not
 * behind it. */
TEST(touched, is_not_what_is_behind_what_the_way_meets)
{
    const profile sheets[3] = {
        {-8.0f, 0.0f, 8.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.012f}, {0.0f, 0.012f, 0.068f, 0.0f}};
    rico_world *world = world_of_sheets(sheets, 3);
    const rico_recipe r = pellet(0.005f, 8.0f);
    rico_transform where = at(-1.7f, 0.0f, 0.5f); /* 24 forwards, 7 downwards */
    where.rotation = (rico_quat){0.0f, 0.8f, 0.0f, 0.6f};
    begin_effect(world, &r, where);
    uint32_t on_ramp = 0, behind = 0;
    for (int i = 0; i < 120; ++i) {
        uint32_t count;
        run_steps(world, 1);
        const rico_event *e = rico_world_events(world, &count);
        for (uint32_t n = 0; n < count; ++n) {
            const rico_vec3 p = e[n].position;
            const float part = p.x / 0.068f;
            if (!(part > 0.0f && part < 1.0f))
                continue;
            on_ramp += 1;
            behind += p.z < 0.012f * (1.0f - part);
        }
    }
    CHECK_MSG(on_ramp > 100 && behind == 0, "%u of %u are behind it", behind, on_ramp);
    rico_world_destroy(world);
}
