#include "stress_recipes.h"

#include <math.h>

uint32_t stress_class_of(uint32_t rank)
{
    uint32_t class_index = 0;
    while ((rank + 1) >> (class_index + 1) != 0)
        ++class_index;
    return class_index < STRESS_CLASSES ? class_index : STRESS_CLASSES - 1;
}

static double harmonic(uint32_t from, uint32_t to)
{
    double sum = 0.0;
    for (uint32_t i = from; i <= to; ++i)
        sum += 1.0 / (double)i;
    return sum;
}

double stress_class_size(uint32_t effects, uint32_t particles, uint32_t class_index)
{
    uint32_t first = 1u << class_index, last = 2 * first - 1;
    if (first > effects)
        return 0.0;
    last = last < effects ? last : effects;
    double share = harmonic(first, last) / harmonic(1, effects);
    return share * (double)particles / (double)(last - first + 1);
}

static void make_sparks(rico_recipe *r)
{
    r->shape = RICO_EMIT_CONE;
    r->size.x = 0.03f;
    r->spread = 0.45f;
    r->speed = (rico_range){2.0f, 5.5f};
    r->lifetime = (rico_range){1.5f, 2.5f};
    r->drag = 0.15f;
    r->restitution = 0.45f;
}

static void make_rain(rico_recipe *r)
{
    r->shape = RICO_EMIT_BOX;
    r->size = (rico_vec3){0.8f, 0.8f, 0.1f};
    r->spread = 0.05f;
    r->speed = (rico_range){3.0f, 5.0f};
    r->lifetime = (rico_range){1.5f, 2.5f};
    r->restitution = 0.0f;
    r->friction = 0.95f;
}

static void make_gravel(rico_recipe *r)
{
    r->shape = RICO_EMIT_SPHERE;
    r->size.x = 0.12f;
    r->speed = (rico_range){0.5f, 2.8f};
    r->lifetime = (rico_range){2.5f, STRESS_LONGEST_LIFE};
    r->radius = 0.02f;
    r->restitution = 0.3f;
    r->friction = 0.6f;
}

static void make_smoke(rico_recipe *r)
{
    static const float at[] = {0.0f, 1.0f}, size[] = {0.16f, 1.3f};
    r->shape = RICO_EMIT_DISC;
    r->size.x = 0.1f;
    r->gravity = (rico_vec3){0.3f, 0.1f, 0.65f};
    r->drag = 0.45f;
    r->lifetime = (rico_range){2.5f, STRESS_LONGEST_LIFE};
    r->mode = RICO_COLLIDE_NONE;
    r->particle_size.key_count = 2;
    for (uint32_t k = 0; k < 2; ++k) {
        r->particle_size.at[k] = at[k];
        r->particle_size.value[k] = size[k];
    }
}

static void make_casings(rico_recipe *r)
{
    r->shape = RICO_EMIT_POINT;
    r->spread = 0.23f;
    r->speed = (rico_range){2.2f, 3.6f};
    r->lifetime = (rico_range){3.0f, STRESS_LONGEST_LIFE};
    r->mode = RICO_COLLIDE_EXACT;
    r->radius = 0.012f;
}

/* Gravel comes in bursts, about one per second; the other kinds flow. */
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

rico_recipe stress_recipe_make(uint32_t kind, double alive, bool events)
{
    static void (*const makers[STRESS_KINDS])(rico_recipe *) = {
        make_sparks, make_rain, make_gravel, make_smoke, make_casings};
    rico_recipe r = rico_recipe_default();
    makers[kind](&r);
    set_rate(&r, makers[kind] == make_gravel, alive);
    r.events = events ? RICO_EVENT_BIT_COLLISION | RICO_EVENT_BIT_DEATH : 0;
    return r;
}

rico_recipe stress_recipe_burst(void)
{
    rico_recipe r = rico_recipe_default();
    make_sparks(&r);
    r.rate = 0.0f;
    r.burst_count = 20;
    r.duration = 0.25f;
    r.lifetime = (rico_range){0.5f, 1.25f};
    r.max_particles = 32;
    return r;
}
