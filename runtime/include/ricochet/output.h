/* output.h - particles as vertices and instances, for drawing.
 *
 * An output writes the particles of effects, one record each, into memory that the host provides (a
 * mapped buffer of the GPU's, say): on the world's workers, between two steps. Records of an effect lie
 * together, in the order of the list of effects that the host gives. The memory is only written,
 * upwards and each byte once, never read.
 *
 * Two memories: frames are written into them in turns, so that another thread may read the frame of one
 * rico_output_write until the second call after it begins, also while the world steps. How
 * that thread learns of a frame is the host's matter; the call's return is what it has to be ordered
 * after.
 *
 * Threads: calls are like edits of the world: between steps, on the thread that steps. They allocate
 * nothing but in rico_output_create.
 * Determinism: the same world gives the same bytes, for any number of workers, any ISA and compiler.
 */
#ifndef RICOCHET_OUTPUT_H
#define RICOCHET_OUTPUT_H

#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico_output rico_output;

/* A quad that faces the viewer. */
typedef struct rico_billboard {
    float position[3]; /* world space, metres */
    float size;        /* of an edge, metres */
    float rotation;    /* radians, 0..2 pi: recipe.start_rotation, spin, rotation_over_life */
    uint32_t color;    /* r | g << 8 | b << 16 | a << 24 */
} rico_billboard;

/* A quad that faces the viewer and shows a picture of a sheet. */
typedef struct rico_sprite {
    float position[3];
    float size;
    float rotation;
    uint32_t color;
    float
        frame; /* recipe.sprite_frame and start_frame; the sheet's length is the host's to wrap at */
    float life; /* age over lifetime, 0..1 */
} rico_sprite;

/* A quad that is stretched along its velocity: by nothing else is it turned. */
typedef struct rico_streak {
    float position[3];
    float size;
    float velocity[3]; /* m/s */
    uint32_t color;
} rico_streak;

/* A mesh of size 1 at its place. rows: a 3x4 matrix, row by row; its last column is the
 * position. The mesh's z axis points along the velocity, or is the world's z for particles that are
 * slower than 1 mm/s; the particle's rotation turns it around that. Of recipes that roll (recipe.rolls) it is
 * turned as the particle is, by the spin that contacts give it: on the ground about the axis across its way
 * and the surface's normal, as fast as it goes, and on in flight. It is born as its emitter stands; its
 * rotation turns it around its own z axis, before all that. */
typedef struct rico_instance {
    float rows[3][4];
    uint32_t color;
    float life;       /* age over lifetime, 0..1 */
    uint32_t zero[2]; /* so that instances are 64 bytes */
} rico_instance;

/* Two for each point of a particle's trail, one to either side, at right angles to the trail and to the
 * way to the eye; the trail is as wide as the particle at its head and ends in a point, where it has all of its points. From head to tail
 * they make a strip of triangles; points that it has not yet are at its tail. */
typedef struct rico_trail_vertex {
    float position[3];
    float along;    /* 0 at the head, 1 at the tail */
    float side;     /* -1 or 1 */
    uint32_t color; /* its alpha fades to 0 along the trail */
} rico_trail_vertex;

typedef enum rico_output_kind {
    RICO_OUTPUT_BILLBOARDS,
    RICO_OUTPUT_STREAKS,
    RICO_OUTPUT_INSTANCES,
    RICO_OUTPUT_TRAILS, /* a record is a whole trail: 2 * trail_points vertices */
    RICO_OUTPUT_SPRITES,
    RICO_OUTPUT_KIND_COUNT
} rico_output_kind;

#define RICO_MAX_TRAIL_POINTS 64u

typedef struct rico_output_def {
    uint32_t cookie;       /* set by rico_output_def_default; do not touch */
    rico_output_kind kind; /* [billboards] */
    void *memory[2];   /* the host's, each of capacity records, at multiples of 64, apart; best in
                              huge pages: a million billboards then take a twelfth less. The same one
                              twice: a frame is gone when the next one is written [NULL] */
    uint32_t capacity; /* records, 1..2^26 [0] */
    uint32_t max_effects; /* per frame, 1..2^20 [4096] */
    bool sort; /* each effect's records from back to front, by depths rounded to a 65535th
                              of the effect's range [false]: takes work memory of a frame and 12
                              bytes per record */
    uint32_t trail_points; /* of kind trails: places of a particle in as many writes, 2..
                              RICO_MAX_TRAIL_POINTS [8]. The output keeps them: 24 * trail_points +
                              40 bytes per record, and moves them with the origin. A particle is known again by its id: without one
                              (recipe.particle_ids) its trail is a point */
} rico_output_def;

