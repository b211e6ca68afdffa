#include "show.h"

#include "effect_path.h"
#include "show_recipes.h"
#include "spots.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shares of all effects and of all particles; each column adds up to 1. Casings are few, because
 * exact collision is meant for few particles. Smoke overdraws, so a little of it is enough. */
static const struct {
    const char *name;
    double effects, particles;
} shares[SHOW_KIND_COUNT] = {
    [SHOW_SPARKS] = {"sparks", 0.36, 0.17},    [SHOW_RAIN] = {"rain", 0.24, 0.36},
    [SHOW_GRAVEL] = {"gravel", 0.15, 0.105},   [SHOW_SMOKE] = {"smoke", 0.20, 0.36},
    [SHOW_CASINGS] = {"casings", 0.05, 0.005},
};

const char *show_kind_name(show_kind kind)
{
    return shares[kind].name;
}

/* --- The cast ----------------------------------------------------------------------------- */

/* Files that cannot be read count as 0: linking reports the reason. */
static uint64_t particles_with(const rio_effect *effect)
{
    uint64_t particles = 0;
    for (uint32_t k = 0; k < effect->with_count; ++k) {
        char path[RIO_DIRECTORY_BYTES + RIO_SUB_NAME_BYTES + 8];
        rio_effect other;
        snprintf(path, sizeof path, "%s%s.json", effect->directory, effect->with[k].effect);
        rio_effect_load(path, &other, NULL, 0);
        particles += other.recipe.max_particles;
        rio_effect_free(&other);
    }
    return particles;
}

static rico_result load_one(const char *path, const char *name, show_cast *out, char *error,
                            size_t error_bytes)
{
    rico_result result = rio_effect_load(path, &out->effects[out->count], error, error_bytes);
    snprintf(out->names[out->count], sizeof out->names[0], "%s", name);
    out->with_particles[out->count] = particles_with(&out->effects[out->count]);
    if (result == RICO_OK)
        ++out->count;
    else
        show_cast_free(out);
    return result;
}

rico_result show_cast_load(show_cast *out, char *error, size_t error_bytes)
{
    char path[4096];
    rico_result result = RICO_OK;
    memset(out, 0, sizeof *out);
    for (uint32_t k = 0; k < SHOW_KIND_COUNT && result == RICO_OK; ++k)
        result = load_one(rio_effect_path(shares[k].name, path, sizeof path), shares[k].name,
                          out, error, error_bytes);
    return result;
}

/* The kind of "dir/fire.json" is named "fire". */
static void name_of(const char *file, char *name, size_t bytes)
{
    const char *slash = strrchr(file, '/');
    snprintf(name, bytes, "%s", slash != NULL ? slash + 1 : file);
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name)
        *dot = '\0';
}

rico_result show_cast_load_files(const char *const *files, uint32_t count, show_cast *out,
                                 char *error, size_t error_bytes)
{
    rico_result result = RICO_OK;
    memset(out, 0, sizeof *out);
    out->given = true;
    for (uint32_t k = 0; k < count && k < SHOW_MAX_KINDS && result == RICO_OK; ++k) {
        char path[4096], name[sizeof out->names[0]];
        name_of(files[k], name, sizeof name);
        result = RICO_NOT_FOUND;
        if (rio_effect_find(files[k], path, sizeof path, error, error_bytes))
            result = load_one(path, name, out, error, error_bytes);
        else
            show_cast_free(out);
    }
    return result;
}

void show_cast_free(show_cast *cast)
{
    for (uint32_t k = 0; k < cast->count; ++k)
        rio_effect_free(&cast->effects[k]);
    memset(cast, 0, sizeof *cast);
}

/* --- The plan ----------------------------------------------------------------------------- */

static double share_of(const show_cast *cast, uint32_t kind)
{
    return cast->given ? 1.0 / (double)cast->count : shares[kind].effects;
}

/* Chooses the kind of effect number i. It takes the kind furthest behind its share, so that any
 * number of effects is a fair mix. */
