#include "effect_links.h"

#include <stdio.h>
#include <string.h>

/* What all files of an effect share. */
typedef struct linker {
    rico_world *world;
    const char *directory;
    rio_links *links;
    char *error;
    size_t error_bytes;
} linker;

static rico_result fail(const linker *l, const char *name, rico_result result)
{
    snprintf(l->error, l->error_bytes, "%.256s%s.json: %s", l->directory, name,
             rico_result_text(result));
    return result;
}

static const rico_recipe_id *find(const rio_links *links, const char *name)
{
    for (uint32_t i = 0; i < links->count; ++i)
        if (strcmp(links->items[i].name, name) == 0)
            return &links->items[i].recipe;
    return NULL;
}

static rico_result link_all(const linker *l, const rio_sub_names *names, rico_recipe *recipe,
                            uint32_t levels);

static rico_result add_file(const linker *l, const char *name, uint32_t levels)
{
    char path[1200];
    rio_effect effect;
    snprintf(path, sizeof path, "%s%s.json", l->directory, name);
    rico_result result = rio_effect_load(path, &effect, l->error, l->error_bytes);
    if (result != RICO_OK)
        return result;
    result = link_all(l, &effect.subs, &effect.recipe, levels);
    if (result == RICO_OK && l->links->count == RIO_MOST_LINKS)
        result = fail(l, name, RICO_FULL);
    if (result == RICO_OK) {
        rico_recipe_id id = rico_world_add_recipe(l->world, &effect.recipe);
        if (id.index1 == 0) {
            result = fail(l, name, rico_world_last_result(l->world));
        } else {
            snprintf(l->links->items[l->links->count].name, RIO_SUB_NAME_BYTES, "%s", name);
            l->links->items[l->links->count++].recipe = id;
        }
    }
    rio_effect_free(&effect);
    return result;
}

/* levels: that may still be below. */
static rico_result link_all(const linker *l, const rio_sub_names *names, rico_recipe *recipe,
                            uint32_t levels)
{
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k) {
        const char *name = names->items[k];
        if (recipe->sub_emitters[k].on == 0)
            continue;
        if (levels == 0) {
            snprintf(l->error, l->error_bytes,
                     "%.256s%s.json: sub-emitters name each other more than %u deep, or in a "
                     "circle",
                     l->directory, name, RICO_MAX_SUB_DEPTH);
            return RICO_OUT_OF_RANGE;
        }
        rico_result result = RICO_OK;
        if (find(l->links, name) == NULL)
            result = add_file(l, name, levels - 1);
        if (result != RICO_OK)
            return result;
        recipe->sub_emitters[k].recipe = *find(l->links, name);
    }
    return RICO_OK;
}

rico_result rio_effect_link(rico_world *world, const rio_effect *effect, rio_links *links,
                            rico_recipe *recipe, char *error, size_t error_bytes)
{
    const linker l = {world, effect->directory, links, error, error_bytes};
    return link_all(&l, &effect->subs, recipe, RICO_MAX_SUB_DEPTH);
}
