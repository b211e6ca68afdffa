#include "show_recipes.h"

#include <math.h>
#include <string.h>

#define DEGREES 0.017453293f

static rico_gradient gradient(uint32_t count, const float *at, const float (*rgba)[4])
{
    rico_gradient g;
    memset(&g, 0, sizeof g);
    g.key_count = count;
    for (uint32_t i = 0; i < count; ++i) {
        g.at[i] = at[i];
        memcpy(g.rgba[i], rgba[i], sizeof g.rgba[i]);
    }
    return g;
}

static rico_curve curve(uint32_t count, const float *at, const float *value)
{
    rico_curve c;
    memset(&c, 0, sizeof c);
    c.key_count = count;
    memcpy(c.at, at, count * sizeof *at);
    memcpy(c.value, value, count * sizeof *value);
    return c;
}

/* White-hot to dull red, with bounces. */
static void make_sparks(rico_recipe *r)
{
    static const float at[] = {0.0f, 0.12f, 0.5f, 1.0f};
    static const float rgba[][4] = {{1.0f, 0.88f, 0.62f, 1.0f},
                                    {1.0f, 0.66f, 0.24f, 0.7f},
                                    {1.0f, 0.38f, 0.09f, 0.3f},
                                    {0.7f, 0.14f, 0.03f, 0.0f}};
    r->shape = RICO_EMIT_CONE;
    r->size.x = 0.03f;
    r->spread = 26.0f * DEGREES;
    r->speed = (rico_range){2.0f, 5.5f};
    r->lifetime = (rico_range){1.5f, 2.5f};
    r->drag = 0.15f;
    r->particle_size = rico_curve_constant(0.008f);
    r->color = gradient(4, at, rgba);
    r->mode = RICO_COLLIDE_CACHED;
    r->radius = 0.01f;
    r->restitution = 0.45f;
    r->friction = 0.3f;
}

/* Born at their terminal speed: drag holds gravity there. A drop lies on the ground for a
 * moment. */
static void make_rain(rico_recipe *r, float fall)
{
    const float speed = 8.6f;
    float air_time = fall / speed;
    r->shape = RICO_EMIT_BOX;
    r->spread = 1.5f * DEGREES;
    r->drag = 9.81f / speed;
    r->speed = (rico_range){speed - 0.4f, speed + 0.3f};
    r->lifetime.lo = fminf(fmaxf(air_time + 0.15f, 1.5f), 3.2f);
    r->lifetime.hi = r->lifetime.lo + 0.5f;
    r->particle_size = rico_curve_constant(0.006f);
    r->color = rico_gradient_constant(0.72f, 0.80f, 0.92f, 0.22f);
    r->mode = RICO_COLLIDE_CACHED;
    r->radius = 0.005f;
    r->queries_per_frame = 2.0f;
    r->restitution = 0.0f; /* a drop does not bounce: it stays where it fell */
    r->friction = 0.95f;
}

static void make_gravel(rico_recipe *r)
{
    r->shape = RICO_EMIT_SPHERE;
    r->size.x = 0.12f;
    r->spread = 180.0f * DEGREES;
    r->speed = (rico_range){0.5f, 2.8f};
    r->lifetime = (rico_range){2.5f, 4.0f};
    r->particle_size = rico_curve_constant(0.042f);
    r->color = rico_gradient_constant(0.64f, 0.58f, 0.50f, 1.0f);
    r->mode = RICO_COLLIDE_CACHED;
    r->radius = 0.02f;
    r->restitution = 0.3f;
    r->friction = 0.6f;
    r->queries_per_frame = 4.0f; /* a burst lands in many cells at once */
}

static void make_smoke(rico_recipe *r)
{
    static const float at[] = {0.0f, 0.2f, 1.0f};
    static const float rgba[][4] = {{0.30f, 0.29f, 0.28f, 0.0f},
                                    {0.50f, 0.49f, 0.48f, 0.004f},
                                    {0.62f, 0.62f, 0.63f, 0.0f}};
    static const float size_at[] = {0.0f, 1.0f};
    static const float size[] = {0.16f, 1.3f};
    r->shape = RICO_EMIT_DISC;
    r->size.x = 0.10f;
    r->spread = 20.0f * DEGREES;
    r->speed = (rico_range){0.7f, 1.7f};
    r->lifetime = (rico_range){2.5f, 4.0f};
    r->gravity = (rico_vec3){0.30f, 0.10f, 0.65f};
    r->drag = 0.45f;
    r->particle_size = curve(2, size_at, size);
    r->color = gradient(3, at, rgba);
    r->mode = RICO_COLLIDE_NONE;
    r->queries_per_frame = 0.0f;
}

static void make_casings(rico_recipe *r)
{
    r->shape = RICO_EMIT_POINT;
    r->spread = 13.0f * DEGREES;
    r->speed = (rico_range){2.2f, 3.6f};
    r->lifetime = (rico_range){3.0f, 4.0f};
    r->particle_size = rico_curve_constant(0.055f);
    r->color = rico_gradient_constant(0.96f, 0.74f, 0.32f, 1.0f);
    r->mode = RICO_COLLIDE_EXACT;
    r->radius = 0.012f;
    r->restitution = 0.5f;
    r->friction = 0.12f;
}

/* Gravel comes in bursts, about one a second, further apart when few stones are wanted; the
 * rest flows. max_particles is the most that can be alive at once. */
static void set_rate(rico_recipe *r, bool bursts, double alive)
{
    double life = 0.5 * ((double)r->lifetime.lo + (double)r->lifetime.hi);
    double longest = (double)r->lifetime.hi, rate = alive / life;
    double most = rate * longest + 2.0;
    r->rate = (float)rate;
    if (bursts) {
        double burst = fmax(1.0, floor(rate * 0.9));
        r->rate = 0.0f;
        r->burst_count = (uint32_t)fmin(burst, 1.0e6);
        r->burst_interval = (float)((double)r->burst_count / rate);
        most = (double)r->burst_count * (floor(longest / (double)r->burst_interval) + 2.0);
    }
    r->max_particles = (uint32_t)fmin(ceil(most), 16777216.0);
}

rico_recipe show_recipe_make(show_kind kind, double alive, float fall)
{
    rico_recipe r = rico_recipe_default();
    switch (kind) {
    case SHOW_SPARKS:
        make_sparks(&r);
        break;
    case SHOW_RAIN:
        make_rain(&r, fall);
        break;
    case SHOW_GRAVEL:
        make_gravel(&r);
        break;
    case SHOW_SMOKE:
        make_smoke(&r);
        break;
    case SHOW_CASINGS:
        make_casings(&r);
        break;
    case SHOW_KIND_COUNT:
        break;
    }
    set_rate(&r, kind == SHOW_GRAVEL, alive);
    r.particle_ids = r.mode != RICO_COLLIDE_NONE;
    return r;
}
