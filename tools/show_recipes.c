#include "show_recipes.h"

#include <math.h>

/* Drops lie on the ground for a moment: they live a little longer than their fall at terminal
 * velocity takes. */
static void set_fall(rico_recipe *r, float fall)
{
    float speed = r->drag > 0.0f ? -r->gravity.z / r->drag : 0.0f;
    float air_time = speed > 0.0f ? fall / speed : 0.0f;
    r->lifetime.lo = fminf(fmaxf(air_time + 0.15f, 1.5f), 3.2f);
    r->lifetime.hi = r->lifetime.lo + 0.5f;
}

/* Recipes with bursts give a burst about once a second, less often when few particles are
 * wanted. The others flow. max_particles is the most that can be alive at once. */
static void set_rate(rico_recipe *r, double alive)
{
    double life = 0.5 * ((double)r->lifetime.lo + (double)r->lifetime.hi);
    double longest = (double)r->lifetime.hi, rate = alive / life;
    double most = rate * longest + 2.0;
    bool bursts = r->burst_count > 0;
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

rico_recipe show_recipe_make(show_kind kind, const rico_recipe *file, double alive, float fall)
{
    rico_recipe r = *file;
    if (kind == SHOW_RAIN)
        set_fall(&r, fall);
    set_rate(&r, alive);
    return r;
}
