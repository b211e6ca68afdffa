/* The rays that a host is asked for, and its answers, one by one. */
#include "runtime_host.h"

#include "simulate.h"
#include "vec.h"

/* --- A plane that leans to all sides ---------------------------------------------------- */

static const rico_vec3 lean = {0.6f, 0.48f, 0.64f};
static const rico_vec3 above = {4.0f, 5.0f, -6.0f}; /* a metre from it */

typedef struct leaning {
    float offset;
    uint32_t calls;
    rico_vec3 first; /* origin of the first ray of a step */
} leaning;

static void leaning_cast(void *user, const rico_filter *filter, const rico_ray *rays,
                         rico_hit *hits, uint32_t count)
{
    leaning *l = user;
    (void)filter;
    if (l->calls++ == 0)
        l->first = rays[0].origin;
    for (uint32_t i = 0; i < count; ++i) {
        float speed = vec3_dot(lean, rays[i].direction);
        float t = (l->offset - vec3_dot(lean, rays[i].origin)) / speed;
        hits[i] = (rico_hit){.t = rays[i].t_max, .triangle = RICO_NO_TRIANGLE};
        if (t >= 0.0f && t <= rays[i].t_max)
            hits[i] = (rico_hit){.t = t,
                                 .collider = 9,
                                 .triangle = 4,
                                 .surface = 6,
                                 .normal = vec3_scale(lean, speed < 0.0f ? 1.0f : -1.0f)};
    }
}

/* Collision events name nothing in mode classic, and no surface in mode cached. */
static void check_names(const rico_event *e, rico_collision_mode mode)
{
    const bool named = mode != RICO_COLLIDE_CLASSIC;
    CHECK_EQ(e->collider, named ? 9 : 0);
    CHECK_EQ(e->triangle, named ? 4 : RICO_NO_TRIANGLE);
    CHECK_EQ(e->surface, mode == RICO_COLLIDE_EXACT ? 6 : 0);
}

/* The place of the only particle. */
static rico_vec3 only_place(const rico_world *world, rico_effect_id effect)
{
    rico_view v = rico_effect_view(world, effect);
    CHECK(rico_view_next(&v) && v.count == 1);
    return (rico_vec3){v.px[0], v.py[0], v.pz[0]};
}

TEST(host_rays, begin_where_the_particle_is_and_it_bounces_where_they_say)
{
    const rico_collision_mode modes[] = {RICO_COLLIDE_CACHED, RICO_COLLIDE_CLASSIC,
                                         RICO_COLLIDE_EXACT};
    for (int m = 0; m < 3; ++m) {
        leaning l = {.offset = vec3_dot(lean, above) - 1.0f};
        rico_world *world =
            world_on_budget((rico_ray_caster){.cast = leaning_cast, .user = &l}, 1, 16);
        rico_recipe r = rico_recipe_default();
        r.mode = modes[m];
        r.rate = 0.0f;
        r.burst_count = 1;
        r.speed = (rico_range){0.5f, 0.5f};
        r.lifetime = (rico_range){9.0f, 9.0f};
        r.queries_per_frame = 8.0f;
        r.events = RICO_EVENT_BIT_COLLISION;
        rico_effect_id e = rico_effect_spawn(world, rico_world_add_recipe(world, &r),
                                             at(above.x, above.y, above.z));
        uint32_t bounces = 0, asked = 0, count;
        rico_vec3 before = above;
        for (int n = 0; n < 90; ++n) {
            l.calls = 0;
            run_steps(world, 1);
            rico_vec3 place = only_place(world, e);
            /* Rays of a step begin where the step does, those of a path where the path has led. */
            rico_vec3 from = r.mode == RICO_COLLIDE_EXACT ? before : place;
            if (l.calls > 0 && bounces == 0 && n > 0) {
                CHECK_MSG(memcmp(&l.first, &from, sizeof from) == 0,
                          "mode %d step %d: x %g, not %g", (int)r.mode, n, (double)l.first.x,
                          (double)from.x);
                asked += 1;
            }
            before = place;
            const rico_event *events = rico_world_events(world, &count);
            for (uint32_t i = 0; i < count; ++i, ++bounces) {
                float gap = vec3_dot(lean, events[i].position) - l.offset;
                rico_vec3 way = vec3_sub(events[i].position, above);
                CHECK_NEAR(gap, r.radius, 3.0e-3);
                CHECK(vec3_dot(events[i].normal, lean) > 0.999f);
                check_names(&events[i], r.mode);
                CHECK_MSG(bounces > 0 || (fabsf(way.x) < 0.3f && fabsf(way.y) < 0.3f),
                          "mode %d: %g %g", (int)r.mode, (double)way.x, (double)way.y);
            }
        }
        CHECK_MSG(bounces > 0 && asked > 0, "mode %d: %u %u", (int)r.mode, bounces, asked);
        rico_world_destroy(world);
    }
}

