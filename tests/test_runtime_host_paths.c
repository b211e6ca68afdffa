/* Mode cached on the host's own rays: floors, ramps, walls and edges. */
#include "runtime_host.h"

TEST(host_rays, cached_particles_bounce_off_a_floor_and_a_ramp)
{
    host h = ramp_host(HOST_PLAIN);
    outcome o = run_ramp(at_once(&h), 2, 200.0f);
    check_outcome("at once", &o, 1, 0);
    CHECK(counted(&h.rays) == o.rays && all_requests_were_good(&h));
    rico_scene_destroy(h.scene);
}

TEST(host_rays, cached_particles_do_so_too_with_answers_one_frame_later)
{
    host h = ramp_host(HOST_LAZY);
    outcome o = run_ramp(one_frame_later(&h), 2, 200.0f);
    check_outcome("one frame later", &o, 1, 0);
    CHECK(counted(&h.calls) == h.collects && all_requests_were_good(&h));
    CHECK(counted(&h.calls) <= 180);
    /* Nothing moves between the end of a step and the start of the next, so both results must
     * be equal. */
    host now = ramp_host(HOST_PLAIN);
    outcome at_end = run_ramp(at_once(&now), 2, 200.0f);
    CHECK_EQ(o.bounces, at_end.bounces);
    CHECK_EQ(o.fell, at_end.fell);
    CHECK_EQ(o.sleeping, at_end.sleeping);
    rico_scene_destroy(now.scene);
    rico_scene_destroy(h.scene);
}

TEST(host_rays, answered_every_other_frame_still_hold_particles)
{
    host h = ramp_host(HOST_KEEPS_AWAY);
    outcome o = run_ramp(one_frame_later(&h), 1, 200.0f);
    check_outcome("every other frame", &o, 20, 1);
    rico_scene_destroy(h.scene);
}

TEST(host_rays, of_one_effect_stay_within_its_own_budget)
{
    host h = ramp_host(HOST_PLAIN);
    rico_world *world = world_on(at_once(&h), 1);
    rico_recipe recipe = ramp_recipe(2.5f);
    rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(0, 0, 2));
    uint32_t units = 0;
    for (int i = 1; i <= 100; ++i) {
        run_steps(world, 1);
        units += rico_world_get_stats(world).query_units;
        CHECK((float)units <= 2.5f * (float)i + 1.0f);
    }
    CHECK(units > 200);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
}

/* Particles may use half of the queries that they want. 6.3 % fall, and 1.3 % of the bounces
 * are off the surface. */
TEST(host_rays, that_are_too_few_serve_the_oldest_and_leave_planes_to_others)
{
    host h = ramp_host(HOST_PLAIN);
    outcome o = run_ramp(at_once(&h), 2, 5.0f);
    check_outcome("too few", &o, 70, 14);
    rico_scene_destroy(h.scene);
}

/* A closed room, seen from inside, with corners, edges, walls and a ceiling. */
static host room_host(host_kind kind)
{
    float positions[24];
    for (int k = 0; k < 8; ++k) {
        positions[3 * k] = k & 1 ? 1.5f : -1.5f;
        positions[3 * k + 1] = k & 2 ? 1.5f : -1.5f;
        positions[3 * k + 2] = k & 4 ? 2.5f : 0.0f;
    }
    static const uint32_t indices[] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                       2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    return host_of(&(rico_mesh){.positions = positions,
                                .vertex_count = 8,
                                .indices = indices,
                                .triangle_count = 12},
                   kind);
}

typedef struct inmates {
    uint32_t count, out;
} inmates;

static inmates run_room(rico_recipe recipe, int steps)
{
    host h = room_host(HOST_PLAIN);
    rico_world *world = world_on(at_once(&h), 2);
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    rico_effect_id effect = rico_effect_spawn(world, id, at(0.3f, -0.2f, 1.2f));
    run_steps(world, steps);
    inmates in = {0};
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i, ++in.count)
            in.out += !(fabsf(v.px[i]) < 1.52f && fabsf(v.py[i]) < 1.52f && v.pz[i] > -0.02f &&
                        v.pz[i] < 2.52f);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
    if (getenv("RICO_TEST_SHOW") != NULL)
        fprintf(stderr, "room: %u of %u are outside\n", in.out, in.count);
    return in;
}

/* In corners two planes can be met within one step. A ray of the centre cannot tell both, so a
 * few particles may leave. */
