/* painter_particles.c - particles over the picture, the light they give, and their bloom.
 *
 * Each particle becomes a sprite in pixels. Sprites are sorted from far to near, by (distance,
 * index), and listed per band of rows; a job paints whole bands. So each pixel sees the same
 * sprites in the same order for any number of jobs.
 */
#include "painter_parts.h"

#include <stdlib.h>
#include <string.h>

enum { BAND = 16, LIGHT_CELLS = 4096, SMOKE_RAYS = 32, MAX_RADIUS = 400 };

typedef struct sprite {
    float x0, y0, x1, y1; /* ends of its axis, pixels; equal for a ball */
    float radius;         /* pixels */
    float depth, soft;    /* metres: nearest distance to the eye, and how thick it is */
    float alpha;
    v3 color;
    uint32_t index;
    rio_particle_kind kind;
} sprite;

typedef struct stage {
    rio_painter *p;
    sprite *sprites;
    uint32_t count;
    uint32_t *starts, *entries; /* per band: sprites in order */
    v3 *glow;                   /* added light only, for the bloom */
} stage;

static bool usable(const rio_particle *q)
{
    float sum = q->position.x + q->position.y + q->position.z + q->velocity.x + q->velocity.y +
                q->velocity.z + q->size + q->color[0] + q->color[1] + q->color[2] + q->color[3];
    return sum - sum == 0.0f && q->size > 0.0f;
}

static bool is_light(const rio_particle *q)
{
    return q->kind == RIO_PARTICLE_GLOW || q->kind == RIO_PARTICLE_STREAK;
}

typedef struct light_cell {
    v3 sum, color;
    float weight;
    uint32_t key;
} light_cell;

static int by_weight(const void *a, const void *b)
{
    const light_cell *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->key < y->key ? -1 : (x->key > y->key ? 1 : 0);
}

/* The particles of a 1.5 m cell are one light. Only warm colours count: rain and water add light
 * to the picture, but give none to the world. */
static void add_to_cell(light_cell *cells, const rio_particle *q)
{
    v3 color = v3_make(q->color[0], q->color[1], q->color[2]);
    float warm = color.x - color.z;
    if (!is_light(q) || warm < 0.3f * luminance(color) || luminance(color) < 0.2f)
        return;
    int32_t k[3] = {(int32_t)floorf(lesser(greater(q->position.x, -1e6f), 1e6f) / 1.5f),
                    (int32_t)floorf(lesser(greater(q->position.y, -1e6f), 1e6f) / 1.5f),
                    (int32_t)floorf(lesser(greater(q->position.z, -1e6f), 1e6f) / 1.5f)};
    uint32_t key =
        (uint32_t)k[0] * 73856093u ^ (uint32_t)k[1] * 19349663u ^ (uint32_t)k[2] * 83492791u;
    light_cell *cell = &cells[(key ^ key >> 15) % LIGHT_CELLS];
    float weight = luminance(color) * q->color[3] * q->size * q->size;
    cell->key = key;
    cell->sum = v3_mad(cell->sum, q->position, weight);
    cell->color = v3_mad(cell->color, color, q->color[3] * q->size * q->size);
    cell->weight += weight;
}

void rio_lights_gather(rio_painter *p)
{
    uint32_t limit =
        p->def->light_count < RIO_MAX_LIGHTS ? p->def->light_count : RIO_MAX_LIGHTS;
    light_cell *cells = limit > 0 ? calloc(LIGHT_CELLS, sizeof *cells) : NULL;
    if (cells == NULL)
        return; /* without memory the picture has no such lights */
    for (uint32_t i = 0; i < p->def->particle_count; i++)
        if (usable(&p->def->particles[i]))
            add_to_cell(cells, &p->def->particles[i]);
    qsort(cells, LIGHT_CELLS, sizeof *cells, by_weight);
    for (uint32_t i = 0; i < limit && cells[i].weight > 0.0f; i++) {
        rio_light *light = &p->lights[p->light_count++];
        light->position = v3_scale(cells[i].sum, 1.0f / cells[i].weight);
        /* Sparks are far smaller than their light makes them seem. */
        light->power = v3_scale(cells[i].color, 60.0f);
        light->size2 = 0.05f;
        float most = luminance(light->power);
        if (most > 3.0f)
            light->power = v3_scale(light->power, 3.0f / most);
        light->reach = 2.0f + 3.0f * sqrtf(lesser(most, 3.0f));
    }
    free(cells);
}

