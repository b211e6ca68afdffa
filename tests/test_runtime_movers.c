/* Moving colliders: particles ride on them, are pushed by them and do not pass through them. */
#include "runtime_movers.h"

static bool rides(const rico_view *v, uint32_t i, const void *user)
{
    const rico_transform *t = user;
    return fabsf(v->pz[i] - t->position.z - 0.1f) < 0.02f &&
           fabsf(v->px[i] - t->position.x) < 2.9f && fabsf(v->py[i] - t->position.y) < 2.9f;
}

TEST(movers, carry_who_lands_on_them)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_collider_id floor = add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
        rico_collider_id platform = add_box(world, 2.0f, 2.0f, 0.1f, lift(0));
        rico_effect_id e = drop_grains(world, modes[m], 200, 0.5f, at(0.0f, 0.0f, 1.9f));
        CHECK(floor.index1 != 0);
        for (int frame = 1; frame <= 600; ++frame) {
            move_to(world, platform, lift(frame));
            rico_world_step(world, DT);
        }
        rico_transform end = lift(600);
        CHECK_EQ(count_grains(world, e, rides, &end), 200);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 200);
        rico_world_destroy(world);
    }
}

/* More movers are near a block than it lists: posts all around and, last, the one that carries
 * the grains. */
TEST(movers, carry_as_well_among_many)
{
    enum { POSTS = 48 };
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
        rico_collider_id bodies[POSTS + 1];
        rico_motion motions[POSTS + 1] = {{.transform = RICO_TRANSFORM_IDENTITY}};
        for (int i = 0; i <= POSTS; ++i)
            bodies[i] = i < POSTS ? add_box(world, 0.01f, 0.01f, 0.3f, at(0.0f, 0.0f, 9.0f))
                                  : add_box(world, 2.0f, 2.0f, 0.1f, at(0.0f, 0.0f, 0.8f));
        rico_effect_id e = drop_grains(world, modes[m], 200, 1.0f, at(0.0f, 0.0f, 1.9f));
        for (int frame = 1; frame <= 240; ++frame) {
            float by = 0.2f * sinf(0.05f * (float)frame);
            for (int i = 0; i < POSTS; ++i)
                motions[i].transform = at(0.3f * (float)(i % 7) - 0.9f + 0.01f * by,
                                          0.3f * (float)(i / 7) - 0.9f, 1.4f + by);
            motions[POSTS].transform = at(0.0f, 0.0f, 0.8f + by);
            CHECK_EQ(rico_world_move_colliders(world, bodies, motions, POSTS + 1), RICO_OK);
            rico_world_step(world, DT);
        }
        float height = 0.8f + 0.2f * sinf(12.0f);
        CHECK_EQ(count_grains(world, e, is_above, &height), 200);
        rico_world_destroy(world);
    }
}

/* One plate hits a grain so hard that it reaches a second plate, which was out of its reach
 * when the step began. */
TEST(movers, meet_whom_another_one_has_pushed_to_them)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_collider_id bat = add_box(world, 0.05f, 1.0f, 1.0f, at(-0.2f, 0.0f, 0.0f));
        rico_collider_id plate = add_box(world, 0.05f, 1.0f, 1.0f, at(0.65f, 0.0f, 0.0f));
        rico_effect_id e = place_grain(world, modes[m]);
        for (int frame = 1; frame <= 20; ++frame) {
            move_to(world, bat, at(frame > 2 ? 0.4f : -0.2f, 0.0f, 0.0f));
            move_to(world, plate, at(0.65f, 0.001f * (float)frame, 0.0f));
            rico_world_step(world, DT);
        }
        float between = 0.45f, beyond = 0.6f;
        CHECK_EQ(count_grains(world, e, is_beyond, &between), 1);
        CHECK_EQ(count_grains(world, e, is_beyond, &beyond), 0);
        rico_world_destroy(world);
    }
}

