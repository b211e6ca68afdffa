#include "looks.h"

#include "curve.h"
#include "event_arena.h"
#include "preparation.h"
#include "stages.h"

#include "check.h"

/* --- Recipes ------------------------------------------------------------------------------ */

static uint32_t hands_on(const rico_sub_emitter *sub)
{
    if (sub->on == 0)
        return 0;
    return (sub->inherit_size ? RICO__HANDS_ON_SIZE : 0u) |
           (sub->inherit_color ? RICO__HANDS_ON_COLOR : 0u);
}

uint32_t rico__look_bits(const rico_recipe *recipe)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k)
        if (hands_on(&recipe->sub_emitters[k]) != 0)
            bits |= recipe->sub_emitters[k].on;
    return bits;
}

uint32_t rico__looks_handed_on(const rico_world *world, uint32_t index)
{
    uint32_t bits = 0;
    for (uint32_t r = 0; r < world->recipe_count; ++r)
        for (uint32_t k = 0; world->recipes[r].alive && k < RICO_MAX_SUB_EMITTERS; ++k) {
            const rico_sub_emitter *sub = &world->recipes[r].def.sub_emitters[k];
            if (sub->recipe.index1 == index + 1)
                bits |= hands_on(sub);
        }
    return bits;
}

static size_t raw_count(const rico_world *world)
{
    return (size_t)world->worker_count * rico__event_arena_capacity(&world->def);
}

/* The parents of births that wait for the next step hand nothing on. */
static void begin_seeds(rico_world *world)
{
    for (uint32_t r = 0; r < world->recipe_count; ++r) {
        const rico__feed *feed = &world->recipes[r].feed;
        for (uint32_t s = feed->first; s < feed->first + feed->count; ++s)
            world->seed_looks[s] = RICO__OWN_LOOK;
    }
}

static rico_result reserve(rico_world *world, const char *call)
{
    if (world->seed_looks != NULL)
        return RICO_OK;
    world->raw_looks = rico__memory_reserve(&world->memory, raw_count(world),
                                            sizeof *world->raw_looks, RICO_CACHE_LINE);
    world->seed_looks = rico__memory_reserve(&world->memory, 3 * (size_t)world->seed_capacity,
                                             sizeof *world->seed_looks, RICO_CACHE_LINE);
    if (world->raw_looks != NULL && world->seed_looks != NULL) {
        begin_seeds(world);
        return RICO_OK;
    }
    rico__looks_free(world);
    return rico__fail(&world->def.log, RICO_OUT_OF_MEMORY, call,
                      "no memory for sizes and colours that births at events inherit");
}

void rico__looks_free(rico_world *world)
{
    rico__memory_release(&world->memory, world->raw_looks, raw_count(world),
                         sizeof *world->raw_looks, RICO_CACHE_LINE);
    rico__memory_release(&world->memory, world->seed_looks, 3 * (size_t)world->seed_capacity,
                         sizeof *world->seed_looks, RICO_CACHE_LINE);
    world->raw_looks = NULL;
    world->seed_looks = NULL;
}

/* What the sub-emitter hands on to a recipe that has no memory for it, while particles of that
 * recipe live. */
static uint32_t lacks_of(const rico_world *world, const rico_sub_emitter *sub)
{
    const uint32_t handed = hands_on(sub);
    if (handed == 0 || rico__recipe_find(world, sub->recipe) == NULL)
        return 0;
    const uint32_t index = sub->recipe.index1 - 1;
    const uint32_t lacks = handed & ~(uint32_t)world->recipes[index].inherits;
    return lacks != 0 && rico__has_blocks(world, index) ? lacks : 0;
}

static const char *field_of(uint32_t lacks)
{
    return (lacks & RICO__HANDS_ON_SIZE) != 0 ? "inherit_size" : "inherit_color";
}

const char *rico__looks_conflict(const rico_world *world, const rico_recipe *recipe)
{
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k) {
        const uint32_t lacks = lacks_of(world, &recipe->sub_emitters[k]);
        if (lacks != 0)
            return field_of(lacks);
    }
    return NULL;
}