static uint32_t kind_of_next(const show_cast *cast, const uint32_t counts[SHOW_MAX_KINDS],
                             uint32_t i)
{
    uint32_t best = 0;
    double most = -1.0e30;
    for (uint32_t k = 0; k < cast->count; ++k) {
        double behind = share_of(cast, k) * ((double)i + 1.0) - (double)counts[k];
        if (behind > most) {
            most = behind;
            best = k;
        }
    }
    return best;
}

#define MOST_EFFECTS (1u << 20) /* of one world */
#define SUB_PARTICLES 65536.0   /* room for the particles of one kind's sub-emitters */
#define RAIN_HEIGHT 14.0f       /* metres: the longest fall of a drop under an open sky */
#define COURTYARD_FALL 18.0f    /* from the courtyard's boxes of sky to its paving */
#define RAIN_HALF 0.8f          /* half the side of a patch of rain in worlds with ceilings */

static float rain_fall(const show_def *def)
{
    if (def->courtyard)
        return COURTYARD_FALL;
    float height = def->bounds.hi.z - def->bounds.lo.z + 2.0f;
    return fminf(fmaxf(height, 2.0f), RAIN_HEIGHT);
}

static void fill_five(const show_def *def, show_plan *plan)
{
    double present = 0.0;
    for (uint32_t k = 0; k < SHOW_KIND_COUNT; ++k)
        present += plan->effects[k] > 0 ? shares[k].particles : 0.0;
    for (uint32_t k = 0; k < SHOW_KIND_COUNT; ++k) {
        if (plan->effects[k] == 0)
            continue;
        /* Aims above the target by more than its fluctuation (0.2 %), so that the target is a
         * lower bound. */
        double alive = 1.003 * (double)def->particles * shares[k].particles / present /
                       (double)plan->effects[k];
        plan->recipes[k] = show_recipe_make((show_kind)k, &def->cast->effects[k].recipe, alive,
                                            rain_fall(def));
    }
}

show_plan show_plan_make(const show_def *def)
{
    show_plan plan;
    double most = 1024.0;
    memset(&plan, 0, sizeof plan);
    plan.kind_count = def->cast->count;
    for (uint32_t i = 0; i < def->effects; ++i)
        ++plan.effects[kind_of_next(def->cast, plan.effects, i)];
    if (!def->cast->given)
        fill_five(def, &plan);
    for (uint32_t k = 0; k < plan.kind_count; ++k) {
        if (def->cast->given)
            plan.recipes[k] = def->cast->effects[k].recipe;
        /* Particles that can fall are followed, which needs ids. */
        plan.recipes[k].particle_ids |= plan.recipes[k].mode != RICO_COLLIDE_NONE;
        most += (double)plan.recipes[k].max_particles * (double)plan.effects[k];
        most += (double)def->cast->with_particles[k] * (double)plan.effects[k];
        plan.max_effects += plan.effects[k] * (1u + def->cast->effects[k].with_count);
    }
    for (uint32_t k = 0; k < plan.kind_count; ++k)
        if (plan.recipes[k].sub_emitters[0].on != 0 || /* files that have not been read yet */
            def->cast->effects[k].with_count > 0) {
            most += SUB_PARTICLES;
            plan.max_effects += RIO_MOST_LINKS;
        }
    plan.max_effects = plan.max_effects < MOST_EFFECTS ? plan.max_effects : MOST_EFFECTS;
    plan.max_particles = (uint32_t)fmin(most, 67108864.0);
    return plan;
}

/* --- Places ------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/* The shortest rotation from +z to a unit direction. */
static rico_quat rotation_to(rico_vec3 d)
{
    if (d.z < -0.9999f)
        return (rico_quat){1.0f, 0.0f, 0.0f, 0.0f};
    rico_quat q = {-d.y, d.x, 0.0f, 1.0f + d.z};
    float scale = 1.0f / sqrtf(q.x * q.x + q.y * q.y + q.w * q.w);
    return (rico_quat){q.x * scale, q.y * scale, 0.0f, q.w * scale};
}

