/* quality_scenes.h - the worlds of bench_quality, with their truth. */
#ifndef RICO_BENCH_QUALITY_SCENES_H
#define RICO_BENCH_QUALITY_SCENES_H

#include "quality_space.h"
#include "ray_scenes.h"

/* What a scene is asked besides the charges. */
typedef enum quality_question {
    QUALITY_ASK_NOTHING,
    QUALITY_ASK_INSIDE, /* do particles come to rest inside the gutters? */
    QUALITY_ASK_RIDE    /* do they stay on the platforms? */
} quality_question;

typedef struct quality_scene_info {
    const char *name;
    const char *world;           /* whose geometry it is; several scenes may share one */
    uint32_t effects, particles; /* particles per effect */
    uint32_t quick_effects;      /* with --quick; 0 = only when --case names the scene */
    uint32_t quick_particles;
    uint32_t sample;      /* one particle of so many is followed without --quick */
    uint64_t cache_bytes; /* 0 = the library's default */
    quality_question question;
} quality_scene_info;

/* sponza, dungeon: files. courtyard, forest: as generated for everyone else. gutter: 16 V-shaped
 * gutters of two bare sheets, 50 degrees steep, a metre above a floor. table: 16 table tops, 4 cm
 * thick, turned, without legs. platform: four platforms on an upright circle above a floor.
 * door: a revolving door with four wings in a walled yard. small: effects of 20 particles. million:
 * 1,000 effects share 16 MiB of cache. */
extern const quality_scene_info quality_scene_infos[];
extern const uint32_t quality_scene_count;

/* Owner: whoever made it; quality_scene_free. */
typedef struct quality_scene {
    const quality_scene_info *info;
    rio_mesh mesh;           /* what stands still */
    rio_mesh body;           /* what moves, in its own frame; empty = nothing */
    rico_box bounds;         /* of what stands still */
    const rio_mesh *footing; /* emitters are placed above this one, ... */
    float least_z;           /* ... where it is at least so high */
    quality_truth *still, *moving;
    quality_space space;
} quality_scene;

/* False: the scene cannot be had; *why says so in one line. */
bool quality_scene_make(quality_scene *scene, const quality_scene_info *info, ray_scenes *files,
                        char *why, size_t why_bytes);
void quality_scene_free(quality_scene *scene);

/* Where the body is and how it moves, as the library wants it. */
rico_motion quality_scene_motion(const quality_scene *scene, double time);

/* Scene gutter: p is in a gutter, below its rim. */
bool quality_scene_in_gutter(const double p[3]);

#endif