TEST(movers, let_who_rests_fall_when_they_are_put_elsewhere_or_go)
{
    for (int m = 0; m < 2; ++m)
        for (int removes = 0; removes < 2; ++removes) {
            rico_world *world = bare_world(1);
            add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
            rico_collider_id platform = add_box(world, 2.0f, 2.0f, 0.1f, lift(0));
            rico_effect_id e = drop_grains(world, modes[m], 50, 0.5f, at(0.0f, 0.0f, 1.7f));
            for (int frame = 1; frame <= 120; ++frame) {
                move_to(world, platform, lift(frame));
                rico_world_step(world, DT);
            }
            float half = 0.5f;
            CHECK_EQ(count_grains(world, e, is_above, &half), 50);
            rico_motion away = {.transform = at(50.0f, 0.0f, 0.0f)};
            if (removes != 0)
                CHECK_EQ(rico_world_remove_collider(world, platform), RICO_OK);
            else
                CHECK_EQ(rico_world_place_colliders(world, &platform, &away, 1), RICO_OK);
            run_steps(world, 240);
            CHECK_EQ(count_grains(world, e, is_above, &half), 0);
            float under = 0.0f;
            CHECK_EQ(count_grains(world, e, is_above, &under), 50);
            rico_world_destroy(world);
        }
}

static float mean_height(rico_world *world, rico_effect_id e)
{
    double sum = 0.0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            sum += (double)v.pz[i];
    return (float)(sum / (double)rico_effect_particle_count(world, e));
}

TEST(movers, let_who_rests_slide_once_they_are_tilted_too_far)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_collider_id box = add_box(world, 2.0f, 2.0f, 0.1f, at(0.0f, 0.0f, 0.0f));
        rico_effect_id e = drop_grains(world, modes[m], 50, 0.5f, at(0.0f, 0.0f, 0.4f));
        for (int frame = 0; frame < 120; ++frame) {
            move_to(world, box, at(0.0f, 0.0f, 0.0f));
            rico_world_step(world, DT);
        }
        CHECK_EQ(rico_world_get_stats(world).sleeping, 50);
        rico_transform tilted = at(0.0f, 0.0f, 0.0f); /* by 60 degrees, around y */
        tilted.rotation = (rico_quat){0.0f, 0.5f, 0.0f, 0.8660254f};
        move_to(world, box, tilted);
        run_steps(world, 2);
        float before = mean_height(world, e);
        run_steps(world, 50);
        CHECK_MSG(mean_height(world, e) < before - 0.5f, "mode %d: %g, then %g", m,
                  (double)before, (double)mean_height(world, e));
        rico_world_destroy(world);
    }
}

/* A wall sweeps along the floor, `step` metres per frame, over grains at rest. It must push all
 * of them. */
static void sweep(rico_collision_mode mode, float step)
{
    rico_world *world = bare_world(1);
    add_box(world, 40.0f, 3.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
    rico_collider_id wall = add_box(world, 0.05f, 2.5f, 2.0f, at(-3.0f, 0.0f, 2.0f));
    rico_effect_id e = drop_grains(world, mode, 200, 0.8f, at(0.0f, 0.0f, 0.3f));
    run_steps(world, 120);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 200);
    for (float x = -3.0f; x < 2.0f; x += step) {
        move_to(world, wall, at(x + step, 0.0f, 2.0f));
        rico_world_step(world, DT);
        float face = x + step + 0.05f;
        CHECK_MSG(count_grains(world, e, is_beyond, &face) == 200,
                  "mode %d at %g: %u of 200 in front of %g", (int)mode, (double)step,
                  count_grains(world, e, is_beyond, &face), (double)face);
    }
    float floor = 0.0f;
    CHECK_EQ(count_grains(world, e, is_above, &floor), 200);
    rico_world_destroy(world);
}

TEST(movers, push_what_is_in_their_way_at_any_speed)
{
    for (int m = 0; m < 2; ++m) {
        sweep(modes[m], 0.01f);
        sweep(modes[m], 0.1f);
        sweep(modes[m], 0.7f);
    }
}

/* Ten grains are born in each frame at the same place, which the wall passes in one of the
 * frames. */