/* Effects of sparks share places, and so do those of smoke: a jet of a dozen effects looks good,
 * a dozen weak ones side by side look like noise. One in eight spark effects is on a fountain's
 * nozzle. Of the courtyard's other places for sparks, every third is in the air; the first few
 * are braziers. */
#define SPARK_PLACES 56u
#define NOZZLES 17u
#define SMOKE_PLACES 10u

static rio_spot_kind spot_kind_of(show_kind kind, uint32_t index, uint32_t *spot_index)
{
    *spot_index = index;
    switch (kind) {
    case SHOW_RAIN:
        *spot_index = index + 1u; /* the first box of sky is as wide as the courtyard */
        return RIO_SPOT_RAIN;
    case SHOW_GRAVEL:
        return RIO_SPOT_GRAVEL;
    case SHOW_SMOKE:
        *spot_index = index % SMOKE_PLACES;
        return RIO_SPOT_SMOKE;
    case SHOW_CASINGS:
        return RIO_SPOT_CASINGS;
    case SHOW_SPARKS:
    case SHOW_KIND_COUNT:
        break;
    }
    if (index % 8u == 0) {
        *spot_index = index / 8u % NOZZLES;
        return RIO_SPOT_FOUNTAIN;
    }
    uint32_t place = (index - index / 8u - 1u) % SPARK_PLACES;
    *spot_index = place < 4u ? place : place + place / 2u + 1u;
    return RIO_SPOT_SPARKS;
}

/* How far a ray gets without a hit, at most limit. */
static float clearance(const rio_caster *caster, rico_vec3 origin, rico_vec3 direction,
                       float limit)
{
    rico_ray ray = {origin, limit, direction, 0};
    rico_hit hit;
    caster->cast(caster->user, &ray, &hit, 1);
    return hit.collider != 0 ? hit.t : limit;
}

static bool has_room_around(const rio_caster *caster, rico_vec3 p)
{
    static const rico_vec3 around[] = {{1.0f, 0.0f, 0.0f},      {-1.0f, 0.0f, 0.0f},
                                       {0.0f, 1.0f, 0.0f},      {0.0f, -1.0f, 0.0f},
                                       {0.707f, 0.707f, 0.0f},  {-0.707f, 0.707f, 0.0f},
                                       {0.707f, -0.707f, 0.0f}, {-0.707f, -0.707f, 0.0f}};
    for (size_t i = 0; i < sizeof around / sizeof *around; ++i)
        if (clearance(caster, p, around[i], 1.8f * RAIN_HALF) < 1.8f * RAIN_HALF)
            return false;
    return true;
}

/* A place for rain in any world: above a floor and below the sky or the ceiling, with room
 * around it, so that no drop is born inside a solid. When no try is good, the last one is used. */
static rio_spot world_rain_spot(const show_def *def, const rio_caster *caster, uint32_t index)
{
    static const rico_vec3 up = {0.0f, 0.0f, 1.0f};
    rio_spot spot = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, -1.0f}, {RAIN_HALF, RAIN_HALF, 0.0f}};
    for (uint32_t attempt = 0; attempt < 12u; ++attempt) {
        rio_spot floor = rio_world_spot(&def->bounds, caster, def->seed + 7u, RIO_SPOT_SMOKE,
                                        index + attempt * SHOW_MAX_EFFECTS);
        spot.position = floor.position;
        float room = clearance(caster, floor.position, up, rain_fall(def));
        spot.position.z += fmaxf(0.0f, room - 0.3f);
        if (room > 1.5f && has_room_around(caster, spot.position))
            break;
    }
    return spot;
}

/* Places of effects from files: effects that fall from a wide box or line begin in the sky. All
 * others begin on the ground and point upwards; wide discs and rings lie on it. --help says so. */
#define WIDE 0.75f

