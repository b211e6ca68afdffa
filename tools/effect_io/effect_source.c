#include "effect_source.h"

#include "effect_follow.h"
#include "file_stamp.h"
#include "link_graph.h"

#include <stdio.h>
#include <string.h>

static rico_result add(rio_effect_source *s, rico_world *world, const rico_recipe *recipe,
                       char *error, size_t error_bytes)
{
    if (s->recipe_count == RIO_SOURCE_RECIPES) {
        snprintf(error, error_bytes, "%s: living effects use %u versions of it, expected fewer",
                 s->path, RIO_SOURCE_RECIPES);
        return RICO_FULL;
    }
    const rico_recipe_id id = rico_world_add_recipe(world, recipe);
    if (id.index1 == 0) {
        rico_result result = rico_world_last_result(world);
        snprintf(error, error_bytes, "%s: the world refuses it: %s", s->path,
                 rio_world_refusal(result, recipe));
        return result;
    }
    s->recipes[s->recipe_count++] = id;
    s->recipe = id;
    return RICO_OK;
}

/* Loads the source's file and links the files that it names. On RICO_OK the caller frees
 * *effect. */
static rico_result load(rio_effect_source *s, rico_world *world, rio_effect *effect,
                        char *error, size_t error_bytes)
{
    s->obstacles = (rio_obstacles){0};
    rico_result result = rio_effect_load(s->path, effect, error, error_bytes);
    if (result != RICO_OK)
        return result;
    rio_links_adapt(&s->links, effect);
    const rio_linker l = {world, effect->directory, &s->links, &s->obstacles,
                          error, error_bytes};
    const rio_chain first = rio_chain_begin(s->path, effect);
    result = rio_link_all(&l, &first, &effect->recipe);
    if (result != RICO_OK)
        rio_effect_free(effect);
    return result;
}

rico_result rio_effect_source_open(const char *path, rico_world *world, rio_effect_source *out,
                                   char *error, size_t error_bytes)
{
    return rio_effect_source_open_with(path, world, NULL, out, error, error_bytes);
}

rico_result rio_effect_source_open_with(const char *path, rico_world *world,
                                        const rio_adapter *adapter, rio_effect_source *out,
                                        char *error, size_t error_bytes)
{
    rio_effect effect;
    error_bytes = error != NULL ? error_bytes : 0;
    memset(out, 0, sizeof *out);
    out->path = path;
    out->links.adapter = adapter;
    (void)rio_file_has_changed(path, &out->stamp);
    rico_result result = load(out, world, &effect, error, error_bytes);
    if (result != RICO_OK)
        return result;
    result = add(out, world, &effect.recipe, error, error_bytes);
    if (result != RICO_OK)
        rio_link_undo(world, &out->links, 0);
    else {
        out->group = rio_effect_group(&effect, &out->links, out->recipe);
        if (effect.idle[0] != '\0')
            snprintf(error, error_bytes, "%s", effect.idle);
    }
    rio_effect_free(&effect);
    return result;
}

/* Changes all of the file's recipes that can take the change. If the latest recipe cannot, the
 * first one that can is used for new effects. */
static rio_source_news change(rio_effect_source *s, rico_world *world,
                              const rico_recipe *recipe, char *error, size_t error_bytes)
{
    rico_recipe_id free = {0};
    const char *field = NULL;
    bool current = false;
    if (rico_world_recipe_conflict(world, free, recipe) != NULL) {
        s->waits = true;
        rio_say_who_waits(s->path, error, error_bytes);
        return RIO_SOURCE_WAITS;
    }
    for (uint32_t i = 0; i < s->recipe_count; ++i) {
        const char *here = rico_world_recipe_conflict(world, s->recipes[i], recipe);
        rico_result result =
            here != NULL ? RICO_IN_USE : rico_world_change_recipe(world, s->recipes[i], recipe);
        if (result == RICO_OK && free.index1 == 0)
            free = s->recipes[i];
        current |= result == RICO_OK && s->recipes[i].index1 == s->recipe.index1;
        field = here != NULL ? here : field;
        if (result != RICO_OK && result != RICO_IN_USE) {
            snprintf(error, error_bytes, "%s: the world refuses it: %s", s->path,
                     rio_world_refusal(result, recipe));
            return RIO_SOURCE_REFUSED;
        }
    }
    if (!current && free.index1 != 0)
        s->recipe = free;
    if (free.index1 == 0 && add(s, world, recipe, error, error_bytes) != RICO_OK) {
        s->lacks_recipe = true;
        return RIO_SOURCE_REFUSED;
    }
    if (field == NULL)
        return RIO_SOURCE_CHANGED;
    rio_tell_added(error, error_bytes, s->path, field);
    return RIO_SOURCE_ADDED;
}

/* Makes the group of effects that are spawned with the file's own. Returns whether it differs
 * from the old one. */
