/* births.h - where and which way particles leave, and what their random numbers are for. */
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
    USE_BURST,          /* serial: of the draw */
    USE_FACE = USE_BURST + RICO_MAX_BURSTS + 1, /* triangle of a mesh */
    USE_ROTATION,                               /* angle, spin */
    USE_FRAME                                   /* frame, none */
};

/* What a birth's place and direction follow from, in the effect's own space. */
typedef struct rico__birth {
    const rico__recipe *recipe;
    uint64_t seed;
    uint32_t serial;
} rico__birth;

static inline rico__random_pair rico__draw(const rico__birth *b, enum rico__random_use use)
{
    return rico__random_units(b->seed, b->serial, (uint32_t)use);
}

/* In the effect's own space; the direction is a unit vector. */
void rico__birth_place(const rico__birth *birth, rico_vec3 *place, rico_vec3 *direction);

/* Shapes whose directions are those of the cone around +z, wherever on them they begin; and where that
 * is, in the effect's own space. */
bool rico__birth_goes_up(const rico_recipe *def);
rico_vec3 rico__birth_spot(const rico__birth *birth);

/* faces.c: copies the triangles of a recipe of shape mesh, which has been checked, into its own memory;
 * those without area are left out. RICO_OUT_OF_MEMORY, or RICO_EMPTY_MESH when none is left, and then
 * nothing stays behind. */
rico_result rico__faces_create(rico__recipe *recipe, rico__memory *memory);
void rico__faces_release(rico__recipe *recipe, rico__memory *memory);

/* The face that a number in 0..2^32-1 falls on. */
const rico__face *rico__face_pick(const rico__recipe *recipe, uint32_t number);

#endif
