/* Makes recipes out of bytes. */
#include "runtime_fuzz.h"

#include <stddef.h>

float fuzz_between(source *s, float lo, float hi)
{
    uint32_t byte = take(s, 1);
    if (byte < 24)
        return lo;
    if (byte < 48)
        return hi;
    return lo + (hi - lo) * (float)(byte - 48) * (1.0f / 207.0f);
}

rico_transform fuzz_place(source *s)
{
    rico_transform t = RICO_TRANSFORM_IDENTITY;
    if (take_below(s, 64) == 63)
        t = take_transform(s);
    else
        for (int k = 0; k < 3; ++k)
            (&t.position.x)[k] = fuzz_between(s, -6.0f, 6.0f);
    if (take_below(s, 3) == 0)
        t.rotation = take_rotation(s);
    return t;
}

/* One draw per statement, here and in all code below. Within one expression the compiler
 * chooses the order of draws, but the same bytes must make the same world everywhere. */
static bool flag(source *s, uint32_t one_in)
{
    return take_below(s, one_in) == one_in - 1;
}

static rico_range range(source *s, float lo, float hi)
{
    rico_range r;
    r.lo = r.hi = fuzz_between(s, lo, hi);
    if (flag(s, 2))
        r.hi = fuzz_between(s, r.lo, hi);
    return r;
}

static rico_curve curve(source *s, float lo, float hi)
{
    rico_curve c = rico_curve_constant(fuzz_between(s, lo, hi));
    c.key_count = 1 + (flag(s, 2) ? take_below(s, 3) : 0);
    for (uint32_t k = 1; k < c.key_count; ++k) {
        c.at[k] = 0.4f * (float)k;
        c.value[k] = fuzz_between(s, lo, hi);
    }
    c.interpolation = (rico_interpolation)take_below(s, RICO_INTERPOLATION_COUNT);
    for (uint32_t k = 0; c.interpolation == RICO_CUBIC && k < c.key_count; ++k) {
        c.slope_in[k] = 4.0f * fuzz_between(s, -hi, hi);
        c.slope_out[k] = 4.0f * fuzz_between(s, -hi, hi);
    }
    return c;
}

static rico_gradient gradient(source *s)
{
    rico_gradient g = rico_gradient_constant(1.0f, 0.5f, 0.25f, 1.0f);
    g.key_count = 1 + (flag(s, 2) ? take_below(s, 3) : 0);
    for (uint32_t k = 1; k < g.key_count; ++k) {
        g.at[k] = 0.3f * (float)k;
        for (int i = 0; i < 4; ++i)
            g.rgba[k][i] = fuzz_between(s, 0.0f, 1.0f);
    }
    g.interpolation = flag(s, 2) ? RICO_SMOOTH : RICO_LINEAR;
    return g;
}

static void make_emission(source *s, rico_recipe *r, const rico_emitter_mesh *mesh)
{
    r->space = (rico_space)(flag(s, 4) ? RICO_SPACE_LOCAL : RICO_SPACE_WORLD);
    r->shape = (rico_emitter_shape)take_below(s, RICO_EMITTER_SHAPE_COUNT);
    r->size = (rico_vec3){0.5f, 0.25f, 0.5f};
    r->surface = flag(s, 2);
    if (r->shape == RICO_EMIT_MESH)
        r->mesh = *mesh;
    r->spread = fuzz_between(s, 0.0f, 1.5f);
    r->rate = fuzz_between(s, 0.0f, 600.0f);
    r->rate_per_metre = flag(s, 4) ? fuzz_between(s, 0.0f, 50.0f) : 0.0f;
    r->burst_count = flag(s, 3) ? take_below(s, 200) : 0;
    r->burst_interval = flag(s, 3) ? 0.1f : 0.0f;
    if (flag(s, 4)) {
        rico_burst *burst = &r->bursts[take_below(s, RICO_MAX_BURSTS)];
        *burst = (rico_burst){.cycles = 1, .interval = 0.1f};
        burst->time = fuzz_between(s, 0.0f, 0.5f);
        burst->count = take_below(s, 60);
        burst->probability = fuzz_between(s, 0.0f, 1.0f);
    }
    r->delay = flag(s, 5) ? fuzz_between(s, 0.0f, 0.3f) : 0.0f;
    r->duration = flag(s, 3) ? fuzz_between(s, 0.05f, 1.0f) : 0.0f;
    r->loops = r->duration > 0.0f ? take_below(s, 3) : 1;
    r->prewarm = flag(s, 12) ? fuzz_between(s, 0.0f, 0.5f) : 0.0f;
    r->speed = range(s, -2.0f, 12.0f);
    r->lifetime = range(s, 0.02f, 2.0f);
    r->inherit_velocity = flag(s, 4) ? fuzz_between(s, -1.0f, 1.0f) : 0.0f;
    r->max_particles = 1 + take(s, 2) % 700;
}