static bool regroup(rio_effect_source *s, const rio_effect *effect)
{
    const rio_group old = s->group;
    s->group = rio_effect_group(effect, &s->links, s->recipe);
    return old.count != s->group.count || memcmp(&old.items[1], &s->group.items[1],
                                                 (old.count - 1) * sizeof old.items[0]) != 0;
}

static rio_source_news follow_own(rio_effect_source *s, rico_world *world, char *error,
                                  size_t error_bytes)
{
    rio_effect effect;
    const uint32_t count = s->links.count;
    s->waits = s->lacks_recipe = false;
    if (load(s, world, &effect, error, error_bytes) != RICO_OK)
        return RIO_SOURCE_REFUSED;
    rio_source_news news = change(s, world, &effect.recipe, error, error_bytes);
    s->obstacles.any = news == RIO_SOURCE_REFUSED;
    if (news == RIO_SOURCE_REFUSED || news == RIO_SOURCE_WAITS)
        rio_link_undo(world, &s->links, count);
    else if (regroup(s, &effect))
        news = RIO_SOURCE_ADDED;
    if (news == RIO_SOURCE_CHANGED && effect.idle[0] != '\0')
        snprintf(error, error_bytes, "%s", effect.idle);
    rio_effect_free(&effect);
    return news;
}

/* --- All files ---------------------------------------------------------------------------- */

/* The result for each file. */
typedef struct tidings {
    rio_source_news news[RIO_FOLLOWED];
    char text[RIO_FOLLOWED][RIO_EFFECT_ERROR_BYTES];
} tidings;

/* Reads the files of the set. Returns those that have changed in the world. */
static uint32_t follow_all(rio_effect_source *s, rico_world *world, uint32_t set, tidings *t)
{
    uint32_t changed = 0;
    for (uint32_t i = 0; i < RIO_FOLLOWED; ++i) {
        if (!(set >> i & 1u))
            continue;
        t->text[i][0] = '\0';
        t->news[i] = i == RIO_OWN_FILE
                         ? follow_own(s, world, t->text[i], sizeof t->text[i])
                         : rio_follow_link(s, world, i, t->text[i], sizeof t->text[i]);
        if (t->news[i] == RIO_SOURCE_CHANGED || t->news[i] == RIO_SOURCE_ADDED)
            changed |= 1u << i;
    }
    return changed;
}

/* The greatest news of all files; the first file's when several have it. */
static rio_source_news worst(const tidings *t, uint32_t told, char *error, size_t error_bytes)
{
    rio_source_news news = RIO_SOURCE_SAME;
    for (uint32_t i = 0; i < RIO_FOLLOWED; ++i) {
        if (!(told >> i & 1u) || t->news[i] <= news)
            continue;
        news = t->news[i];
        snprintf(error, error_bytes, "%s", t->text[i]);
    }
    return news;
}

/* Leaves out files that were refused again and have not changed. */
static uint32_t worth_telling(const tidings *t, uint32_t tried, uint32_t due)
{
    for (uint32_t i = 0; i < RIO_FOLLOWED; ++i)
        if ((tried & ~due) >> i & 1u && t->news[i] == RIO_SOURCE_REFUSED)
            tried &= ~(1u << i);
    return tried;
}

rio_source_news rio_effect_source_poll(rio_effect_source *source, rico_world *world,
                                       char *error, size_t error_bytes)
{
    tidings t;
    const uint32_t due = rio_follow_due(source, world);
    uint32_t tried = 0, next = due, changed = 0;
    if (source->has_room)
        next |= rio_follow_blocked(source);
    if (source->lacks_recipe && rio_follow_has_idle(source, world))
        next |= 1u << RIO_OWN_FILE;
    while (next != 0) {
        const uint32_t now = follow_all(source, world, next, &t);
        tried |= next;
        changed |= now;
        next = now != 0 ? rio_follow_blocked(source) : 0; /* their obstacle may be gone */
    }
    if (changed != 0)
        rio_follow_mark(source, world);
    source->has_room = rio_follow_prune(source, world);
    return worst(&t, worth_telling(&t, tried, due), error, error != NULL ? error_bytes : 0);
}

rico_result rio_effect_source_close(rio_effect_source *source, rico_world *world)
{
    rico_result result = RICO_OK;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < source->recipe_count; ++i) {
        rico_result one = rico_world_remove_recipe(world, source->recipes[i]);
        if (one != RICO_OK && one != RICO_STALE_ID) /* stale: the host has removed it */
            source->recipes[kept++] = source->recipes[i];
        result = one != RICO_OK ? one : result;
    }
    source->recipe_count = kept;
    source->group = (rio_group){.count = 0};
    source->recipe = kept > 0 ? source->recipes[0] : (rico_recipe_id){0};
    rico_result links = rio_links_remove(world, &source->links);
    return result != RICO_OK ? result : links;
}
