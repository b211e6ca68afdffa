/* A kernel file: shuffles vectors of four. */
#include "packing.h"

#include "four.h"
#include "prefetch.h"
#include "trig.h"
#include "vec.h"

#include <string.h>

static inline v4 interleave_low(v4 a, v4 b)
{
    return V4_SHUFFLE(a, b, 0, 4, 1, 5);
}

static inline v4 interleave_high(v4 a, v4 b)
{
    return V4_SHUFFLE(a, b, 2, 6, 3, 7);
}

static inline v4 low_halves(v4 a, v4 b)
{
    return V4_SHUFFLE(a, b, 0, 1, 4, 5);
}

static inline v4 high_halves(v4 a, v4 b)
{
    return V4_SHUFFLE(a, b, 2, 3, 6, 7);
}

/* Turns rows into columns. */
static inline void turn(v4 v[4])
{
    v4 xy = interleave_low(v[0], v[1]), xy2 = interleave_high(v[0], v[1]);
    v4 zw = interleave_low(v[2], v[3]), zw2 = interleave_high(v[2], v[3]);
    v[0] = low_halves(xy, zw);
    v[1] = high_halves(xy, zw);
    v[2] = low_halves(xy2, zw2);
    v[3] = high_halves(xy2, zw2);
}

static inline float size_at(const rico__packed_from *from, uint32_t i)
{
    return from->size != NULL ? from->size[i] : from->constant_size;
}

static inline uint32_t color_at(const rico__packed_from *from, uint32_t i)
{
    return from->color != NULL ? from->color[i] : from->constant_color;
}

static inline v4 sizes_at(const rico__packed_from *from, uint32_t i)
{
    return from->size != NULL ? v4_load(from->size + i) : v4_set(from->constant_size);
}

static inline v4 colors_at(const rico__packed_from *from, uint32_t i)
{
    if (from->color != NULL)
        return v4_load(from->color + i);
    int32_t c;
    memcpy(&c, &from->constant_color, sizeof c);
    return (v4)(v4i){c, c, c, c};
}

/* --- Sprites ------------------------------------------------------------------------------ */

void rico__pack_sprites(const rico__packed_from *from, uint32_t count, void *to)
{
    rico_sprite *out = to;
    for (uint32_t i = 0; i < count; ++i)
        out[i] = (rico_sprite){.position = {from->px[i], from->py[i], from->pz[i]},
                               .size = size_at(from, i),
                               .rotation = from->rotation != NULL ? from->rotation[i] : 0.0f,
                               .color = color_at(from, i),
                               .frame = from->frame[i],
                               .life = from->age[i] / from->life[i]};
}

/* --- Streaks ------------------------------------------------------------------------------ */

static rico_streak streak(const rico__packed_from *from, uint32_t i)
{
    return (rico_streak){.position = {from->px[i], from->py[i], from->pz[i]},
                         .size = size_at(from, i),
                         .velocity = {from->vx[i], from->vy[i], from->vz[i]},
                         .color = color_at(from, i)};
}

static inline void four_streaks(const rico__packed_from *from, uint32_t i, float *to)
{
    v4 p[4] = {v4_load(from->px + i), v4_load(from->py + i), v4_load(from->pz + i),
               sizes_at(from, i)};
    v4 v[4] = {v4_load(from->vx + i), v4_load(from->vy + i), v4_load(from->vz + i),
               colors_at(from, i)};
    turn(p);
    turn(v);
    for (int k = 0; k < 4; ++k) {
        v4_store(to + 8 * k, p[k]);
        v4_store(to + 8 * k + 4, v[k]);
    }
}

void rico__pack_streaks(const rico__packed_from *from, uint32_t count, void *to)
{
    rico_streak *out = to;
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4)
        four_streaks(from, i, out[i].position);
    for (; i < count; ++i)
        out[i] = streak(from, i);
}

/* --- Instances ---------------------------------------------------------------------------- */

#define STILL2 1.0e-6f /* (m/s)^2 */

static void set_row(float row[4], float x, float y, float z, float position)
{
    row[0] = x;
    row[1] = y;
    row[2] = z;
    row[3] = position;
}

static rico_instance instance(const rico__packed_from *from, uint32_t i)
{
    rico_vec3 x = {1.0f, 0.0f, 0.0f}, y = {0.0f, 1.0f, 0.0f}, z = {0.0f, 0.0f, 1.0f};
    rico_vec3 v = {from->vx[i], from->vy[i], from->vz[i]};
    float speed2 = vec3_dot(v, v), s = size_at(from, i);
    if (from->qx != NULL) {
        rico_quat q = {from->qx[i], from->qy[i], from->qz[i], from->qw[i]};
        x = quat_rotate(q, x);
        y = quat_rotate(q, y);
        z = quat_rotate(q, z);
    } else if (speed2 > STILL2) {
        z = vec3_scale(v, 1.0f / __builtin_sqrtf(speed2));
        vec3_axes(z, &x, &y);
    }
    if (from->rotation != NULL) {
        float c = rico__cos(from->rotation[i]), n = rico__sin(from->rotation[i]);
        rico_vec3 turned = vec3_mad(vec3_scale(x, c), y, n);
        y = vec3_mad(vec3_scale(y, c), x, -n);
        x = turned;
    }
    rico_instance out = {.color = color_at(from, i), .life = from->age[i] / from->life[i]};
    set_row(out.rows[0], s * x.x, s * y.x, s * z.x, from->px[i]);
    set_row(out.rows[1], s * x.y, s * y.y, s * z.y, from->py[i]);
    set_row(out.rows[2], s * x.z, s * y.z, s * z.z, from->pz[i]);
    return out;
}

