/* births.h - places and directions of births, and what each random number is for. */
#ifndef RICO_BIRTHS_H
#define RICO_BIRTHS_H

#include "random.h"
#include "state.h"

/* One constant per purpose: see random.h. Numbers come in pairs. */
enum rico__random_use {
    USE_DIRECTION = 1,  /* around, tilt */
    USE_PLACE,          /* around, or x; how far out, or y */
    USE_PLACE_Z,        /* z, and which side of the box or of the tube */
    USE_SPEED_AND_LIFE, /* speed, lifetime */
    USE_LOOKS,          /* size, colour */
    USE_BURST,          /* serial: the number of the draw */
    USE_FACE = USE_BURST + RICO_MAX_BURSTS + 1, /* triangle of a mesh */
    USE_ROTATION,                               /* angle, spin */
    USE_FRAME                                   /* frame; the second is unused */
};

/* What determines a birth's place and direction, in the effect's own space. */
typedef struct rico__birth {
    const rico__recipe *recipe;
    uint64_t seed;
    uint32_t serial;
} rico__birth;

static inline rico__random_pair rico__draw(const rico__birth *b, enum rico__random_use use)
{
    return rico__random_units(b->seed, b->serial, (uint32_t)use);
}

/* Finds the place and the direction in the effect's own space; the direction is a unit vector. */
void rico__birth_place(const rico__birth *birth, rico_vec3 *place, rico_vec3 *direction);

/* rico__birth_goes_up: whether the shape's directions are those of the cone around +z, wherever
 * on the shape a birth begins. rico__birth_spot: the place of a birth on a shape of this kind,
 * in the effect's own space. */
bool rico__birth_goes_up(const rico_recipe *def);
rico_vec3 rico__birth_spot(const rico__birth *birth);

/* faces.c: copies the triangles of a recipe of shape mesh into the recipe's own memory, and
 * leaves out those without area. The recipe has been checked. RICO_OUT_OF_MEMORY, or
 * RICO_EMPTY_MESH when no triangle is left; then nothing stays behind. */
rico_result rico__faces_create(rico__recipe *recipe, rico__memory *memory);
void rico__faces_release(rico__recipe *recipe, rico__memory *memory);

/* The face that `number`, 0..2^32-1, falls on. */
const rico__face *rico__face_pick(const rico__recipe *recipe, uint32_t number);

#endif
