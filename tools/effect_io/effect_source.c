#include "effect_source.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Notes what the file is now; false when that is what it was. A file that is gone has no inode. */
static bool note(rio_effect_source *s)
{
    struct stat info;
    memset(&info, 0, sizeof info);
    if (stat(s->path, &info) != 0)
        memset(&info, 0, sizeof info);
    int64_t now[4] = {(int64_t)info.st_mtim.tv_sec, (int64_t)info.st_mtim.tv_nsec,
                      (int64_t)info.st_size, (int64_t)info.st_ino};
    bool same = now[0] == s->seconds && now[1] == s->nanoseconds && now[2] == s->bytes &&
                now[3] == s->inode;
    s->seconds = now[0];
    s->nanoseconds = now[1];
    s->bytes = now[2];
    s->inode = now[3];
    return !same;
}

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
    note(out); /* before it is read: what is written meanwhile is a change */
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

rio_source_news rio_effect_source_poll(rio_effect_source *source, rico_world *world,
                                       char *error, size_t error_bytes)
{
    rio_effect effect;
    if (!note(source))
        return RIO_SOURCE_SAME;
    if (rio_effect_load(source->path, &effect, error, error_bytes) != RICO_OK)
        return RIO_SOURCE_REFUSED;
    rio_source_news news = RIO_SOURCE_REFUSED;
    if (rio_effect_link(world, &effect, &source->links, &effect.recipe, error, error_bytes) ==
        RICO_OK)
        news = change(source, world, &effect.recipe, error, error_bytes);
    rio_effect_free(&effect);
    return news;
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