rico_result rico__looks_link(rico_world *world, const rico_recipe *recipe, const char *call)
{
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k) {
        const rico_sub_emitter *sub = &recipe->sub_emitters[k];
        const uint32_t lacks = lacks_of(world, sub);
        if (lacks != 0)
            return rico__fail(&world->def.log, RICO_IN_USE, call,
                              "recipe.sub_emitters[%u].%s: living particles of recipe %u have "
                              "no memory for it, expected no living particles",
                              k, field_of(lacks), sub->recipe.index1);
    }
    return rico__look_bits(recipe) != 0 ? reserve(world, call) : RICO_OK;
}

void rico__looks_feed(rico_world *world, const rico_recipe *recipe)
{
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k) {
        const rico_sub_emitter *sub = &recipe->sub_emitters[k];
        const uint32_t more = hands_on(sub);
        if (more == 0)
            continue;
        rico__recipe *child = &world->recipes[sub->recipe.index1 - 1];
        if ((more & ~(uint32_t)child->inherits) == 0)
            continue;
        rico__recipe_inherit(child, child->inherits | more);
        rico__sub_emitters_resize(world, child);
    }
}

/* --- At events ---------------------------------------------------------------------------- */

/* Metres: 1e6, as for coordinates. */
#define MOST_SIZE 1.0e6f

/* Evaluates curves as the end of a step does, by the same kernel. */
void rico__look_note(rico__block_context *c, uint32_t i, float age, float life)
{
    const rico__recipe *recipe = c->recipe;
    const bool grows = recipe->def.particle_size.key_count > 1;
    float ages[16], lives[16], size[16];
    uint32_t color[16];
    for (uint32_t n = 0; n < 16; ++n) {
        ages[n] = age;
        lives[n] = life;
    }
    c->world->kernels->curves(ages, lives, 1, &recipe->tables, size, color);
    const float *sizes = rico__stream(recipe, c->data, grows ? FIELD_SCALE : FIELD_SIZE);
    rico__look look = {size[0], color[0]};
    if (sizes != NULL)
        look.size = grows ? look.size * sizes[i] : sizes[i];
    const bool fades = rico__color_varies(&recipe->def);
    const uint32_t *colors = (const uint32_t *)(const void *)rico__stream(
        recipe, c->data, fades ? FIELD_TINT : FIELD_COLOR);
    if (colors != NULL)
        look.color = fades ? rico__tinted(look.color, colors[i]) : colors[i];
    rico__event_look(&c->scratch->events, look);
}

rico__look rico__look_of_seed(const rico_sub_emitter *sub, const rico__effect *effect,
                              rico__look drawn)
{
    rico__look look = RICO__OWN_LOOK;
    if (sub->inherit_size)
        look.size = float_min(drawn.size, MOST_SIZE);
    if (sub->inherit_color)
        look.color = rico__tinted(drawn.color, effect->tint);
    return look;
}

/* --- At births ---------------------------------------------------------------------------- */

void rico__looks_set(const rico__recipe *recipe, float *data, uint32_t first, uint32_t count,
                     rico__look look)
{
    const bool grows = recipe->def.particle_size.key_count > 1;
    const bool fades = rico__color_varies(&recipe->def);
    float *sizes = rico__stream(recipe, data, grows ? FIELD_SCALE : FIELD_SIZE);
    uint32_t *colors =
        (uint32_t *)(void *)rico__stream(recipe, data, fades ? FIELD_TINT : FIELD_COLOR);
    const float size = grows ? look.size : look.size * recipe->def.particle_size.value[0];
    const uint32_t color =
        fades ? look.color : rico__tinted(recipe->tables.color[0], look.color);
    for (uint32_t n = first; sizes != NULL && n < first + count; ++n)
        sizes[n] = size;
    for (uint32_t n = first; colors != NULL && n < first + count; ++n)
        colors[n] = color;
}