static void make_forces(source *s, rico_recipe *r)
{
    r->gravity.z = flag(s, 6) ? fuzz_between(s, -1000.0f, 1000.0f) : -9.81f;
    r->drag = flag(s, 2) ? fuzz_between(s, 0.0f, 5.0f) : 0.0f;
    if (flag(s, 5))
        r->drag_over_life = curve(s, 0.0f, 4.0f);
    r->drag_quadratic = flag(s, 5) ? fuzz_between(s, 0.0f, 2.0f) : 0.0f;
    if (flag(s, 5))
        r->wind.x = fuzz_between(s, -20.0f, 20.0f);
    r->limit_speed = flag(s, 8) ? fuzz_between(s, 0.0f, 20.0f) : 0.0f;
    r->field_layers = flag(s, 4) ? take(s, 1) : 0;
    if (!flag(s, 4))
        return;
    rico_force *f = &r->forces[take_below(s, RICO_MAX_FORCES)];
    f->kind = (rico_force_kind)take_below(s, RICO_FORCE_KIND_COUNT);
    f->strength = fuzz_between(s, 0.0f, 40.0f);
    f->speed = fuzz_between(s, -10.0f, 10.0f);
    f->reach = flag(s, 2) ? fuzz_between(s, 0.1f, 5.0f) : 0.0f;
    f->world_space = flag(s, 2);
}

static void make_looks(source *s, rico_recipe *r)
{
    r->start_size = range(s, 0.5f, 2.0f);
    r->particle_size = curve(s, 0.0f, 0.2f);
    r->start_color = flag(s, 3) ? gradient(s) : r->start_color;
    r->color = flag(s, 2) ? gradient(s) : r->color;
    r->alpha_over_life = flag(s, 3) ? curve(s, 0.0f, 1.0f) : r->alpha_over_life;
    r->rotation_over_life = flag(s, 4) ? curve(s, -9.0f, 9.0f) : r->rotation_over_life;
    r->start_rotation = flag(s, 4) ? range(s, -3.0f, 3.0f) : r->start_rotation;
    r->spin = flag(s, 4) ? range(s, -9.0f, 9.0f) : r->spin;
    r->start_frame = flag(s, 5) ? range(s, 0.0f, 8.0f) : r->start_frame;
}

static void make_response(source *s, rico_recipe *r)
{
    static const rico_collision_mode modes[] = {
        RICO_COLLIDE_NONE,   RICO_COLLIDE_FIXED,   RICO_COLLIDE_CACHED, RICO_COLLIDE_CACHED,
        RICO_COLLIDE_CACHED, RICO_COLLIDE_CLASSIC, RICO_COLLIDE_EXACT,  RICO_COLLIDE_EXACT};
    r->mode = modes[take_below(s, 8)];
    r->radius = fuzz_between(s, 0.0f, 0.2f);
    r->restitution = fuzz_between(s, 0.0f, 1.0f);
    r->friction = fuzz_between(s, 0.0f, 1.0f);
    r->rest_speed = fuzz_between(s, 0.0f, 1.0f);
    if (flag(s, 4))
        r->on_collision = (rico_on_collision)take_below(s, RICO_ON_COLLISION_COUNT);
    r->rolls = r->on_collision == RICO_ON_COLLISION_BOUNCE && flag(s, 5);
    r->restitution_random = flag(s, 5) ? fuzz_between(s, 0.0f, 1.0f) : 0.0f;
    r->lifetime_loss = flag(s, 6) ? fuzz_between(s, 0.0f, 1.0f) : 0.0f;
    r->kill_below = flag(s, 8) ? fuzz_between(s, 0.0f, 2.0f) : 0.0f;
    r->by_surface = flag(s, 4);
    if (r->mode != RICO_COLLIDE_CLASSIC && flag(s, 4))
        r->ignored_layers = take(s, 1) & 6u;
    r->queries_per_frame = fuzz_between(s, 0.0f, 20.0f);
    r->kill_volumes = flag(s, 3) ? take(s, 2) : 0;
    r->plane_count = r->mode == RICO_COLLIDE_FIXED ? take_below(s, RICO_MAX_PLANES + 1) : 0;
    for (uint32_t i = 0; i < r->plane_count; ++i) {
        r->planes[i] = (rico_plane){{0.0f, 0.0f, 0.0f}, fuzz_between(s, -3.0f, 1.0f)};
        (&r->planes[i].normal.x)[i == 0 ? 2 : take_below(s, 3)] = 1.0f;
    }
}

