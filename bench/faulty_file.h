/* faulty_file.h - an effect's file that is rewritten again and again, mostly damaged, while
 * effects of it run. After each write the world is made to follow it (effect_source.h).
 *
 * Owner: the code that opened it; it must stay where it is, and be closed before the world.
 * Threads: the one that steps the world.
 */
#ifndef RICO_BENCH_FAULTY_FILE_H
#define RICO_BENCH_FAULTY_FILE_H

#include <ricochet/effects/effect_source.h>

typedef struct faulty_file {
    char directory[64], path[96], draft[96];
    char *text; /* undamaged */
    size_t bytes;
    rio_effect_source source;
    uint64_t refused, followed;
    bool open;
} faulty_file;

/* Writes the recipe to a file of its own and adds it to the world. False: that failed. */
bool faulty_file_open(faulty_file *file, rico_world *world, const rico_recipe *recipe);
void faulty_file_close(faulty_file *file); /* a zeroed one is ignored */

/* Writes the file anew, sound or damaged by chance, and checks the outcome. False: a sound file
 * was refused, or a refusal gave no reason in one line. scarce: memory may be missing, so that a
 * sound file may be refused. */
bool faulty_file_write(faulty_file *file, rico_world *world, uint64_t *random, bool scarce);

#endif
