/* effect_linker.h - files that others name become recipes (private to effect files). */
#ifndef RIO_EFFECT_LINKER_H
#define RIO_EFFECT_LINKER_H

#include "effect_links.h"

#define RIO_PATH_BYTES 1200 /* room for a directory and a name */

/* Shared by all files of one effect. */
typedef struct rio_linker {
    rico_world *world;
    const char *directory;
    rio_links *links;
    rio_obstacles *obstacles; /* the causes of a refusal; never the file's own text */
    char *error;
    size_t error_bytes;
} rio_linker;

/* A file whose names are being linked, linked to the files that led to it. */
typedef struct rio_chain {
    const struct rio_chain *up;
    const rio_effect *effect;      /* NULL: a file that was linked earlier */
    char name[RIO_SUB_NAME_BYTES]; /* the name that others use for the file */
    uint32_t levels;               /* levels of sub-emitters that may still be below */
} rio_chain;

/* Begins with the first file: others name "here/fire.json" as "fire". A file without .json
 * cannot be named. */
rio_chain rio_chain_begin(const char *path, const rio_effect *effect);

void rio_link_path(const char *directory, const char *name, char path[RIO_PATH_BYTES]);

/* Loads a file by the path that rio_link_path gives. As rio_effect_load, but a file whose name
 * is spelled with other capitals is not found on Windows, either: what an artist writes there
 * is right on every system. */
rico_result rio_link_load(const char *path, rio_effect *out, char *error, size_t error_bytes);

/* Does what rio_effect_link promises, for the effect at the end of the chain. */
rico_result rio_link_all(const rio_linker *l, const rio_chain *at, rico_recipe *recipe);

/* Removes the items after the first `count` from the world and the list again. */
void rio_link_undo(rico_world *world, rio_links *links, uint32_t count);

/* The reason why the world has refused the recipe, in the words of effect files. */
const char *rio_world_refusal(rico_result result, const rico_recipe *recipe);

#endif
