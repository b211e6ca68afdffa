/* painter.c - the stages of a picture, exposure and tone mapping. */
#include "painter_parts.h"

#include "mesh_builder.h"

#include <stdlib.h>
#include <string.h>

rio_picture_def rio_picture_def_default(void)
{
    rio_picture_def def;
    memset(&def, 0, sizeof def);
    def.camera.fov_degrees = 50.0f;
    def.camera.target.y = 1.0f;
    def.width = 1280;
    def.height = 720;
    def.shutter = 1.0f / 40.0f;
    def.sun_azimuth = 220.0f;
    def.sun_elevation = 18.0f;
    def.haze = 0.006f;
    def.light_count = 40;
    def.quality = 4;
    return def;
}

v3 rio_pixel_direction(const rio_painter *p, float x, float y)
{
    v3 d = v3_mad(p->forward, p->right, 2.0f * x / (float)p->width - 1.0f);
    return v3_unit(v3_mad(d, p->up, 1.0f - 2.0f * y / (float)p->height));
}

rio_surface rio_surface_of(const rio_painter *p, v3 origin, v3 direction, const rico_hit *hit)
{
    const rio_mesh *mesh = p->def->mesh;
    rio_surface s = {origin, {0.0f, 0.0f, 1.0f}, {0.55f, 0.53f, 0.50f}, INFINITY};
    if (!rio_is_hit(hit))
        return s;
    s.depth = hit->t;
    s.position = v3_mad(origin, direction, hit->t);
    s.normal = hit->normal;
    if (mesh != NULL && hit->triangle < mesh->triangle_count &&
        (p->def->mesh_collider == 0 || hit->collider == p->def->mesh_collider)) {
        const float *rgb = mesh->colors + (size_t)hit->triangle * 3;
        s.albedo = v3_make(rgb[0], rgb[1], rgb[2]);
    }
    return s;
}

/* Adds stains and grain, so that flat colours look like material. They are finer where the eye
 * is nearer. */
rio_surface rio_surface_seen(const rio_painter *p, v3 direction, const rico_hit *hit)
{
    rio_surface s = rio_surface_of(p, p->eye, direction, hit);
    if (!rio_is_hit(hit))
        return s;
    v3 at = s.position;
    float stain = rio_noise(61, at.x * 0.45f, at.y * 0.45f, at.z * 0.45f) +
                  0.5f * rio_noise(62, at.x * 1.9f, at.y * 1.9f, at.z * 1.9f);
    float fine = rio_noise(63, at.x * 17.0f, at.y * 17.0f, at.z * 17.0f);
    s.albedo =
        v3_scale(s.albedo, 1.0f + 0.09f * stain + 0.07f * fine / (1.0f + 0.08f * s.depth));
    return s;
}

void rio_parallel(const rio_painter *p, rio_range_fn *fn, void *context, uint32_t count)
{
    if (p->def->parallel != NULL)
        p->def->parallel(p->def->parallel_user, count, fn, context);
    else
        fn(context, 0, count);
}

static void aim(rio_painter *p)
{
    const rio_camera *camera = &p->def->camera;
    float half = tanf(camera->fov_degrees * (RIO_PI / 360.0f));
    float aspect = (float)p->width / (float)p->height;
    p->eye = camera->eye;
    p->forward = v3_unit(v3_sub(camera->target, camera->eye));
    v3 up =
        fabsf(p->forward.z) < 0.999f ? v3_make(0.0f, 0.0f, 1.0f) : v3_make(0.0f, 1.0f, 0.0f);
    v3 right = v3_unit(v3_cross(p->forward, up));
    p->up = v3_scale(v3_cross(right, p->forward), half);
    p->right = v3_scale(right, half * aspect);
}

/* Exposure from the mean of brightness and the mean of its logarithm. The first keeps sunlit
 * patches in range; the second opens up the shadows. The middle of the picture counts most. */
static float meter(const rio_painter *p)
{
    double sum = 0.0, linear = 0.0, weights = 0.0;
    for (uint32_t y = 0; y < p->height; y += 2)
        for (uint32_t x = 0; x < p->width; x += 2) {
            float u = 2.0f * (float)x / (float)p->width - 1.0f;
            float v = 2.0f * (float)y / (float)p->height - 1.0f;
            float weight = 1.2f - 0.5f * (u * u + v * v);
            size_t at = (size_t)y * p->width + x;
            if (!(p->surfaces[at].depth < INFINITY))
                weight *= 0.35f;
            float l = lesser(luminance(p->colors[at]), 4.0f);
            sum += (double)(weight * logf(1.0e-3f + l));
            linear += (double)(weight * l);
            weights += (double)weight;
        }
    float mean = powf(expf((float)(sum / weights)), 0.55f) *
                 powf((float)(linear / weights) + 1.0e-3f, 0.45f);
    float exposure = 0.20f / greater(mean, 0.01f);
    return exposure * exp2f(p->def->exposure);
}

/* Narkowicz's fit of the ACES curve. */
static float film(float x)
{
    return saturate(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f));
}

static float to_srgb(float x)
{
    return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f;
}

/* A fixed pattern of half a step hides bands in the sky. */
static uint8_t to_byte(float x, uint32_t pixel, uint32_t channel)
{
    float dither = rio_random(77, pixel, channel) - 0.5f;
    return (uint8_t)(saturate((to_srgb(film(x)) * 255.0f + dither) / 255.0f) * 255.0f + 0.5f);
}

