/* Force fields from the host's side, and what becomes untrue when one is edited. */
#include "fields.h"

#include "bits.h"
#include "check.h"
#include "float_mode.h"
#include "forces.h"
#include "log.h"
#include "preparation.h"
#include "response.h"
#include "stages.h"

#include <string.h>

#define FIELD_COOKIE 0x464c4446u

rico_field_def rico_field_def_default(void)
{
    return (rico_field_def){
        .cookie = FIELD_COOKIE,
        .force = rico_force_default(),
        .shape = RICO_FIELD_BOX,
        .size = {1.0f, 1.0f, 1.0f},
        .falloff = 0.2f,
        .transform = RICO_TRANSFORM_IDENTITY,
        .layers = 1,
    };
}

/* --- Checks ------------------------------------------------------------------------------- */

static rico_result check(rico_world *world, const rico_field_def *def, const char *call)
{
    if (rico__is_busy(world, call))
        return RICO_BUSY;
    if (def->cookie != FIELD_COOKIE)
        return rico__refuse(world, RICO_UNINITIALIZED_DEF, call,
                            "the def was not made by rico_field_def_default()");
    rico_result result = rico__force_check(call, "def.force", &def->force, &world->def.log);
    if (result != RICO_OK)
        return world->last_result = result;
    if ((unsigned)def->shape > RICO_FIELD_SPHERE)
        return world->last_result =
                   rico__fail(&world->def.log, RICO_OUT_OF_RANGE, call,
                              "def.shape is %d, expected box or sphere", (int)def->shape);
    const rico__bound bounds[] = {{"falloff", def->falloff, 0.0f, 1.0f},
                                  {"size.x", def->size.x, 0.01f, 1.0e6f},
                                  {"size.y", def->size.y, 0.01f, 1.0e6f},
                                  {"size.z", def->size.z, 0.01f, 1.0e6f}};
    size_t count = def->shape == RICO_FIELD_BOX ? 4 : 2;
    result = rico__check_numbers(call, "def", bounds, count, &world->def.log);
    if (result != RICO_OK)
        return world->last_result = result;
    return rico__check_transform(world, &def->transform, call, "def.transform");
}

static rico__zone *find(rico_world *world, rico_field_id id, const char *call)
{
    if (rico__is_busy(world, call)) {
        return NULL;
    }
    rico__zone *zone = NULL;
    if (id.index1 > 0 && id.index1 <= world->fields.high_water)
        zone = &world->fields.items[id.index1 - 1];
    if (zone != NULL && zone->alive && zone->generation == id.generation)
        return zone;
    rico__refuse(world, RICO_STALE_ID, call, "the field id is null or stale");
    return NULL;
}

/* --- Edits -------------------------------------------------------------------------------- */

static rico_vec3 half_of(const rico_field_def *def)
{
    rico_vec3 half = vec3_scale(def->size, def->transform.scale);
    return def->shape == RICO_FIELD_SPHERE ? vec3(half.x, half.x, half.x) : half;
}

static rico_box box_of(const rico_field_def *def)
{
    rico_vec3 half = half_of(def), reach = half;
    const rico_transform *t = &def->transform;
    if (def->shape == RICO_FIELD_BOX) {
        rico_vec3 x = transform_direction(t, vec3(half.x, 0.0f, 0.0f));
        rico_vec3 y = transform_direction(t, vec3(0.0f, half.y, 0.0f));
        rico_vec3 z = transform_direction(t, vec3(0.0f, 0.0f, half.z));
        reach = vec3_add(vec3_max(x, vec3_neg(x)),
                         vec3_add(vec3_max(y, vec3_neg(y)), vec3_max(z, vec3_neg(z))));
    }
    return (rico_box){vec3_sub(t->position, reach), vec3_add(t->position, reach)};
}

static void place(rico_world *world, rico__zone *zone)
{
    const rico_field_def *def = &zone->def;
    rico__fields *fields = &world->fields;
    zone->box = box_of(def);
    rico__force_place(&zone->force, &def->force, &def->transform, fields->clock,
                      fields->shifted);
    rico__force_within(&zone->force, &def->transform, half_of(def),
                       def->shape == RICO_FIELD_SPHERE, def->falloff);
}

/* What the field does in its box has changed: paths through the box are looked at again, and
 * sleepers in it are checked. */
static void note(rico_world *world, rico__zone *zone)
{
    zone->edited = true;
    world->fields.edited = true;
    rico__edit_paths(world, &zone->box);
}

static void sum_up(rico__fields *fields)
{
    fields->layers = 0;
    fields->most = 0.0f;
    fields->scrolls = false;
    for (uint32_t z = 0; z < fields->high_water; ++z)
        if (fields->items[z].alive) {
            fields->layers |= fields->items[z].def.layers;
            fields->most += fields->items[z].force.most;
            fields->scrolls |= fields->items[z].force.hurry > 0.0f;
        }
}

static void put(rico_world *world, rico__zone *zone, const rico_field_def *def)
{
    zone->def = *def;
    place(world, zone);
    note(world, zone);
    sum_up(&world->fields);
}

