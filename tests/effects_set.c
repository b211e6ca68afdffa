#include "effects_set.h"

#include <sys/stat.h>
#include <unistd.h>

static void quiet(void *user, rico_log_level level, const char *text)
{
    (void)user, (void)level, (void)text;
}

void open_set(set *s, const char *name, uint32_t max_recipes)
{
    memset(s, 0, sizeof *s);
    snprintf(s->directory, sizeof s->directory, "effects_%s_%ld", name, (long)getpid());
    CHECK(mkdir(s->directory, 0777) == 0);
    rico_world_def def = rico_world_def_default();
    def.max_particles = 4096;
    def.worker_count = 1;
    def.cache_bytes = 1 << 20;
    def.max_recipes = max_recipes;
    def.log = (rico_log){quiet, NULL};
    CHECK_EQ(rico_world_create(&def, &s->world), RICO_OK);
}

void path_of(const set *s, const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s.json", s->directory, name);
}

void write_file(set *s, const char *name, const char *text)
{
    char path[128];
    path_of(s, name, path);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0);
    fclose(file);
    /* Each write sets another time, however coarse the file system's clock is. */
    set_time_of(path, 1000000 + (long)s->writes++);
    for (int i = 0; i < s->file_count; ++i)
        if (strcmp(s->files[i], name) == 0)
            return;
    snprintf(s->files[s->file_count++], sizeof s->files[0], "%s", name);
}

void write_chain(set *s, const char *name, const char *next)
{
    char text[200];
    snprintf(text, sizeof text,
             FORMAT_LINE ",\n\"sub_emitters\": [{\"on\": \"death\", \"effect\": \"%s\"}]}",
             next);
    write_file(s, name, text);
}

void close_set(set *s)
{
    rico_world_destroy(s->world);
    for (int i = 0; i < s->file_count; ++i) {
        char path[128];
        path_of(s, s->files[i], path);
        remove(path);
    }
    CHECK(rmdir(s->directory) == 0);
}

uint32_t room_for_recipes(set *s)
{
    rico_recipe_id ids[16];
    const rico_recipe r = rico_recipe_default();
    uint32_t count = 0;
    while (count < 16 && (ids[count] = rico_world_add_recipe(s->world, &r)).index1 != 0)
        ++count;
    for (uint32_t i = 0; i < count; ++i)
        CHECK_EQ(rico_world_remove_recipe(s->world, ids[i]), RICO_OK);
    return count;
}
