#include "run_inputs.h"

#include "effect_path.h"
#include "output.h"
#include <stdio.h>
#include <string.h>

#define SUB_PATH_BYTES 1200 /* room for an effect's directory and a name */

static void add_named(file_list *out, const char *path, uint32_t levels);

static void add_one(file_list *out, const char *what, const rio_effect *by, const char *name,
                    uint32_t levels)
{
    char path[SUB_PATH_BYTES];
    snprintf(path, sizeof path, "%s%s.json", by->directory, name);
    if (name[0] == '\0' || file_list_has(out, path))
        return;
    file_list_add(out, what, path);
    if (levels > 0)
        add_named(out, path, levels);
}

/* levels: levels that may be below the file. */
static void add_named(file_list *out, const char *path, uint32_t levels)
{
    char ignored[RIO_EFFECT_ERROR_BYTES];
    rio_effect effect;
    if (rio_effect_load(path, &effect, ignored, sizeof ignored) != RICO_OK)
        return;
    for (uint32_t k = 0; k < RICO_MAX_SUB_EMITTERS; ++k)
        add_one(out, "a file that a sub-emitter names", &effect, effect.subs.items[k],
                levels - 1);
    for (uint32_t k = 0; k < effect.with_count; ++k)
        add_one(out, "a file that an effect names in its \"with\"", &effect,
                effect.with[k].effect, levels - 1);
    rio_effect_free(&effect);
}

void run_inputs_add_effect(file_list *out, const char *what, const char *path)
{
    file_list_add(out, what, path);
    add_named(out, path, 1u + RICO_MAX_SUB_DEPTH);
}

static void add_effects(const run_options *options, file_list *out)
{
    char path[OUTPUT_PATH_BYTES], ignored[OPTIONS_ERROR_BYTES];
    for (uint32_t k = 0; k < options->effect_file_count; ++k)
        if (rio_effect_find(options->effect_files[k], path, sizeof path, ignored,
                            sizeof ignored))
            run_inputs_add_effect(out, "--effect", path);
    for (int k = 0; options->effect_file_count == 0 && k < SHOW_KIND_COUNT; ++k)
        run_inputs_add_effect(out, "an effect of the show",
                              rio_effect_path(show_kind_name((show_kind)k), path, sizeof path));
}

void run_inputs_list(const run_options *options, file_list *out)
{
    char path[OUTPUT_PATH_BYTES];
    file_list_add(out, "--cache", options->cache);
    file_list_add(out, "--world", run_world_path(options, path, sizeof path));
    add_effects(options, out);
}

void run_inputs_add_mesh(file_list *out, const run_world *w)
{
    for (uint32_t i = 0; i < w->mesh.other_count; ++i)
        file_list_add(out, "a file that --world names", w->mesh.others[i]);
}