void rico__pack_instances(const rico__packed_from *from, uint32_t count, void *to)
{
    rico_instance *out = to;
    for (uint32_t i = 0; i < count; ++i)
        out[i] = instance(from, i);
}

/* --- Bounds ------------------------------------------------------------------------------- */

#define FAR 3.0e38f

static void extend(v4 *lo, v4 *hi, const float *stream, uint32_t i)
{
    v4 v = v4_load(stream + i);
    *lo = v4_min(v, *lo);
    *hi = v4_max(v, *hi);
}

#define LINE_FLOATS 16u

/* Blocks are short and lie anywhere in memory, so the hardware's prefetcher starts anew with
 * each of their streams. */
static void fetch_ahead(const rico__packed_from *from, const void *stream, uint32_t i)
{
    const float *line = (const float *)stream + from->ahead + i;
    if (from->ahead == 0)
        return;
    if (from->ahead_near)
        prefetch_line(line);
    else
        prefetch_line_far(line);
}

/* If the count is no multiple of four, the last four are read once more: no particle counts
 * twice here. */
static void range_of(const rico__packed_from *from, const float *stream, uint32_t count,
                     float *lo, float *hi)
{
    v4 least = v4_set(FAR), most = v4_set(-FAR);
    uint32_t i = 0;
    for (; i + LINE_FLOATS <= count; i += LINE_FLOATS) {
        fetch_ahead(from, stream, i);
        for (uint32_t k = 0; k < LINE_FLOATS; k += 4)
            extend(&least, &most, stream, i + k);
    }
    for (; i + 4 <= count; i += 4)
        extend(&least, &most, stream, i);
    if (count >= 4 && count % 4 != 0)
        extend(&least, &most, stream, count - 4);
    *lo = v4_least(least)[0];
    *hi = v4_most(most)[0];
    for (i = 0; count < 4 && i < count; ++i) {
        *lo = float_min(*lo, stream[i]);
        *hi = float_max(*hi, stream[i]);
    }
}

rico__extent rico__extent_of(const rico__packed_from *from, uint32_t count)
{
    rico__extent e = {.size = count > 0 ? from->constant_size : 0.0f};
    float smallest;
    range_of(from, from->px, count, &e.box.lo.x, &e.box.hi.x);
    range_of(from, from->py, count, &e.box.lo.y, &e.box.hi.y);
    range_of(from, from->pz, count, &e.box.lo.z, &e.box.hi.z);
    if (from->size != NULL)
        range_of(from, from->size, count, &smallest, &e.size);
    for (uint32_t i = 0; from->color != NULL && i < count; i += LINE_FLOATS)
        fetch_ahead(from, from->color, i);
    return e;
}

void rico__extent_join(rico__extent *a, const rico__extent *b)
{
    a->box.lo = vec3_min(a->box.lo, b->box.lo);
    a->box.hi = vec3_max(a->box.hi, b->box.hi);
    a->size = float_max(a->size, b->size);
}

rico_box rico__extent_box(const rico__extent *e)
{
    rico_vec3 margin = {e->size, e->size, e->size};
    return (rico_box){vec3_sub(e->box.lo, margin), vec3_add(e->box.hi, margin)};
}

/* --- Order -------------------------------------------------------------------------------- */

void rico__pack_depths(const rico__packed_from *from, uint32_t count, rico_vec3 near,
                       rico_vec3 forward, float *depth)
{
    const rico_vec3 n = near, f = forward;
    for (uint32_t i = 0; i < count; ++i)
        depth[i] =
            (from->px[i] - n.x) * f.x + (from->py[i] - n.y) * f.y + (from->pz[i] - n.z) * f.z;
}

/* Written out for each size, so that a copy is a few moves. */
#define PACK_ORDERED(bytes)                                                                    \
    for (uint32_t i = 0; i < count; ++i)                                                       \
    memcpy(out + (size_t)i * (bytes), in + (size_t)order[i] * (bytes), bytes)

void rico__pack_ordered(const void *from, const uint32_t *order, uint32_t count, size_t bytes,
                        void *to)
{
    const unsigned char *in = from;
    unsigned char *out = to;
    if (bytes == sizeof(rico_billboard))
        PACK_ORDERED(sizeof(rico_billboard));
    else if (bytes == sizeof(rico_streak))
        PACK_ORDERED(sizeof(rico_streak));
    else
        PACK_ORDERED(bytes);
}
