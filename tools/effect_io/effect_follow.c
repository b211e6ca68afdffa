#include "effect_follow.h"

#include "disk.h"
#include "file_stamp.h"
#include "link_graph.h"

#include <stdio.h>
#include <string.h>

/* --- Which files are read again -------------------------------------------------------------- */

static bool has_particles(const rico_world *world, rico_recipe_id recipe)
{
    rico_effect_info info;
    for (rico_effect_id e = rico_world_next_effect(world, (rico_effect_id){0});
         rico_effect_get(world, e, &info); e = rico_world_next_effect(world, e))
        if (info.recipe.index1 == recipe.index1 && info.particles > 0)
            return true;
    return false;
}

static bool any_has_particles(const rico_world *world, const rio_links *links)
{
    bool any = false;
    for (uint32_t i = 0; i < links->count && !any; ++i)
        any = has_particles(world, links->items[i].recipe);
    return any;
}

bool rio_follow_has_idle(const rio_effect_source *s, const rico_world *world)
{
    for (uint32_t r = 0; r < s->recipe_count; ++r)
        if (!has_particles(world, s->recipes[r]))
            return true;
    return false;
}

/* All files are checked, because each check records the file's new state. */
static bool have_changed(rio_obstacles *o, const char *directory)
{
    bool changed = false;
    char path[RIO_PATH_BYTES];
    for (uint32_t i = 0; i < o->file_count; ++i) {
        rio_link_path(directory, o->files[i].name, path);
        changed |= rio_file_has_changed(path, &o->files[i].stamp);
    }
    return changed;
}

static bool is_due(rio_links *links, uint32_t i, const rico_world *world)
{
    char path[RIO_PATH_BYTES];
    const char *directory = links->items[i].directory;
    rio_link_path(directory, links->items[i].name, path);
    bool changed = rio_file_has_changed(path, &links->items[i].stamp);
    changed |= have_changed(&links->items[i].obstacles, directory);
    if (links->items[i].waits_for_all)
        return changed || !any_has_particles(world, links);
    return changed || (links->items[i].waits && !has_particles(world, links->items[i].recipe));
}

uint32_t rio_follow_due(rio_effect_source *s, const rico_world *world)
{
    char directory[RIO_DIRECTORY_BYTES];
    uint32_t due = 0;
    for (uint32_t i = 0; i < s->links.count; ++i)
        if (!s->links.items[i].unnamed && is_due(&s->links, i, world))
            due |= 1u << i;
    snprintf(directory, sizeof directory, "%.*s", (int)(rio_disk_name(s->path) - s->path),
             s->path);
    bool changed = rio_file_has_changed(s->path, &s->stamp);
    changed |= have_changed(&s->obstacles, directory);
    changed |= s->waits && !any_has_particles(world, &s->links);
    return due | (changed ? 1u << RIO_OWN_FILE : 0u);
}

uint32_t rio_follow_blocked(const rio_effect_source *s)
{
    uint32_t blocked = s->obstacles.any ? 1u << RIO_OWN_FILE : 0u;
    for (uint32_t i = 0; i < s->links.count; ++i)
        if (!s->links.items[i].unnamed && s->links.items[i].obstacles.any)
            blocked |= 1u << i;
    return blocked;
}

/* --- Changes of named files ------------------------------------------------------------------ */

static uint32_t named_by_source(const rio_effect_source *s, const rico_world *world)
{
    uint32_t named = 0;
    for (uint32_t r = 0; r < s->recipe_count; ++r)
        named |= rio_links_named(world, &s->links, s->recipes[r]);
    return named;
}

static uint32_t named_by_subs(const rio_effect_source *s, const rico_world *world)
{
    uint32_t named = named_by_source(s, world);
    for (uint32_t i = 0; i < s->links.count; ++i)
        named |= rio_links_named(world, &s->links, s->links.items[i].recipe);
    return named;
}

void rio_tell_added(char *error, size_t error_bytes, const char *path, const char *field)
{
    snprintf(error, error_bytes,
             "%s: %s: living particles have no memory for the change; it applies to effects "
             "that are spawned from now on",
             path, field);
}

void rio_say_who_waits(const char *path, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes,
             "%s: living particles of files that it names have no memory for what they are to "
             "inherit; the change waits until these particles have died",
             path);
}

/* The change waits for particles of the files that it names; particles of the file itself do not
 * matter. */
static rio_source_news wait_for_all(const rio_linker *l, uint32_t i, const char *path)
{
    l->links->items[i].waits_for_all = true;
    rio_say_who_waits(path, l->error, l->error_bytes);
    return RIO_SOURCE_WAITS;
}

static rio_source_news refuse(const rio_linker *l, const char *path, rico_result result,
                              const rico_recipe *recipe)
{
    l->obstacles->any = true;
    snprintf(l->error, l->error_bytes, "%s: the world refuses it: %s", path,
             rio_world_refusal(result, recipe));
    return RIO_SOURCE_REFUSED;
}

/* Adds a second recipe of the file beside the one in use. Running effects of the host keep their
 * recipe; new effects of the file get this one. field: the field for which the running effects
 * have no memory. */
