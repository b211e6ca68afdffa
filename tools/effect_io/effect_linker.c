#include "effect_linker.h"

#include "disk.h"
#include "file_stamp.h"
#include "link_graph.h"
#include "nearest_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The place where a file names another file. */
typedef struct naming {
    const char *list; /* "sub_emitters" or "with" */
    uint32_t k;       /* index in the list */
    const char *name;
    rio_effect_place place;
} naming;

static naming name_of_sub(const rio_chain *at, uint32_t k)
{
    return (naming){"sub_emitters", k, at->effect->subs.items[k], at->effect->sub_places[k]};
}

static naming name_of_with(const rio_chain *at, uint32_t k)
{
    return (naming){"with", k, at->effect->with[k].effect, at->effect->with_places[k]};
}

/* Reports "FILE:LINE:COLUMN: FIELD: ..." for the name. */
static rico_result fail(const rio_linker *l, const rio_chain *at, const naming *n,
                        rico_result result, const char *format, ...) RICO_PRINTF(5, 6);
static rico_result fail(const rio_linker *l, const rio_chain *at, const naming *n,
                        rico_result result, const char *format, ...)
{
    char what[RIO_EFFECT_ERROR_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(l->error, l->error_bytes, "%s:%u:%u: %s[%u].effect: %s", at->effect->name,
             n->place.line, n->place.column, n->list, n->k, what);
    return result;
}

/* The world's log says more, but with the names of C. */
const char *rio_world_refusal(rico_result result, const rico_recipe *recipe)
{
    bool names = false;
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k)
        names |= recipe->sub_emitters[k].on != 0;
    if (result == RICO_FULL)
        return names ? "it has no room for another recipe (world_def.max_recipes), or for the "
                       "effects of the files that it names (world_def.max_effects)"
                     : "it has no room for another recipe (world_def.max_recipes)";
    if (result == RICO_OUT_OF_RANGE)
        return "this world does not accept the value of a field, which its log names";
    return rico_result_text(result);
}

static rico_result add_recipe(const rio_linker *l, const rio_chain *at, const naming *n,
                              const rico_recipe *recipe, const rio_file_stamp *stamp)
{
    rio_links *links = l->links;
    if (links->count == RIO_MOST_LINKS)
        return fail(l, at, n, RICO_FULL, "found \"%s\", expected at most %u files in all",
                    n->name, RIO_MOST_LINKS);
    rico_recipe_id id = rico_world_add_recipe(l->world, recipe);
    if (id.index1 == 0) {
        rico_result result = rico_world_last_result(l->world);
        return fail(l, at, n, result, "found \"%s\", which the world refuses: %s", n->name,
                    rio_world_refusal(result, recipe));
    }
    memset(&links->items[links->count], 0, sizeof links->items[0]);
    snprintf(links->items[links->count].name, RIO_SUB_NAME_BYTES, "%s", n->name);
    snprintf(links->items[links->count].directory, RIO_DIRECTORY_BYTES, "%s", l->directory);
    links->items[links->count].recipe = id;
    links->items[links->count++].stamp = *stamp;
    return RICO_OK;
}

void rio_link_path(const char *directory, const char *name, char path[RIO_PATH_BYTES])
{
    snprintf(path, RIO_PATH_BYTES, "%s%s.json", directory, name);
}

rico_result rio_link_load(const char *path, rio_effect *out, char *error, size_t error_bytes)
{
    char hint[RIO_FILE_HINT_BYTES];
    if (rio_disk_spells(path))
        return rio_effect_load(path, out, error, error_bytes);
    memset(out, 0, sizeof *out);
    snprintf(error, error_bytes, "%s: No such file or directory, expected an effect file%s",
             path, rio_nearest_file_hint(path, hint));
    return RICO_NOT_FOUND;
}

/* The file is an obstacle until it has been added, because it may hold the error. */
static void note_obstacle(rio_obstacles *o, const char *name, const rio_file_stamp *stamp)
{
    if (o->file_count == RIO_MOST_OBSTACLES)
        return;
    snprintf(o->files[o->file_count].name, RIO_SUB_NAME_BYTES, "%s", name);
    o->files[o->file_count++].stamp = *stamp;
}

static rico_result link_subs(const rio_linker *l, const rio_chain *at, rico_recipe *recipe);

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

static rico_result load_named(const rio_linker *l, const rio_chain *at, const naming *n,
                              rio_effect *effect)
{
    char path[RIO_PATH_BYTES], why[RIO_EFFECT_ERROR_BYTES];
    rio_link_path(l->directory, n->name, path);
    const rio_files *files = l->links->files;
    rico_result result = files != NULL ? load_of_host(files, path, effect, why, sizeof why)
                                       : rio_link_load(path, effect, why, sizeof why);
    if (result == RICO_NOT_FOUND)
        return fail(l, at, n, result, "found \"%s\", but %s", n->name, why);
    if (result != RICO_OK)
        snprintf(l->error, l->error_bytes, "%s", why);
    if (result == RICO_OK && effect->with_count == 0)
        rio_links_adapt(l->links, effect);
    if (result != RICO_OK || effect->with_count == 0)
        return result;
    rio_effect_free(effect);
    return fail(l, at, n, RICO_OUT_OF_RANGE,
                "found \"%s\", which has a \"with\" itself, expected an effect without one",
                n->name);
}

