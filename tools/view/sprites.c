#include "sprites.h"

#include "picture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SPRITES 2000000u
#define SHUTTER (1.0f / 60.0f) /* seconds: how long a streak is */
#define LEAST_PIXELS 1.6f      /* smaller sprites would flicker */
#define SLEEPER 0xffff30ffu    /* magenta */

void sprites_free(sprites *s)
{
    rico_output_destroy(s->output);
    free(s->records);
    free(s->vertices);
    free(s->ids);
    free(s->kinds);
    free(s->looks);
    free(s->places);
    memset(s, 0, sizeof *s);
}

static uint32_t less(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* aligned_alloc needs multiples of the alignment. */
static void *allocate(size_t count, size_t bytes)
{
    return aligned_alloc(64, (count * bytes + 63u) / 64u * 64u);
}

/* Allocates once for the largest state of the world, so that frames allocate nothing. */
static bool open_for(sprites *s, const stage *from)
{
    const run_world *w = &from->now->world;
    if (s->world == w->world)
        return s->output != NULL;
    sprites_free(s);
    s->world = w->world;
    s->capacity = less(w->max_particles, MAX_SPRITES);
    s->max_effects = w->max_effects;
    s->records = allocate(s->capacity, sizeof *s->records);
    s->vertices = allocate((size_t)4 * s->capacity, sizeof *s->vertices);
    s->ids = malloc(s->max_effects * sizeof *s->ids);
    s->kinds = malloc(s->max_effects * sizeof *s->kinds);
    s->looks = malloc(s->max_effects * sizeof *s->looks);
    s->places = malloc(s->max_effects * sizeof *s->places);
    rico_output_def def = rico_output_def_default();
    def.kind = RICO_OUTPUT_STREAKS;
    def.memory[0] = def.memory[1] = s->records;
    def.capacity = s->capacity;
    def.max_effects = s->max_effects;
    return s->records && s->vertices && s->ids && s->kinds && s->looks && s->places &&
           rico_output_create(w->world, &def, &s->output) == RICO_OK;
}

/* --- One particle ------------------------------------------------------------------------- */

static sprite_look look_of(picture_look how)
{
    const rio_particle_kind as = how.kind;
    sprite_look out = {as == RIO_PARTICLE_SOLID   ? SPRITE_SOLID
                       : as == RIO_PARTICLE_SMOKE ? SPRITE_SMOKE
                                                  : SPRITE_LIGHT,
                       as == RIO_PARTICLE_STREAK, how.gain};
    return out;
}

static rico_vec3 scaled(rico_vec3 a, float by)
{
    return (rico_vec3){a.x * by, a.y * by, a.z * by};
}

static rico_vec3 cross(rico_vec3 a, rico_vec3 b)
{
    return (rico_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static float length_of(rico_vec3 a)
{
    return sqrtf(a.x * a.x + a.y * a.y + a.z * a.z);
}

typedef struct build {
    sprites *s;
    const rico_output_frame *frame;
    rico_vec3 eye;
    fly_axes axes;
    float pixel;
    bool mark_sleepers;
} build;

static void put_corner(sprite_vertex *v, rico_vec3 p, rico_vec3 a, rico_vec3 b, float u,
                       float w, uint32_t rgba)
{
    float s = 2.0f * u - 1.0f, t = 2.0f * w - 1.0f;
    v->position[0] = p.x + s * a.x + t * b.x;
    v->position[1] = p.y + s * a.y + t * b.y;
    v->position[2] = p.z + s * a.z + t * b.z;
    v->uv[0] = u;
    v->uv[1] = w;
    v->rgba = rgba;
}

static uint32_t with_alpha(uint32_t rgba, float factor)
{
    float alpha = fminf((float)(rgba >> 24) * factor, 255.0f);
    return (rgba & 0xffffffu) | (uint32_t)alpha << 24;
}

/* a and b: half of the quad's edges. Particles narrower than LEAST_PIXELS are drawn that wide,
 * and fainter. */
static void put_particle(const build *k, sprite_look how, const rico_streak *p,
                         sprite_vertex *v)
{
    rico_vec3 at = {p->position[0], p->position[1], p->position[2]};
    rico_vec3 velocity = {p->velocity[0], p->velocity[1], p->velocity[2]};
    rico_vec3 to = {at.x - k->eye.x, at.y - k->eye.y, at.z - k->eye.z};
    float least = LEAST_PIXELS * k->pixel * length_of(to);
    float half = 0.5f * fmaxf(p->size, least);
    float seen = p->size < least ? 0.35f + 0.65f * p->size / least : 1.0f;
    bool asleep = k->mark_sleepers && length_of(velocity) == 0.0f;
    uint32_t rgba = asleep ? SLEEPER : with_alpha(p->color, seen * fmaxf(how.gain, 1.0f));
    rico_vec3 a = scaled(k->axes.right, half), b = scaled(k->axes.up, half);
    rico_vec3 aside = cross(velocity, to);
    float way = 0.5f * SHUTTER * length_of(velocity);
    if (how.stretched && way > half && length_of(aside) > 0.0f) {
        a = scaled(aside, half / length_of(aside));
        b = scaled(velocity, 0.5f * SHUTTER * (1.0f + half / way));
        at = (rico_vec3){at.x - b.x, at.y - b.y, at.z - b.z}; /* the particle is its head */
    }
    put_corner(&v[0], at, a, b, 0.0f, 0.0f, rgba);
    put_corner(&v[1], at, a, b, 1.0f, 0.0f, rgba);
    put_corner(&v[2], at, a, b, 1.0f, 1.0f, rgba);
    put_corner(&v[3], at, a, b, 0.0f, 1.0f, rgba);
}

/* --- All particles --------------------------------------------------------------------------- */

static void build_parts(rico_worker *worker, void *user, uint32_t begin, uint32_t end)
{
    const build *k = user;
    const rico_streak *records = k->frame->records;
    (void)worker;
    for (uint32_t e = begin; e < end; ++e) {
        const rico_output_part *part = &k->frame->parts[e];
        const sprite_look how = k->s->looks[e];
        sprite_vertex *v = k->s->vertices + (size_t)4 * k->s->places[e];
        for (uint32_t i = 0; i < part->count; ++i)
            put_particle(k, how, &records[part->first + i], v + (size_t)4 * i);
    }
}

/* Computes where each part's quads go, layer after layer. */
static void place_parts(sprites *s, const rico_output_frame *frame)
{
    uint32_t next = 0;
    for (int layer = 0; layer < SPRITE_LAYER_COUNT; ++layer) {
        s->first[layer] = next;
        for (uint32_t e = 0; e < frame->part_count; ++e) {
            if ((int)s->looks[e].layer != layer)
                continue;
            s->places[e] = next;
            next += frame->parts[e].count;
        }
        s->count[layer] = next - s->first[layer];
    }
}

bool sprites_build(sprites *s, const stage *from, const fly *camera, float pixel,
                   bool mark_sleepers)
{
    const run_world *w = &from->now->world;
    rico_output_frame frame;
    memset(s->count, 0, sizeof s->count);
    if (!open_for(s, from))
        return false;
    uint32_t count = stage_effects(from, s->ids, s->kinds, s->max_effects);
    if (rico_output_write(s->output, s->ids, count, NULL, &frame) != RICO_OK)
        return false;
    picture_looks looks = {.known = {false}};
    for (uint32_t e = 0; e < count; ++e)
        s->looks[e] = look_of(picture_look_of(&looks, w, s->ids[e], s->kinds[e]));
    place_parts(s, &frame);
    build k = {s, &frame, camera->eye, fly_axes_of(camera), pixel, mark_sleepers};
    rico_jobs_for(w->jobs, 0, frame.part_count, 4, build_parts, &k);
    return true;
}