static rio_source_news add_beside(rio_effect_source *s, const rio_linker *l, uint32_t i,
                                  const char *path, const rico_recipe *recipe,
                                  const char *field)
{
    rio_links *links = l->links;
    const rico_recipe_id old = links->items[i].recipe;
    if (links->count == RIO_MOST_LINKS) {
        l->obstacles->any = true;
        snprintf(l->error, l->error_bytes,
                 "%s: living effects still use earlier versions of it, expected at most %u "
                 "files and earlier versions in all",
                 path, RIO_MOST_LINKS);
        return RIO_SOURCE_REFUSED;
    }
    const rico_recipe_id id = rico_world_add_recipe(l->world, recipe);
    if (id.index1 == 0)
        return refuse(l, path, rico_world_last_result(l->world), recipe);
    links->items[links->count] = links->items[i];
    links->items[links->count++].recipe = id;
    links->items[i].unnamed = true;
    for (uint32_t k = 1; k < s->group.count; ++k)
        if (s->group.items[k].recipe.index1 == old.index1)
            s->group.items[k].recipe = id;
    rio_tell_added(l->error, l->error_bytes, path, field);
    return RIO_SOURCE_ADDED;
}

static rio_source_news change(rio_effect_source *s, const rio_linker *l, uint32_t i,
                              const char *path, const rico_recipe *recipe)
{
    const rico_recipe_id id = l->links->items[i].recipe;
    if (rico_world_recipe_conflict(l->world, (rico_recipe_id){0}, recipe) != NULL)
        return wait_for_all(l, i, path);
    const char *field = rico_world_recipe_conflict(l->world, id, recipe);
    rico_result result =
        field != NULL ? RICO_IN_USE : rico_world_change_recipe(l->world, id, recipe);
    if (result == RICO_OK)
        return RIO_SOURCE_CHANGED;
    if (result != RICO_IN_USE)
        return refuse(l, path, result, recipe);
    if (!(named_by_subs(s, l->world) >> i & 1u))
        return add_beside(s, l, i, path, recipe, field);
    l->links->items[i].waits = true;
    snprintf(l->error, l->error_bytes,
             "%s: %s: its living particles have no memory for the change, which waits until "
             "they have died",
             path, field);
    return RIO_SOURCE_WAITS;
}

/* A file that others name has to be a single effect. */
static bool has_with(const rio_effect *effect, char *error, size_t error_bytes)
{
    if (effect->with_count > 0)
        snprintf(error, error_bytes,
                 "%s:%u:%u: with[0].effect: found \"%s\", expected no \"with\": other files "
                 "name this one",
                 effect->name, effect->with_places[0].line, effect->with_places[0].column,
                 effect->with[0].effect);
    return effect->with_count > 0;
}

rio_source_news rio_follow_link(rio_effect_source *s, rico_world *world, uint32_t i,
                                char *error, size_t error_bytes)
{
    char path[RIO_PATH_BYTES];
    rio_effect effect;
    rio_links *links = &s->links;
    const uint32_t count = links->count;
    const rio_linker l = {world, links->items[i].directory,
                          links, &links->items[i].obstacles,
                          error, error_bytes};
    const rio_chain root = rio_chain_begin(s->path, NULL);
    rio_chain at = {.up = &root, .effect = &effect, .levels = RICO_MAX_SUB_DEPTH};
    at.levels -= rio_links_depth(world, links, rio_links_grouped(links, &s->group),
                                 named_by_source(s, world), i);
    snprintf(at.name, sizeof at.name, "%s", links->items[i].name);
    rio_link_path(l.directory, at.name, path);
    *l.obstacles = (rio_obstacles){0};
    links->items[i].waits = links->items[i].waits_for_all = false;
    if (rio_link_load(path, &effect, error, error_bytes) != RICO_OK)
        return RIO_SOURCE_REFUSED;
    rio_links_adapt(links, &effect);
    rio_source_news news = RIO_SOURCE_REFUSED;
    if (!has_with(&effect, error, error_bytes) &&
        rio_link_all(&l, &at, &effect.recipe) == RICO_OK)
        news = change(s, &l, i, path, &effect.recipe);
    if (news != RIO_SOURCE_CHANGED && news != RIO_SOURCE_ADDED)
        rio_link_undo(world, links, count);
    if (news == RIO_SOURCE_CHANGED && effect.idle[0] != '\0')
        snprintf(error, error_bytes, "%s", effect.idle);
    rio_effect_free(&effect);
    return news;
}

/* --- Files that are not named any more ------------------------------------------------------- */

void rio_follow_mark(rio_effect_source *s, const rico_world *world)
{
    uint32_t levels, named = rio_links_named(world, &s->links, s->recipe) |
                             rio_links_grouped(&s->links, &s->group);
    const uint32_t reached = rio_links_reached(world, &s->links, named, &levels);
    for (uint32_t i = 0; i < s->links.count; ++i)
        s->links.items[i].unnamed = !(reached >> i & 1u);
}

bool rio_follow_prune(rio_effect_source *s, rico_world *world)
{
    const uint32_t count = s->links.count;
    uint32_t unnamed = 0, levels;
    for (uint32_t i = 0; i < count; ++i)
        if (s->links.items[i].unnamed)
            unnamed |= 1u << i;
    if (unnamed == 0)
        return false;
    /* The file's earlier recipes, still in use, may name them. */
    unnamed &= ~rio_links_reached(world, &s->links, named_by_source(s, world), &levels);
    (void)rio_links_drop(world, &s->links, unnamed, true);
    return s->links.count < count;
}