TEST(host_rays, cached_particles_stay_in_a_closed_room)
{
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.spread = 3.14f;
    recipe.friction = 0.05f;
    recipe.lifetime = (rico_range){5.0f, 6.0f};
    inmates in = run_room(recipe, 290);
    CHECK(in.count > 400);
    CHECK_MSG(in.out * 100 <= in.count, "%u of %u are outside", in.out, in.count);
}

/* A chord goes on by the radius, because a ball touches things before its centre is there. What
 * is beyond the end of one chord is met later than what is on the next. */
TEST(host_rays, large_cached_particles_stay_in_a_closed_room)
{
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.radius = 0.1f;
    recipe.spread = 3.14f;
    recipe.lifetime = (rico_range){5.0f, 6.0f};
    inmates in = run_room(recipe, 290);
    CHECK(in.count > 400);
    CHECK_MSG(in.out * 200 <= in.count, "%u of %u are outside", in.out, in.count);
}

TEST(host_rays, cached_particles_that_slide_stop_at_walls)
{
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.spread = 1.57f;
    recipe.speed = (rico_range){1.0f, 3.0f};
    recipe.restitution = 0.0f;
    recipe.friction = 0.0f;
    recipe.lifetime = (rico_range){5.0f, 6.0f};
    for (int point = 0; point < 2; ++point) {
        recipe.radius =
            point ? 0.0f : recipe.radius; /* a point is smaller than gravity's way in a step */
        inmates in = run_room(recipe, 290);
        CHECK(in.count > 400);
        CHECK_MSG(in.out * 100 <= in.count, "%u of %u are outside", in.out, in.count);
    }
}

/* --- The end of a plane ------------------------------------------------------------------- */

#define TABLE_TOP 1.0f

static host table_host(host_kind kind)
{
    const float positions[] = {-9, -9,        0, 9, -9,        0,  9,         9,
                               0,  -9,        9, 0, -1,        -1, TABLE_TOP, 1,
                               -1, TABLE_TOP, 1, 1, TABLE_TOP, -1, 1,         TABLE_TOP};
    const uint32_t indices[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    return host_of(
        &(rico_mesh){
            .positions = positions, .vertex_count = 8, .indices = indices, .triangle_count = 4},
        kind);
}

TEST(host_rays, cached_particles_that_slide_off_a_table_fall)
{
    host h = table_host(HOST_PLAIN);
    rico_world *world = world_on(at_once(&h), 2);
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.shape = RICO_EMIT_SPHERE;
    recipe.size.x = 0.1f;
    recipe.restitution = 0.0f;
    recipe.friction = 0.0f;
    recipe.speed = (rico_range){0.5f, 2.0f};
    rico_effect_id effect = rico_effect_spawn(world, rico_world_add_recipe(world, &recipe),
                                              at(0, 0, TABLE_TOP + 0.2f));
    uint32_t on_table = 0, beyond = 0, seen = 0, through = 0;
    for (int step = 0; step < 200; ++step) {
        run_steps(world, 1);
        rico_view v = rico_effect_view(world, effect);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i, ++seen) {
                bool above = fabsf(v.px[i]) < 1.0f && fabsf(v.py[i]) < 1.0f;
                bool level = fabsf(v.pz[i] - TABLE_TOP) < 0.03f;
                on_table += above && level;
                beyond += !above && level && (fabsf(v.px[i]) > 1.2f || fabsf(v.py[i]) > 1.2f);
                through += v.pz[i] < -0.1f && v.pz[i] > -2.0f;
            }
    }
    CHECK_MSG(on_table > 5000, "%u of %u are on the table", on_table, seen);
    CHECK_MSG(beyond * 200 < on_table, "%u slide on in the air", beyond);
    CHECK_MSG(through * 200 < seen, "%u of %u are under the floor", through, seen);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
}

/* --- A wall on a floor -------------------------------------------------------------------- */

/* A floor with a wall on it; the floor goes on behind the wall. */
static host wall_host(void)
{
    const float positions[] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0,
                               1,  -9, 0, 1, -9, 1, 1, 9, 1, 1,  9, 0};
    const uint32_t indices[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    return host_of(
        &(rico_mesh){
            .positions = positions, .vertex_count = 8, .indices = indices, .triangle_count = 4},
        HOST_PLAIN);
}

static uint32_t count_beyond(const rico_world *world, rico_effect_id effect, float x)
{
    uint32_t beyond = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            beyond += v.px[i] > x;
    return beyond;
}

