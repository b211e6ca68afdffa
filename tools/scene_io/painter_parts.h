/* painter_parts.h - shared by the painter's files. Private to scene_io.
 *
 * Owner: rio_paint creates the painter on its stack and releases its arrays.
 * Threads: the jobs of a stage own disjoint rows. Each job writes only its own rows of the
 * arrays that its stage makes, and reads only arrays that earlier stages made.
 * Order: sums across rows are made in row order, after the stage.
 */
#ifndef RIO_PAINTER_PARTS_H
#define RIO_PAINTER_PARTS_H

#include "painter.h"

#include <math.h>
#include <stdbool.h>

#define RIO_PI 3.14159265f

enum { RIO_CHUNK = 16, RIO_MAX_LIGHTS = 64 };

typedef rico_vec3 v3;

static inline v3 v3_make(float x, float y, float z)
{
    v3 v = {x, y, z};
    return v;
}

static inline v3 v3_add(v3 a, v3 b)
{
    return v3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline v3 v3_sub(v3 a, v3 b)
{
    return v3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline v3 v3_mul(v3 a, v3 b)
{
    return v3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline v3 v3_scale(v3 a, float s)
{
    return v3_make(a.x * s, a.y * s, a.z * s);
}

static inline v3 v3_mad(v3 a, v3 b, float s)
{
    return v3_make(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}

static inline v3 v3_mix(v3 a, v3 b, float s)
{
    return v3_mad(a, v3_sub(b, a), s);
}

static inline float v3_dot(v3 a, v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline v3 v3_cross(v3 a, v3 b)
{
    return v3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline v3 v3_unit(v3 a)
{
    float length = sqrtf(v3_dot(a, a));
    return length > 1.0e-20f ? v3_scale(a, 1.0f / length) : v3_make(0.0f, 0.0f, 1.0f);
}

/* fminf and fmaxf are calls into libm because of their promises about NaN; these are inlined. */
static inline float lesser(float a, float b)
{
    return a < b ? a : b;
}

static inline float greater(float a, float b)
{
    return a > b ? a : b;
}

static inline float saturate(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

static inline float luminance(v3 c)
{
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

/* The look of the sky, and the sun in it. */
typedef struct rio_sky {
    v3 sun;       /* unit, towards it */
    v3 sun_light; /* irradiance on a surface that faces it */
    v3 ambient;   /* radiance in place of all light after the first bounce */
} rio_sky;

typedef struct rio_light {
    v3 position, power; /* irradiance at 1 m */
    float reach;        /* beyond it the light is cut off */
    float size2;        /* square of a radius that keeps near surfaces from burning out */
} rio_light;

/* The surface that a pixel sees. depth: along the ray; infinite = sky. */
typedef struct rio_surface {
    v3 position, normal, albedo;
    float depth;
} rio_surface;

/* Light on it: everything but the sun as irradiance / pi, and the visible part of the sun. */
typedef struct rio_lighting {
    v3 soft;
    float sun;
} rio_lighting;

typedef struct rio_painter {
    const rio_picture_def *def;
    uint32_t width, height;
    v3 eye, forward, right, up; /* right and up as long as half the picture at distance 1 */
    rio_sky sky;
    rio_light lights[RIO_MAX_LIGHTS];
    uint32_t light_count;
    rio_surface *surfaces;
    rio_lighting *lighting, *lighting_next;
    uint32_t filter_step;
    v3 *colors; /* what reaches the eye */
    rio_image *image;
    float exposure;
    float outdoors, haze; /* 0..1: part of the upper half that is sky; 1/metre */
    float sun_gain;       /* below 1 indoors, where film could not hold both sun and shade */
} rio_painter;

/* painter.c */
v3 rio_pixel_direction(const rio_painter *p, float x, float y);
rio_surface rio_surface_of(const rio_painter *p, v3 origin, v3 direction, const rico_hit *hit);
/* Seen from the eye, with grain. */
rio_surface rio_surface_seen(const rio_painter *p, v3 direction, const rico_hit *hit);
void rio_parallel(const rio_painter *p, rio_range_fn *fn, void *context, uint32_t count);

static inline bool rio_is_hit(const rico_hit *hit)
{
    return hit->collider != 0;
}

/* painter_sky.c */
rio_sky rio_sky_make(float azimuth_degrees, float elevation_degrees);
v3 rio_sky_light(const rio_sky *sky, v3 direction); /* smooth, for lighting */
v3 rio_sky_view(const rio_sky *sky, v3 direction);  /* with sun, clouds and hills */
v3 rio_sky_haze(const rio_sky *sky, v3 direction);

/* painter_light.c: range functions over rows; context is the painter */
void rio_trace_rows(void *painter, uint32_t begin, uint32_t end);
void rio_filter_rows(void *painter, uint32_t begin, uint32_t end);
void rio_shade_rows(void *painter, uint32_t begin, uint32_t end);
v3 rio_shade(const rio_painter *p, const rio_surface *s, const rio_lighting *l, v3 direction);

/* painter_lines.c: on the developed image */
void rio_lines_paint(const rio_painter *p);

/* painter_particles.c */
void rio_lights_gather(rio_painter *p);
rico_result rio_particles_paint(rio_painter *p);

#endif
