/* effects_set.h - effect files that name each other, in a directory of their own. */
#ifndef RICO_EFFECTS_SET_H
#define RICO_EFFECTS_SET_H

#include "effects_fixture.h"

#define MOST_FILES 8

/* Owner: the test. A directory with files in it, and a world. */
typedef struct set {
    char directory[64], error[RIO_EFFECT_ERROR_BYTES];
    char files[MOST_FILES][16];
    int file_count, writes;
    rico_world *world;
} set;

void open_set(set *s, const char *name, uint32_t max_recipes);
void close_set(set *s);

void path_of(const set *s, const char *name, char path[128]);
void write_file(set *s, const char *name, const char *text);
/* Writes an effect whose deaths give birth to particles of the effect `next`. */
void write_chain(set *s, const char *name, const char *next);

/* How many recipes there is still room for. */
uint32_t room_for_recipes(set *s);

#endif