/* --- Invalid numbers -------------------------------------------------------------------- */

/* A caster that spoils a third of its hits, or reports these as misses. */
typedef struct spoiling {
    host of;
    bool misses;
    uint32_t spoiled;
} spoiling;

static void spoil(rico_hit *hit, const rico_ray *ray, uint32_t how)
{
    float *const parts[] = {&hit->t, &hit->normal.x, &hit->normal.y, &hit->normal.z};
    if (how < 4)
        *parts[how] = NAN;
    else if (how < 7)
        *parts[how - 3] = how == 5 ? INFINITY : -INFINITY;
    else if (how == 7)
        hit->t = -0.25f;
    else if (how == 8)
        hit->t = INFINITY;
    else if (how == 9)
        hit->t = ray->t_max * 1.001f + 1.0e-3f;
    else
        hit->normal = (rico_vec3){0.0f, 0.0f, 0.0f};
}

static void spoiling_cast(void *user, const rico_filter *filter, const rico_ray *rays,
                          rico_hit *hits, uint32_t count)
{
    spoiling *s = user;
    host_cast(&s->of, filter, rays, hits, count);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t bits[2]; /* from the ray alone, as both worlds ask for the same rays */
        memcpy(bits, &rays[i].origin, sizeof bits);
        uint32_t n = (bits[0] * 2654435761u ^ bits[1] * 40503u) >> 8;
        if (hits[i].collider == 0 || n % 3 != 0)
            continue;
        s->spoiled += 1;
        if (s->misses)
            hits[i] = (rico_hit){.t = rays[i].t_max, .triangle = RICO_NO_TRIANGLE};
        else
            spoil(&hits[i], &rays[i], n / 3 % 11);
    }
}

TEST(host_rays, answers_with_numbers_that_are_none_count_as_misses)
{
    spoiling bad = {.of = ramp_host(HOST_PLAIN)}, missing = {.of = bad.of, .misses = true};
    rico_world *a =
        world_on_budget((rico_ray_caster){.cast = spoiling_cast, .user = &bad}, 1, 256);
    rico_world *b =
        world_on_budget((rico_ray_caster){.cast = spoiling_cast, .user = &missing}, 1, 256);
    const rico_collision_mode modes[] = {RICO_COLLIDE_CACHED, RICO_COLLIDE_CLASSIC,
                                         RICO_COLLIDE_EXACT};
    for (int m = 0; m < 3; ++m) {
        rico_recipe r = ramp_recipe(40.0f);
        r.mode = modes[m];
        rico_effect_spawn(a, rico_world_add_recipe(a, &r), at(1.0f, 0.5f, 1.0f));
        rico_effect_spawn(b, rico_world_add_recipe(b, &r), at(1.0f, 0.5f, 1.0f));
    }
    for (int n = 0; n < 80; ++n) {
        run_steps(a, 1);
        run_steps(b, 1);
        CHECK_MSG(rico_world_hash(a) == rico_world_hash(b), "differs in step %d", n);
    }
    CHECK_MSG(bad.spoiled > 300 && bad.spoiled == missing.spoiled, "%u", bad.spoiled);
    rico_world_destroy(a);
    rico_world_destroy(b);
    rico_scene_destroy(bad.of.scene);
}

/* --- Births -------------------------------------------------------------------------------- */