static rio_spot_kind given_spot_kind(const rico_recipe *recipe, uint32_t index,
                                     uint32_t *spot_index)
{
    bool wide = (recipe->shape == RICO_EMIT_BOX || recipe->shape == RICO_EMIT_LINE) &&
                recipe->size.x >= WIDE;
    bool sky = wide && recipe->gravity.z < 0.0f;
    *spot_index = sky ? index + 1u : index;
    return sky ? RIO_SPOT_RAIN : RIO_SPOT_SMOKE;
}

/* From the sky, particles are sent down. A negative speed makes particles leave against the
 * effect's +z. */
static void send_down(const rico_recipe *recipe, rio_spot *spot)
{
    if (recipe->speed.lo + recipe->speed.hi < 0.0f)
        spot->direction = (rico_vec3){0.0f, 0.0f, 1.0f};
}

static rio_spot spot_of(const show_def *def, const rio_caster *caster, uint32_t kind,
                        uint32_t index)
{
    uint32_t spot_index;
    const rico_recipe *recipe = &def->cast->effects[kind].recipe;
    rio_spot_kind kind_of_spot = def->cast->given
                                     ? given_spot_kind(recipe, index, &spot_index)
                                     : spot_kind_of((show_kind)kind, index, &spot_index);
    rio_spot spot =
        def->courtyard ? rio_courtyard_spot(def->seed, kind_of_spot, spot_index)
        : kind_of_spot == RIO_SPOT_RAIN
            ? world_rain_spot(def, caster, index)
            : rio_world_spot(&def->bounds, caster, def->seed, kind_of_spot, spot_index);
    if (def->cast->given && kind_of_spot == RIO_SPOT_RAIN)
        send_down(recipe, &spot);
    return spot;
}

#define START_FRAMES 60u

/* Gives every effect its kind, place and start. *rain_box becomes the largest box that fits into
 * all boxes of sky, because a recipe has only one box. */
static void place_effects(const show_def *def, const rio_caster *caster, show *out,
                          rico_vec3 *rain_box)
{
    uint32_t counts[SHOW_MAX_KINDS] = {0};
    *rain_box = (rico_vec3){100.0f, 100.0f, 100.0f};
    for (uint32_t i = 0; i < def->effects; ++i) {
        show_effect *effect = &out->effects[i];
        effect->kind = kind_of_next(def->cast, counts, i);
        rio_spot spot = spot_of(def, caster, effect->kind, counts[effect->kind]++);
        effect->transform.position = spot.position;
        effect->transform.rotation = rotation_to(spot.direction);
        effect->transform.scale = 1.0f;
        effect->start_frame = (uint32_t)(mix(def->seed * 977u + i + 1u) % START_FRAMES);
        if (!def->cast->given && effect->kind == SHOW_RAIN) {
            rain_box->x = fminf(rain_box->x, spot.extent.x);
            rain_box->y = fminf(rain_box->y, spot.extent.y);
            rain_box->z = fminf(rain_box->z, spot.extent.z);
        }
    }
    out->effects[0].start_frame = 0;
}

typedef struct message {
    char text[RIO_EFFECT_ERROR_BYTES];
} message;

static void keep(void *user, rico_log_level level, const char *text)
{
    (void)level;
    snprintf(((message *)user)->text, RIO_EFFECT_ERROR_BYTES, "%s", text);
}

/* The show's own effects have rates and sizes that depend on the number of effects. */
static void say_why(const rio_effect *effect, const rico_recipe *recipe, rico_result result,
                    char *error, size_t error_bytes)
{
    message said = {""};
    const rico_log log = {keep, &said};
    static const char call[] = "rico_recipe_check: ";
    if (rico_recipe_check(recipe, &log) == RICO_OK || said.text[0] == '\0')
        snprintf(error, error_bytes, "%s: %s", effect->name, rico_result_text(result));
    else
        snprintf(
            error, error_bytes, "these numbers of effects and particles do not go together: %s",
            said.text + (strncmp(said.text, call, sizeof call - 1) == 0 ? sizeof call - 1 : 0));
}

