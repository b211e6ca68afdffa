/* painter.h - a picture of a world and its particles, made on the CPU with rays.
 *
 * Late sun with soft shadows, sky light and one bounce of it, light from glowing particles,
 * haze, filmic tones, smooth edges. The rays are the caller's (camera.h). So a picture made with
 * the library's own queries also shows that the library sees the world right.
 *
 * The same input gives the same picture for any number of jobs. Threads: rio_paint is one call
 * on one thread that hands work to parallel; it keeps no state.
 */
#ifndef RIO_PAINTER_H
#define RIO_PAINTER_H

#include "camera.h"
#include "image.h"
#include "mesh_file.h"

typedef enum rio_particle_kind {
    RIO_PARTICLE_GLOW,   /* soft ball of light, added */
    RIO_PARTICLE_STREAK, /* line of light along the velocity, added: sparks, rain, water */
    RIO_PARTICLE_SMOKE,  /* soft ball that covers and is lit */
    RIO_PARTICLE_SOLID   /* small lit ball: gravel, casings */
} rio_particle_kind;

typedef struct rio_particle {
    rico_vec3 position;
    rico_vec3 velocity; /* m/s: a streak's length is velocity * shutter */
    float size;         /* diameter (width of a streak), metres */
    float color[4];     /* r g b linear; lights may be far above 1, smoke and solids 0..1;
                         * a: opacity 0..1, for lights a factor */
    rio_particle_kind kind;
} rio_particle;

/* Runs fn over [0, count) in ranges, on any threads, each index once. Returns when all are done. */
typedef void rio_range_fn(void *context, uint32_t begin, uint32_t end);
typedef void rio_parallel_fn(void *user, uint32_t count, rio_range_fn *fn, void *context);

/* One pixel wide, drawn over the finished picture. It is faint where something is in front of
 * it. */
typedef struct rio_line {
    rico_vec3 a, b;
    uint32_t rgba; /* on the screen, 8 bits each, r lowest; a: opacity */
} rio_line;

typedef struct rio_picture_def {
    const rio_mesh *mesh;   /* colours of triangles; NULL = neutral */
    uint32_t mesh_collider; /* colours apply to hits on this collider slot; 0 = on any */
    rio_caster caster;      /* required */
    rio_camera camera;
    const rio_particle *particles; /* particles that are not finite are left out */
    uint32_t particle_count;
    const rio_line *lines; /* lines that are not finite are left out */
    uint32_t line_count;
    uint32_t width, height;    /* pixels [1280 x 720] */
    float shutter;             /* seconds a streak is exposed [1/40] */
    float sun_azimuth;         /* degrees, where the sun is; 0 = +x, 90 = +y [220] */
    float sun_elevation;       /* degrees above the horizon [18] */
    float exposure;            /* stops above the metered exposure [0] */
    float haze;                /* 1/metre: how quickly distance takes contrast [0.006] */
    uint32_t light_count;      /* glowing particles are gathered into at most this many lights,
                                * up to 64; 0 = they light nothing [40] */
    uint32_t quality;          /* light rays per pixel, 1..16 [4] */
    rio_parallel_fn *parallel; /* NULL = on the calling thread */
    void *parallel_user;
} rio_picture_def;

/* All fields at the values in brackets. The caller sets mesh, caster and camera. */
rio_picture_def rio_picture_def_default(void);

/* Paints into *out, which it creates (rio_image_free).
 * Errors: RICO_OUT_OF_RANGE (size, camera, quality), RICO_OUT_OF_MEMORY; *out is then zeroed.
 */
rico_result rio_paint(const rio_picture_def *def, rio_image *out);

#endif