/* A newborn of mode cached moves for the rest of its step only when its way is known. When one
 * of its numbers is NaN, it must stay where it was born. */
TEST(starts, settle_who_has_a_way_and_leave_who_has_no_number_for_it)
{
    enum { STRIDE = 16 };
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    rico_effect_id e = rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.0f));
    run_steps(world, 1);
    rico__recipe *recipe = &world->recipes[0];
    recipe->stream_floats = STRIDE;
    for (int what = 0; what < 8; ++what) {
        float s[FIELD_COUNT * STRIDE] = {0};
        const float place[3] = {1.0f, 2.0f, 3.0f};
        for (int k = 0; k < 3; ++k)
            s[(FIELD_PX + k) * STRIDE] = place[k];
        s[FIELD_VX * STRIDE] = 2.0f;
        s[FIELD_VZ * STRIDE] = -1.0f;
        s[FIELD_AGE * STRIDE] = 0.01f;
        rico__watch(s, STRIDE, (rico_plane){{0.0f, 0.0f, 1.0f}, what == 1 ? 2.99f : -5.0f},
                    0); /* 1: meets it at once */
        s[FIELD_UNTIL * STRIDE] = what == 2 ? 0.015f : 1.0f;
        rico_vec3 kick = {what == 7 ? NAN : 0.0f, 0.0f, 0.0f};
        if (what >= 3 && what < 6)
            s[(FIELD_VX + what - 3) * STRIDE] = NAN;
        if (what == 6)
            s[FIELD_UNTIL * STRIDE] = NAN;
        rico__birth_settle(world, &world->effects[e.index1 - 1], s, &kick);
        for (int k = 0; k < 3; k += 2)
            CHECK_MSG((s[(FIELD_PX + k) * STRIDE] != place[k]) == (what == 0),
                      "case %d axis %d: %g", what, k, (double)s[(FIELD_PX + k) * STRIDE]);
        CHECK(what != 0 || (s[FIELD_UNTIL * STRIDE] < 1.0f && s[FIELD_VZ * STRIDE] < -1.0f));
        CHECK(what == 0 || what == 2 || what == 6 || s[FIELD_UNTIL * STRIDE] == 1.0f);
    }
    recipe->stream_floats = 0; /* its blocks are not read again */
    rico_world_destroy(world);
}

/* --- Ground that rises --------------------------------------------------------------------- */

static void level_cast(void *user, const rico_filter *filter, const rico_ray *rays,
                       rico_hit *hits, uint32_t count)
{
    const float *level = user;
    (void)filter;
    for (uint32_t i = 0; i < count; ++i) {
        float t = (*level - rays[i].origin.z) / rays[i].direction.z;
        hits[i] = (rico_hit){.t = rays[i].t_max, .triangle = RICO_NO_TRIANGLE};
        if (t >= 0.0f && t <= rays[i].t_max)
            hits[i] =
                (rico_hit){.t = t,
                           .collider = 1,
                           .normal = {0.0f, 0.0f, rays[i].direction.z < 0.0f ? 1.0f : -1.0f}};
    }
}

/* The ground rises by 4 mm in each step, so particles that lie on it are below it when the step
 * begins. The step must put them out. */
TEST(host_rays, put_out_who_lies_on_ground_that_rises)
{
    float level = 0.0f;
    rico_world *world = world_on((rico_ray_caster){.cast = level_cast, .user = &level}, 1);
    rico_recipe recipe = ramp_recipe(1000.0f);
    recipe.rate = 0.0f;
    recipe.burst_count = 100;
    recipe.lifetime = (rico_range){100.0f, 100.0f};
    rico_effect_id effect =
        rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), at(0, 0, 1));
    run_steps(world, 200);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 100);
    for (int i = 0; i < 100; ++i) {
        level += 0.004f;
        CHECK_EQ(rico_world_ray_caster_changed(world), RICO_OK);
        run_steps(world, 1);
    }
    uint32_t below = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            below += v.pz[i] < level;
    CHECK_MSG(below == 0, "%u of 100 are below it", below);
    rico_world_destroy(world);
}
