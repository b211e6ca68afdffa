/* painter_light.c - what each pixel sees, the light on it, and smooth edges.
 *
 * Few rays per pixel, in a pattern that differs between neighbours, then an edge-aware filter
 * over neighbours of the same surface (à-trous wavelets, Dammertz et al. 2010).
 */
#include "painter_parts.h"

#define SUN_RADIUS 0.011f /* radians; twice the real one, which looks hard at this size */
#define LIFT 2.0e-3f      /* metres off the surface where secondary rays start */
#define GATHER_REACH 60.0f

enum { RAYS = 4 * RIO_CHUNK };

static float fraction(float x)
{
    return x - floorf(x);
}

/* Jimenez's interleaved gradient noise: any 3 x 3 neighbours are spread evenly over 0..1. */
static float pattern(uint32_t x, uint32_t y, float shift)
{
    return fraction(52.9829189f * fraction(0.06711056f * ((float)x + shift) +
                                           0.00583715f * ((float)y + shift)));
}

static void basis(v3 n, v3 *u, v3 *w)
{
    v3 helper = fabsf(n.z) < 0.9f ? v3_make(0.0f, 0.0f, 1.0f) : v3_make(1.0f, 0.0f, 0.0f);
    *u = v3_unit(v3_cross(helper, n));
    *w = v3_cross(n, *u);
}

/* Direction around n for two numbers in 0..1; cosine-distributed for spread 1. */
static v3 around(v3 n, float a, float b, float spread)
{
    v3 u, w;
    basis(n, &u, &w);
    float angle = 2.0f * RIO_PI * a, radius = sqrtf(b) * spread;
    float height = sqrtf(greater(0.0f, 1.0f - radius * radius));
    v3 d = v3_scale(n, height);
    d = v3_mad(d, u, radius * cosf(angle));
    return v3_unit(v3_mad(d, w, radius * sinf(angle)));
}

typedef struct chunk {
    rio_painter *p;
    uint32_t x, y, count, sample;
    rio_surface *surfaces;
    rio_lighting *lighting;
    rico_ray rays[RAYS];
    rico_hit hits[RAYS];
    v3 weights[RAYS];
    uint32_t owner[RAYS];
    uint32_t ray_count;
} chunk;

static void push(chunk *c, v3 origin, v3 direction, float t_max, uint32_t owner, v3 weight)
{
    uint32_t at = c->ray_count++;
    c->rays[at] = (rico_ray){origin, t_max, direction, 0};
    c->owner[at] = owner;
    c->weights[at] = weight;
}

static void cast(chunk *c)
{
    if (c->ray_count > 0)
        c->p->def->caster.cast(c->p->def->caster.user, c->rays, c->hits, c->ray_count);
}

static v3 lifted(const rio_surface *s)
{
    return v3_mad(s->position, s->normal, LIFT + 2.0e-4f * s->depth);
}

static void trace_primary(chunk *c)
{
    rio_painter *p = c->p;
    c->ray_count = 0;
    for (uint32_t i = 0; i < c->count; i++)
        push(c, p->eye, rio_pixel_direction(p, (float)(c->x + i) + 0.5f, (float)c->y + 0.5f),
             1.0e5f, i, v3_make(0.0f, 0.0f, 0.0f));
    cast(c);
    for (uint32_t i = 0; i < c->count; i++)
        c->surfaces[i] = rio_surface_seen(p, c->rays[i].direction, &c->hits[i]);
}

static void trace_sun(chunk *c, float share)
{
    const rio_painter *p = c->p;
    c->ray_count = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const rio_surface *s = &c->surfaces[i];
        if (!(s->depth < INFINITY) || v3_dot(s->normal, p->sky.sun) <= 0.0f)
            continue;
        float a = fraction(pattern(c->x + i, c->y, 0.0f) + 0.7548777f * (float)c->sample);
        float b = fraction(pattern(c->x + i, c->y, 31.0f) + 0.5698403f * (float)c->sample);
        push(c, lifted(s), around(p->sky.sun, a, b, SUN_RADIUS), 200.0f, i, s->normal);
    }
    cast(c);
    for (uint32_t i = 0; i < c->ray_count; i++)
        c->lighting[c->owner[i]].sun += rio_is_hit(&c->hits[i]) ? 0.0f : share;
}

