/* Trails when the origin or the effect moves, or when something begins anew. */
#include "runtime_terrain.h"

#include "random.h"
#include "state.h"
#include "trails.h"
#include "vec.h"

#define POINTS 8u
#define ROOM 200u

typedef struct tail {
    rico_world *world;
    rico_effect_id effect;
    rico_output *output;
    _Alignas(64) rico_trail_vertex vertices[ROOM][2 * POINTS];
} tail;

static void tail_begin_with(tail *t, rico_recipe recipe)
{
    t->world = small_world(1, false);
    recipe.mode = RICO_COLLIDE_NONE;
    recipe.particle_ids = true;
    rico_recipe_id id = rico_world_add_recipe(t->world, &recipe);
    t->effect = rico_effect_spawn(t->world, id, RICO_TRANSFORM_IDENTITY);
    rico_output_def def = rico_output_def_default();
    def.kind = RICO_OUTPUT_TRAILS;
    def.trail_points = POINTS;
    def.capacity = ROOM;
    def.memory[0] = def.memory[1] = t->vertices;
    CHECK_EQ(rico_output_create(t->world, &def, &t->output), RICO_OK);
}

static void tail_begin(tail *t)
{
    rico_recipe recipe = rico_recipe_default();
    recipe.rate = 200.0f;
    tail_begin_with(t, recipe);
}

static void tail_end(tail *t)
{
    rico_output_destroy(t->output);
    rico_world_destroy(t->world);
}

