/* seeds.h - births that wait for the next step, wherever events or the host asked for them. */
#ifndef RICO_SEEDS_H
#define RICO_SEEDS_H

#include <ricochet/types.h>
#include <stdint.h>

/* The size and colour that a particle inherits, or that its own children inherit from it. Size
 * in metres, used as a factor; colour packed. */
typedef struct rico__look {
    float size;
    uint32_t color;
} rico__look;

/* Births at one event, or births that the host asks for (rico_world_emit). */
typedef struct rico__seed {
    rico_transform where;
    rico_vec3 velocity; /* that the births inherit */
    float late;         /* from the event to the step's end, seconds of the world's time */
    uint32_t end;       /* births of the feed up to this seed, with its own */
} rico__seed;

/* The seeds of one effect, side by side in the world's list: in the order of events, then of
 * calls. */
typedef struct rico__feed {
    uint32_t first, count, births;
} rico__feed;

/* What the host has asked for since the last step, in the order of calls. seed.end: how many
 * births. */
typedef struct rico__emitted {
    rico__seed seed;
    uint32_t recipe;
} rico__emitted;

#endif
