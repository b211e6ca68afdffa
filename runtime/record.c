#include "record.h"

#include "bits.h"
#include "contact.h"
#include "vec.h"

#include <string.h>

/* A path that meets a plane this near to a triangle's edge meets the triangle: covers the
 * rounding of the edges, and leaves no gap between neighbours. Metres. */
#define CONTACT_MARGIN 0.004f
/* The same for choosing the plane to watch: contact decides later. */
#define CHOICE_MARGIN 0.03f

/* Nearer to its plane than so many radii, a particle is taken to slide or roll on it. */
#define TOUCH_RADII 2.0f

/* Paths are not predicted further ahead than this. Seconds. */
#define CHOICE_HORIZON 4.0f

rico__cell rico__record_cell(rico_cache_key key, float cell_size)
{
    int32_t x, y, z;
    uint32_t direction;
    rico_cache_key_cell(key, &x, &y, &z, &direction);
    rico__cell cell = rico__record_cell_at(x, y, z, RICO_WHOLE_CELL - direction, cell_size);
    cell.key = key;
    return cell;
}

static float covered_half(const rico__cell *cell)
{
    return cell->half + RICO__RECORD_MARGIN;
}

rico_box rico__record_box(const rico__cell *cell)
{
    float half = covered_half(cell);
    return (rico_box){vec3_sub(cell->center, vec3(half, half, half)),
                      vec3_add(cell->center, vec3(half, half, half))};
}

/* The two coordinates that remain when the normal's largest one is dropped. */
static void project(rico_vec3 normal, rico_vec3 point, float *u, float *v)
{
    float x = __builtin_fabsf(normal.x), y = __builtin_fabsf(normal.y);
    float z = __builtin_fabsf(normal.z);
    if (z >= x && z >= y) {
        *u = point.x;
        *v = point.y;
    } else if (x >= y) {
        *u = point.y;
        *v = point.z;
    } else {
        *u = point.z;
        *v = point.x;
    }
}

static int16_t quantize(float x)
{
    return (int16_t)(int32_t)(x * RICO__OUTLINE_UNIT + (x >= 0.0f ? 0.5f : -0.5f));
}

/* The edge from corner k to the next as a half plane that contains the third, never smaller than
 * the true one within `half` of the centre: what rounding the direction could take away is added.
 * edge: the first of nine arrays' places for it. */
static void build_edge(int16_t *edge, uint32_t stride, int k, rico_vec3 normal,
                       const rico_vec3 *corner, float half)
{
    float au, av, bu, bv, iu, iv;
    project(normal, corner[k], &au, &av);
    project(normal, corner[(k + 1) % 3], &bu, &bv);
    project(normal, corner[(k + 2) % 3], &iu, &iv);
    float nu = bv - av, nv = au - bu;
    float length = __builtin_sqrtf(nu * nu + nv * nv);
    edge[0] = edge[stride] = 0;
    edge[2 * stride] = INT16_MAX;
    if (!(length > 1.0e-12f))
        return;
    nu /= length;
    nv /= length;
    if (nu * (iu - au) + nv * (iv - av) > 0.0f) {
        nu = -nu;
        nv = -nv;
    }
    float reach = nu * au + nv * av;
    if (!(reach < half * (__builtin_fabsf(nu) + __builtin_fabsf(nv))))
        return;
    edge[0] = quantize(nu);
    edge[stride] = quantize(nv);
    reach += half * (__builtin_fabsf((float)edge[0] / RICO__OUTLINE_UNIT - nu) +
                     __builtin_fabsf((float)edge[stride] / RICO__OUTLINE_UNIT - nv));
    edge[2 * stride] =
        (int16_t)(float_clamp(reach * RICO__OUTLINE_UNIT, -32766.0f, 32765.0f) + 1.0f);
}

