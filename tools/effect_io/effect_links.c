#include "effect_links.h"

#include "file_stamp.h"

#include <stdarg.h>
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

/* A file whose sub-emitters are being linked, and those that led to it. */
typedef struct chain {
    const struct chain *up;
    const rio_effect *effect;
    char name[RIO_SUB_NAME_BYTES]; /* that others would have it by */
    uint32_t levels;               /* that may still be below */
} chain;

/* "FILE:LINE:COLUMN: FIELD: ..." of the name of sub-emitter k. */
static rico_result fail(const linker *l, const chain *at, uint32_t k, rico_result result,
                        const char *format, ...) RICO_PRINTF(5, 6);
static rico_result fail(const linker *l, const chain *at, uint32_t k, rico_result result,
                        const char *format, ...)
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

static const rico_recipe_id *find(const rio_links *links, const char *name)
{
    for (uint32_t i = 0; i < links->count; ++i)
        if (strcmp(links->items[i].name, name) == 0)
            return &links->items[i].recipe;
    return NULL;
}

static rico_result link_all(const linker *l, const chain *at, rico_recipe *recipe);

static rico_result add_recipe(const linker *l, const chain *at, uint32_t k,
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
                    rico_result_text(result));
    }
    snprintf(links->items[links->count].name, RIO_SUB_NAME_BYTES, "%s", name);
    links->items[links->count].recipe = id;
    links->items[links->count].stamp = *stamp;
    links->items[links->count++].waits = false;
    return RICO_OK;
}

#define PATH_BYTES 1200 /* of a directory and a name */

static void path_of(const linker *l, const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s%s.json", l->directory, name);
}

static rico_result add_file(const linker *l, const chain *at, uint32_t k)
{
    char path[PATH_BYTES], why[RIO_EFFECT_ERROR_BYTES];
    const char *name = at->effect->subs.items[k];
    rio_effect effect;
    rio_file_stamp stamp = {0};
    path_of(l, name, path);
    (void)rio_file_has_changed(path, &stamp);
    rico_result result = rio_effect_load(path, &effect, why, sizeof why);
    if (result == RICO_NOT_FOUND)
        return fail(l, at, k, result, "found \"%s\", but %s", name, why);
    if (result != RICO_OK) {
        snprintf(l->error, l->error_bytes, "%s", why);
        return result;
    }
    chain below = {.up = at, .effect = &effect, .levels = at->levels - 1};
    snprintf(below.name, sizeof below.name, "%s", name);
    result = link_all(l, &below, &effect.recipe);
    if (result == RICO_OK)
        result = add_recipe(l, at, k, &effect.recipe, &stamp);
    rio_effect_free(&effect);
    return result;
}

/* Not what led here, and not too deep. */
static rico_result check_name(const linker *l, const chain *at, uint32_t k)
{
    const char *name = at->effect->subs.items[k];
    for (const chain *c = at; c != NULL; c = c->up)
        if (strcmp(c->name, name) == 0)
            return fail(l, at, k, RICO_OUT_OF_RANGE,
                        "found \"%s\", which leads back to this file, expected no circle",
                        name);
    if (at->levels == 0)
        return fail(l, at, k, RICO_OUT_OF_RANGE,
                    "found \"%s\", expected none: this file is %u sub-emitters deep already",
                    name, RICO_MAX_SUB_DEPTH);
    return RICO_OK;
}

static rico_result link_all(const linker *l, const chain *at, rico_recipe *recipe)
{
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k) {
        const char *name = at->effect->subs.items[k];
        if (recipe->sub_emitters[k].on == 0)
            continue;
        rico_result result = check_name(l, at, k);
        if (result == RICO_OK && find(l->links, name) == NULL)
            result = add_file(l, at, k);
        if (result != RICO_OK)
            return result;
        recipe->sub_emitters[k].recipe = *find(l->links, name);
    }
    return RICO_OK;
}

/* "here/fire.json" is "fire" to others. Without .json it is nothing to them. */
static void own_name(const char *path, char name[RIO_SUB_NAME_BYTES])
{
    const char *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    size_t length = dot != NULL && strcmp(dot, ".json") == 0 ? (size_t)(dot - file) : 0;
    if (length < RIO_SUB_NAME_BYTES)
        snprintf(name, RIO_SUB_NAME_BYTES, "%.*s", (int)length, file);
}