/* Pixel and distance of a point; false when it is behind or at the eye. */
static bool project(const rio_painter *p, v3 at, float *x, float *y, float *depth, float *scale)
{
    v3 to = v3_sub(at, p->eye);
    float ahead = v3_dot(to, p->forward);
    if (ahead < 0.05f)
        return false;
    float u = v3_dot(to, p->right) / (v3_dot(p->right, p->right) * ahead);
    float v = v3_dot(to, p->up) / (v3_dot(p->up, p->up) * ahead);
    *x = (u + 1.0f) * 0.5f * (float)p->width;
    *y = (1.0f - v) * 0.5f * (float)p->height;
    *depth = sqrtf(v3_dot(to, to));
    *scale = 0.5f * (float)p->height / (sqrtf(v3_dot(p->up, p->up)) * ahead);
    return true;
}

static bool make_sprite(const rio_painter *p, const rio_particle *q, uint32_t index, sprite *s)
{
    float scale, tail_depth, tail_scale;
    if (!usable(q) || !project(p, q->position, &s->x0, &s->y0, &s->depth, &scale))
        return false;
    s->x1 = s->x0;
    s->y1 = s->y0;
    if (q->kind == RIO_PARTICLE_STREAK) {
        v3 tail = v3_mad(q->position, q->velocity, -p->def->shutter);
        if (!project(p, tail, &s->x1, &s->y1, &tail_depth, &tail_scale))
            return false;
    }
    s->index = index;
    s->kind = q->kind;
    s->soft = q->kind == RIO_PARTICLE_SMOKE ? 0.5f * q->size : 0.02f + 0.5f * q->size;
    s->alpha = saturate(q->color[3]);
    s->color = v3_make(q->color[0], q->color[1], q->color[2]);
    s->radius = 0.5f * q->size * scale;
    /* A sprite thinner than a pixel becomes as wide as one, and that much fainter. Lights lose
     * less, because film spreads them. */
    float least = q->kind == RIO_PARTICLE_SOLID ? 0.8f : 0.75f;
    if (s->radius < least) {
        float part = s->radius / least;
        s->alpha *= q->kind == RIO_PARTICLE_STREAK || q->kind == RIO_PARTICLE_GLOW
                        ? sqrtf(part)
                        : (q->kind == RIO_PARTICLE_SOLID ? part : part * part);
        s->radius = least;
    }
    s->radius = lesser(s->radius, (float)MAX_RADIUS);
    if (is_light(q))
        s->color = v3_scale(s->color, s->alpha * expf(-p->haze * s->depth));
    float reach = s->radius + 1.0f, width = (float)p->width, height = (float)p->height;
    return greater(s->x0, s->x1) + reach > 0.0f && lesser(s->x0, s->x1) - reach < width &&
           greater(s->y0, s->y1) + reach > 0.0f && lesser(s->y0, s->y1) - reach < height &&
           s->alpha > 0.001f;
}

/* Smoke and solids are lit by the sky, and by the sun where a ray reaches it. */
static void light_rows(void *context, uint32_t begin, uint32_t end)
{
    const stage *st = context;
    const rio_painter *p = st->p;
    rico_ray rays[SMOKE_RAYS];
    rico_hit hits[SMOKE_RAYS];
    uint32_t owners[SMOKE_RAYS], count = 0;
    for (uint32_t i = begin; i <= end; i++) {
        if (count == SMOKE_RAYS || (i == end && count > 0)) {
            p->def->caster.cast(p->def->caster.user, rays, hits, count);
            for (uint32_t k = 0; k < count; k++) {
                sprite *s = &st->sprites[owners[k]];
                v3 light = v3_scale(v3_make(0.40f, 0.42f, 0.50f), 0.3f + 0.7f * p->outdoors);
                if (!rio_is_hit(&hits[k]))
                    light = v3_mad(light, p->sky.sun_light,
                                   s->kind == RIO_PARTICLE_SMOKE ? 0.17f : 0.2f);
                v3 toward = v3_unit(v3_sub(rays[k].origin, p->eye));
                float clear = expf(-p->haze * s->depth);
                s->color =
                    v3_mix(rio_sky_haze(&p->sky, toward), v3_mul(s->color, light), clear);
            }
            count = 0;
        }
        if (i == end)
            break;
        sprite *s = &st->sprites[i];
        if (s->kind != RIO_PARTICLE_SMOKE && s->kind != RIO_PARTICLE_SOLID)
            continue;
        v3 at = p->def->particles[s->index].position;
        owners[count] = i;
        rays[count++] = (rico_ray){v3_mad(at, p->sky.sun, 0.02f), 200.0f, p->sky.sun, 0};
    }
}