static void develop_rows(void *painter, uint32_t begin, uint32_t end)
{
    rio_painter *p = painter;
    for (uint32_t y = begin; y < end; y++)
        for (uint32_t x = 0; x < p->width; x++) {
            uint32_t at = y * p->width + x;
            float u = 2.0f * ((float)x + 0.5f) / (float)p->width - 1.0f;
            float v = 2.0f * ((float)y + 0.5f) / (float)p->height - 1.0f;
            float corner = 1.0f - 0.14f * (u * u + v * v);
            v3 c = v3_scale(p->colors[at], p->exposure * corner);
            uint8_t *out = p->image->pixels + (size_t)at * 3;
            out[0] = to_byte(c.x, at, 0);
            out[1] = to_byte(c.y, at, 1);
            out[2] = to_byte(c.z, at, 2);
        }
}

/* The part of the sky that the eye would see in all directions. Indoors there is less haze, and
 * less light on particles. */
static float outdoors(const rio_painter *p)
{
    enum { LOOKS = 32 };
    rico_ray rays[LOOKS];
    rico_hit hits[LOOKS];
    uint32_t sky = 0;
    for (uint32_t i = 0; i < LOOKS; i++) {
        float z = ((float)i + 0.5f) / (float)LOOKS, r = sqrtf(1.0f - z * z),
              a = 2.39996323f * (float)i;
        rays[i] = (rico_ray){p->eye, 1000.0f, v3_make(r * cosf(a), r * sinf(a), z), 0};
    }
    p->def->caster.cast(p->def->caster.user, rays, hits, LOOKS);
    for (uint32_t i = 0; i < LOOKS; i++)
        sky += rio_is_hit(&hits[i]) ? 0u : 1u;
    return (float)sky / (float)LOOKS;
}

/* Where no sky is seen at all, the camera carries a lamp. */
static void add_lantern(rio_painter *p)
{
    if (p->outdoors > 0.0f || p->light_count == RIO_MAX_LIGHTS)
        return;
    rio_light *lamp = &p->lights[p->light_count++];
    lamp->position = v3_mad(v3_mad(p->eye, v3_unit(p->right), 0.8f), v3_unit(p->up), 0.5f);
    lamp->power = v3_make(32.0f, 22.0f, 12.5f);
    lamp->size2 = 6.0f;
    lamp->reach = 60.0f;
}

static void render(rio_painter *p)
{
    rio_parallel(p, rio_trace_rows, p, p->height);
    for (p->filter_step = 1; p->filter_step <= 4; p->filter_step *= 2) {
        rio_parallel(p, rio_filter_rows, p, p->height);
        rio_lighting *swap = p->lighting;
        p->lighting = p->lighting_next;
        p->lighting_next = swap;
    }
    rio_parallel(p, rio_shade_rows, p, p->height);
    p->exposure = meter(p);
}

static bool def_is_good(const rio_picture_def *def)
{
    const rio_camera *c = &def->camera;
    v3 look = v3_sub(c->target, c->eye);
    float length2 = v3_dot(look, look);
    return def->caster.cast != NULL && def->quality >= 1 && def->quality <= 16 &&
           c->fov_degrees >= 10.0f && c->fov_degrees <= 120.0f && length2 > 0.0f &&
           length2 < INFINITY;
}

rico_result rio_paint(const rio_picture_def *def, rio_image *out)
{
    memset(out, 0, sizeof *out);
    if (!def_is_good(def))
        return RICO_OUT_OF_RANGE;
    rico_result result = rio_image_create(def->width, def->height, out);
    if (result != RICO_OK)
        return result;
    rio_painter p;
    memset(&p, 0, sizeof p);
    p.def = def;
    p.width = def->width;
    p.height = def->height;
    p.image = out;
    p.sky = rio_sky_make(def->sun_azimuth, def->sun_elevation);
    aim(&p);
    p.outdoors = outdoors(&p);
    p.sky.ambient = v3_scale(p.sky.ambient, p.outdoors > 0.0f ? 1.0f : 0.35f);
    p.sun_gain = 0.3f + 0.7f * lesser(2.0f * p.outdoors, 1.0f);
    p.haze = def->haze * p.outdoors;
    size_t pixels = (size_t)p.width * p.height;
    p.surfaces = malloc(pixels * sizeof *p.surfaces);
    p.lighting = calloc(pixels, sizeof *p.lighting);
    p.lighting_next = calloc(pixels, sizeof *p.lighting_next);
    p.colors = malloc(pixels * sizeof *p.colors);
    result = RICO_OUT_OF_MEMORY;
    if (p.surfaces != NULL && p.lighting != NULL && p.lighting_next != NULL &&
        p.colors != NULL) {
        rio_lights_gather(&p);
        add_lantern(&p);
        render(&p);
        result = rio_particles_paint(&p);
    }
    if (result == RICO_OK) {
        rio_parallel(&p, develop_rows, &p, p.height);
        rio_lines_paint(&p);
    } else {
        rio_image_free(out);
    }
    free(p.surfaces);
    free(p.lighting);
    free(p.lighting_next);
    free(p.colors);
    return result;
}
