#include "picture.h"

#include "courtyard.h"
#include "painter.h"
#include "say.h"
#include "scene_lines.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More particles would not be seen: of more, every n-th is painted. */
#define MAX_PAINTED 4000000u

static const picture_look five[SHOW_KIND_COUNT] = {
    [SHOW_SPARKS] = {RIO_PARTICLE_STREAK, 3.0f}, [SHOW_RAIN] = {RIO_PARTICLE_STREAK, 0.35f},
    [SHOW_GRAVEL] = {RIO_PARTICLE_SOLID, 1.0f},  [SHOW_SMOKE] = {RIO_PARTICLE_SMOKE, 1.0f},
    [SHOW_CASINGS] = {RIO_PARTICLE_SOLID, 1.0f},
};

#define SMALL 0.03f /* metres: particles up to this size look like streaks */

/* The size at birth, or the mean of the keys where that is larger: a puff that begins at size 0
 * is no spark. */
static float size_of(const rico_recipe *r)
{
    const rico_curve *size = &r->particle_size;
    float sum = 0.0f;
    for (uint32_t k = 0; k < size->key_count; ++k)
        sum += size->value[k];
    return fmaxf(size->value[0], sum / fmaxf((float)size->key_count, 1.0f));
}

/* Files do not give a look: it is chosen by size and colour. */
static picture_look look_of_recipe(const rico_recipe *r)
{
    const float size = size_of(r);
    if (r->mode == RICO_COLLIDE_NONE && size > SMALL)
        return (picture_look){RIO_PARTICLE_SMOKE, 1.0f};
    if (size <= SMALL && (r->color.key_count > 1 || r->alpha_over_life.key_count > 1))
        return (picture_look){RIO_PARTICLE_STREAK, 2.0f};
    return (picture_look){size <= 0.01f ? RIO_PARTICLE_STREAK : RIO_PARTICLE_SOLID, 1.0f};
}

picture_look picture_look_of(picture_looks *looks, const run_world *w, rico_effect_id effect,
                             uint32_t kind)
{
    rico_effect_info info;
    rico_recipe recipe;
    if (!w->cast.given)
        return five[kind];
    if (!rico_effect_get(w->world, effect, &info))
        return (picture_look){RIO_PARTICLE_SMOKE, 1.0f}; /* no such effect */
    const uint32_t slot = info.recipe.index1 - 1;
    if (slot < PICTURE_RECIPES && looks->known[slot])
        return looks->items[slot];
    if (!rico_world_get_recipe(w->world, info.recipe, &recipe))
        return (picture_look){RIO_PARTICLE_SMOKE, 1.0f};
    const picture_look how = look_of_recipe(&recipe);
    if (slot < PICTURE_RECIPES) {
        looks->items[slot] = how;
        looks->known[slot] = true;
    }
    return how;
}

/* Colours of recipes are meant for the screen. Squaring approximates the inverse of its curve. */
static void unpack_color(uint32_t packed, float gain, float out[4])
{
    for (int c = 0; c < 3; ++c) {
        float value = (float)((packed >> (8 * c)) & 255u) / 255.0f;
        out[c] = value * value * gain;
    }
    out[3] = (float)(packed >> 24) / 255.0f;
}

/* Metres. A pebble nearer to the eye than this would look like a boulder. It is left out when
 * the camera's place is automatic, but kept with --camera. */
#define NEAR 2.0f

typedef struct collection {
    rico_vec3 eye;
    float near; /* nearer particles are left out */
    rio_particle *particles;
    uint32_t count, capacity;
    uint32_t stride, skipped; /* one particle in stride is painted */
} collection;

static bool is_near(const collection *c, float x, float y, float z)
{
    float dx = x - c->eye.x, dy = y - c->eye.y, dz = z - c->eye.z;
    return dx * dx + dy * dy + dz * dz < c->near * c->near;
}

static void collect_block(const rico_view *v, picture_look how, collection *out)
{
    for (uint32_t i = 0; i < v->count && out->count < out->capacity; ++i) {
        if (++out->skipped < out->stride || is_near(out, v->px[i], v->py[i], v->pz[i]))
            continue;
        out->skipped = 0;
        rio_particle *p = &out->particles[out->count++];
        p->position = (rico_vec3){v->px[i], v->py[i], v->pz[i]};
        p->velocity = (rico_vec3){v->vx[i], v->vy[i], v->vz[i]};
        p->size = v->size ? v->size[i] : v->constant_size;
        p->kind = how.kind;
        unpack_color(v->color ? v->color[i] : v->constant_color, how.gain, p->color);
    }
}

