/* output.h - writes particles as vertices and instances into the renderer's memory.
 *
 * An output writes one record for each particle of the effects that the host lists. The memory
 * is the host's, for example a mapped GPU buffer. The world's workers do the writing, between
 * two steps. The records of one effect lie together; effects come in the order of the host's
 * list. The memory is never read. Every byte is written once, and each worker writes its part
 * in ascending order of addresses.
 *
 * An output has two memories and writes frames into them in turn. Another thread may therefore
 * read the frame of one rico_output_write until the second call after it begins, also while the
 * world steps. How that thread learns of a frame is up to the host. Its reading must be ordered
 * after the return of the call.
 *
 * Threads: every call is like an edit of the world: between steps, on the thread that steps.
 *   Only rico_output_create allocates, from the world's allocator.
 * Determinism: the same world gives the same bytes, for any number of workers, any instruction
 *   set and any compiler.
 */
#ifndef RICOCHET_OUTPUT_H
#define RICOCHET_OUTPUT_H

#include <ricochet/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico_output rico_output;

/* --- Records ------------------------------------------------------------------------------ */

/* A quad that faces the viewer. */
typedef struct rico_billboard {
    float position[3]; /* centre; world space, metres */
    float size;        /* length of an edge; metres */
    float rotation;    /* radians, 0..2 pi; from recipe.start_rotation, spin, rotation_over_life */
    uint32_t color;    /* r | g << 8 | b << 16 | a << 24 */
} rico_billboard;

/* A quad that faces the viewer and shows one picture of a sprite sheet. */
typedef struct rico_sprite {
    float position[3]; /* as in rico_billboard, down to color */
    float size;
    float rotation;
    uint32_t color;
    /* Picture in the sheet: recipe.sprite_frame plus start_frame. The host wraps it at the
     * length of its sheet. */
    float frame;
    float life; /* age divided by lifetime, 0..1 */
} rico_sprite;

/* A quad that is stretched along the particle's velocity. Rotations of the recipe do not turn
 * it. */
typedef struct rico_streak {
    float position[3]; /* world space, metres */
    float size;        /* metres */
    float velocity[3]; /* m/s */
    uint32_t color;    /* as in rico_billboard */
} rico_streak;

/* The place of one mesh of size 1.
 *
 * `rows` is a 3x4 matrix, row by row. Its last column is the position; the other columns hold
 * the rotation and the particle's size.
 *
 * - The mesh's z axis points along the velocity; for a particle slower than 1 mm/s, along the
 *   world's z axis. The particle's rotation turns the mesh around that axis.
 * - If the recipe rolls (recipe.rolls), the mesh has the orientation of the particle instead. At
 *   birth that is the orientation of the emitter. From then on the spin that contacts give to
 *   the particle turns it, also in flight. A particle that rolls on the ground turns about the
 *   axis that is perpendicular to its motion and to the surface's normal, as fast as it moves.
 *   The particle's rotation turns the mesh around its own z axis before all of this. */
typedef struct rico_instance {
    float rows[3][4]; /* world space, metres */
    uint32_t color;   /* as in rico_billboard */
    float life;       /* age divided by lifetime, 0..1 */
    uint32_t zero[2]; /* padding: an instance has 64 bytes */
} rico_instance;

/* One of the two vertices at a point of a particle's trail.
 *
 * The two vertices lie on either side of the point, at right angles to the trail and to the
 * direction to the eye. From head to tail the vertices of a trail make a triangle strip.
 *
 * At its head the trail is as wide as the particle; while all of its points are at one place, it
 * has no width. Once it has all of its points it ends in a point. Points that it does not have yet
 * are placed at its tail. */
typedef struct rico_trail_vertex {
    float position[3]; /* world space, metres */
    float along;       /* 0 at the head, 1 at the tail */
    float side;        /* -1 or 1 */
    uint32_t color;    /* as in rico_billboard; its alpha fades to 0 along the trail */
} rico_trail_vertex;

typedef enum rico_output_kind {
    RICO_OUTPUT_BILLBOARDS, /* rico_billboard */
    RICO_OUTPUT_STREAKS,    /* rico_streak */
    RICO_OUTPUT_INSTANCES,  /* rico_instance */
    RICO_OUTPUT_TRAILS,     /* a record is a whole trail: 2 * trail_points rico_trail_vertex */
    RICO_OUTPUT_SPRITES,    /* rico_sprite */
    RICO_OUTPUT_KIND_COUNT
} rico_output_kind;

/* --- Outputs ------------------------------------------------------------------------------ */

#define RICO_MAX_TRAIL_POINTS 64u

typedef struct rico_output_def {
    uint32_t cookie;       /* set by rico_output_def_default; do not touch */
    rico_output_kind kind; /* [billboards] */

    /* The host's memories, each for `capacity` records, at addresses that are multiples of 64.
     * They must not overlap. Both may be the same memory: then a frame is gone when the next
     * one is written. Huge pages are best: a million billboards then take a twelfth less time.
     * [NULL] */
    void *memory[2];
    uint32_t capacity; /* records, 1..2^26 [0] */

    uint32_t max_effects; /* effects in one frame, 1..2^20 [4096] */

    /* Sort the records of each effect from back to front. Depths are rounded to 1/65535 of the
     * effect's range of depths. Takes work memory for one frame of `capacity` records, and 12
     * bytes more per record. [false] */
    bool sort;

    /* Kind trails: how many places of a particle make its trail, 2..RICO_MAX_TRAIL_POINTS. Each
     * write adds a place. Where no time has passed for the particle since the last write
     * (between two steps, in a pause), it only replaces the head. The output remembers these
     * places and moves them with the world's origin. That takes up to 24 * trail_points + 48
     * bytes per record. It recognises a particle by its id: without ids (recipe.particle_ids) a
     * trail is only a point, of which the output warns once on the log. [8] */
    uint32_t trail_points;
} rico_output_def;

