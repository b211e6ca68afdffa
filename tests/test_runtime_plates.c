/* How deep balls are in moving plates when they bounce off them: slow balls over fast plates,
 * and balls that come down at an edge. */
#include "runtime_movers.h"

#define BALL 0.05f
#define HALF 3.0f

typedef enum plate_way {
    WAY_STANDS,
    WAY_SLIDES,
    WAY_RISES,
    WAY_TURNS,
    WAY_TILTS,
    WAY_COUNT
} plate_way;

static rico_transform plate_at(plate_way way, float time)
{
    rico_transform t = at(0.0f, 0.0f, 0.0f);
    if (way == WAY_SLIDES)
        t.position = (rico_vec3){0.8f * rico__sin(2.0f * time), 0.5f * rico__cos(time), 0.0f};
    if (way == WAY_RISES)
        t.position.z = 0.3f * rico__sin(4.0f * time);
    if (way == WAY_TURNS)
        t = turned(0.0f, 0.0f, 0.0f, 1.5f * time);
    if (way == WAY_TILTS) {
        const float half = 0.15f * rico__sin(2.0f * time);
        t.rotation = (rico_quat){0.0f, rico__sin(half), 0.0f, rico__cos(half)};
    }
    return t;
}

/* A plate of two triangles, or of many. */
static rico_collider_id add_plate(rico_world *world, int parts)
{
    static float places[17 * 17 * 3];
    static uint32_t corners[16 * 16 * 6];
    rico_shape_def def = rico_shape_def_default();
    uint32_t count = 0;
    for (int y = 0; y <= parts; ++y)
        for (int x = 0; x <= parts; ++x) {
            float *p = &places[(y * (parts + 1) + x) * 3];
            p[0] = HALF * (2.0f * (float)x / (float)parts - 1.0f);
            p[1] = HALF * (2.0f * (float)y / (float)parts - 1.0f);
            p[2] = 0.0f;
        }
    for (int y = 0; y < parts; ++y)
        for (int x = 0; x < parts; ++x) {
            const uint32_t row = (uint32_t)parts + 1, a = (uint32_t)y * row + (uint32_t)x;
            const uint32_t square[6] = {a, a + 1, a + 1 + row, a, a + 1 + row, a + row};
            memcpy(&corners[count], square, sizeof square);
            count += 6;
        }
    def.kind = RICO_SHAPE_MESH;
    def.mesh = (rico_mesh){.positions = places,
                           .vertex_count = (uint32_t)((parts + 1) * (parts + 1)),
                           .indices = corners,
                           .triangle_count = count / 3};
    rico_shape_id shape;
    CHECK_EQ(rico_world_add_shape(world, &def, NULL, &shape), RICO_OK);
    return place_shape(world, shape, at(0.0f, 0.0f, 0.0f));
}

static rico_effect_id pour(rico_world *world, rico_collision_mode mode, float half)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.radius = BALL;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){half, half, 0.2f};
    r.spread = 3.0f;
    r.speed = (rico_range){0.5f, 5.0f};
    r.rate = 400.0f;
    r.lifetime = (rico_range){2.0f, 3.0f};
    r.restitution = 0.6f;
    r.friction = 0.1f;
    r.events = RICO_EVENT_BIT_COLLISION;
    r.max_particles = 1200;
    r.queries_per_frame = 1000.0f;
    return rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 1.2f));
}

/* Distance of a place from the plate's rectangle at that part of the step, in doubles. */
static double distance_to_plate(rico_transform from, rico_transform to, double part,
                                rico_vec3 place)
{
    const double keep = 1.0 - part;
    const double q[4] = {(double)from.rotation.x * keep + (double)to.rotation.x * part,
                         (double)from.rotation.y * keep + (double)to.rotation.y * part,
                         (double)from.rotation.z * keep + (double)to.rotation.z * part,
                         (double)from.rotation.w * keep + (double)to.rotation.w * part};
    const double one = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    double p[3], outside = 0.0;
    for (int k = 0; k < 3; ++k)
        p[k] = (double)(&place.x)[k] - (double)(&from.position.x)[k] * keep -
               (double)(&to.position.x)[k] * part;
    /* The rows of the inverse rotation. */
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rows[3][3] = {
        {1 - 2 * (y * y + z * z) / one, 2 * (x * y + w * z) / one, 2 * (x * z - w * y) / one},
        {2 * (x * y - w * z) / one, 1 - 2 * (x * x + z * z) / one, 2 * (y * z + w * x) / one},
        {2 * (x * z + w * y) / one, 2 * (y * z - w * x) / one, 1 - 2 * (x * x + y * y) / one}};
    for (int i = 0; i < 3; ++i) {
        const double at_axis = rows[i][0] * p[0] + rows[i][1] * p[1] + rows[i][2] * p[2];
        const double beyond = i == 2 ? at_axis : fmax(fabs(at_axis) - (double)HALF, 0.0);
        outside += beyond * beyond;
    }
    return sqrt(outside);
}

typedef struct bounces {
    uint32_t count, awry;
} bounces;

/* Counts bounces, and those that are off by more than a fifth of the radius. */
static void judge_events(rico_world *world, rico_transform from, rico_transform to,
                         bounces *found)
{
    uint32_t count;
    const rico_event *events = rico_world_events(world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        const double part = (double)events[i].time / (double)DT;
        const double distance = distance_to_plate(from, to, part, events[i].position);
        found->count += 1;
        found->awry += !(fabs(distance - (double)BALL) < 0.2 * (double)BALL);
    }
}

static bounces bounces_on(plate_way way, rico_collision_mode mode, int parts, float half)
{
    rico_world *world = bare_world(1);
    rico_collider_id plate = add_plate(world, parts);
    rico_transform from = at(0.0f, 0.0f, 0.0f);
    bounces found = {0, 0};
    pour(world, mode, half);
    for (int frame = 1; frame <= 240; ++frame) {
        const rico_transform to = plate_at(way, (float)frame * DT);
        move_to(world, plate, to);
        rico_world_step(world, DT);
        if (frame > 1) /* before that it jumped from where it was made */
            judge_events(world, from, to, &found);
        from = to;
    }
    rico_world_destroy(world);
    return found;
}

/* Seen from the plate, balls move nearly along it. A ray along such a way meets the plate late,
 * but contacts must be at the radius. */
TEST(plates, that_move_are_touched_at_the_radius)
{
    for (int way = 0; way < WAY_COUNT; ++way)
        for (int m = 0; m < 2; ++m)
            for (uint32_t k = 0; k < test_few_rounds(2, 1); ++k) {
                const int parts = ((uint32_t)(way + m) + k) % 2 == 0 ? 1 : 16;
                const bounces found = bounces_on((plate_way)way, modes[m], parts, 1.5f);
                CHECK_MSG(found.count > 2000, "way %d: %u bounces", way, found.count);
                CHECK_MSG(found.awry * 500 <= found.count,
                          "way %d, mode %d, %d parts: %u of %u", way, m, parts, found.awry,
                          found.count);
            }
}

/* Some balls fall past the plate by less than their radius, so they touch its edge. */
TEST(plates, turn_aside_who_comes_down_on_an_edge)
{
    for (int way = 0; way < WAY_COUNT; ++way)
        for (int m = 0; m < 2; ++m) {
            const bounces found = bounces_on((plate_way)way, modes[m], 1, 3.2f);
            CHECK_MSG(found.count > 1500, "way %d: %u bounces", way, found.count);
            CHECK_MSG(found.awry * 300 <= found.count, "way %d, mode %d: %u of %u", way, m,
                      found.awry, found.count);
        }
}
