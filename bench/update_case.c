#include "update_case.h"

#include "machine.h"
#include <stdlib.h>
#include <string.h>

#define DT (1.0f / 60.0f)
#define MEAN_LIFE 3.0
#define WARM_UP 300u /* frames: 5 s, the longest life is 4 */

/* Size, colour and rotation over life. Effects that have one of these mostly have the others.
 * Rotation costs a step nothing and is not timed, because outputs compute it when they are
 * written. */
static void set_curves(rico_recipe *r)
{
    static const float at[4] = {0.0f, 0.2f, 0.6f, 1.0f};
    static const float size[4] = {0.01f, 0.05f, 0.04f, 0.0f};
    static const float rotation[4] = {0.0f, 3.0f, 4.0f, 4.5f}; /* radians */
    static const float rgba[4][4] = {{1.0f, 0.94f, 0.78f, 1.0f},
                                     {1.0f, 0.7f, 0.31f, 1.0f},
                                     {0.78f, 0.31f, 0.08f, 0.78f},
                                     {0.23f, 0.08f, 0.04f, 0.0f}};
    r->particle_size.key_count = r->color.key_count = 4;
    memcpy(r->particle_size.at, at, sizeof at);
    memcpy(r->particle_size.value, size, sizeof size);
    memcpy(r->color.at, at, sizeof at);
    memcpy(r->color.rgba, rgba, sizeof rgba);
    r->rotation_over_life.key_count = 4;
    r->rotation_over_life.interpolation = RICO_SMOOTH;
    memcpy(r->rotation_over_life.at, at, sizeof at);
    memcpy(r->rotation_over_life.value, rotation, sizeof rotation);
}

const float *update_case_normal(update_kind kind)
{
    static const float level[3] = {0.0f, 0.0f, 1.0f}, tilted[3] = {0.048f, 0.064f, 0.9967949f};
    return kind == UPDATE_PLANE ? level : kind == UPDATE_TILTED ? tilted : NULL;
}

/* Rest is off, because a sleeping particle costs less, and the peers have no sleep. */
static rico_recipe make_recipe(update_kind kind, uint32_t alive)
{
    rico_recipe r = rico_recipe_default();
    r.rate = (float)((double)alive / MEAN_LIFE);
    r.lifetime = (rico_range){2.0f, 4.0f};
    r.drag = 0.1f;
    r.max_particles = alive + alive / 4u + 8u;
    r.rest_speed = 0.0f;
    r.mode = RICO_COLLIDE_NONE;
    const float *normal = update_case_normal(kind);
    if (normal) {
        r.mode = RICO_COLLIDE_FIXED;
        r.plane_count = 1;
        r.planes[0] = (rico_plane){{normal[0], normal[1], normal[2]}, 0.0f};
    }
    if (kind == UPDATE_CURVES)
        set_curves(&r);
    if (kind == UPDATE_TURBULENCE) {
        r.forces[0].kind = RICO_FORCE_TURBULENCE;
        r.forces[0].strength = 5.0f;
    }
    r.field_layers = kind == UPDATE_VORTEX ? 1 : 0;
    return r;
}

static bool add_vortex(rico_world *world)
{
    rico_field_def def = rico_field_def_default();
    def.force.kind = RICO_FORCE_VORTEX;
    def.force.strength = 5.0f;
    def.shape = RICO_FIELD_SPHERE;
    def.size.x = 1000.0f;
    return rico_world_add_field(world, &def).index1 != 0;
}

static bool start_effects(update_case *c)
{
    rico_recipe recipe = make_recipe(c->kind, c->particles / c->effects);
    rico_recipe_id id = rico_world_add_recipe(c->world, &recipe);
    rico_transform where = RICO_TRANSFORM_IDENTITY;
    where.position.z = 1.5f;
    for (uint32_t i = 0; i < c->effects; ++i) {
        where.position.x = (float)(i % 100u);
        where.position.y = (float)(i / 100u);
        rico_effect_id effect = rico_effect_spawn(c->world, id, where);
        if (effect.index1 == 0)
            return false;
        if (i == 0)
            c->first = effect;
        /* Otherwise equal effects would always give birth in the same frames. */
        if (i % (c->effects / 50u + 1u) == 0)
            rico_world_step(c->world, DT);
    }
    return true;
}

update_case *update_case_create(update_kind kind, uint32_t particles, uint32_t effects,
                                uint32_t threads)
{
    update_case *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->kind = kind;
    c->particles = particles;
    c->effects = effects;
    rico_world_def def = rico_world_def_default();
    def.max_particles = particles + particles / 4u + 8u * effects + 1024u;
    def.max_effects = effects;
    def.worker_count = threads;
    if (rico_world_create(&def, &c->world) != RICO_OK ||
        (kind == UPDATE_VORTEX && !add_vortex(c->world)) || !start_effects(c)) {
        update_case_destroy(c);
        return NULL;
    }
    for (uint32_t i = 0; i < WARM_UP; ++i)
        rico_world_step(c->world, DT);
    return c;
}

void update_case_destroy(update_case *c)
{
    if (c)
        rico_world_destroy(c->world);
    free(c);
}

double update_case_run(update_case *c, uint32_t frames, uint64_t *particle_steps)
{
    uint64_t ns = 0;
    *particle_steps = 0;
    for (uint32_t i = 0; i < frames; ++i) {
        uint64_t begin = machine_clock_ns();
        rico_world_step(c->world, DT);
        ns += machine_clock_ns() - begin;
        rico_world_stats stats = rico_world_get_stats(c->world);
        *particle_steps += stats.particles;
        c->births += stats.births;
        c->deaths += stats.deaths;
        c->bounces += stats.bounces;
        c->starved += stats.births_starved;
    }
    c->frames += frames;
    c->particle_steps += *particle_steps;
    return (double)ns;
}

bool update_case_is_steady(const update_case *c, const char **why)
{
    double mean = (double)c->particle_steps / (double)c->frames;
    double wanted = (double)c->particles;
    double born = (double)c->births / (double)c->frames;
    double expected = wanted / (MEAN_LIFE * 60.0);
    *why = NULL;
    if (mean < 0.97 * wanted || mean > 1.03 * wanted)
        *why = "the number of living particles is not the expected one";
    else if (born < 0.8 * expected || born > 1.2 * expected)
        *why = "the number of births does not fit the lifetimes";
    else if ((double)c->deaths < 0.8 * (double)c->births)
        *why = "the number of deaths does not fit the births";
    else if (update_case_normal(c->kind) && (double)c->bounces < 0.5 * (double)c->deaths)
        *why = "there was less than one bounce per two particles";
    else if (c->starved > 0)
        *why = "births did not happen for lack of room";
    return *why == NULL;
}