RICO_API rico_output_def rico_output_def_default(void);

/* Bytes of one record of the definition's kind; 0 when the kind is none. */
RICO_API size_t rico_output_record_bytes(const rico_output_def *def);

/* An output of the world: destroy it before the world (asserted). Errors: RICO_UNINITIALIZED_DEF, RICO_OUT_OF_RANGE
 * (the world's log names the field), RICO_OUT_OF_MEMORY, RICO_BUSY; *output is then NULL. */
RICO_API rico_result rico_output_create(rico_world *world, const rico_output_def *def,
                                        rico_output **output);
RICO_API void rico_output_destroy(rico_output *output); /* NULL is ignored */

/* Who looks. Sorting and trails need it; else it may be NULL. */
typedef struct rico_eye {
    rico_vec3 position;
    rico_vec3 forward; /* any but zero; its length does not matter */
} rico_eye;

/* What was written of one effect. */
typedef struct rico_output_part {
    rico_effect_id effect;
    uint32_t first, count; /* records */
    uint32_t lost;         /* particles for which there was no room */
    rico_box bounds; /* of all its particles' centres, those without room included, grown by the
                              size of the largest; trails: of the heads. lo > hi when there are none */
} rico_output_part;

typedef struct rico_output_frame {
    const void *records; /* def.memory[0] or [1] */
    uint32_t count, lost;
    const rico_output_part
        *parts; /* as many, and in the order, as the effects given; as long valid
                                      as the records */
    uint32_t part_count;
} rico_output_frame;

/* Writes a frame. A stale id gives an empty part, for effects end by themselves; trails of an effect that
 * is left out of a write, or was started anew by rico_effect_seek, begin anew; those of space local go along
 * with their effect as its particles do, moved or teleported. What does not fit is
 * counted, from the end of the list on, and nothing is written beyond the capacity. frame may not be
 * NULL.
 * Errors: RICO_BUSY; RICO_FULL (more than def.max_effects); RICO_NOT_FINITE, RICO_OUT_OF_RANGE
 * (eye); nothing is written then, and *frame is zero. */
RICO_API rico_result rico_output_write(rico_output *output, const rico_effect_id *effects,
                                       uint32_t count, const rico_eye *eye,
                                       rico_output_frame *frame);

/* The same at a time within the last step, for hosts that step at a fixed rate and draw at another (step_clock.h):
 * interpolation is the share of the step that has passed, 0..1. 0 is where particles were when it began, 1 what
 * rico_output_write writes, bit by bit; between them places go in a straight line. What is written at 1
 * is the same as at 0 after the next step, so that nothing jumps.
 * - Of recipes with interpolate; particles of others, and of effects that stood still in the last step
 *   (paused, frozen, just run by rico_effect_seek or prewarmed), are written where they are now.
 * - Places only: velocities, sizes, colours, rotations and frames are those of the step's end. Bounds and order
 *   go by the places written. A trail's head is there; its other points are where heads were written.
 * - Who was born within the step is written at its place of birth with size 0, until the time of its birth;
 *   from then on it goes to where it is, while the others go the rest of their way. Children of
 *   sub-emitters, born at an event of the step before, leave their place of birth when the step begins.
 * - Who died in the step is gone. Who bounced in it goes straight all the same, and so cuts the corner.
 * - Space local: particles go along with their effect from where the last step found it; newborns, too. If it was
 *   teleported since the step before, all of its way is that, and they are there from the beginning.
 * Further errors: RICO_NOT_FINITE, RICO_OUT_OF_RANGE (interpolation). */
RICO_API rico_result rico_output_write_interpolated(rico_output *output,
                                                    const rico_effect_id *effects,
                                                    uint32_t count, const rico_eye *eye,
                                                    float interpolation,
                                                    rico_output_frame *frame);

#ifdef __cplusplus
}
#endif
#endif