TEST(host_rays, cached_particles_that_slide_know_no_more_than_up_to_the_wall)
{
    host h = wall_host();
    rico_world *world = world_on(at_once(&h), 1);
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.shape = RICO_EMIT_BOX;
    recipe.size = (rico_vec3){0.0f, 0.5f, 0.5f}; /* the effect's z is the world's x */
    recipe.rate = 0.0f;
    recipe.burst_count = 200;
    recipe.spread = 0.0f;
    recipe.speed = (rico_range){0.5f, 2.0f};
    recipe.restitution = 0.0f;
    recipe.friction = 0.0f;
    rico_transform forward = at(0.0f, 0.0f, 0.02f); /* turns +z to +x */
    forward.rotation = (rico_quat){0.0f, 0.70710678f, 0.0f, 0.70710678f};
    rico_effect_id effect =
        rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), forward);
    for (int step = 0; step < 150; ++step) {
        run_steps(world, 1);
        CHECK_MSG(count_beyond(world, effect, 1.0f) == 0, "%u in step %d",
                  count_beyond(world, effect, 1.0f), step);
    }
    CHECK(count_beyond(world, effect, 0.9f) > 150);
    rico_world_destroy(world);
    rico_scene_destroy(h.scene);
}

/* --- Contacts one by one ---------------------------------------------------------------- */

/* Lets one particle go down the ramp for a second and a half. Returns the query units that it
 * took. */
static uint32_t slide_down(rico_ray_caster caster, rico_recipe recipe, rico_collision_mode mode,
                           rico_vec3 *end)
{
    rico_world *world = world_on(caster, 1);
    recipe.mode = mode;
    rico_effect_id effect =
        rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(10, 0, 4.05f));
    uint32_t units = 0;
    for (int i = 0; i < 90; ++i) {
        run_steps(world, 1);
        units += rico_world_get_stats(world).query_units;
    }
    rico_view v = rico_effect_view(world, effect);
    CHECK(rico_view_next(&v) && v.count == 1);
    *end = (rico_vec3){v.px[0], v.py[0], v.pz[0]};
    rico_world_destroy(world);
    return units;
}

static void check_slide(rico_recipe recipe)
{
    host now = ramp_host(HOST_PLAIN), later = ramp_host(HOST_LAZY);
    rico_vec3 expected, at_now, at_later;
    slide_down(at_once(&now), recipe, RICO_COLLIDE_EXACT, &expected);
    CHECK_MSG(expected.x < 8.5f, "only to %g", (double)expected.x);
    uint32_t units = slide_down(at_once(&now), recipe, RICO_COLLIDE_CACHED, &at_now);
    CHECK_MSG(fabsf(at_now.x - expected.x) < 0.1f && fabsf(at_now.z - expected.z) < 0.06f,
              "it is at %g, %g, not %g, %g", (double)at_now.x, (double)at_now.z,
              (double)expected.x, (double)expected.z);
    CHECK_MSG(units < 45, "%u units", units); /* less than one per step */
    slide_down(one_frame_later(&later), recipe, RICO_COLLIDE_CACHED, &at_later);
    CHECK_NEAR(at_later.x, expected.x, 0.15);
    rico_scene_destroy(now.scene);
    rico_scene_destroy(later.scene);
}

TEST(host_rays, let_those_slide_and_roll_whose_contacts_are_answered_one_by_one)
{
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.rate = 0.0f;
    recipe.burst_count = 1;
    recipe.speed = (rico_range){0.0f, 0.0f};
    recipe.on_collision = RICO_ON_COLLISION_SLIDE;
    check_slide(recipe);
    recipe.on_collision = RICO_ON_COLLISION_BOUNCE;
    recipe.rolls = true;
    recipe.radius = 0.05f;
    recipe.restitution = 0.2f;
    recipe.friction = 0.8f;
    check_slide(recipe);
}

/* --- Gutters ------------------------------------------------------------------------------ */

/* Two sheets along y, 50 degrees steep. A particle cannot rest on one of them alone. */
static host gutter_host(host_kind kind)
{
    const float positions[] = {-1, -2, 1.2f, -1, 2,  1.2f, 0, -2, 0,
                               0,  2,  0,    1,  -2, 1.2f, 1, 2,  1.2f};
    const uint32_t indices[] = {0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4};
    return host_of(
        &(rico_mesh){
            .positions = positions, .vertex_count = 6, .indices = indices, .triangle_count = 4},
        kind);
}

static rico_recipe gutter_recipe(void)
{
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.shape = RICO_EMIT_BOX;
    recipe.size = (rico_vec3){0.5f, 1.0f, 0.1f};
    recipe.rate = 0.0f;
    recipe.burst_count = 200;
    recipe.speed = (rico_range){0.0f, 0.5f};
    recipe.lifetime = (rico_range){100.0f, 100.0f};
    return recipe;
}