rico_field_id rico_world_add_field(rico_world *world, const rico_field_def *def)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE_OF(world, def != NULL))
        return (rico_field_id){0};
    static const char call[] = "rico_world_add_field";
    rico__fields *fields = &world->fields;
    uint32_t slot = 0;
    if (check(world, def, call) != RICO_OK)
        return (rico_field_id){0};
    while (slot < fields->high_water && fields->items[slot].alive)
        ++slot;
    if (slot == world->def.max_fields) {
        world->last_result =
            rico__fail(&world->def.log, RICO_FULL, call,
                       "world_def.max_fields (%u) fields exist already", world->def.max_fields);
        return (rico_field_id){0};
    }
    fields->high_water += slot == fields->high_water;
    fields->count += 1;
    rico__zone *zone = &fields->items[slot];
    uint32_t generation = zone->generation + 1;
    *zone = (rico__zone){.alive = true, .generation = generation};
    put(world, zone, def);
    return (rico_field_id){slot + 1, generation};
}

rico_result rico_world_move_field(rico_world *world, rico_field_id id, rico_transform transform)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_world_move_field";
    rico__zone *zone = find(world, id, call);
    if (zone == NULL)
        return world->last_result;
    rico_result result = rico__check_transform(world, &transform, call, "transform");
    if (result != RICO_OK)
        return result;
    rico_field_def def = zone->def;
    def.transform = transform;
    note(world, zone);
    put(world, zone, &def);
    return RICO_OK;
}

rico_result rico_world_change_field(rico_world *world, rico_field_id id,
                                    const rico_field_def *def)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE_OF(world, def != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_world_change_field";
    rico__zone *zone = find(world, id, call);
    if (zone == NULL)
        return world->last_result;
    rico_result result = check(world, def, call);
    if (result != RICO_OK)
        return result;
    note(world, zone);
    put(world, zone, def);
    return RICO_OK;
}

rico_result rico_world_remove_field(rico_world *world, rico_field_id id)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    rico__zone *zone = find(world, id, "rico_world_remove_field");
    if (zone == NULL)
        return world->last_result;
    note(world, zone);
    zone->alive = false;
    world->fields.count -= 1;
    sum_up(&world->fields);
    return RICO_OK;
}

/* --- Steps -------------------------------------------------------------------------------- */

void rico__fields_begin(rico_world *world)
{
    rico__fields_set_clock(world, world->fields.clock + (double)world->dt);
}

void rico__fields_set_clock(rico_world *world, double clock)
{
    rico__fields *fields = &world->fields;
    fields->clock = clock;
    for (uint32_t z = 0; z < fields->high_water; ++z)
        if (fields->items[z].alive && fields->items[z].force.hurry > 0.0f)
            place(world, &fields->items[z]);
}

void rico__fields_end(rico_world *world)
{
    rico__fields *fields = &world->fields;
    if (!fields->edited || !rico__goes_on(world))
        return;
    fields->edited = false;
    for (uint32_t z = 0; z < fields->high_water; ++z)
        fields->items[z].edited = false;
}

void rico__fields_shift(rico_world *world, rico_vec3 origin)
{
    rico__fields *fields = &world->fields;
    fields->shifted[0] += (double)origin.x;
    fields->shifted[1] += (double)origin.y;
    fields->shifted[2] += (double)origin.z;
    for (uint32_t z = 0; z < fields->high_water; ++z) {
        rico__zone *zone = &fields->items[z];
        zone->def.transform.position = vec3_sub(zone->def.transform.position, origin);
        if (zone->alive)
            place(world, zone);
    }
}

/* --- Sleepers ----------------------------------------------------------------------------- */

static bool was_edited(const rico_world *world, const rico__recipe *recipe, rico_vec3 p,
                       bool any)
{
    for (uint32_t z = 0; z < world->fields.high_water; ++z) {
        const rico__zone *zone = &world->fields.items[z];
        if (zone->alive && (zone->edited || any) &&
            (zone->def.layers & recipe->def.field_layers) != 0 && box_contains(&zone->box, p))
            return true;
    }
    return false;
}

/* Whether all that acts on a sleeper at p now would move it. */
static bool is_moved(const rico_world *world, const rico__effect *effect,
                     const rico__step *step, rico_vec3 p)
{
    rico__forces forces;
    const rico_box box = {p, p};
    float cosine;
    rico__forces_find(world, effect, step, &box, &forces);
    return !rico__forces_hold(step, rico__forces_on_sleeper(world, &forces, p), &cosine);
}

void rico__fields_wake(rico_world *world, rico__block *block)
{
    const rico__effect *effect = &world->effects[block->effect];
    const rico__recipe *recipe = &world->recipes[block->recipe];
    float *data = rico__block_data(world, block);
    rico__step step;
    if ((!world->fields.edited && !effect->forgets) || !recipe->pushed ||
        rico__response_stays(&recipe->def))
        return;
    rico__effect_step(&step, recipe, effect, world->def.cell_size);
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = block->asleep[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = w * 64 + bits_lowest64(bits);
            rico_vec3 p = {rico__stream(recipe, data, FIELD_PX)[i],
                           rico__stream(recipe, data, FIELD_PY)[i],
                           rico__stream(recipe, data, FIELD_PZ)[i]};
            if (!was_edited(world, recipe, p, effect->forgets) ||
                !is_moved(world, effect, &step, p))
                continue;
            rico__bit_set(block->asleep, i, false);
            if (recipe->def.mode != RICO_COLLIDE_CACHED)
                continue;
            rico__stream(recipe, data, FIELD_UNTIL)[i] = 0.0f;
            rico__bit_set(block->waits, i, true);
        }
}
