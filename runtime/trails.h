/* trails.h - where particles were at the last writes of an output that time had passed for. */
#ifndef RICO_TRAILS_H
#define RICO_TRAILS_H

#include "memory.h"
#include "packing.h"

/* The particle that a past belongs to. life: rico__effect.life; 0 = none. */
typedef struct rico__trail_key {
    uint32_t life, id;
    uint32_t points; /* of its past, the head included */
    float age;       /* at the write; until it changes, writes replace the head */
} rico__trail_key;

/* Owner: an output. Threads: rico__trails_pack in jobs, each for its own records: it reads
 * `old` and writes `now`. rico__trails_carry in jobs before that, each for its own effects. The
 * rest on the thread that writes. Order: records. */
typedef struct rico__trails {
    uint32_t capacity, points;
    uint32_t old_count;
    rico__trail_key *old_keys, *now_keys;
    rico_vec3 *old_places, *now_places; /* points of each record */
    uint32_t *table;                    /* old records by hash: number + 1; 0 = free */
    uint32_t table_size, table_used;    /* powers of two: places that there are; that are used */
} rico__trails;

/* RICO_OUT_OF_MEMORY leaves behind what rico__trails_free takes. */
rico_result rico__trails_init(rico__trails *t, rico__memory *memory, uint32_t capacity,
                              uint32_t points);
void rico__trails_free(rico__trails *t, rico__memory *memory);

/* Packs `count` records from `first` on, of particles of the effect with this life. ids NULL =
 * without. */
void rico__trails_pack(const rico__trails *t, const rico__packed_from *from,
                       const uint32_t *ids, uint32_t life, const rico_eye *eye, uint32_t first,
                       uint32_t count, void *to);

/* The origin was moved by `origin` since the last write. */
void rico__trails_shift(rico__trails *t, rico_vec3 origin);

/* Carries the past of `count` records from `first` on from one transform to the other. */
void rico__trails_carry(rico__trails *t, const rico_transform *from, const rico_transform *to,
                        uint32_t first, uint32_t count);

/* What was packed, `count` records, is the past from now on. */
void rico__trails_turn(rico__trails *t, uint32_t count);

#endif