static void sweep_births(rico_collision_mode mode, float speed, bool dies)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    r.speed = (rico_range){0.0f, speed};
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.rate = 600.0f;
    r.max_particles = 200;
    if (dies)
        r.on_collision = RICO_ON_COLLISION_DIE;
    rico_world *world = bare_world(1);
    const float step = 0.7f, half = 0.05f, start = -2.4f;
    rico_collider_id wall = add_box(world, half, 8.0f, 8.0f, at(start, 0.0f, 0.0f));
    rico_effect_id e =
        rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 0.0f));
    float x = start;
    uint32_t deaths = 0;
    for (int frame = 0; frame < 8; ++frame, x += step) {
        move_to(world, wall, at(x + step, 0.0f, 0.0f));
        rico_world_step(world, DT);
        deaths += rico_world_get_stats(world).deaths;
    }
    float face = x + half, frames = (-half - start) / step;
    uint32_t before = (uint32_t)(10.0f * frames);
    uint32_t ahead = count_grains(world, e, is_beyond, &face);
    uint32_t met = dies ? deaths : ahead;
    CHECK_MSG(met >= before - 1 && met <= before + 2, "mode %d: the wall met %u, not %u",
              (int)mode, met, before);
    CHECK_EQ(rico_effect_particle_count(world, e) + deaths, 80);
    rico_world_destroy(world);
}

TEST(movers, take_along_who_is_born_in_their_way)
{
    for (int m = 0; m < 2; ++m) {
        sweep_births(modes[m], 0.0f, false);
        sweep_births(modes[m], 0.5f, false);
        sweep_births(modes[m], 0.0f, true);
    }
}

typedef struct moving_frame {
    rico_transform t;
    float half[3];
} moving_frame;

static bool is_inside(const rico_view *v, uint32_t i, const void *user)
{
    const moving_frame *f = user;
    float c = 1.0f - 2.0f * f->t.rotation.z * f->t.rotation.z;
    float s = 2.0f * f->t.rotation.z * f->t.rotation.w;
    float x = v->px[i] - f->t.position.x, y = v->py[i] - f->t.position.y;
    return fabsf(c * x + s * y) < f->half[0] && fabsf(c * y - s * x) < f->half[1] &&
           fabsf(v->pz[i] - f->t.position.z) < f->half[2];
}

TEST(movers, let_nothing_into_a_body_that_turns_fast)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        add_box(world, 6.0f, 6.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
        rico_collider_id fan = add_box(world, 1.5f, 0.1f, 1.0f, at(0.0f, 0.0f, 1.1f));
        rico_effect_id e = drop_grains(world, modes[m], 300, 2.0f, at(0.0f, 0.0f, 2.5f));
        for (int frame = 1; frame <= 300; ++frame) {
            moving_frame f = {turned(0.0f, 0.0f, 1.1f, (float)frame * 0.3f),
                              {1.5f, 0.1f, 1.0f}};
            move_to(world, fan, f.t);
            rico_world_step(world, DT);
            CHECK_MSG(count_grains(world, e, is_inside, &f) == 0, "mode %d frame %d: %u inside",
                      (int)modes[m], frame, count_grains(world, e, is_inside, &f));
        }
        rico_world_destroy(world);
    }
}

/* A grain without gravity is at rest, and a wall comes at 2 m/s. It must fly off with the
 * wall's speed and half as much again. */
TEST(movers, give_their_speed_to_what_they_hit)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_collider_id wall = add_box(world, 0.1f, 1.0f, 1.0f, at(-0.3f, 0.0f, 0.0f));
        rico_effect_id e = place_grain(world, modes[m]);
        for (int frame = 1; frame <= 12; ++frame) {
            move_to(world, wall, at(-0.3f + 2.0f * DT * (float)frame, 0.0f, 0.0f));
            rico_world_step(world, DT);
        }
        rico_view v = rico_effect_view(world, e);
        CHECK(rico_view_next(&v));
        CHECK_NEAR(v.vx[0], 3.0f, 0.01f);
        CHECK_NEAR(v.vy[0], 0.0f, 0.001f);
        rico_world_destroy(world);
    }
}

/* A wall comes slowly while a grain flies along it fast. They must meet at the grain's radius,
 * not at its centre. */
