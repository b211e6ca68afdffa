/* runtime_written.h - particles in flight, and outputs that write them. */
#ifndef RICO_TESTS_RUNTIME_WRITTEN_H
#define RICO_TESTS_RUNTIME_WRITTEN_H

#include "runtime_births.h"

#include <ricochet/output.h>

#define DT (1.0f / 60.0f)
#define MANY 203u

/* Particles in flight, of constant size and colour. */
static inline rico_recipe flying_recipe(void)
{
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.burst_count = MANY;
    r.speed = (rico_range){1.0f, 2.0f};
    r.spread = 2.0f;
    r.particle_ids = false;
    return r;
}

/* Writes the effect's particles, at most MANY, and returns how many were written. */
static inline uint32_t write_some(rico_world *world, rico_effect_id e, rico_output_kind kind,
                                  void *memory)
{
    rico_output_def def = rico_output_def_default();
    rico_output *output;
    rico_output_frame frame;
    def.kind = kind;
    def.capacity = MANY;
    def.memory[0] = def.memory[1] = memory;
    CHECK_EQ(rico_output_create(world, &def, &output), RICO_OK);
    CHECK_EQ(rico_output_write(output, &e, 1, NULL, &frame), RICO_OK);
    rico_output_destroy(output);
    return frame.count;
}

static inline void write_all(rico_world *world, rico_effect_id e, rico_output_kind kind,
                             void *memory)
{
    CHECK_EQ(write_some(world, e, kind, memory), MANY);
}

#endif