static int far_first(const void *a, const void *b)
{
    const sprite *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static uint32_t band_of(const rio_painter *p, float y)
{
    float row = lesser(greater(y, 0.0f), (float)(p->height - 1));
    return (uint32_t)row / BAND;
}

/* Two passes over the sprites: count, then fill. */
static bool list_bands(stage *st, uint32_t bands)
{
    st->starts = calloc((size_t)bands + 2, sizeof *st->starts);
    if (st->starts == NULL)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < st->count; i++) {
            const sprite *s = &st->sprites[i];
            uint32_t first = band_of(st->p, lesser(s->y0, s->y1) - s->radius - 1.0f);
            uint32_t last = band_of(st->p, greater(s->y0, s->y1) + s->radius + 1.0f);
            for (uint32_t b = first; b <= last; b++) {
                if (pass == 1)
                    st->entries[st->starts[b + 1]] = i;
                st->starts[pass == 0 ? b + 2 : b + 1]++;
            }
        }
        if (pass == 1)
            break;
        for (uint32_t b = 1; b < bands + 2; b++)
            st->starts[b] += st->starts[b - 1];
        st->entries = malloc(((size_t)st->starts[bands + 1] + 1) * sizeof *st->entries);
        if (st->entries == NULL)
            return false;
    }
    return true;
}

/* Distance from a pixel's middle to the sprite's axis, and where along it (0 head, 1 tail). */
static float axis_distance(const sprite *s, float x, float y, float *along)
{
    float ax = s->x1 - s->x0, ay = s->y1 - s->y0, dx = x - s->x0, dy = y - s->y0;
    float length2 = ax * ax + ay * ay;
    *along = length2 > 1.0e-6f ? saturate((dx * ax + dy * ay) / length2) : 0.0f;
    dx -= ax * *along;
    dy -= ay * *along;
    return sqrtf(dx * dx + dy * dy);
}

static void paint_pixel(const stage *st, const sprite *s, size_t at, float x, float y)
{
    const rio_painter *p = st->p;
    float along, d = axis_distance(s, x, y, &along);
    d /= s->radius * (1.0f - 0.6f * along) + 0.5f; /* tails are thin */
    /* Behind the surface a sprite is not seen; half sunk into it, it is half seen. */
    float seen = saturate((p->surfaces[at].depth - s->depth) / s->soft + 1.0f);
    if (d >= 1.0f || seen <= 0.0f)
        return;
    v3 *color = &p->colors[at];
    float fall = 1.0f - d * d;
    if (s->kind == RIO_PARTICLE_GLOW || s->kind == RIO_PARTICLE_STREAK) {
        float k = fall * fall * seen * (1.0f - 0.75f * along);
        *color = v3_mad(*color, s->color, k);
        st->glow[at] = v3_mad(st->glow[at], s->color, k);
    } else if (s->kind == RIO_PARTICLE_SMOKE) {
        *color = v3_mix(*color, s->color, s->alpha * fall * fall * seen);
        st->glow[at] = v3_scale(st->glow[at], 1.0f - s->alpha * fall * fall * seen);
    } else if (seen > 0.5f) {
        /* A ball is shaded by the part of its normal that points to the sun's side of the
         * picture. */
        float edge = saturate((1.0f - d) * (s->radius + 0.5f));
        float nx = (x - s->x0) / (s->radius + 0.5f), ny = (s->y0 - y) / (s->radius + 0.5f);
        float lx = v3_dot(p->sky.sun, v3_unit(p->right)),
              ly = v3_dot(p->sky.sun, v3_unit(p->up));
        float shade = 0.75f + 0.5f * (nx * lx + ny * (0.4f + ly));
        *color = v3_mix(*color, v3_scale(s->color, shade), s->alpha * edge);
    }
}

static void paint_bands(void *context, uint32_t begin, uint32_t end)
{
    stage *st = context;
    const rio_painter *p = st->p;
    for (uint32_t b = begin; b < end; b++)
        for (uint32_t e = st->starts[b]; e < st->starts[b + 1]; e++) {
            const sprite *s = &st->sprites[st->entries[e]];
            float reach = s->radius + 1.0f;
            int32_t x0 = (int32_t)greater(lesser(s->x0, s->x1) - reach, 0.0f);
            int32_t x1 = (int32_t)lesser(greater(s->x0, s->x1) + reach, (float)(p->width - 1));
            int32_t y0 = (int32_t)greater(lesser(s->y0, s->y1) - reach, (float)(b * BAND));
            int32_t y1 =
                (int32_t)lesser(greater(s->y0, s->y1) + reach, (float)(b * BAND + BAND - 1));
            for (int32_t y = y0; y <= y1 && y < (int32_t)p->height; y++)
                for (int32_t x = x0; x <= x1; x++)
                    paint_pixel(st, s, (size_t)y * p->width + (size_t)x, (float)x + 0.5f,
                                (float)y + 0.5f);
        }
}

