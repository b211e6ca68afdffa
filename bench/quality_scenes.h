/* quality_scenes.h - the worlds of bench_quality, with their truth. */
#ifndef RICO_BENCH_QUALITY_SCENES_H
#define RICO_BENCH_QUALITY_SCENES_H

#include "quality_space.h"
#include "ray_scenes.h"

/* The question of a scene besides the charges. */
typedef enum quality_question {
    QUALITY_ASK_NOTHING,
    QUALITY_ASK_INSIDE, /* do particles come to rest inside the gutters? */
    QUALITY_ASK_RIDE    /* do they stay on the platforms? */
} quality_question;

typedef struct quality_scene_info {
    const char *name;
    const char *world;           /* the geometry's name; several scenes may share one */
    uint32_t effects, particles; /* particles per effect */
    uint32_t quick_effects;      /* with --quick; 0 = only when --case names the scene */
    uint32_t quick_particles;
    uint32_t sample;      /* one particle of this many is followed without --quick */
    uint64_t cache_bytes; /* 0 = the library's default */
    quality_question question;
} quality_scene_info;

/* sponza, dungeon: files. courtyard, forest: generated, as in other programs. gutter: 16
 * V-shaped gutters of two bare sheets, 50 degrees steep, a metre above a floor. table: 16 table
 * tops, 4 cm thick, turned, without legs. platform: four platforms on a vertical circle above a
 * floor. door: a revolving door with four wings in a walled yard. small: effects of 20
 * particles. million: 1,000 effects share 16 MiB of cache. */
extern const quality_scene_info quality_scene_infos[];
extern const uint32_t quality_scene_count;

/* Owner: the code that made it; quality_scene_free. */
typedef struct quality_scene {
    const quality_scene_info *info;
    rio_mesh mesh;           /* the part that stands still */
    rio_mesh body;           /* the moving body in its own frame; empty = none */
    rico_box bounds;         /* of the mesh */
    const rio_mesh *footing; /* emitters are placed above this mesh, ... */
    float least_z;           /* ... where its height is at least this */
    quality_truth *still, *moving;
    quality_space space;
} quality_scene;

/* False: the scene is not available; *why gives the reason in one line. */
bool quality_scene_make(quality_scene *scene, const quality_scene_info *info, ray_scenes *files,
                        char *why, size_t why_bytes);
void quality_scene_free(quality_scene *scene);

/* The body's place and motion, in the form that the library takes. */
rico_motion quality_scene_motion(const quality_scene *scene, double time);

/* Scene gutter: whether p is in a gutter, below its rim. */
bool quality_scene_in_gutter(const double p[3]);

#endif
