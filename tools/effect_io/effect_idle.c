#include "effect_idle.h"

#include "effect_text.h"

#include <stdio.h>
#include <string.h>

#define ALL_WAYS 3.14f /* may be given for a sphere, which has it anyway */

/* Reasons why a field has no effect. */
enum {
    MEETS_NOTHING = 1 << 0,
    NOT_FIXED = 1 << 1,
    NO_DRAG = 1 << 2,
    NO_LINEAR_DRAG = 1 << 3,
    NO_SIZE = 1 << 4,
    NO_VOLUME = 1 << 5,
    BALL = 1 << 6,
    NO_BURST = 1 << 7,
    ROLLS_NOT = 1 << 8,
    BOUNCES_NOT = 1 << 9,
    STAYS = 1 << 10,
    NOT_SLOW = 1 << 11,
    ALL_BORN = 1 << 12,
    LOCAL = 1 << 13,
    NO_SURFACES = 1 << 14,
    RUNS_ON = 1 << 15,
    NO_PLANES = 1 << 16,
    DIES = 1 << 17,
    ONE_BURST = 1 << 18
};

static unsigned facts_of(const rico_recipe *r)
{
    const rico_emitter_shape s = r->shape;
    const rico_on_collision on = r->on_collision;
    const bool stays = on != RICO_ON_COLLISION_BOUNCE && on != RICO_ON_COLLISION_SLIDE;
    const bool shapeless = s == RICO_EMIT_POINT || s == RICO_EMIT_MESH;
    const bool linear = r->drag > 0.0f;
    return (r->mode == RICO_COLLIDE_NONE ? MEETS_NOTHING : 0u) |
           (r->mode != RICO_COLLIDE_FIXED ? NOT_FIXED : 0u) |
           (!linear && !(r->drag_quadratic > 0.0f) ? NO_DRAG : 0u) |
           (!linear ? NO_LINEAR_DRAG : 0u) | (shapeless ? NO_SIZE : 0u) |
           (shapeless || s == RICO_EMIT_LINE ? NO_VOLUME : 0u) |
           (s == RICO_EMIT_SPHERE && r->spread < ALL_WAYS ? BALL : 0u) |
           (r->burst_count == 0 ? NO_BURST : 0u) | (!r->rolls ? ROLLS_NOT : 0u) |
           (on != RICO_ON_COLLISION_BOUNCE ? BOUNCES_NOT : 0u) | (stays ? STAYS : 0u) |
           (r->hidden != RICO_HIDDEN_RUNS_SLOWLY ? NOT_SLOW : 0u) |
           (r->hidden == RICO_HIDDEN_RUNS ? RUNS_ON : 0u) |
           (!(r->lod_below > 0.0f) ? ALL_BORN : 0u) |
           (r->space == RICO_SPACE_LOCAL ? LOCAL : 0u) |
           (r->mode == RICO_COLLIDE_FIXED && r->plane_count == 0 ? NO_PLANES : 0u) |
           (on == RICO_ON_COLLISION_DIE ? DIES : 0u) |
           (r->duration > 0.0f && r->burst_interval >= r->duration ? ONE_BURST : 0u) |
           (r->mode == RICO_COLLIDE_FIXED || r->mode == RICO_COLLIDE_CLASSIC ? NO_SURFACES
                                                                             : 0u);
}

static const struct {
    const char *field, *why;
    unsigned fact;
} rules[] = {
    {"mode", "it is \"fixed\", and there are no planes", NO_PLANES},
    {"restitution", "mode is \"none\"", MEETS_NOTHING},
    {"friction", "mode is \"none\"", MEETS_NOTHING},
    {"rest_speed", "mode is \"none\"", MEETS_NOTHING},
    {"on_collision", "mode is \"none\"", MEETS_NOTHING},
    {"restitution_random", "mode is \"none\"", MEETS_NOTHING},
    {"friction_random", "mode is \"none\"", MEETS_NOTHING},
    {"rolls", "mode is \"none\"", MEETS_NOTHING},
    {"lifetime_loss", "mode is \"none\"", MEETS_NOTHING},
    {"kill_below", "mode is \"none\"", MEETS_NOTHING},
    {"kill_above", "mode is \"none\"", MEETS_NOTHING},
    {"by_surface", "mode is \"none\"", MEETS_NOTHING},
    {"by_surface", "planes belong to no surface: mode is not \"cached\" or \"exact\"",
     NO_SURFACES},
    {"ignored_layers", "mode is \"none\"", MEETS_NOTHING},
    {"ignored_layers", "mode is not \"cached\" or \"exact\"", NO_SURFACES},
    {"planes", "mode is not \"fixed\"", NOT_FIXED},
    {"wind", "there is no drag", NO_DRAG},
    {"drag_over_life", "drag is 0", NO_LINEAR_DRAG},
    {"size", "the shape has no size", NO_SIZE},
    {"surface", "the shape has no volume", NO_VOLUME},
    {"spread", "particles born in a sphere leave away from its middle", BALL},
    {"burst_interval", "burst_count is 0", NO_BURST},
    {"burst_interval", "it is not less than the duration", ONE_BURST},
    {"rolling_friction", "rolls is false", ROLLS_NOT},
    {"restitution", "on_collision is not \"bounce\"", BOUNCES_NOT},
    {"restitution_random", "on_collision is not \"bounce\"", BOUNCES_NOT},
    {"friction", "on_collision is not \"bounce\" or \"slide\"", STAYS},
    {"friction_random", "on_collision is not \"bounce\" or \"slide\"", STAYS},
    {"rest_speed", "on_collision is not \"bounce\" or \"slide\"", STAYS},
    {"lifetime_loss", "on_collision is \"die\"", DIES},
    {"kill_below", "on_collision is \"die\"", DIES},
    {"kill_above", "on_collision is \"die\"", DIES},
    {"hidden_steps", "hidden is not \"runs_slowly\"", NOT_SLOW},
    {"cull_distance", "hidden is \"runs\": the effect goes on, and only the host is told",
     RUNS_ON},
    {"lod_births", "lod_below is 0", ALL_BORN},
    {"inherit_velocity", "space is \"local\"", LOCAL},
};