/* Adds the recipe, and those of the files that it names. */
static rico_result add_recipe(rico_world *world, const rio_effect *effect, uint32_t kind,
                              show *s, char *error, size_t error_bytes)
{
    rio_links links = {.count = 0};
    rico_recipe *recipe = &s->plan.recipes[kind];
    char said[RIO_EFFECT_ERROR_BYTES] = "";
    rico_result result = rio_effect_link(world, effect, &links, recipe, said, sizeof said);
    if (result != RICO_OK || (error_bytes > 0 && error[0] == '\0'))
        snprintf(error, error_bytes, "%s", said);
    if (result != RICO_OK)
        return result;
    const rico_recipe_id id = rico_world_add_recipe(world, recipe);
    if (id.index1 == 0) {
        result = rico_world_last_result(world);
        say_why(effect, recipe, result, error, error_bytes);
        return result;
    }
    s->groups[kind] = rio_effect_group(effect, &links, id);
    for (uint32_t i = 0; i < links.count && s->sub_count < SHOW_MAX_SUBS; ++i) {
        const rico_effect_id sub = rico_world_sub_effect(world, links.items[i].recipe);
        if (sub.index1 != 0)
            s->subs[s->sub_count++] = (show_sub){kind, sub};
    }
    return RICO_OK;
}

rico_result show_create(const show_def *def, rico_world *world, const rio_caster *caster,
                        show *out, char *error, size_t error_bytes)
{
    memset(out, 0, sizeof *out);
    out->plan = show_plan_make(def);
    snprintf(error, error_bytes, "the show: %s", rico_result_text(RICO_OUT_OF_MEMORY));
    out->ids_per_effect = def->cast->given ? RIO_MOST_GROUP : 1; /* files may change */
    out->effects = calloc(def->effects, sizeof *out->effects);
    out->ids = calloc((size_t)def->effects * out->ids_per_effect, sizeof *out->ids);
    if (!out->effects || !out->ids) {
        show_free(out);
        return RICO_OUT_OF_MEMORY;
    }
    out->effect_count = def->effects;
    out->begins_anew = def->cast->given;
    rico_vec3 rain_box;
    place_effects(def, caster, out, &rain_box);
    if (!def->cast->given)
        out->plan.recipes[SHOW_RAIN].size = rain_box;
    if (error_bytes > 0)
        error[0] = '\0';
    for (uint32_t k = 0; k < out->plan.kind_count; ++k) {
        if (out->plan.effects[k] == 0)
            continue;
        rico_result result =
            add_recipe(world, &def->cast->effects[k], k, out, error, error_bytes);
        if (result != RICO_OK) {
            show_free(out);
            return result;
        }
    }
    return RICO_OK;
}

void show_free(show *s)
{
    free(s->effects);
    free(s->ids);
    memset(s, 0, sizeof *s);
}

void show_start(show *s, rico_world *world, uint32_t i)
{
    const show_effect *effect = &s->effects[i];
    rico_effect_def def = rico_effect_def_default();
    def.transform = effect->transform;
    memset(show_ids(s, i), 0, s->ids_per_effect * sizeof *s->ids);
    if (rio_group_spawn(world, &s->groups[effect->kind], &def, show_ids(s, i),
                        s->ids_per_effect) != RICO_OK)
        ++s->refused;
}

/* Whether all of its effects have ended. An effect that has not begun has no id and waits for
 * its frame. */
static bool has_ended(const show *s, const rico_world *world, uint32_t i)
{
    const rico_effect_id *ids = show_ids(s, i);
    for (uint32_t k = 0; k < s->ids_per_effect; ++k)
        if (ids[k].index1 != 0 && rico_effect_is_alive(world, ids[k]))
            return false;
    return ids[0].index1 != 0;
}

void show_start_effects(show *s, rico_world *world, uint32_t frame)
{
    if (frame >= START_FRAMES && !s->begins_anew)
        return;
    for (uint32_t i = 0; i < s->effect_count; ++i)
        if (s->effects[i].start_frame == frame || (s->begins_anew && has_ended(s, world, i)))
            show_start(s, world, i);
}