/* A triangle without area is left out: nothing can bounce off it. */
static bool plane_of(const rico_triangle *triangle, rico_vec3 center, rico_vec3 corner[3],
                     rico_vec3 *normal)
{
    corner[0] = vec3_sub(triangle->a, center);
    corner[1] = vec3_sub(triangle->b, center);
    corner[2] = vec3_sub(triangle->c, center);
    rico_vec3 cross =
        vec3_cross(vec3_sub(corner[1], corner[0]), vec3_sub(corner[2], corner[0]));
    float length = vec3_length(cross);
    if (!(length > 1.0e-20f))
        return false;
    *normal = vec3_scale(cross, 1.0f / length);
    return true;
}

static void add_surface(rico__record *record, const rico_triangle *triangle, rico_vec3 center,
                        float half)
{
    rico_vec3 corner[3], normal;
    if (!plane_of(triangle, center, corner, &normal))
        return;
    uint32_t i = record->count++, stride = record->stride;
    float *planes = (float *)(void *)record->words;
    planes[i] = normal.x;
    planes[stride + i] = normal.y;
    planes[2 * stride + i] = normal.z;
    planes[3 * stride + i] = vec3_dot(normal, corner[0]);
    int16_t *outline = (int16_t *)(void *)(planes + 4 * stride) + i;
    for (int k = 0; k < 3; ++k)
        build_edge(outline + 3 * (uint32_t)k * stride, stride, k, normal, corner, half);
    uint32_t *ids = record->words + stride / 2 * 17 + i;
    ids[0] = triangle->collider;
    ids[stride] = triangle->triangle;
}

rico__surfaces rico__record_surfaces(const rico__record *record)
{
    uint32_t stride = record->stride;
    const float *planes = (const float *)(const void *)record->words;
    return (rico__surfaces){.nx = planes,
                            .ny = planes + stride,
                            .nz = planes + 2 * stride,
                            .offset = planes + 3 * stride,
                            .outline = (const int16_t *)(const void *)(planes + 4 * stride),
                            .stride = stride,
                            .count = record->count};
}

void rico__record_build(rico__record *record, const rico__cell *cell,
                        const rico_triangle *triangles, uint32_t gathered, uint32_t count)
{
    memset(record, 0, sizeof *record);
    record->crowded = count > RICO__RECORD_SURFACES;
    if (record->crowded != 0)
        return;
    record->stride = (gathered + 3) & ~3u;
    for (uint32_t i = 0; i < gathered; ++i)
        add_surface(record, &triangles[i], cell->center, covered_half(cell));
}

static rico_vec3 surface_normal(const rico__surfaces *s, uint32_t i)
{
    return vec3(s->nx[i], s->ny[i], s->nz[i]);
}

/* How far outside the triangle's outline the point of its plane nearest to q is; negative
 * inside. At corners less than the true distance. */
static float outside_by(const rico__surfaces *s, uint32_t i, rico_vec3 q)
{
    float u, v, most = -1.0e30f;
    project(surface_normal(s, i), q, &u, &v);
    const int16_t *edge = s->outline + i;
    for (int k = 0; k < 3; ++k, edge += 3 * s->stride) {
        float across = (float)edge[0] * u + (float)edge[s->stride] * v;
        most = float_max(most, across - (float)edge[2 * s->stride]);
    }
    return most * (1.0f / RICO__OUTLINE_UNIT);
}

/* The surface's plane in world space, facing the local point p. */
static rico_plane facing_plane(const rico__cell *cell, const rico__surfaces *s, uint32_t i,
                               rico_vec3 p)
{
    rico_vec3 normal = surface_normal(s, i);
    float offset = s->offset[i];
    if (vec3_dot(normal, p) - offset < 0.0f) {
        normal = vec3_neg(normal);
        offset = -offset;
    }
    return (rico_plane){normal, offset + vec3_dot(normal, cell->center)};
}

static rico__path make_path(rico_vec3 p, rico_vec3 v, rico_vec3 gravity, float radius)
{
    return (rico__path){
        {p.x, p.y, p.z}, {v.x, v.y, v.z}, {gravity.x, gravity.y, gravity.z}, radius};
}