rico_result rio_effect_link(rico_world *world, const rio_effect *effect, rio_links *links,
                            rico_recipe *recipe, char *error, size_t error_bytes)
{
    const linker l = {world, effect->directory, links, error, error_bytes};
    chain root = {.effect = effect, .levels = RICO_MAX_SUB_DEPTH};
    own_name(effect->name, root.name);
    return link_all(&l, &root, recipe);
}

/* --- Files that change -------------------------------------------------------------------- */

static bool has_particles(const rico_world *world, rico_recipe_id recipe)
{
    rico_effect_info info;
    for (rico_effect_id e = rico_world_next_effect(world, (rico_effect_id){0});
         rico_effect_get(world, e, &info); e = rico_world_next_effect(world, e))
        if (info.recipe.index1 == recipe.index1 && info.particles > 0)
            return true;
    return false;
}

/* What file i is now, with its sub-emitters linked. root: the file that led to all of them. */
static rico_result load_again(const linker *l, const chain *root, uint32_t i, const char *path,
                              rio_effect *effect)
{
    rico_result result = rio_effect_load(path, effect, l->error, l->error_bytes);
    if (result != RICO_OK)
        return result;
    chain at = {.up = root, .effect = effect, .levels = RICO_MAX_SUB_DEPTH - 1};
    snprintf(at.name, sizeof at.name, "%s", l->links->items[i].name);
    result = link_all(l, &at, &effect->recipe);
    if (result != RICO_OK)
        rio_effect_free(effect);
    return result;
}

static rio_source_news follow(const linker *l, const chain *root, uint32_t i)
{
    char path[PATH_BYTES];
    const rico_recipe_id recipe = l->links->items[i].recipe;
    rio_effect effect;
    path_of(l, l->links->items[i].name, path);
    if (!rio_file_has_changed(path, &l->links->items[i].stamp) &&
        (!l->links->items[i].waits || has_particles(l->world, recipe)))
        return RIO_SOURCE_SAME;
    l->links->items[i].waits = false;
    if (load_again(l, root, i, path, &effect) != RICO_OK)
        return RIO_SOURCE_REFUSED;
    rico_result result = rico_world_change_recipe(l->world, recipe, &effect.recipe);
    rio_effect_free(&effect);
    l->links->items[i].waits = result == RICO_IN_USE;
    if (result == RICO_IN_USE)
        snprintf(
            l->error, l->error_bytes,
            "%s: its particles have no memory for the change, which waits until none lives",
            path);
    else if (result != RICO_OK)
        snprintf(l->error, l->error_bytes, "%s: %s", path, rico_result_text(result));
    return result == RICO_OK       ? RIO_SOURCE_CHANGED
           : result == RICO_IN_USE ? RIO_SOURCE_WAITS
                                   : RIO_SOURCE_REFUSED;
}

rio_source_news rio_links_follow(rico_world *world, const char *path, rio_links *links,
                                 char *error, size_t error_bytes)
{
    char directory[PATH_BYTES], why[RIO_EFFECT_ERROR_BYTES] = "";
    const char *slash = strrchr(path, '/');
    const linker l = {world, directory, links, why, sizeof why};
    const uint32_t count = links->count; /* without those that are added on the way */
    chain root = {.levels = RICO_MAX_SUB_DEPTH};
    rio_source_news news = RIO_SOURCE_SAME;
    snprintf(directory, sizeof directory, "%.*s", slash != NULL ? (int)(slash - path) + 1 : 0,
             path);
    own_name(path, root.name);
    for (uint32_t i = 0; i < count; ++i) {
        rio_source_news one = follow(&l, &root, i);
        if (one <= news)
            continue;
        news = one;
        snprintf(error, error_bytes, "%s", why);
    }
    return news;
}

rico_result rio_links_remove(rico_world *world, rio_links *links)
{
    rico_result result = RICO_OK;
    uint32_t kept = 0;
    /* The last ones first: they name those before them. */
    for (uint32_t i = links->count; i-- > 0;) {
        rico_result one = rico_world_remove_recipe(world, links->items[i].recipe);
        if (one == RICO_OK)
            links->items[i].name[0] = '\0';
        else
            result = one;
    }
    for (uint32_t i = 0; i < links->count; ++i)
        if (links->items[i].name[0] != '\0')
            links->items[kept++] = links->items[i];
    links->count = kept;
    return result;
}