TEST(movers, keep_their_distance_to_what_slides_along_them)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_collider_id wall = add_box(world, 0.1f, 3.0f, 3.0f, at(-0.13f, 0.0f, 0.0f));
        rico_recipe r = rico_recipe_default();
        r.mode = modes[m];
        r.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
        r.speed = (rico_range){3.0f, 3.0f};
        r.spread = 0.0f;
        r.lifetime = (rico_range){60.0f, 60.0f};
        r.rate = 0.0f;
        r.burst_count = 1;
        r.restitution = 0.0f;
        r.friction = 0.0f;
        rico_effect_id e =
            rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, -2.5f));
        for (int frame = 1; frame <= 60; ++frame) {
            float x = -0.13f + 0.1f * DT * (float)frame;
            move_to(world, wall, at(x, 0.0f, 0.0f));
            rico_world_step(world, DT);
            rico_view v = rico_effect_view(world, e);
            CHECK(rico_view_next(&v));
            CHECK_MSG(v.px[0] - x - 0.1f > 0.0098f, "frame %d: %g m", frame,
                      (double)(v.px[0] - x - 0.1f));
        }
        rico_world_destroy(world);
    }
}

/* A sum that changes with any bit of an effect's particles. */
static double sum_of(rico_world *world, rico_effect_id e)
{
    double sum = 0.0;
    uint32_t n = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            sum += (double)(++n) * ((double)v.px[i] + 3.0 * (double)v.py[i] +
                                    7.0 * (double)v.pz[i] + (double)v.vx[i]);
    return sum;
}

TEST(movers, do_not_change_what_is_far_from_them)
{
    for (int m = 0; m < 2; ++m) {
        double sum[2];
        for (int moves = 0; moves < 2; ++moves) {
            rico_world *world = small_world(1, true);
            rico_collider_id box = add_box(world, 0.3f, 0.3f, 0.3f, at(8.0f, 8.0f, 3.0f));
            rico_effect_id e = drop_grains(world, modes[m], 300, 2.0f, at(-5.0f, -5.0f, 2.0f));
            for (int frame = 1; frame <= 100; ++frame) {
                if (moves != 0)
                    move_to(world, box, turned(8.0f, 8.0f, 3.0f, 0.05f * (float)frame));
                rico_world_step(world, DT);
            }
            sum[moves] = sum_of(world, e);
            rico_world_destroy(world);
        }
        CHECK(sum[0] == sum[1]);
    }
}

/* --- Shapes ------------------------------------------------------------------------------- */