/* Light gathered by a ray: the sky's, or that of the surface it meets. The surface gives
 * sunlight (one more ray) and a constant for all further bounces. */
static void trace_gather(chunk *c, float share)
{
    const rio_painter *p = c->p;
    c->ray_count = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const rio_surface *s = &c->surfaces[i];
        if (!(s->depth < INFINITY))
            continue;
        float a = fraction(pattern(c->x + i, c->y, 57.0f) + 0.7548777f * (float)c->sample);
        float b = fraction(pattern(c->x + i, c->y, 93.0f) + 0.5698403f * (float)c->sample);
        push(c, lifted(s), around(s->normal, a, b, 0.999f), GATHER_REACH, i, s->normal);
    }
    cast(c);
    uint32_t count = c->ray_count;
    c->ray_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        rio_lighting *l = &c->lighting[c->owner[i]];
        v3 direction = c->rays[i].direction;
        if (!rio_is_hit(&c->hits[i])) {
            l->soft = v3_mad(l->soft, rio_sky_light(&p->sky, direction), share);
            continue;
        }
        rio_surface s = rio_surface_of(p, c->rays[i].origin, direction, &c->hits[i]);
        /* Corners are darker: light that has bounced often hardly gets there. */
        float room = 0.25f + 0.75f * s.depth / (s.depth + 1.5f);
        l->soft = v3_mad(l->soft, v3_mul(s.albedo, p->sky.ambient), share * room);
        float facing = v3_dot(s.normal, p->sky.sun);
        if (facing > 0.0f)
            push(c, lifted(&s), p->sky.sun, 200.0f, c->owner[i],
                 v3_scale(v3_mul(s.albedo, p->sky.sun_light), share * facing / RIO_PI));
    }
    cast(c);
    for (uint32_t i = 0; i < c->ray_count; i++)
        if (!rio_is_hit(&c->hits[i])) {
            rio_lighting *l = &c->lighting[c->owner[i]];
            l->soft = v3_add(l->soft, c->weights[i]);
        }
}

static float light_on(const rio_light *light, const rio_surface *s)
{
    v3 to = v3_sub(light->position, s->position);
    float d2 = v3_dot(to, to), facing = v3_dot(to, s->normal);
    float rest = saturate(1.0f - d2 / (light->reach * light->reach));
    if (facing <= 0.0f || rest <= 0.0f)
        return 0.0f;
    return facing / sqrtf(d2 + 1.0e-6f) * rest * rest / (d2 + light->size2) / RIO_PI;
}

/* Adds all lights at once, if the ray to one of them is free. That one is chosen by chance, in
 * proportion to the light that it would give. */
static void trace_lights(chunk *c)
{
    const rio_painter *p = c->p;
    c->ray_count = 0;
    for (uint32_t i = 0; i < c->count && p->light_count > 0; i++) {
        const rio_surface *s = &c->surfaces[i];
        float amounts[RIO_MAX_LIGHTS], sum = 0.0f;
        v3 total = v3_make(0.0f, 0.0f, 0.0f);
        if (!(s->depth < INFINITY))
            continue;
        for (uint32_t k = 0; k < p->light_count; k++) {
            float on = light_on(&p->lights[k], s);
            total = v3_mad(total, p->lights[k].power, on);
            sum += amounts[k] = on * luminance(p->lights[k].power);
        }
        if (sum < 1.0e-4f)
            continue;
        float at = pattern(c->x + i, c->y, 11.0f) * sum;
        uint32_t chosen = 0;
        while (chosen + 1 < p->light_count && at >= amounts[chosen])
            at -= amounts[chosen++];
        v3 origin = lifted(s), to = v3_sub(p->lights[chosen].position, origin);
        float distance = sqrtf(v3_dot(to, to));
        push(c, origin, v3_scale(to, 1.0f / (distance + 1.0e-6f)), distance * 0.93f, i, total);
    }
    cast(c);
    for (uint32_t i = 0; i < c->ray_count; i++)
        if (!rio_is_hit(&c->hits[i])) {
            rio_lighting *l = &c->lighting[c->owner[i]];
            l->soft = v3_add(l->soft, c->weights[i]);
        }
}

