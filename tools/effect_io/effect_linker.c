#include "effect_linker.h"

#include "file_stamp.h"
#include "link_graph.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* "FILE:LINE:COLUMN: FIELD: ..." of the name of sub-emitter k. */
static rico_result fail(const rio_linker *l, const rio_chain *at, uint32_t k,
                        rico_result result, const char *format, ...) RICO_PRINTF(5, 6);
static rico_result fail(const rio_linker *l, const rio_chain *at, uint32_t k,
                        rico_result result, const char *format, ...)
{
    char what[RIO_EFFECT_ERROR_BYTES];
    const rio_effect *effect = at->effect;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(l->error, l->error_bytes, "%s:%u:%u: sub_emitters[%u].effect: %s", effect->name,
             effect->sub_places[k].line, effect->sub_places[k].column, k, what);
    return result;
}

/* The world says more to its log, but of C's names. */
const char *rio_world_refusal(rico_result result, const rico_recipe *recipe)
{
    bool names = false;
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k)
        names |= recipe->sub_emitters[k].on != 0;
    if (result == RICO_FULL)
        return names ? "it has no room for another recipe (world_def.max_recipes), or for the "
                       "effects of those that are named (world_def.max_effects)"
                     : "it has no room for another recipe (world_def.max_recipes)";
    if (result == RICO_OUT_OF_RANGE)
        return "a field is not for this world, whose log says which";
    return rico_result_text(result);
}

static rico_result add_recipe(const rio_linker *l, const rio_chain *at, uint32_t k,
                              const rico_recipe *recipe, const rio_file_stamp *stamp)
{
    const char *name = at->effect->subs.items[k];
    rio_links *links = l->links;
    if (links->count == RIO_MOST_LINKS)
        return fail(l, at, k, RICO_FULL, "found \"%s\", expected at most %u files in all", name,
                    RIO_MOST_LINKS);
    rico_recipe_id id = rico_world_add_recipe(l->world, recipe);
    if (id.index1 == 0) {
        rico_result result = rico_world_last_result(l->world);
        return fail(l, at, k, result, "found \"%s\", which the world refuses: %s", name,
                    rio_world_refusal(result, recipe));
    }
    memset(&links->items[links->count], 0, sizeof links->items[0]);
    snprintf(links->items[links->count].name, RIO_SUB_NAME_BYTES, "%s", name);
    snprintf(links->items[links->count].directory, RIO_DIRECTORY_BYTES, "%s", l->directory);
    links->items[links->count].recipe = id;
    links->items[links->count++].stamp = *stamp;
    return RICO_OK;
}

void rio_link_path(const char *directory, const char *name, char path[RIO_PATH_BYTES])
{
    snprintf(path, RIO_PATH_BYTES, "%s%s.json", directory, name);
}

/* Until the file has been added: what is wrong may be in it. */
static void note_obstacle(rio_obstacles *o, const char *name, const rio_file_stamp *stamp)
{
    if (o->file_count == RICO_MAX_SUB_DEPTH)
        return;
    snprintf(o->files[o->file_count].name, RIO_SUB_NAME_BYTES, "%s", name);
    o->files[o->file_count++].stamp = *stamp;
}

static rico_result link_each(const rio_linker *l, const rio_chain *at, rico_recipe *recipe);

static rico_result load_of_host(const rio_files *files, const char *path, rio_effect *effect,
                                char *why, size_t why_bytes)
{
    size_t bytes = 0;
    const char *text = files->read(files->user, path, &bytes);
    if (text == NULL) {
        snprintf(why, why_bytes, "%.900s: the host has no such file, expected an effect file",
                 path);
        return RICO_NOT_FOUND;
    }
    rico_result result = rio_effect_parse(path, text, bytes, effect, why, why_bytes);
    if (files->release != NULL)
        files->release(files->user, text);
    return result;
}

static rico_result load_named(const rio_linker *l, const rio_chain *at, uint32_t k,
                              rio_effect *effect)
{
    char path[RIO_PATH_BYTES], why[RIO_EFFECT_ERROR_BYTES];
    const char *name = at->effect->subs.items[k];
    rio_link_path(l->directory, name, path);
    const rio_files *files = l->links->files;
    rico_result result = files != NULL ? load_of_host(files, path, effect, why, sizeof why)
                                       : rio_effect_load(path, effect, why, sizeof why);
    if (result == RICO_NOT_FOUND)
        return fail(l, at, k, result, "found \"%s\", but %s", name, why);
    if (result != RICO_OK)
        snprintf(l->error, l->error_bytes, "%s", why);
    return result;
}