static void define_shape(rico_shape_def *def, rico_shape_kind kind, float *memory)
{
    static const uint32_t quad[6] = {0, 1, 2, 0, 2, 3};
    const float corners[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    *def = rico_shape_def_default();
    def->kind = kind;
    def->half_size = (rico_vec3){1.0f, 1.0f, 0.3f};
    def->radius = 1.0f;
    def->half_length = 0.5f;
    memcpy(memory, corners, sizeof corners);
    def->mesh = (rico_mesh){
        .positions = memory, .vertex_count = 4, .indices = quad, .triangle_count = 2};
    if (kind == RICO_SHAPE_HEIGHT_FIELD) {
        memset(memory, 0, 9 * sizeof *memory);
        def->height_field = (rico_height_field){memory, 3, 3, 1.0f, 1.0f};
    }
    if (kind == RICO_SHAPE_HULL) {
        for (int i = 0; i < 4; ++i) {
            memory[12 + 3 * i] = corners[3 * i];
            memory[13 + 3 * i] = corners[3 * i + 1];
            memory[14 + 3 * i] = -0.5f;
        }
        def->hull = (rico_hull){memory, 8};
    }
}

static bool has_bounced(const rico_view *v, uint32_t i, const void *user)
{
    return v->pz[i] > *(const float *)user && v->vz[i] > -1.5f;
}

/* Grains fall from half a metre on the middle of the shape. After half a second all must have
 * met it. */
static void fall_on(rico_collision_mode mode, rico_shape_kind kind, bool moves)
{
    static const float tops[] = {0.0f, 0.0f, 0.0f, 0.3f, 1.0f, 1.5f, 0.0f};
    rico_world *world = bare_world(1);
    rico_shape_def def;
    rico_shape_id shape;
    float memory[24], top = tops[kind] - 0.3f, drift = 0.0f;
    define_shape(&def, kind, memory);
    CHECK_EQ(rico_world_add_shape(world, &def, NULL, &shape), RICO_OK);
    float corner = kind == RICO_SHAPE_HEIGHT_FIELD ? -1.0f : 0.0f;
    rico_collider_id id = place_shape(world, shape, at(corner, corner, 0.0f));
    rico_effect_id e = drop_grains(world, mode, 20, 0.1f, at(0.0f, 0.0f, tops[kind] + 0.4f));
    for (int frame = 1; frame <= 25; ++frame) {
        drift += moves ? 0.002f : 0.0f;
        if (moves)
            move_to(world, id, at(corner + drift, corner, 0.0f));
        rico_world_step(world, DT);
    }
    CHECK_MSG(count_grains(world, e, has_bounced, &top) == 20, "kind %d mode %d moves %d: %u",
              (int)kind, (int)mode, moves, count_grains(world, e, has_bounced, &top));
    CHECK_EQ(rico_world_remove_shape(world, shape), RICO_IN_USE);
    CHECK_EQ(rico_world_remove_collider(world, id), RICO_OK);
    CHECK_EQ(rico_world_remove_shape(world, shape), RICO_OK);
    rico_world_destroy(world);
}

TEST(movers, may_have_any_shape)
{
    for (int kind = RICO_SHAPE_MESH; kind <= RICO_SHAPE_PLANE; ++kind)
        for (int m = 0; m < 2; ++m) {
            fall_on(modes[m], (rico_shape_kind)kind, false);
            fall_on(modes[m], (rico_shape_kind)kind, true);
        }
}

/* --- Rest --------------------------------------------------------------------------------- */

TEST(movers, stand_still_again_after_a_second)
{
    rico_world *world = bare_world(1);
    rico_collider_id box = add_box(world, 1.0f, 1.0f, 0.1f, at(0.0f, 0.0f, 0.0f));
    rico_effect_id e = drop_grains(world, RICO_COLLIDE_CACHED, 50, 0.5f, at(0.0f, 0.0f, 0.5f));
    for (int frame = 1; frame <= 90; ++frame) {
        move_to(world, box, at(0.003f * (float)frame, 0.0f, 0.0f));
        rico_world_step(world, DT);
    }
    CHECK_EQ(world->movers.count, 1);
    run_steps(world, (int)RICO__MOVER_PATIENCE + 1);
    CHECK_EQ(world->movers.count, 0);
    float under = 0.0f;
    CHECK_EQ(count_grains(world, e, is_above, &under), 50);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 50);
    /* They move again, with all that rests on them. */
    for (int frame = 1; frame <= 90; ++frame) {
        move_to(world, box, at(0.27f + 0.003f * (float)frame, 0.0f, 0.0f));
        rico_world_step(world, DT);
    }
    CHECK_EQ(world->movers.count, 1);
    CHECK_EQ(count_grains(world, e, is_above, &under), 50);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 50);
    rico_world_destroy(world);
}

/* Grains on a platform that goes up. With `twice`, each call first moves it elsewhere; the last
 * motion must count. */
static uint64_t hash_of_told(bool twice, bool places)
{
    rico_world *world = bare_world(1);
    rico_collider_id platform = add_box(world, 2.0f, 2.0f, 0.1f, at(0.0f, 0.0f, 0.0f));
    rico_effect_id e = drop_grains(world, RICO_COLLIDE_EXACT, 50, 0.5f, at(0.0f, 0.0f, 1.0f));
    for (int frame = 1; frame <= 60; ++frame) {
        const float height = 0.002f * (float)frame;
        const rico_collider_id ids[2] = {platform, platform};
        const rico_motion motions[2] = {{.transform = at(-7.0f, 0.0f, 0.3f)},
                                        {.transform = at(0.0f, 0.0f, height)}};
        const int first = twice ? 0 : 1;
        CHECK_EQ((places ? rico_world_place_colliders : rico_world_move_colliders)(
                     world, ids + first, motions + first, (uint32_t)(2 - first)),
                 RICO_OK);
        rico_world_step(world, DT);
    }
    CHECK_EQ(rico_effect_particle_count(world, e), 50);
    uint64_t hash = rico_world_hash(world);
    rico_world_destroy(world);
    return hash;
}

TEST(movers, that_are_told_twice_go_where_they_were_told_last)
{
    for (int places = 0; places < 2; ++places)
        CHECK(hash_of_told(true, places) == hash_of_told(false, places));
}

