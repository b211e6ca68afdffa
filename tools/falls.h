/* falls.h - counts the particles that fall through the world, by following a sample of them.
 *
 * About FALLS_SAMPLE particles of the colliding recipes are followed from birth to death. In
 * each frame, the segment from a particle's last position to its new one is compared with the
 * truth (truth.h: double precision, no code shared with the library). A particle *fell* when its
 * path crossed a surface without bouncing back, and then went through a second surface or got
 * 0.5 m or more behind the first one's plane. Crossing back clears it.
 * Threads: none; call from the thread that steps the world, between steps.
 */
#ifndef RICOCHET_FALLS_H
#define RICOCHET_FALLS_H

#include "show.h"
#include "truth.h"

#define FALLS_SAMPLE 512u

/* Lives that ended, and those of them that fell. Unfinished lives are not counted, fallen or
 * not. Counting all of them would make the rate too low; counting only those that fell would
 * make it too high. */
typedef struct falls_count {
    uint64_t lives, fell;
} falls_count;

typedef struct falls falls;

/* Samples the show's effects in proportion to their kinds. truth must outlive the result.
 * Errors: RICO_OUT_OF_MEMORY; *out is then NULL. */
rico_result falls_create(const show *s, const rio_truth *truth, uint64_t seed, falls **out);
void falls_destroy(falls *f); /* NULL is ignored */

/* Called for each followed segment, from a particle's last position to its new one. */
typedef void falls_segment_fn(void *user, const float from[3], const float to[3]);
void falls_watch(falls *f, falls_segment_fn *fn, void *user);

/* Call after each step of dt seconds. */
void falls_frame(falls *f, const rico_world *world, float dt);

falls_count falls_of_kind(const falls *f, uint32_t kind);
falls_count falls_total(const falls *f);
/* Counts lives that began after SHOW_WARM_UP frames, when the cache is warm. */
falls_count falls_steady(const falls *f);

#endif