static rico_world *gutter_world(rico_ray_caster caster, rico_effect_id *effect)
{
    rico_world *world = world_on(caster, 2);
    rico_recipe recipe = gutter_recipe();
    *effect = rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(0, 0, 1));
    return world;
}

/* Counts particles that are not in the corner, at a height that their radius allows. */
static uint32_t count_out_of_corner(const rico_world *world, rico_effect_id effect)
{
    uint32_t out = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            out += !(fabsf(v.px[i]) < 0.01f && v.pz[i] > 0.0f && v.pz[i] < 0.03f);
    return out;
}

static uint32_t count_still(const rico_world *world, rico_effect_id effect)
{
    uint32_t still = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            still += v.vx[i] == 0.0f && v.vy[i] == 0.0f && v.vz[i] == 0.0f;
    return still;
}

/* The left side of the gutter alone. */
static rico_scene *half_gutter_scene(void)
{
    static const float left[] = {-1, -2, 1.2f, -1, 2, 1.2f, 0, -2, 0, 0, 2, 0};
    static const uint32_t indices[] = {0, 1, 3, 0, 3, 2};
    const rico_mesh mesh = {
        .positions = left, .vertex_count = 4, .indices = indices, .triangle_count = 2};
    return host_of(&mesh, HOST_PLAIN).scene;
}

static void check_rest_in_gutter(host *h, rico_ray_caster caster)
{
    rico_effect_id effect;
    rico_world *world = gutter_world(caster, &effect);
    run_steps(world, 400);
    uint32_t asleep = rico_world_get_stats(world).sleeping;
    CHECK_MSG(asleep >= 198, "%u of 200 sleep", asleep);
    CHECK_EQ(count_still(world, effect), asleep);
    CHECK_MSG(count_out_of_corner(world, effect) <= 2, "%u are elsewhere",
              count_out_of_corner(world, effect));
    CHECK_EQ(rico_world_ray_caster_changed(world), RICO_OK);
    run_steps(world, 100);
    CHECK(rico_world_get_stats(world).sleeping >= 198);
    /* The surface on one side is removed. */
    rico_scene *full = h->scene;
    h->scene = half_gutter_scene();
    CHECK_EQ(rico_world_ray_caster_changed(world), RICO_OK);
    run_steps(world, 30);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 0);
    rico_world_destroy(world);
    rico_scene_destroy(full);
    rico_scene_destroy(h->scene);
}

TEST(host_rays, cached_particles_rest_between_two_slopes_until_one_of_them_goes)
{
    host now = gutter_host(HOST_PLAIN), later = gutter_host(HOST_LAZY);
    check_rest_in_gutter(&now, at_once(&now));
    check_rest_in_gutter(&later, one_frame_later(&later));
}

/* --- What happens between steps ----------------------------------------------------------- */

/* Particles are thrown at the walls and the ceiling of a room, where they stop. They must stay
 * when the host reports changes but nothing was removed. */
static void check_stay(rico_on_collision how, rico_ray_caster caster)
{
    rico_world *world = world_on(caster, 2);
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.rate = 0.0f;
    recipe.burst_count = 200;
    recipe.spread = 3.14f;
    recipe.speed = (rico_range){6.0f, 6.0f};
    recipe.lifetime = (rico_range){100.0f, 100.0f};
    recipe.on_collision = how;
    rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(0.0f, 0.0f, 1.2f));
    run_steps(world, 120);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 200);
    for (int i = 0; i < 3; ++i) {
        CHECK_EQ(rico_world_ray_caster_changed(world), RICO_OK);
        run_steps(world, 3);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 200);
    }
    rico_world_destroy(world);
}

TEST(host_rays, leave_who_stopped_or_sticks_where_it_is_when_nothing_has_gone)
{
    host now = room_host(HOST_PLAIN), later = room_host(HOST_LAZY);
    check_stay(RICO_ON_COLLISION_STOP, at_once(&now));
    check_stay(RICO_ON_COLLISION_STOP, one_frame_later(&later));
    check_stay(RICO_ON_COLLISION_STICK, at_once(&now));
    check_stay(RICO_ON_COLLISION_STICK, one_frame_later(&later));
    rico_scene_destroy(now.scene);
    rico_scene_destroy(later.scene);
}

/* Particles stick to both sides of a gutter, and one side is removed. Returns how many are left
 * on each side. */
