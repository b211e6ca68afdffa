/* seeds.h - births that wait for the next step, wherever events or the host have asked for them. */
#ifndef RICO_SEEDS_H
#define RICO_SEEDS_H

#include <ricochet/types.h>
#include <stdint.h>

/* Of a particle: what it has of others, and what those that come from it have of it. Metres, as a factor; packed. */
typedef struct rico__look {
    float size;
    uint32_t color;
} rico__look;

/* Births that an event asks for, or the host (rico_world_emit). */
typedef struct rico__seed {
    rico_transform where;
    rico_vec3 velocity; /* that they inherit */
    float late;         /* seconds of the world's time since the event, at the step's end */
    uint32_t end;       /* births up to those of this seed, of its feed */
} rico__seed;

/* The seeds of one effect, one after the other in the world's list: in the order of events, then of calls. */
typedef struct rico__feed {
    uint32_t first, count, births;
} rico__feed;

/* What the host has asked for since the last step, in the order of calls; seed.end: so many births. */
typedef struct rico__emitted {
    rico__seed seed;
    uint32_t recipe;
} rico__emitted;

#endif