#define TIMES (RICO__RECORD_SURFACES + 16u)

/* The candidate with the smallest time; of several that are touched now, the one that is
 * approached fastest. */
static uint32_t earliest(const rico__surfaces *s, uint32_t candidates, const float *time,
                         rico_vec3 v)
{
    uint32_t best = bits_lowest64(candidates);
    for (uint32_t bits = candidates & (candidates - 1); bits != 0; bits &= bits - 1) {
        uint32_t i = bits_lowest64(bits);
        if (time[i] < time[best] || (time[i] == time[best] &&
                                     __builtin_fabsf(vec3_dot(surface_normal(s, i), v)) >
                                         __builtin_fabsf(vec3_dot(surface_normal(s, best), v))))
            best = i;
    }
    return best;
}

/* A particle that goes less than this before it must look again gains nothing by not looking. */
#define LEAST_CLEARANCE 0.004f

/* See rico__record_choose; p is local, and touches surface `own`. Distances in the projection
 * are never more than the true ones. */
static float find_clearance(const rico__cell *cell, const rico__surfaces *s, uint32_t own,
                            rico_vec3 p, float radius)
{
    float half = covered_half(cell);
    float clear = half - float_max(__builtin_fabsf(p.x),
                                   float_max(__builtin_fabsf(p.y), __builtin_fabsf(p.z)));
    clear = float_min(clear, -outside_by(s, own, p) - radius);
    for (uint32_t i = 0; i < s->count && clear > LEAST_CLEARANCE; ++i) {
        float distance = __builtin_fabsf(vec3_dot(surface_normal(s, i), p) - s->offset[i]);
        if (i == own || distance - radius >= clear)
            continue;
        clear = float_min(clear, float_max(distance, outside_by(s, i, p)) - radius);
    }
    return clear > LEAST_CLEARANCE ? clear - CONTACT_MARGIN : 0.0f;
}

rico__choice rico__record_choose(const rico__kernels *kernels, const rico__cell *cell,
                                 rico_vec3 p, rico_vec3 v, rico_vec3 gravity, float radius)
{
    float time[TIMES];
    rico_vec3 local = vec3_sub(p, cell->center);
    rico__surfaces surfaces = rico__record_surfaces(cell->record);
    rico__path path = make_path(local, v, gravity, radius);
    uint32_t candidates = kernels->ballistic(&surfaces, &path, CHOICE_HORIZON,
                                             covered_half(cell), CHOICE_MARGIN, time);
    if (candidates == 0)
        return (rico__choice){
            {{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET}, 2.0f * CHOICE_HORIZON, 0.0f};
    uint32_t i = earliest(&surfaces, candidates, time, v);
    rico__choice choice = {facing_plane(cell, &surfaces, i, local), time[i], 0.0f};
    if (vec3_dot(choice.plane.normal, p) - choice.plane.offset < TOUCH_RADII * radius)
        choice.clearance = find_clearance(cell, &surfaces, i, local, radius);
    return choice;
}

bool rico__record_contact(const rico__kernels *kernels, const rico__cell *cell, rico_vec3 p,
                          rico_vec3 v, float dt, float radius, rico__contact *contact)
{
    float time[TIMES];
    rico_vec3 local = vec3_sub(p, cell->center);
    rico__surfaces surfaces = rico__record_surfaces(cell->record);
    rico__path path = make_path(local, v, vec3(0.0f, 0.0f, 0.0f), radius);
    uint32_t candidates =
        kernels->straight(&surfaces, &path, dt, covered_half(cell), CONTACT_MARGIN, time);
    if (candidates == 0)
        return false;
    uint32_t i = earliest(&surfaces, candidates, time, v);
    rico_plane plane = facing_plane(cell, &surfaces, i, local);
    const uint32_t *ids = cell->record->words + surfaces.stride / 2 * 17 + i;
    *contact =
        (rico__contact){time[i], plane.normal, plane.offset, ids[0], ids[surfaces.stride]};
    return true;
}