static void collect_effect(const run_world *w, rico_effect_id effect, uint32_t kind,
                           picture_looks *looks, collection *out)
{
    rico_view v = rico_effect_view(w->world, effect);
    while (rico_view_next(&v))
        collect_block(&v, picture_look_of(looks, w, effect, kind), out);
}

static bool collect(const run_world *w, rico_vec3 eye, collection *out)
{
    picture_looks looks = {.known = {false}};
    uint32_t alive = rico_world_get_stats(w->world).particles;
    memset(out, 0, sizeof *out);
    out->eye = eye;
    out->near = w->has_camera ? 0.0f : NEAR;
    out->stride = alive / MAX_PAINTED + 1u;
    out->capacity = alive / out->stride + 1u;
    out->particles = malloc(out->capacity * sizeof *out->particles);
    if (!out->particles)
        return false;
    const show *s = &w->show;
    for (uint32_t e = 0; e < s->effect_count; ++e)
        for (uint32_t k = 0; k < s->ids_per_effect && show_ids(s, e)[k].index1 != 0; ++k)
            collect_effect(w, show_ids(s, e)[k], s->effects[e].kind, &looks, out);
    for (uint32_t i = 0; i < s->sub_count; ++i)
        collect_effect(w, s->subs[i].id, s->subs[i].kind, &looks, out);
    return true;
}

/* --- The painter's parallel-for, on the world's workers ------------------------------------ */

typedef struct range_call {
    rio_range_fn *fn;
    void *context;
} range_call;

static void run_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker;
    range_call *call = context;
    call->fn(call->context, begin, end);
}

static void parallel(void *user, uint32_t count, rio_range_fn *fn, void *context)
{
    range_call call = {fn, context};
    rico_jobs_for(user, 0, count, 1, run_range, &call);
}

rio_camera picture_camera(const run_world *w)
{
    if (w->has_camera)
        return w->camera;
    return w->def.courtyard ? rio_courtyard_camera()
                            : rio_camera_frame(&w->def.bounds, &w->caster);
}

static rico_result paint(const run_world *w, const picture_def *picture,
                         const collection *particles, const scene_lines *lines, rio_image *out)
{
    rio_picture_def def = rio_picture_def_default();
    def.width = picture->width;
    def.height = picture->height;
    def.camera = picture->camera;
    def.mesh = &w->mesh;
    def.mesh_collider = w->collider.index1;
    def.caster = w->caster;
    def.sun_elevation = 11.0f; /* an evening: sparks show */
    def.exposure = -0.3f;
    def.particles = particles->particles;
    def.particle_count = particles->count;
    def.lines = lines->lines;
    def.line_count = lines->count;
    def.parallel = parallel;
    def.parallel_user = picture->jobs;
    return rio_paint(&def, out);
}

rico_result picture_paint(const run_world *w, const picture_def *def, rio_image *out)
{
    collection particles;
    scene_lines lines;
    rico_result result = RICO_OUT_OF_MEMORY;
    memset(out, 0, sizeof *out);
    if (!collect(w, def->camera.eye, &particles))
        return result;
    scene_lines_collect(w->world, def->view, &w->trail, &def->camera, &lines);
    if (lines.cut)
        say("ricochet: warning: --draw: there are too many lines; some are left out");
    if (!lines.failed)
        result = paint(w, def, &particles, &lines, out);
    scene_lines_free(&lines);
    free(particles.particles);
    return result;
}

bool picture_save(const rio_image *image, const output_file *file, char *error,
                  size_t error_bytes)
{
    size_t bytes = 0;
    void *png = rio_image_png(image, &bytes);
    if (png == NULL) {
        snprintf(error, error_bytes, "%s: %s", file->path,
                 rico_result_text(RICO_OUT_OF_MEMORY));
        return false;
    }
    bool written = output_write(file, png, bytes, error, error_bytes);
    free(png);
    return written;
}

bool picture_write(run_world *w, const scene_view *view, uint32_t width,
                   const output_file *file, char *error, size_t error_bytes)
{
    rio_image image;
    picture_def def = {view, picture_camera(w), width, width * 9 / 16, w->jobs};
    rico_result result = picture_paint(w, &def, &image);
    if (result != RICO_OK) {
        snprintf(error, error_bytes, "%s: %s", file->path, rico_result_text(result));
        return false;
    }
    bool written = picture_save(&image, file, error, error_bytes);
    rio_image_free(&image);
    return written;
}