static void make_output(source *s, rico_recipe *r, const rico_recipe_id *known, uint32_t count)
{
    if (flag(s, 4)) {
        r->hidden = (rico_hidden)take_below(s, RICO_HIDDEN_COUNT);
        r->cull_distance = fuzz_between(s, 0.0f, 10.0f);
        r->lod_distance = fuzz_between(s, 0.0f, 10.0f);
        r->lod_below = fuzz_between(s, 0.0f, 1.0f);
    }
    r->events = flag(s, 3) ? take_below(s, 8) : 0;
    r->particle_ids = flag(s, 3);
    r->births_in_sight = flag(s, 4);
    r->interpolate = flag(s, 3);
    for (uint32_t k = 0; count > 0 && flag(s, 3) && k < RICO_MAX_SUB_EMITTERS; ++k) {
        rico_recipe_id id = known[take_below(s, count)];
        rico_sub_emitter *sub = &r->sub_emitters[k];
        sub->on = id.index1 != 0 ? 1u << take_below(s, 3) : 0;
        sub->recipe = id;
        sub->count = 1 + take_below(s, 5);
        sub->probability = fuzz_between(s, 0.0f, 1.0f);
        sub->min_impact_speed =
            sub->on == RICO_EVENT_BIT_COLLISION && sub->count > 3 ? 1.0f : 0.0f;
        sub->inherit_velocity = fuzz_between(s, -1.0f, 1.0f);
        sub->orientation = (rico_orientation)take_below(s, RICO_ORIENTATION_COUNT);
        sub->inherit_size = sub->count % 2 != 0;
        sub->inherit_color = sub->count > 2;
    }
}

/* Sets one number of the recipe to any bits. */
static void make_odd(source *s, rico_recipe *r)
{
    static const size_t places[] = {
        offsetof(rico_recipe, size.x),
        offsetof(rico_recipe, spread),
        offsetof(rico_recipe, rate),
        offsetof(rico_recipe, rate_per_metre),
        offsetof(rico_recipe, burst_interval),
        offsetof(rico_recipe, delay),
        offsetof(rico_recipe, speed.lo),
        offsetof(rico_recipe, speed.hi),
        offsetof(rico_recipe, lifetime.lo),
        offsetof(rico_recipe, lifetime.hi),
        offsetof(rico_recipe, gravity.x),
        offsetof(rico_recipe, drag),
        offsetof(rico_recipe, drag_quadratic),
        offsetof(rico_recipe, wind.y),
        offsetof(rico_recipe, limit_speed),
        offsetof(rico_recipe, radius),
        offsetof(rico_recipe, rest_speed),
        offsetof(rico_recipe, kill_above),
        offsetof(rico_recipe, planes[0].normal.x),
        offsetof(rico_recipe, cull_distance),
    };
    float odd = take_float(s);
    size_t place = places[take_below(s, sizeof places / sizeof places[0])];
    memcpy((char *)r + place, &odd, sizeof odd);
}

rico_recipe fuzz_recipe(source *s, const rico_recipe_id *known, uint32_t count,
                        const rico_emitter_mesh *mesh)
{
    rico_recipe r = rico_recipe_default();
    make_emission(s, &r, mesh);
    make_forces(s, &r);
    make_looks(s, &r);
    make_response(s, &r);
    make_output(s, &r, known, count);
    if (flag(s, 5))
        make_odd(s, &r);
    return r;
}