/* Returns a definition with the defaults in brackets above. memory and capacity must be set. */
RICO_API rico_output_def rico_output_def_default(void);

/* Returns the bytes of one record of the definition's kind; 0 if the kind is not valid. */
RICO_API size_t rico_output_record_bytes(const rico_output_def *def);

/* Creates an output of the world.
 *
 * Lifetime: destroy the output before the world (asserted).
 * Errors: *output is then NULL.
 *   RICO_UNINITIALIZED_DEF: the definition was not made by rico_output_def_default.
 *   RICO_OUT_OF_RANGE: the world's log names the field.
 *   RICO_OUT_OF_MEMORY
 *   RICO_BUSY */
RICO_API rico_result rico_output_create(rico_world *world, const rico_output_def *def,
                                        rico_output **output);

/* Destroys an output. NULL is ignored. */
RICO_API void rico_output_destroy(rico_output *output);

/* --- Writing ------------------------------------------------------------------------------ */

/* The viewer. Outputs that sort, and outputs of kind trails, need it. For others it may be NULL;
 * one that is given is checked all the same. */
typedef struct rico_eye {
    rico_vec3 position; /* world space, metres */
    rico_vec3 forward;  /* viewing direction, not zero; its length does not matter */
} rico_eye;

/* What was written of one effect. */
typedef struct rico_output_part {
    rico_effect_id effect;
    uint32_t first, count; /* records, from the start of the frame */
    uint32_t lost;         /* particles for which there was no room */

    /* Box around the centres of all particles of the effect, lost ones included, grown by the
     * size of the largest. Of trails, only the heads count. Without particles lo > hi. */
    rico_box bounds;
} rico_output_part;

typedef struct rico_output_frame {
    const void *records;           /* def.memory[0] or def.memory[1] */
    uint32_t count, lost;          /* of all parts together */
    const rico_output_part *parts; /* one per given effect, in the same order; valid as long as
                                      the records */
    uint32_t part_count;
} rico_output_frame;

/* Writes a frame.
 *
 * - A stale id gives an empty part, because effects also end by themselves.
 * - Particles that do not fit are counted as lost; those at the end of the list lose first.
 *   Nothing is written beyond the capacity.
 * - The trails of an effect begin anew when the effect was not in the last write, and when
 *   rico_effect_seek has started it anew.
 * - Trails of space local go along with their effect as its particles do, whether it was moved
 *   or teleported.
 *
 * frame must not be NULL.
 *
 * Errors: nothing is written then, and *frame is zero.
 *   RICO_BUSY
 *   RICO_FULL: more than def.max_effects effects; or effects listed so often that together
 *     their particles take more blocks of memory than the world has.
 *   RICO_NOT_FINITE, RICO_OUT_OF_RANGE: eye, which also must not be NULL where it is needed. */
RICO_API rico_result rico_output_write(rico_output *output, const rico_effect_id *effects,
                                       uint32_t count, const rico_eye *eye,
                                       rico_output_frame *frame);

/* Writes a frame as it is at a time within the last step, for hosts that step at a fixed rate
 * and draw at another (step_clock.h).
 *
 * `interpolation` is the share of the step that has passed. At 0 particles are where they were
 * when the step began. At 1 the bits are those of rico_output_write. In between, positions move
 * in a straight line. The frame at 1 equals the frame at 0 after the next step, so nothing
 * jumps.
 *
 * - Only recipes with recipe.interpolate take part. Particles of other recipes are written
 *   where they are now. The same holds for effects that stood still in the last step: paused
 *   ones, frozen ones, and those that rico_effect_seek or a prewarm has just run.
 * - Only positions are interpolated. Velocities, sizes, colours, rotations and sprite frames
 *   are those of the step's end. Bounds and sorting go by the positions written. Of a trail,
 *   the head is interpolated; its other points are where the heads of earlier steps were
 *   written last.
 * - A particle born within the step is written at its place of birth with size 0 until its time
 *   of birth. From then on it moves to its place at the step's end, while the others move the
 *   rest of their way. Children of sub-emitters, born at an event of the step before, leave
 *   their place of birth when the step begins.
 * - A particle that died in the step is not written. One that bounced in it moves in a straight
 *   line all the same, and so cuts the corner.
 * - Particles of space local, newborn ones included, go along with their effect from where the
 *   last step found it. They do so even if the effect is paused, when nothing else moves them.
 *   If the effect was teleported since the step before, all of its motion counts as the
 *   teleport: at interpolation 0 it has already taken the particles along.
 *
 * Range: interpolation 0..1.
 * Errors: as rico_output_write, and
 *   RICO_NOT_FINITE, RICO_OUT_OF_RANGE: interpolation. */
RICO_API rico_result rico_output_write_interpolated(rico_output *output,
                                                    const rico_effect_id *effects,
                                                    uint32_t count, const rico_eye *eye,
                                                    float interpolation,
                                                    rico_output_frame *frame);

#ifdef __cplusplus
}
#endif
#endif