/* Returns the longest way between neighbouring points of all trails. */
static float longest_way(tail *t)
{
    const rico_eye eye = {{0.0f, -10.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    rico_output_frame frame;
    float most = 0.0f;
    CHECK_EQ(rico_output_write(t->output, &t->effect, 1, &eye, &frame), RICO_OK);
    CHECK(frame.count > 0);
    for (uint32_t i = 0; i < frame.count; ++i)
        for (uint32_t k = 0; k + 2 < 2 * POINTS; ++k)
            for (int a = 0; a < 3; ++a)
                most = fmaxf(most, fabsf(t->vertices[i][k + 2].position[a] -
                                         t->vertices[i][k].position[a]));
    return most;
}

static void run_and_write(tail *t, int count)
{
    for (int i = 0; i < count; ++i) {
        run_steps(t->world, 1);
        CHECK(longest_way(t) < 0.5f);
    }
}

TEST(trails, go_along_with_the_origin_whenever_it_was_moved)
{
    static tail t;
    tail_begin(&t);
    CHECK_EQ(rico_world_shift_origin(t.world, (rico_vec3){77.0f, 0.0f, 0.0f}), RICO_OK);
    run_and_write(&t, 20);
    CHECK_EQ(rico_world_shift_origin(t.world, (rico_vec3){1000.0f, -300.0f, 20.0f}), RICO_OK);
    float way = longest_way(&t);
    CHECK_MSG(way > 0.01f && way < 0.5f, "%g m", (double)way);
    run_and_write(&t, 3);
    for (int i = 0; i < 5; ++i) /* several between two writes */
        CHECK_EQ(rico_world_shift_origin(t.world, (rico_vec3){500.0f, 100.5f, -64.0f}),
                 RICO_OK);
    CHECK_EQ(rico_world_shift_origin(t.world, (rico_vec3){NAN, 0.0f, 0.0f}), RICO_NOT_FINITE);
    run_and_write(&t, 10);
    tail_end(&t);
}

TEST(trails, of_an_effect_that_is_started_anew_begin_anew)
{
    static tail t;
    tail_begin(&t);
    run_and_write(&t, 20);
    rico_transform far = RICO_TRANSFORM_IDENTITY;
    far.position.x = 500.0f;
    CHECK_EQ(rico_effect_teleport(t.world, t.effect, far), RICO_OK);
    CHECK_EQ(rico_effect_seek(t.world, t.effect, 0.5f, 1.0f / 60.0f), RICO_OK);
    CHECK(longest_way(&t) == 0.0f); /* each trail is a point */
    run_and_write(&t, 3);
    CHECK(longest_way(&t) > 0.0f);
    tail_end(&t);
}

TEST(trails, are_there_when_more_than_32_bits_count_have_begun)
{
    static tail t;
    tail_begin(&t);
    t.world->life_count = UINT32_MAX;
    CHECK_EQ(rico_effect_seek(t.world, t.effect, 0.0f, 1.0f / 60.0f), RICO_OK);
    run_and_write(&t, 20);
    CHECK(longest_way(&t) > 0.0f);
    tail_end(&t);
}

/* --- Along with the effect ---------------------------------------------------------------- */

static rico_transform pose(uint32_t n)
{
    const float angle = 0.4f * (float)n;
    return (rico_transform){{(float)(n * n), -3.0f * (float)n, (float)(n % 4)},
                            {sinf(angle), 0.0f, 0.0f, cosf(angle)},
                            1.0f + 0.5f * (float)(n % 3)};
}

/* Gets the middles of the vertex pairs of all trails. */
static uint32_t points_of(tail *t, float f, const rico_eye *eye, rico_vec3 *out)
{
    rico_output_frame frame;
    CHECK_EQ(rico_output_write_interpolated(t->output, &t->effect, 1, eye, f, &frame), RICO_OK);
    for (uint32_t i = 0; i < frame.count; ++i)
        for (uint32_t k = 0; k < POINTS; ++k) {
            const float *a = t->vertices[i][2 * k].position;
            const float *b = t->vertices[i][2 * k + 1].position;
            out[i * POINTS + k] =
                (rico_vec3){0.5f * (a[0] + b[0]), 0.5f * (a[1] + b[1]), 0.5f * (a[2] + b[2])};
        }
    return frame.count;
}

/* Where points of trails are, in the effect's space, the newest first. */
typedef struct local_trails {
    rico_vec3 places[ROOM][POINTS];
    uint32_t points;
} local_trails;

static rico_vec3 into(const rico_transform *space, rico_vec3 p)
{
    const rico_quat q = space->rotation, back = {-q.x, -q.y, -q.z, q.w};
    return vec3_scale(quat_rotate(back, vec3_sub(p, space->position)), 1.0f / space->scale);
}

static uint32_t places_of(const tail *t, rico_vec3 out[ROOM])
{
    uint32_t count = 0;
    rico_view v = rico_effect_view(t->world, t->effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++count)
            out[count] = vec3(v.px[i], v.py[i], v.pz[i]);
    return count;
}

/* Adds the newest points: between two steps, the way of a particle is a straight line, even
 * where its effect rotates. In a pause they take the places of the last ones. */
static void add_points(local_trails *h, const rico_vec3 *a, const rico_vec3 *b, uint32_t count,
                       const rico_transform *was, const rico_transform *to,
                       const rico_transform *drawn, float f, bool paused)
{
    if (!paused)
        h->points = h->points < POINTS ? h->points + 1 : POINTS;
    for (uint32_t i = 0; i < count; ++i) {
        const rico_vec3 from = transform_point(was, a[i]), end = transform_point(to, b[i]);
        if (!paused)
            memmove(h->places[i] + 1, h->places[i], (POINTS - 1) * sizeof(rico_vec3));
        h->places[i][0] = into(drawn, vec3_mad(from, vec3_sub(end, from), f));
    }
}

/* Without forces, what happens in local space does not depend on the effect's transform. One
 * effect stands still; the other is moved, teleported and paused, and its origin shifts. */
static void compare_moved_with_still(bool interpolate)
{
    static tail still, moved;
    static rico_vec3 there[ROOM * POINTS], last[ROOM], now[ROOM];
    static local_trails expected;
    const rico_eye eye = {{0.0f, -10.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    rico_recipe r = rico_recipe_default();
    r.space = RICO_SPACE_LOCAL;
    r.gravity = (rico_vec3){0};
    r.interpolate = interpolate;
    r.lifetime = (rico_range){5.0f, 5.0f};
    r.burst_count = 60; /* before any move: births are not as large as their effect */
    r.rate = 0.0f;
    tail_begin_with(&still, r);
    tail_begin_with(&moved, r);
    const rico_transform home = RICO_TRANSFORM_IDENTITY;
    rico_transform was = home, to = home;
    float origin = 0.0f;
    expected.points = 0;
    memset(now, 0, sizeof now); /* where they are born */
    for (uint32_t n = 1; n < 40; ++n) {
        const bool jumps = n % 4 == 0, paused = n % 7 == 5;
        was = to;
        if (n % 3 != 0 && n > 1) {
            to = pose(n);
            to.position.x -= origin;
        }
        CHECK_EQ(
            (jumps ? rico_effect_teleport : rico_effect_move)(moved.world, moved.effect, to),
            RICO_OK);
        for (int s = 0; s < 2; ++s) {
            tail *t = s == 0 ? &still : &moved;
            CHECK_EQ(rico_effect_set_time_scale(t->world, t->effect, paused ? 0.0f : 1.0f),
                     RICO_OK);
            rico_world_step(t->world, 1.0f / 60.0f);
        }
        const float f = interpolate && n % 5 != 4 ? 0.1f * (float)(n % 10) : 1.0f;
        rico_transform drawn = jumps ? to : transform_mix(&was, &to, f);
        drawn = f < 1.0f ? drawn : to;
        memcpy(last, now, sizeof now);
        const uint32_t count = places_of(&still, now);
        CHECK_EQ(count, 60);
        add_points(&expected, last, now, count, jumps ? &to : &was, &to, &drawn, f, paused);
        CHECK_EQ(points_of(&moved, f, &eye, there), count);
        for (uint32_t i = 0; i < count * POINTS; ++i) {
            const uint32_t k = i % POINTS < expected.points ? i % POINTS : expected.points - 1;
            const rico_vec3 point = transform_point(&drawn, expected.places[i / POINTS][k]);
            const float off = vec3_length(vec3_sub(there[i], point));
            CHECK_MSG(off < 1.0e-3f, "step %u, point %u: %g m off", n, i, (double)off);
        }
        if (n == 20) {
            origin = 1000.0f;
            to.position.x -= origin;
            CHECK_EQ(rico_world_shift_origin(moved.world, (rico_vec3){origin, 0.0f, 0.0f}),
                     RICO_OK);
        }
    }
    tail_end(&still);
    tail_end(&moved);
}

TEST(trails, of_space_local_go_along_with_their_effect)
{
    compare_moved_with_still(false);
}

TEST(trails, of_space_local_go_along_with_their_effect_between_steps)
{
    compare_moved_with_still(true);
}

/* The effect is then drawn between two places, both of which have moved. */
TEST(trails, of_space_local_go_along_with_the_origin_between_steps)
{
    static tail tails[2];
    static rico_vec3 points[2][ROOM * POINTS];
    const rico_eye eye = {{0.0f, -10.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    const rico_vec3 origin = {64.0f, 0.0f, -8.0f};
    rico_recipe r = rico_recipe_default();
    r.space = RICO_SPACE_LOCAL;
    r.interpolate = true;
    uint32_t count = 0;
    for (int s = 0; s < 2; ++s) {
        tail *t = &tails[s];
        tail_begin_with(t, r);
        for (uint32_t n = 1; n <= 30; ++n) {
            rico_transform to = at(0.1f * (float)n, 0.0f, 0.0f);
            CHECK_EQ(rico_effect_move(t->world, t->effect, to), RICO_OK);
            run_steps(t->world, 1);
            points_of(t, 0.5f, &eye, points[s]);
        }
        if (s == 1)
            CHECK_EQ(rico_world_shift_origin(t->world, origin), RICO_OK);
        count = points_of(t, 0.5f, &eye, points[s]);
        tail_end(t);
    }
    CHECK(count > 20);
    for (uint32_t i = 0; i < count * POINTS; ++i) {
        rico_vec3 way = vec3_sub(points[0][i], points[1][i]);
        CHECK(vec3_length(vec3_sub(way, origin)) < 1.0e-3f);
    }
}

TEST(trails, of_the_world_stay_where_they_are_when_the_effect_is_moved)
{
    static tail t;
    tail_begin(&t);
    run_and_write(&t, 20);
    rico_transform far = RICO_TRANSFORM_IDENTITY;
    far.position.x = 500.0f;
    CHECK_EQ(rico_effect_teleport(t.world, t.effect, far), RICO_OK);
    run_and_write(&t, 10);
    tail_end(&t);
}

/* --- Width ---------------------------------------------------------------------------------- */

static float width_at(const tail *t, uint32_t record, uint32_t point)
{
    const rico_trail_vertex *v = &t->vertices[record][2 * (size_t)point];
    const rico_vec3 a = {v[0].position[0], v[0].position[1], v[0].position[2]};
    const rico_vec3 b = {v[1].position[0], v[1].position[1], v[1].position[2]};
    return vec3_length(vec3_sub(a, b));
}

/* A host that draws more often than the world steps writes the same place several times. */
static void check_heads(float eye_away)
{
    static tail t;
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.burst_count = 20;
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.particle_size = (rico_curve){.key_count = 1, .value = {0.1f}};
    tail_begin_with(&t, r);
    const rico_eye eye = {{0.0f, -eye_away, 0.0f}, {0.0f, 1.0f, 0.0f}};
    for (int i = 0; i < 12; ++i) {
        rico_output_frame frame;
        if (i % 3 == 0)
            run_steps(t.world, 1);
        CHECK_EQ(rico_output_write(t.output, &t.effect, 1, &eye, &frame), RICO_OK);
        CHECK_EQ(frame.count, 20);
        for (uint32_t n = 0; n < frame.count && i >= 3; ++n) {
            CHECK_MSG(fabsf(width_at(&t, n, 0) - 0.1f) < 1.0e-4f, "write %d, trail %u: %g m", i,
                      n, (double)width_at(&t, n, 0));
            CHECK(width_at(&t, n, POINTS - 1) == 0.0f);
            for (uint32_t k = 1; k < POINTS; ++k)
                CHECK(width_at(&t, n, k) <= width_at(&t, n, k - 1) + 1.0e-6f);
        }
    }
    tail_end(&t);
}

TEST(trails, are_as_wide_at_their_heads_however_often_they_are_written)
{
    check_heads(10.0f);
    check_heads(1.0e6f);
    check_heads(1.0e30f);
}

/* --- Without ids ---------------------------------------------------------------------------- */

TEST(trails, without_ids_are_points_which_is_warned_of_once)
{
    static rico_trail_vertex vertices[ROOM][2 * POINTS];
    counting_allocator counter = {0};
    kept_log log = {.text = ""};
    rico_world_def def = counted_def(&counter, &log);
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_recipe recipe = rico_recipe_default();
    recipe.mode = RICO_COLLIDE_NONE;
    rico_effect_id effect =
        rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(0.0f, 0.0f, 0.0f));
    tail t = {.world = world, .effect = effect};
    rico_output_def out = rico_output_def_default();
    out.kind = RICO_OUTPUT_TRAILS;
    out.trail_points = POINTS;
    out.capacity = ROOM;
    out.memory[0] = out.memory[1] = vertices;
    CHECK_EQ(rico_output_create(world, &out, &t.output), RICO_OK);
    for (int i = 0; i < 20; ++i) {
        const rico_eye eye = {{0.0f, -10.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
        rico_output_frame frame;
        run_steps(world, 1);
        CHECK_EQ(rico_output_write(t.output, &effect, 1, &eye, &frame), RICO_OK);
        CHECK_EQ(log.warnings, frame.count > 0 ? 1 : 0);
    }
    CHECK_MSG(strstr(log.text, "the trails of effect 1 are points") != NULL, "%s", log.text);
    tail_end(&t);
}

/* --- While no time passes --------------------------------------------------------------- */

#define STEP (1.0f / 60.0f)

/* Of the trail of the only particle, which goes along z at 1 m/s, from its head to its tail. */
static float trail_length(tail *t, float interpolation)
{
    const rico_eye eye = {{0.0f, -10.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    rico_output_frame frame;
    CHECK_EQ(
        rico_output_write_interpolated(t->output, &t->effect, 1, &eye, interpolation, &frame),
        RICO_OK);
    CHECK_EQ(frame.count, 1);
    return 0.5f * (t->vertices[0][0].position[2] + t->vertices[0][1].position[2]) -
           t->vertices[0][2 * POINTS - 1].position[2];
}

static void begin_straight(tail *t)
{
    rico_recipe r = rico_recipe_default();
    r.rate = 0.0f;
    r.burst_count = 1;
    r.spread = 0.0f;
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.speed = (rico_range){1.0f, 1.0f};
    r.lifetime = (rico_range){100.0f, 100.0f};
    r.interpolate = true;
    tail_begin_with(t, r);
    for (uint32_t i = 0; i < 2 * POINTS; ++i) {
        run_steps(t->world, 1);
        trail_length(t, 1.0f);
    }
}

/* A game that draws on while it is paused, as for a photograph, draws the trails that there are. */
TEST(trails, stay_as_they_are_while_no_time_passes_however_often_they_are_written)
{
    static tail t;
    begin_straight(&t);
    const float whole = (float)(POINTS - 1) * STEP;
    CHECK(fabsf(trail_length(&t, 1.0f) - whole) < 1.0e-4f);
    for (uint32_t i = 0; i < 2 * POINTS; ++i) /* no step */
        CHECK(fabsf(trail_length(&t, 1.0f) - whole) < 1.0e-4f);
    for (uint32_t i = 0; i < 2 * POINTS; ++i) { /* steps of no length */
        rico_world_step(t.world, 0.0f);
        CHECK(fabsf(trail_length(&t, 1.0f) - whole) < 1.0e-4f);
    }
    CHECK_EQ(rico_effect_set_time_scale(t.world, t.effect, 0.0f), RICO_OK);
    for (uint32_t i = 0; i < 2 * POINTS; ++i) { /* the effect's own pause */
        run_steps(t.world, 1);
        CHECK(fabsf(trail_length(&t, 1.0f) - whole) < 1.0e-4f);
    }
    tail_end(&t);
}

TEST(trails, are_as_long_however_many_frames_are_drawn_of_a_step)
{
    static tail t;
    begin_straight(&t);
    for (uint32_t i = 0; i < 2 * POINTS; ++i) {
        run_steps(t.world, 1);
        for (int part = 1; part <= 4; ++part) {
            const float length = trail_length(&t, 0.25f * (float)part);
            const float want = ((float)(POINTS - 2) + 0.25f * (float)part) * STEP;
            CHECK_MSG(i == 0 || fabsf(length - want) < 1.0e-4f, "%g m, expected %g",
                      (double)length, (double)want);
        }
    }
    tail_end(&t);
}

/* --- Particles that come, go and stand still -------------------------------------------- */

#define LIVES 90u
#define WRITES 120u

/* The test's own memory: all places of each life, and since which write it has been in every
 * write. */
typedef struct history {
    rico_vec3 place[LIVES][WRITES];
    uint32_t since[LIVES]; /* write number; WRITES: it is not there */
} history;

static rico_vec3 past_place(const history *h, uint32_t life, uint32_t write, uint32_t back)
{
    return h->place[life][write - back];
}

static bool are_one(rico_vec3 a, rico_vec3 b)
{
    return vec3_length(vec3_sub(a, b)) == 0.0f;
}

/* The direction through a point: between the nearest different places on both sides, first
 * farther back, then farther ahead. */
static rico_vec3 way_through(const history *h, uint32_t life, uint32_t write, uint32_t count,
                             uint32_t k)
{
    uint32_t ahead = k > 0 ? k - 1 : 0, back = k + 1 < count ? k + 1 : k;
    rico_vec3 a = past_place(h, life, write, ahead), b = past_place(h, life, write, back);
    while (are_one(a, b) && back + 1 < count)
        b = past_place(h, life, write, ++back);
    while (are_one(a, b) && ahead > 0)
        a = past_place(h, life, write, --ahead);
    return vec3_sub(a, b);
}

static void check_trail(const history *h, uint32_t life, uint32_t write, const rico_eye *eye,
                        const rico_trail_vertex *v)
{
    const uint32_t known = write - h->since[life] + 1, count = known < POINTS ? known : POINTS;
    for (uint32_t k = 0; k < POINTS; ++k) {
        const rico_vec3 place = past_place(h, life, write, k < count ? k : count - 1);
        const rico_vec3 half = vec3_scale(vec3(v[2 * k + 1].position[0] - v[2 * k].position[0],
                                               v[2 * k + 1].position[1] - v[2 * k].position[1],
                                               v[2 * k + 1].position[2] - v[2 * k].position[2]),
                                          0.5f);
        rico_vec3 across = vec3(0.0f, 0.0f, 0.0f);
        if (k < count)
            across = vec3_cross(way_through(h, life, write, count, k),
                                vec3_sub(eye->position, place));
        const float length = vec3_length(across);
        const float wide = 0.1f * (1.0f - (float)k / (float)(POINTS - 1));
        const rico_vec3 want =
            length > 0.0f ? vec3_scale(across, wide / length) : vec3(0.0f, 0.0f, 0.0f);
        for (int a = 0; a < 3; ++a)
            CHECK_MSG(fabsf(v[2 * k].position[a] + (&half.x)[a] - (&place.x)[a]) < 1.0e-5f,
                      "write %u, life %u, point %u is elsewhere", write, life, k);
        CHECK_MSG(vec3_length(vec3_sub(half, want)) < 1.0e-4f,
                  "write %u, life %u, point %u of %u", write, life, k, count);
    }
}

/* Most lives stay. They stand still or go to one of few places, so ways go back and forth. */
static uint32_t step_lives(history *h, uint32_t write, uint32_t *there)
{
    uint32_t count = 0;
    for (uint32_t life = 0; life < LIVES; ++life) {
        const uint32_t random = rico__random_u32(9, life, write);
        const bool was = h->since[life] < WRITES;
        const bool crowd = write / 20 % 2 == 0; /* many come, otherwise none */
        if (random % 16 == 0 || (!was && (random % 16 > (crowd ? 12u : 2u) || !crowd))) {
            h->since[life] = WRITES;
            continue;
        }
        rico_vec3 place = was ? h->place[life][write - 1] : vec3(0.0f, 0.0f, 0.0f);
        if (!was)
            h->since[life] = write;
        if ((random >> 8) % 3 == 0)
            place = vec3((float)(random >> 12 & 1u), (float)(random >> 13 & 1u),
                         0.5f * (float)(random >> 14 & 1u));
        h->place[life][write] = place;
        there[count++] = life;
    }
    return count;
}

TEST(trails, of_whoever_comes_goes_and_stands_still_are_what_a_slow_reference_says)
{
    static history h;
    static rico_trail_vertex vertices[LIVES][2 * POINTS];
    const rico_eye eye = {{3.0f, -7.0f, 5.0f}, {0.0f, 1.0f, 0.0f}};
    rico__memory memory;
    rico__trails trails;
    rico__memory_init(&memory, NULL);
    CHECK_EQ(rico__trails_init(&trails, &memory, LIVES, POINTS), RICO_OK);
    for (uint32_t life = 0; life < LIVES; ++life)
        h.since[life] = WRITES;
    for (uint32_t write = 0; write < WRITES; ++write) {
        uint32_t there[LIVES];
        float p[3][LIVES];
        const uint32_t count = step_lives(&h, write, there);
        for (uint32_t i = 0; i < count; ++i)
            for (int a = 0; a < 3; ++a)
                p[a][i] = (&h.place[there[i]][write].x)[a];
        float age[LIVES];
        for (uint32_t i = 0; i < count; ++i)
            age[i] = (float)write; /* time passes between writes */
        const rico__packed_from from = {
            .px = p[0], .py = p[1], .pz = p[2], .age = age, .constant_size = 0.2f};
        rico__trails_pack(&trails, &from, there, 5, &eye, 0, count, vertices);
        rico__trails_turn(&trails, count);
        for (uint32_t i = 0; i < count; ++i)
            check_trail(&h, there[i], write, &eye, vertices[i]);
    }
    rico__trails_free(&trails, &memory);
}