#define IDLE "does nothing"

/* The findings: the first one, and their number. */
typedef struct finds {
    rio_reader at; /* writes into out->idle */
    rio_json_place first;
    unsigned count;
} finds;

static void find(finds *f, const char *what, const char *why)
{
    const rio_json_place place =
        rio_json_find(f->at.text, f->at.bytes, f->at.way, f->at.steps, false);
    const bool earlier = place.line < f->first.line ||
                         (place.line == f->first.line && place.column < f->first.column);
    if (f->count++ > 0 && !earlier)
        return;
    f->first = place;
    rio_reader_fail(&f->at, " %s: %s", what, why);
}

static void find_member(finds *f, const char *list, size_t i, const char *member,
                        const char *what, const char *why)
{
    rio_reader_enter(&f->at, list);
    rio_reader_enter_index(&f->at, i);
    if (member != NULL)
        rio_reader_enter(&f->at, member);
    find(f, what, why);
    f->at.steps = 0;
}

static void find_fields(finds *f, const json_t *root, const rico_recipe *recipe)
{
    const unsigned facts = facts_of(recipe);
    const char *last = "";
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
        const char *name = rules[i].field;
        if ((facts & rules[i].fact) == 0 || json_object_get(root, name) == NULL ||
            strcmp(name, last) == 0 ||
            rio_field_is_default(rio_recipe_field(name, strlen(name)), recipe))
            continue;
        rio_reader_enter(&f->at, name);
        find(f, IDLE, rules[i].why);
        f->at.steps = 0;
        last = name;
    }
}

/* Bursts that never fire, forces without strength, and births at collisions of particles that do
 * not collide. */
static void find_parts(finds *f, const rico_recipe *r)
{
    for (size_t i = 0; i < RICO_MAX_BURSTS; ++i)
        if (r->bursts[i].count > 0 && r->duration > 0.0f && r->bursts[i].time >= r->duration)
            find_member(f, "bursts", i, NULL, IDLE,
                        "its time is not before the end of the duration");
    for (size_t i = 0; i < RICO_MAX_FORCES; ++i)
        if (r->forces[i].kind != RICO_FORCE_NONE && r->forces[i].kind != RICO_FORCE_ORBIT &&
            r->forces[i].strength == 0.0f)
            find_member(f, "forces", i, NULL, IDLE, "its strength is 0");
    for (size_t i = 0; i < RICO_MAX_SUB_EMITTERS; ++i)
        if (r->sub_emitters[i].on == RICO_EVENT_BIT_COLLISION && r->mode == RICO_COLLIDE_NONE)
            find_member(f, "sub_emitters", i, NULL, IDLE, "mode is \"none\"");
}

/* Whether particles may die before their time by what the file says. */
static bool may_die_early(const rico_recipe *r)
{
    return r->mode != RICO_COLLIDE_NONE &&
           (r->on_collision == RICO_ON_COLLISION_DIE || r->lifetime_loss > 0.0f ||
            r->kill_below > 0.0f || r->kill_above > 0.0f);
}

/* Whether more particles are alive at some time than there is room for, even if each has the
 * shortest life. */
static bool rate_is_too_high(const rico_recipe *r)
{
    const float life = r->lifetime.lo * r->lifetime_over_duration.value[0];
    const bool for_long =
        r->duration == 0.0f || r->loops == 0 || r->duration * (float)r->loops > life;
    return r->lifetime_over_duration.key_count == 1 && for_long && !may_die_early(r) &&
           r->rate * life >= (float)r->max_particles + 1.0f;
}

/* Births for which max_particles has no room. */
static void find_too_many(finds *f, const json_t *root, const rico_recipe *r)
{
    char why[80];
    snprintf(why, sizeof why, "that is %u, and births beyond it do not happen",
             r->max_particles);
    if (r->burst_count > r->max_particles) {
        rio_reader_enter(&f->at, "burst_count");
        find(f, "is more than max_particles", why);
        f->at.steps = 0;
    }
    if (rate_is_too_high(r) && json_object_get(root, "rate") != NULL) {
        rio_reader_enter(&f->at, "rate");
        find(f, "times lifetime is more than max_particles", why);
        f->at.steps = 0;
    }
    for (size_t i = 0; i < RICO_MAX_BURSTS; ++i)
        if (r->bursts[i].count > r->max_particles)
            find_member(f, "bursts", i, "count", "is more than max_particles", why);
}

void rio_find_idle(const rio_reader *r, const json_t *root)
{
    finds f = {.at = *r};
    char *text = r->out->idle;
    f.at.error = text;
    f.at.error_bytes = sizeof r->out->idle;
    f.at.steps = 0;
    find_fields(&f, root, &r->out->recipe);
    find_parts(&f, &r->out->recipe);
    find_too_many(&f, root, &r->out->recipe);
    const size_t length = strlen(text);
    if (f.count > 1)
        snprintf(text + length, sizeof r->out->idle - length, " (and %u more)", f.count - 1);
}
