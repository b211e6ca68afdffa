/* runtime_looks.h - parents whose births inherit size and colour, and what these births should
 * look like. */
#ifndef RICO_TESTS_RUNTIME_LOOKS_H
#define RICO_TESTS_RUNTIME_LOOKS_H

#include "runtime_firework.h"

#define DT (1.0f / 60.0f)
#define MOST 8192u

/* How a particle is drawn: its size in metres, its colour in bytes. */
typedef struct drawn {
    double size, rgba[4];
    bool known;
} drawn;

static inline double between(double a, double b, double u)
{
    return a + (b - a) * u;
}

/* The look of a recipe whose curves are straight lines over life, at share u of life, by its
 * curves alone. */
static inline drawn at_share(const rico_recipe *r, double u)
{
    const rico_curve *size = &r->particle_size, *alpha = &r->alpha_over_life;
    const uint32_t s = size->key_count - 1, a = alpha->key_count - 1,
                   c = r->color.key_count - 1;
    drawn d = {.size = between((double)size->value[0], (double)size->value[s], u)};
    for (int k = 0; k < 4; ++k)
        d.rgba[k] =
            255.0 * between((double)r->color.rgba[0][k], (double)r->color.rgba[c][k], u);
    d.rgba[3] *= between((double)alpha->value[0], (double)alpha->value[a], u);
    d.known = true;
    return d;
}

static inline drawn times(drawn a, drawn b)
{
    drawn d = {.size = a.size * b.size, .known = a.known && b.known};
    for (int k = 0; k < 4; ++k)
        d.rgba[k] = a.rgba[k] * b.rgba[k] / 255.0;
    return d;
}

static inline drawn seen(const born *b)
{
    drawn d = {.size = b->size, .known = true};
    for (int k = 0; k < 4; ++k)
        d.rgba[k] = (double)(b->color >> (8 * k) & 255u);
    return d;
}

static inline void check_drawn(drawn found, drawn expected, double bytes, const char *of,
                               uint32_t n)
{
    CHECK_MSG(fabs(found.size - expected.size) <= 3e-4 * expected.size,
              "%s %u is %g m large, expected %g", of, n, found.size, expected.size);
    for (int k = 0; k < 4; ++k)
        CHECK_MSG(fabs(found.rgba[k] - expected.rgba[k]) <= bytes,
                  "channel %d of %s %u is %g, expected %g", k, of, n, found.rgba[k],
                  expected.rgba[k]);
}

static inline rico_curve line(float a, float b)
{
    return (rico_curve){.key_count = 2, .at = {0, 1}, .value = {a, b}};
}

static inline rico_gradient shade(float r, float g, float b, float a, float to)
{
    return (rico_gradient){
        .key_count = 2, .at = {0, 1}, .rgba = {{r, g, b, a}, {r * to, g * to, b * to, a * to}}};
}

typedef struct setup {
    rico_collision_mode mode;
    uint32_t on;
    uint32_t births;  /* at each event */
    bool child_grows; /* and fades: its size and colour change over life */
    bool child_draws;
    bool draws;       /* parents have sizes and colours of their own */
    bool constant;    /* size and colour do not change over life */
    bool dies, loses; /* at contacts: the particle dies, or loses a share of its life */
    bool floor_moves;
} setup;

static inline rico_recipe child_of(const setup *s)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.lifetime = (rico_range){4.0f, 4.0f};
    r.speed = (rico_range){0.1f, 0.1f};
    r.particle_size = rico_curve_constant(0.8f);
    r.color = rico_gradient_constant(1.0f, 0.9f, 0.8f, 1.0f);
    if (s->child_grows) {
        r.particle_size = line(0.5f, 1.5f);
        r.color = shade(1.0f, 0.9f, 0.8f, 1.0f, 0.6f);
        r.alpha_over_life = line(1.0f, 0.8f);
    }
    if (s->child_draws) {
        r.start_size = (rico_range){0.5f, 0.5f};
        r.start_color = rico_gradient_constant(0.9f, 0.8f, 1.0f, 0.9f);
    }
    return r;
}

static inline rico_recipe parent_of(const setup *s, rico_recipe_id child)
{
    rico_recipe r = parent_recipe(60);
    r.mode = s->mode;
    r.plane_count = s->mode == RICO_COLLIDE_FIXED;
    r.rate = 150.0f;
    r.lifetime = (rico_range){0.01f, 0.9f}; /* some die in the step in which they are born */
    r.particle_ids = true;
    r.events = RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH | RICO_EVENT_BIT_BIRTH;
    r.on_collision = s->dies ? RICO_ON_COLLISION_DIE : RICO_ON_COLLISION_BOUNCE;
    r.lifetime_loss = s->loses ? 0.2f : 0.0f;
    r.particle_size = s->constant ? rico_curve_constant(0.06f) : line(0.08f, 0.02f);
    r.color = shade(0.9f, 1.0f, 0.8f, 1.0f, s->constant ? 1.0f : 0.6f);
    r.start_size = (rico_range){1.5f, s->draws ? 4.0f : 1.5f};
    r.start_color = shade(1.0f, 0.9f, 1.0f, 1.0f, s->draws ? 0.5f : 1.0f);
    if (s->constant)
        r.color.key_count = 1;
    r.sub_emitters[1] = sub_of(s->on, child, s->births, 0.0f);
    r.sub_emitters[1].inherit_size = r.sub_emitters[1].inherit_color = true;
    return r;
}

#endif
