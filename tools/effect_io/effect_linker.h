/* effect_linker.h - files that others name become recipes (private to effect files). */
#ifndef RIO_EFFECT_LINKER_H
#define RIO_EFFECT_LINKER_H

#include "effect_links.h"

#define RIO_PATH_BYTES 1200 /* of a directory and a name */

/* What all files of an effect share. */
typedef struct rio_linker {
    rico_world *world;
    const char *directory;
    rio_links *links;
    rio_obstacles *obstacles; /* what it is refused for; none of its own text */
    char *error;
    size_t error_bytes;
} rio_linker;

/* A file whose names are being linked, and those that led to it. */
typedef struct rio_chain {
    const struct rio_chain *up;
    const rio_effect *effect;      /* NULL: one that has been linked before */
    char name[RIO_SUB_NAME_BYTES]; /* that others would have it by */
    uint32_t levels;               /* of sub-emitters that may still be below */
} rio_chain;

/* The first file: "here/fire.json" is "fire" to others. Without .json it is nothing to them. */
rio_chain rio_chain_begin(const char *path, const rio_effect *effect);

void rio_link_path(const char *directory, const char *name, char path[RIO_PATH_BYTES]);

/* All that rio_effect_link says, for the effect that the chain ends with. */
rico_result rio_link_all(const rio_linker *l, const rio_chain *at, rico_recipe *recipe);

/* Takes those that were added behind the first `count` out of the world and the list again. */
void rio_link_undo(rico_world *world, rio_links *links, uint32_t count);

/* Why the world has refused the recipe, in a file's words. */
const char *rio_world_refusal(rico_result result, const rico_recipe *recipe);

#endif