static void stick_in_gutter(host *h, rico_ray_caster caster, uint32_t budget, uint32_t on[2])
{
    rico_world *world = world_on_budget(caster, 2, budget);
    rico_recipe recipe = gutter_recipe();
    recipe.on_collision = RICO_ON_COLLISION_STICK;
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    rico_effect_id effect = rico_effect_spawn(world, id, at(0, 0, 1));
    run_steps(world, 120);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 200);
    /* Only gravity changes here, and no surface goes. */
    recipe.gravity.z = -5.0f;
    CHECK_EQ(rico_world_change_recipe(world, id, &recipe), RICO_OK);
    run_steps(world, 6);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 200);
    rico_scene *full = h->scene;
    h->scene = half_gutter_scene();
    CHECK_EQ(rico_world_ray_caster_changed(world), RICO_OK);
    run_steps(world, 30);
    on[0] = on[1] = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            on[v.px[i] > 0.0f] += v.vz[i] == 0.0f;
    CHECK_EQ(rico_world_get_stats(world).sleeping, on[0] + on[1]);
    rico_world_destroy(world);
    rico_scene_destroy(h->scene);
    h->scene = full;
}

TEST(host_rays, let_those_fall_who_stuck_to_what_has_gone_and_nobody_else)
{
    host now = gutter_host(HOST_PLAIN), later = gutter_host(HOST_LAZY);
    uint32_t at_once_on[2], later_on[2], few_on[2];
    stick_in_gutter(&now, at_once(&now), 2048, at_once_on);
    stick_in_gutter(&later, one_frame_later(&later), 2048, later_on);
    CHECK(at_once_on[0] > 80 && at_once_on[1] == 0);
    CHECK(later_on[0] == at_once_on[0] && later_on[1] == 0);
    /* With few queries, particles that wait longer hang on meanwhile. */
    stick_in_gutter(&later, one_frame_later(&later), 50, few_on);
    CHECK(few_on[0] > 80 && few_on[1] == 0);
    rico_scene_destroy(now.scene);
    rico_scene_destroy(later.scene);
}

/* Returns how many of 200 particles fall through. Their local-space effect moves by a
 * millimetre in each step. */
static uint32_t fall_beside_a_mover(rico_ray_caster caster)
{
    rico_world *world = world_on(caster, 1);
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.space = RICO_SPACE_LOCAL;
    recipe.rate = 0.0f;
    recipe.burst_count = 200;
    recipe.lifetime = (rico_range){100.0f, 100.0f};
    rico_effect_id effect =
        rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(-6.0f, 0.0f, 1.0f));
    for (int i = 1; i <= 180; ++i) {
        CHECK_EQ(rico_effect_move(world, effect, at(0.001f * (float)i - 6.0f, 0.0f, 1.0f)),
                 RICO_OK);
        run_steps(world, 1);
    }
    uint32_t below = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            below += v.pz[i] < -0.1f && fabsf(v.px[i]) < 13.0f && fabsf(v.py[i]) < 13.0f;
    rico_world_destroy(world);
    return below;
}

TEST(host_rays, hold_particles_that_go_along_with_their_effect_in_each_step)
{
    host now = ramp_host(HOST_PLAIN), later = ramp_host(HOST_LAZY);
    CHECK_EQ(fall_beside_a_mover(at_once(&now)), 0);
    CHECK_EQ(fall_beside_a_mover(one_frame_later(&later)), 0);
    rico_scene_destroy(now.scene);
    rico_scene_destroy(later.scene);
}

/* Gravity changes before every step. Returns the number of bounces. */
static uint32_t bounce_while_edited(rico_ray_caster caster)
{
    rico_world *world = world_on(caster, 1);
    rico_recipe recipe = ramp_recipe(1000.0f);
    rico_recipe_id id = rico_world_add_recipe(world, &recipe);
    rico_effect_spawn(world, id, at(0.0f, 0.0f, 2.0f));
    uint32_t bounces = 0;
    for (int i = 0; i < 120; ++i) {
        recipe.gravity.z = i % 2 == 0 ? -9.0f : -11.0f;
        CHECK_EQ(rico_world_change_recipe(world, id, &recipe), RICO_OK);
        run_steps(world, 1);
        bounces += rico_world_get_stats(world).bounces;
    }
    rico_world_destroy(world);
    return bounces;
}

TEST(host_rays, are_answered_for_the_course_that_was_asked_about)
{
    host now = ramp_host(HOST_PLAIN), later = ramp_host(HOST_LAZY);
    uint32_t bounces = bounce_while_edited(at_once(&now));
    CHECK(bounces > 100);
    CHECK_EQ(bounce_while_edited(one_frame_later(&later)), bounces);
    rico_scene_destroy(now.scene);
    rico_scene_destroy(later.scene);
}
