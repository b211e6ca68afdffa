/* scene_io_fixture.h - shared by the tests of scene_io. */
#ifndef RICO_SCENE_IO_FIXTURE_H
#define RICO_SCENE_IO_FIXTURE_H

#include <stdint.h>

/* A random number in [0, 1); advances the state. */
static inline double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 40) / (double)(1 << 24);
}

#endif