/* --- No rider is taken into anything ---------------------------------------------------- */

typedef struct limit {
    int axis;
    float most, sign; /* limit of sign times the coordinate */
} limit;

static bool is_past(const rico_view *v, uint32_t i, const void *user)
{
    const limit *l = user;
    const float *of[3] = {v->px, v->py, v->pz};
    return of[l->axis][i] * l->sign > l->most;
}

static void check_ride_ends(rico_collision_mode mode, bool baked, const limit *l)
{
    rico_world *world = bare_world(1);
    add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, -0.1f));
    add_box(world, 0.1f, 5.0f, 3.0f, at(1.6f, 0.0f, 3.0f));
    add_box(world, 5.0f, 5.0f, 0.1f, at(0.0f, 0.0f, 2.6f));
    rico_collider_id platform = add_box(world, 1.0f, 1.0f, 0.1f, at(0.0f, 0.0f, 0.8f));
    if (baked)
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
    rico_effect_id e = drop_grains(world, mode, 100, 0.4f, at(0.0f, 0.0f, 1.2f));
    run_steps(world, 150);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 100);
    for (int frame = 1; frame <= 150; ++frame) {
        float to[3] = {0.0f, 0.0f, 0.8f};
        to[l->axis] += 0.02f * l->sign * (float)frame;
        move_to(world, platform, at(to[0], to[1], to[2]));
        rico_world_step(world, DT);
    }
    CHECK_MSG(count_grains(world, e, is_past, l) == 0, "%u of 100 are beyond %g, mode %d",
              count_grains(world, e, is_past, l), (double)(l->most * l->sign), (int)mode);
    rico_world_destroy(world);
}

/* The platform takes grains down to the floor, along to a wall and up to a ceiling. Where
 * nothing is baked, no records exist around resting grains. */
TEST(movers, leave_who_rides_in_front_of_what_stands_still)
{
    static const limit limits[] = {{2, 0.001f, -1.0f}, {0, 1.5f, 1.0f}, {2, 2.5f, 1.0f}};
    for (int m = 0; m < 2; ++m)
        for (int baked = 0; baked < 2; ++baked)
            for (int k = 0; k < 3; ++k)
                check_ride_ends(modes[m], baked, &limits[k]);
}

static rico_transform scaled(float x, float y, float z, float scale)
{
    rico_transform t = at(x, y, z);
    t.scale = scale;
    return t;
}

static bool is_at_height(const rico_view *v, uint32_t i, const void *user)
{
    return fabsf(v->pz[i] - *(const float *)user) < 0.001f;
}

TEST(movers, carry_who_rests_on_them_while_they_grow_and_shrink)
{
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_collider_id box = add_box(world, 1.0f, 1.0f, 0.5f, at(0.0f, 0.0f, 0.0f));
        rico_effect_id e = drop_grains(world, modes[m], 100, 0.4f, at(0.0f, 0.0f, 0.8f));
        run_steps(world, 120);
        for (int frame = 1; frame <= 180; ++frame) {
            float scale =
                frame <= 60 ? 1.0f + 0.01f * (float)frame : 1.6f - 0.01f * (float)(frame - 60);
            move_to(world, box, scaled(0.0f, 0.0f, 0.0f, scale));
            rico_world_step(world, DT);
            float height = 0.5f * scale + 0.01f;
            CHECK_EQ(count_grains(world, e, is_at_height, &height), 100);
        }
        rico_world_destroy(world);
    }
}

TEST(movers, push_what_is_in_their_way_by_growing)
{
    const float face = 1.0f - 0.5f * 3.0f + 0.001f;
    for (int m = 0; m < 2; ++m) {
        rico_world *world = bare_world(1);
        rico_collider_id box = add_box(world, 0.5f, 0.5f, 0.5f, at(1.0f, 0.0f, 0.0f));
        rico_effect_id e = place_grain(world, modes[m]);
        run_steps(world, 2);
        for (int frame = 1; frame <= 40; ++frame) {
            move_to(world, box, scaled(1.0f, 0.0f, 0.0f, 1.0f + 0.05f * (float)frame));
            rico_world_step(world, DT);
        }
        CHECK_EQ(count_grains(world, e, is_beyond, &face), 0);
        rico_world_destroy(world);
    }
}