/* Three box passes approximate a Gaussian. Works on rows (step 1) or columns (step width). */
static void box_blur(v3 *from, v3 *to, uint32_t lines, uint32_t length, size_t line_step,
                     size_t step, int32_t radius)
{
    float k = 1.0f / (float)(2 * radius + 1);
    for (uint32_t line = 0; line < lines; line++) {
        v3 *in = from + line * line_step, *out = to + line * line_step;
        v3 sum = v3_make(0.0f, 0.0f, 0.0f);
        for (int32_t i = -radius; i < (int32_t)length + radius; i++) {
            if (i + radius < (int32_t)length)
                sum = v3_add(sum, in[(size_t)(i + radius) * step]);
            if (i >= 0 && i < (int32_t)length)
                out[(size_t)i * step] = v3_scale(sum, k);
            if (i - radius >= 0)
                sum = v3_sub(sum, in[(size_t)(i - radius) * step]);
        }
    }
}

static void add_bloom(rio_painter *p, v3 *glow, v3 *small, v3 *scratch, uint32_t w, uint32_t h)
{
    memset(small, 0, (size_t)w * h * sizeof *small);
    for (uint32_t y = 0; y < p->height; y++)
        for (uint32_t x = 0; x < p->width; x++) {
            v3 c = glow[(size_t)y * p->width + x];
            float most = greater(c.x, greater(c.y, c.z)) * p->exposure;
            c = v3_scale(c, most > 12.0f ? 12.0f / most : 1.0f);
            v3 *to = &small[(size_t)(y / 4) * w + x / 4];
            *to = v3_mad(*to, c, 1.0f / 16.0f);
        }
    for (int wide = 0; wide < 2; wide++) {
        int32_t radius = wide == 0 ? (int32_t)(h / 100) + 1 : (int32_t)(h / 22) + 1;
        for (int pass = 0; pass < 3; pass++) {
            box_blur(small, scratch, h, w, w, 1, radius);
            box_blur(scratch, small, w, h, 1, w, radius);
        }
        float gain = wide == 0 ? 0.20f : 0.12f;
        for (uint32_t y = 0; y < p->height; y++)
            for (uint32_t x = 0; x < p->width; x++) {
                float u = greater(((float)x + 0.5f) / 4.0f - 0.5f, 0.0f);
                float v = greater(((float)y + 0.5f) / 4.0f - 0.5f, 0.0f);
                uint32_t i = (uint32_t)u, j = (uint32_t)v;
                uint32_t i1 = i + 1 < w ? i + 1 : i, j1 = j + 1 < h ? j + 1 : j;
                v3 top =
                    v3_mix(small[(size_t)j * w + i], small[(size_t)j * w + i1], u - (float)i);
                v3 low =
                    v3_mix(small[(size_t)j1 * w + i], small[(size_t)j1 * w + i1], u - (float)i);
                v3 *color = &p->colors[(size_t)y * p->width + x];
                *color = v3_mad(*color, v3_mix(top, low, v - (float)j), gain);
            }
    }
}

rico_result rio_particles_paint(rio_painter *p)
{
    if (p->def->particle_count == 0)
        return RICO_OK;
    uint32_t bands = (p->height + BAND - 1) / BAND, w = (p->width + 3) / 4,
             h = (p->height + 3) / 4;
    stage st = {p, NULL, 0, NULL, NULL, NULL};
    st.sprites = malloc((size_t)p->def->particle_count * sizeof *st.sprites);
    st.glow = calloc((size_t)p->width * p->height, sizeof *st.glow);
    v3 *small = malloc((size_t)w * h * 2 * sizeof *small);
    bool good = st.sprites != NULL && st.glow != NULL && small != NULL;
    if (good) {
        for (uint32_t i = 0; i < p->def->particle_count; i++)
            if (make_sprite(p, &p->def->particles[i], i, &st.sprites[st.count]))
                st.count++;
        rio_parallel(p, light_rows, &st, st.count);
        qsort(st.sprites, st.count, sizeof *st.sprites, far_first);
        good = list_bands(&st, bands);
    }
    if (good) {
        rio_parallel(p, paint_bands, &st, bands);
        add_bloom(p, st.glow, small, small + (size_t)w * h, w, h);
    }
    free(st.sprites);
    free(st.glow);
    free(small);
    free(st.starts);
    free(st.entries);
    return good ? RICO_OK : RICO_OUT_OF_MEMORY;
}