void rio_trace_rows(void *painter, uint32_t begin, uint32_t end)
{
    rio_painter *p = painter;
    chunk c;
    c.p = p;
    for (uint32_t y = begin; y < end; y++)
        for (uint32_t x = 0; x < p->width; x += RIO_CHUNK) {
            size_t at = (size_t)y * p->width + x;
            c.x = x;
            c.y = y;
            c.count = p->width - x < RIO_CHUNK ? p->width - x : RIO_CHUNK;
            c.surfaces = p->surfaces + at;
            c.lighting = p->lighting + at;
            trace_primary(&c);
            for (c.sample = 0; c.sample < p->def->quality; c.sample++) {
                trace_sun(&c, 1.0f / (float)p->def->quality);
                trace_gather(&c, 1.0f / (float)p->def->quality);
            }
            trace_lights(&c);
        }
}

/* 0 for a pixel of another surface, 1 for one of the same plane. */
static float likeness(const rio_surface *a, const rio_surface *b, float step)
{
    if (!(b->depth < INFINITY))
        return 0.0f;
    float cosine = saturate(v3_dot(a->normal, b->normal));
    cosine *= cosine;
    cosine *= cosine;
    cosine *= cosine;
    v3 between = v3_sub(b->position, a->position);
    float off = fabsf(v3_dot(between, a->normal));
    return cosine * saturate(1.0f - off / (0.02f + 0.003f * a->depth * step));
}

static rio_lighting filter_pixel(const rio_painter *p, uint32_t x, uint32_t y)
{
    static const float kernel[3] = {0.375f, 0.25f, 0.0625f};
    int32_t step = (int32_t)p->filter_step;
    size_t at = (size_t)y * p->width + x;
    const rio_surface *s = &p->surfaces[at];
    rio_lighting sum = p->lighting[at];
    if (!(s->depth < INFINITY))
        return sum;
    float weight = kernel[0] * kernel[0], sun = sum.sun;
    sum.soft = v3_scale(sum.soft, weight);
    sum.sun *= weight;
    for (int32_t dy = -2; dy <= 2; dy++)
        for (int32_t dx = -2; dx <= 2; dx++) {
            int32_t px = (int32_t)x + dx * step, py = (int32_t)y + dy * step;
            if ((dx == 0 && dy == 0) || px < 0 || py < 0 || px >= (int32_t)p->width ||
                py >= (int32_t)p->height)
                continue;
            size_t other = (size_t)py * p->width + (size_t)px;
            float w = kernel[dx < 0 ? -dx : dx] * kernel[dy < 0 ? -dy : dy] *
                      likeness(s, &p->surfaces[other], (float)step);
            sum.soft = v3_mad(sum.soft, p->lighting[other].soft, w);
            sum.sun += p->lighting[other].sun * w;
            weight += w;
        }
    sum.soft = v3_scale(sum.soft, 1.0f / weight);
    /* Shadows' edges are kept: only the first, narrow pass works on the sun. */
    sum.sun = step == 1 ? sum.sun / weight : sun;
    return sum;
}

void rio_filter_rows(void *painter, uint32_t begin, uint32_t end)
{
    rio_painter *p = painter;
    for (uint32_t y = begin; y < end; y++)
        for (uint32_t x = 0; x < p->width; x++)
            p->lighting_next[(size_t)y * p->width + x] = filter_pixel(p, x, y);
}