/* levels: levels of sub-emitters below the file. */
static rico_result add_file(const rio_linker *l, const rio_chain *at, const naming *n,
                            uint32_t levels)
{
    char path[RIO_PATH_BYTES];
    const uint32_t others = l->obstacles->file_count;
    rio_effect effect;
    rio_file_stamp stamp = {0};
    rio_chain below = {.up = at, .effect = &effect, .levels = levels};
    snprintf(below.name, sizeof below.name, "%s", n->name);
    rio_link_path(l->directory, below.name, path);
    if (l->links->files == NULL)
        (void)rio_file_has_changed(path, &stamp);
    note_obstacle(l->obstacles, below.name, &stamp);
    rico_result result = load_named(l, at, n, &effect);
    if (result != RICO_OK)
        return result;
    result = link_subs(l, &below, &effect.recipe);
    if (result == RICO_OK)
        result = add_recipe(l, at, n, &effect.recipe, &stamp);
    if (result == RICO_OK) {
        l->obstacles->file_count = others;
        if (l->error_bytes > 0 && l->error[0] == '\0')
            snprintf(l->error, l->error_bytes, "%s", effect.idle);
    }
    rio_effect_free(&effect);
    return result;
}

/* Whether the name, or a name that its file leads to by now, is that of a file that led here. */
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

static rico_result refuse_circle(const rio_linker *l, const rio_chain *at, const naming *n)
{
    return fail(l, at, n, RICO_OUT_OF_RANGE,
                "found \"%s\", which leads back to this file: files must not name each other "
                "in a circle",
                n->name);
}

/* The named file must not be one that led here, and must not be too deep. item: RIO_NO_LINK = it
 * is still to be loaded. */
static rico_result check_sub(const rio_linker *l, const rio_chain *at, const naming *n,
                             uint32_t item)
{
    uint32_t levels = 1, reached = 0;
    if (item != RIO_NO_LINK)
        reached = rio_links_reached(l->world, l->links, 1u << item, &levels);
    if (leads_back(l, at, n->name, reached))
        return refuse_circle(l, at, n);
    if (at->levels == 0)
        return fail(
            l, at, n, RICO_OUT_OF_RANGE,
            "found \"%s\", expected none: this file is already %u levels of sub-emitters deep",
            n->name, RICO_MAX_SUB_DEPTH);
    if (levels > at->levels)
        return fail(l, at, n, RICO_OUT_OF_RANGE,
                    "found \"%s\", which has %u levels of sub-emitters itself, expected at "
                    "most %u: this file is already %u levels deep",
                    n->name, levels - 1, at->levels - 1, RICO_MAX_SUB_DEPTH - at->levels);
    return RICO_OK;
}

static rico_result link_subs(const rio_linker *l, const rio_chain *at, rico_recipe *recipe)
{
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k) {
        const naming n = name_of_sub(at, k);
        if (recipe->sub_emitters[k].on == 0)
            continue;
        uint32_t item = rio_links_find(l->links, l->directory, n.name);
        rico_result result = check_sub(l, at, &n, item);
        if (result == RICO_OK && item == RIO_NO_LINK) {
            result = add_file(l, at, &n, at->levels - 1);
            item = l->links->count - 1;
        }
        if (result != RICO_OK)
            return result;
        recipe->sub_emitters[k].recipe = l->links->items[item].recipe;
    }
    return RICO_OK;
}

/* Only the first file has them; no named file does. They are effects of their own, so their
 * sub-emitters may be as deep as those of the first file. */
static rico_result link_with(const rio_linker *l, const rio_chain *at)
{
    rico_result result = RICO_OK;
    for (uint32_t k = 0; k < at->effect->with_count && result == RICO_OK; ++k) {
        const naming n = name_of_with(at, k);
        if (leads_back(l, at, n.name, 0))
            result = refuse_circle(l, at, &n);
        else if (rio_links_find(l->links, l->directory, n.name) == RIO_NO_LINK)
            result = add_file(l, at, &n, RICO_MAX_SUB_DEPTH);
    }
    return result;
}

/* Begins at the last one, because items name those before them. Items that cannot be removed are
 * not named by any recipe. */
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
    if (l->error_bytes > 0)
        l->error[0] = '\0';
    rico_result result = link_subs(l, at, recipe);
    if (result == RICO_OK)
        result = link_with(l, at);
    l->obstacles->any = result != RICO_OK;
    if (result != RICO_OK)
        rio_link_undo(l->world, l->links, count);
    return result;
}

rio_chain rio_chain_begin(const char *path, const rio_effect *effect)
{
    rio_chain chain = {.effect = effect, .levels = RICO_MAX_SUB_DEPTH};
    const char *file = rio_disk_name(path);
    const char *dot = strrchr(file, '.');
    size_t length = dot != NULL && strcmp(dot, ".json") == 0 ? (size_t)(dot - file) : 0;
    if (length < sizeof chain.name)
        snprintf(chain.name, sizeof chain.name, "%.*s", (int)length, file);
    return chain;
}