static rico_result add_file(const rio_linker *l, const rio_chain *at, uint32_t k)
{
    char path[RIO_PATH_BYTES];
    const uint32_t others = l->obstacles->file_count;
    rio_effect effect;
    rio_file_stamp stamp = {0};
    rio_chain below = {.up = at, .effect = &effect, .levels = at->levels - 1};
    snprintf(below.name, sizeof below.name, "%s", at->effect->subs.items[k]);
    rio_link_path(l->directory, below.name, path);
    if (l->links->files == NULL)
        (void)rio_file_has_changed(path, &stamp);
    note_obstacle(l->obstacles, below.name, &stamp);
    rico_result result = load_named(l, at, k, &effect);
    if (result != RICO_OK)
        return result;
    result = link_each(l, &below, &effect.recipe);
    if (result == RICO_OK)
        result = add_recipe(l, at, k, &effect.recipe, &stamp);
    if (result == RICO_OK)
        l->obstacles->file_count = others;
    rio_effect_free(&effect);
    return result;
}

/* Whether the name, or what its file leads to by now, is that of a file that led here. */
static bool leads_back(const rio_linker *l, const rio_chain *at, const char *name,
                       uint32_t reached)
{
    for (const rio_chain *c = at; c != NULL; c = c->up) {
        const uint32_t item = rio_links_find(l->links, l->directory, c->name);
        if (strcmp(c->name, name) == 0 || (item != RIO_NO_LINK && (reached >> item & 1u)))
            return true;
    }
    return false;
}

/* Not what led here, and not too deep. item: RIO_NO_LINK = it is to be loaded. */
static rico_result check_name(const rio_linker *l, const rio_chain *at, uint32_t k,
                              uint32_t item)
{
    const char *name = at->effect->subs.items[k];
    uint32_t levels = 1, reached = 0;
    if (item != RIO_NO_LINK)
        reached = rio_links_reached(l->world, l->links, 1u << item, &levels);
    if (leads_back(l, at, name, reached))
        return fail(l, at, k, RICO_OUT_OF_RANGE,
                    "found \"%s\", which leads back to this file, expected no circle", name);
    if (at->levels == 0)
        return fail(l, at, k, RICO_OUT_OF_RANGE,
                    "found \"%s\", expected none: this file is %u sub-emitters deep already",
                    name, RICO_MAX_SUB_DEPTH);
    if (levels > at->levels)
        return fail(
            l, at, k, RICO_OUT_OF_RANGE,
            "found \"%s\", which is %u sub-emitters deep by itself, expected at most %u: "
            "this file is %u deep already",
            name, levels - 1, at->levels - 1, RICO_MAX_SUB_DEPTH - at->levels);
    return RICO_OK;
}

static rico_result link_each(const rio_linker *l, const rio_chain *at, rico_recipe *recipe)
{
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k) {
        const char *name = at->effect->subs.items[k];
        if (recipe->sub_emitters[k].on == 0)
            continue;
        uint32_t item = rio_links_find(l->links, l->directory, name);
        rico_result result = check_name(l, at, k, item);
        if (result == RICO_OK && item == RIO_NO_LINK) {
            result = add_file(l, at, k);
            item = l->links->count - 1;
        }
        if (result != RICO_OK)
            return result;
        recipe->sub_emitters[k].recipe = l->links->items[item].recipe;
    }
    return RICO_OK;
}

/* From the last one: they name those before them. What is left, if any, nobody names. */
void rio_link_undo(rico_world *world, rio_links *links, uint32_t count)
{
    while (links->count > count &&
           rico_world_remove_recipe(world, links->items[links->count - 1].recipe) == RICO_OK)
        links->count -= 1;
}

rico_result rio_link_all(const rio_linker *l, const rio_chain *at, rico_recipe *recipe)
{
    const uint32_t count = l->links->count;
    l->obstacles->file_count = 0;
    rico_result result = link_each(l, at, recipe);
    l->obstacles->any = result != RICO_OK;
    if (result != RICO_OK)
        rio_link_undo(l->world, l->links, count);
    return result;
}

rio_chain rio_chain_begin(const char *path, const rio_effect *effect)
{
    rio_chain chain = {.effect = effect, .levels = RICO_MAX_SUB_DEPTH};
    const char *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    size_t length = dot != NULL && strcmp(dot, ".json") == 0 ? (size_t)(dot - file) : 0;
    if (length < sizeof chain.name)
        snprintf(chain.name, sizeof chain.name, "%.*s", (int)length, file);
    return chain;
}