v3 rio_shade(const rio_painter *p, const rio_surface *s, const rio_lighting *l, v3 direction)
{
    if (!(s->depth < INFINITY))
        return rio_sky_view(&p->sky, direction);
    float facing = greater(0.0f, v3_dot(s->normal, p->sky.sun));
    v3 light = v3_mad(l->soft, p->sky.sun_light, facing * l->sun * p->sun_gain / RIO_PI);
    v3 color = v3_mul(s->albedo, light);
    float clear = expf(-p->haze * s->depth);
    return v3_mix(rio_sky_haze(&p->sky, direction), color, clear);
}

static bool differs(const rio_surface *a, const rio_surface *b)
{
    bool sky_a = !(a->depth < INFINITY), sky_b = !(b->depth < INFINITY);
    if (sky_a || sky_b)
        return sky_a != sky_b;
    v3 hue = v3_sub(a->albedo, b->albedo);
    return likeness(a, b, 1.0f) < 0.6f || v3_dot(hue, hue) > 0.004f;
}

static bool on_edge(const rio_painter *p, uint32_t x, uint32_t y)
{
    const rio_surface *s = p->surfaces + (size_t)y * p->width + x;
    return (x > 0 && differs(s, s - 1)) || (x + 1 < p->width && differs(s, s + 1)) ||
           (y > 0 && differs(s, s - p->width)) ||
           (y + 1 < p->height && differs(s, s + p->width));
}

/* The light on a point between pixels: that of the most similar surrounding pixel. */
static rio_lighting borrowed(const rio_painter *p, uint32_t x, uint32_t y, const rio_surface *s)
{
    size_t best = (size_t)y * p->width + x;
    float best_likeness = -1.0f;
    for (int32_t dy = -1; dy <= 1; dy++)
        for (int32_t dx = -1; dx <= 1; dx++) {
            int32_t px = (int32_t)x + dx, py = (int32_t)y + dy;
            if (px < 0 || py < 0 || px >= (int32_t)p->width || py >= (int32_t)p->height)
                continue;
            size_t at = (size_t)py * p->width + (size_t)px;
            float like = likeness(s, &p->surfaces[at], 1.0f) + (dx == 0 && dy == 0 ? 0.01f : 0);
            if (like > best_likeness && p->surfaces[at].depth < INFINITY) {
                best_likeness = like;
                best = at;
            }
        }
    return p->lighting[best];
}

static v3 shade_edge(rio_painter *p, uint32_t x, uint32_t y)
{
    static const float offsets[4][2] = {
        {0.375f, 0.125f}, {0.875f, 0.375f}, {0.125f, 0.625f}, {0.625f, 0.875f}};
    rico_ray rays[4];
    rico_hit hits[4];
    v3 sum = v3_make(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < 4; i++)
        rays[i] = (rico_ray){
            p->eye, 1.0e5f,
            rio_pixel_direction(p, (float)x + offsets[i][0], (float)y + offsets[i][1]), 0};
    p->def->caster.cast(p->def->caster.user, rays, hits, 4);
    for (int i = 0; i < 4; i++) {
        rio_surface s = rio_surface_seen(p, rays[i].direction, &hits[i]);
        rio_lighting l = borrowed(p, x, y, &s);
        v3 color = rio_shade(p, &s, &l, rays[i].direction);
        /* A very bright sample must not outweigh the other three before tone mapping. */
        sum = v3_mad(sum, color, 0.25f / greater(1.0f, 0.3f * luminance(color)));
    }
    return sum;
}

void rio_shade_rows(void *painter, uint32_t begin, uint32_t end)
{
    rio_painter *p = painter;
    for (uint32_t y = begin; y < end; y++)
        for (uint32_t x = 0; x < p->width; x++) {
            size_t at = (size_t)y * p->width + x;
            v3 direction = rio_pixel_direction(p, (float)x + 0.5f, (float)y + 0.5f);
            p->colors[at] = on_edge(p, x, y)
                                ? shade_edge(p, x, y)
                                : rio_shade(p, &p->surfaces[at], &p->lighting[at], direction);
        }
}
