#include "effect_source.h"

#include "file_stamp.h"

#include <stdio.h>
#include <string.h>

static rico_result add(rio_effect_source *s, rico_world *world, const rico_recipe *recipe,
                       char *error, size_t error_bytes)
{
    rico_result result = RICO_FULL;
    if (s->recipe_count < RIO_SOURCE_RECIPES) {
        s->recipes[s->recipe_count] = rico_world_add_recipe(world, recipe);
        if (s->recipes[s->recipe_count].index1 != 0) {
            s->recipe = s->recipes[s->recipe_count++];
            return RICO_OK;
        }
        result = rico_world_last_result(world);
    }
    snprintf(error, error_bytes, "%s: %s", s->path, rico_result_text(result));
    return result;
}

rico_result rio_effect_source_open(const char *path, rico_world *world, rio_effect_source *out,
                                   char *error, size_t error_bytes)
{
    rio_effect effect;
    memset(out, 0, sizeof *out);
    out->path = path;
    (void)rio_file_has_changed(path, &out->stamp);
    rico_result result = rio_effect_load(path, &effect, error, error_bytes);
    if (result != RICO_OK)
        return result;
    result = rio_effect_link(world, &effect, &out->links, &effect.recipe, error, error_bytes);
    if (result == RICO_OK)
        result = add(out, world, &effect.recipe, error, error_bytes);
    rio_effect_free(&effect);
    return result;
}

/* In all of the file's recipes that can; the first of them is for new effects, if the last one's
 * cannot. */
static rio_source_news change(rio_effect_source *s, rico_world *world,
                              const rico_recipe *recipe, char *error, size_t error_bytes)
{
    rico_recipe_id free = {0};
    bool all = true, current = false;
    for (uint32_t i = 0; i < s->recipe_count; ++i) {
        rico_result result = rico_world_change_recipe(world, s->recipes[i], recipe);
        if (result == RICO_OK && free.index1 == 0)
            free = s->recipes[i];
        current |= result == RICO_OK && s->recipes[i].index1 == s->recipe.index1;
        all &= result == RICO_OK;
        if (result != RICO_OK && result != RICO_IN_USE) {
            snprintf(error, error_bytes, "%s: %s", s->path, rico_result_text(result));
            return RIO_SOURCE_REFUSED;
        }
    }
    if (!current && free.index1 != 0)
        s->recipe = free;
    if (free.index1 == 0 && add(s, world, recipe, error, error_bytes) != RICO_OK)
        return RIO_SOURCE_REFUSED;
    return all ? RIO_SOURCE_CHANGED : RIO_SOURCE_ADDED;
}

static rio_source_news follow(rio_effect_source *s, rico_world *world, char *error,
                              size_t error_bytes)
{
    rio_effect effect;
    if (!rio_file_has_changed(s->path, &s->stamp))
        return RIO_SOURCE_SAME;
    if (rio_effect_load(s->path, &effect, error, error_bytes) != RICO_OK)
        return RIO_SOURCE_REFUSED;
    rio_source_news news = RIO_SOURCE_REFUSED;
    if (rio_effect_link(world, &effect, &s->links, &effect.recipe, error, error_bytes) ==
        RICO_OK)
        news = change(s, world, &effect.recipe, error, error_bytes);
    rio_effect_free(&effect);
    return news;
}

rio_source_news rio_effect_source_poll(rio_effect_source *source, rico_world *world,
                                       char *error, size_t error_bytes)
{
    char why[RIO_EFFECT_ERROR_BYTES] = "";
    const rio_source_news links =
        rio_links_follow(world, source->path, &source->links, error, error_bytes);
    const rio_source_news own = follow(source, world, why, sizeof why);
    if (own <= links)
        return links;
    snprintf(error, error_bytes, "%s", why);
    return own;
}

rico_result rio_effect_source_close(rio_effect_source *source, rico_world *world)
{
    rico_result result = RICO_OK;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < source->recipe_count; ++i) {
        rico_result one = rico_world_remove_recipe(world, source->recipes[i]);
        if (one != RICO_OK)
            source->recipes[kept++] = source->recipes[i];
        result = one != RICO_OK ? one : result;
    }
    source->recipe_count = kept;
    source->recipe = kept > 0 ? source->recipes[0] : (rico_recipe_id){0};
    rico_result links = rio_links_remove(world, &source->links);
    return result != RICO_OK ? result : links;
}
