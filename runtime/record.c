#include "record.h"

#include "ballistic.h"
#include "contact.h"
#include "vec.h"

#include <string.h>

#define EDGE_UNIT 127.0f
#define REACH_UNIT 16384.0f

/* A path that meets a plane this near to a triangle's edge meets the triangle: covers the
 * rounding of the edges, and leaves no gap between neighbours. Metres. */
#define CONTACT_MARGIN 0.004f
/* The same for choosing the plane to watch: contact decides later. */
#define CHOICE_MARGIN 0.03f

/* Paths are not predicted further ahead than this. Seconds. */
#define CHOICE_HORIZON 4.0f

rico_box rico__record_box(const rico_cache *cache, rico_cache_key key)
{
    rico_box box = rico_cache_key_box(cache, key);
    rico_vec3 margin = {RICO__RECORD_MARGIN, RICO__RECORD_MARGIN, RICO__RECORD_MARGIN};
    return (rico_box){vec3_sub(box.lo, margin), vec3_add(box.hi, margin)};
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

static int8_t quantize_unit(float x)
{
    return (int8_t)(int32_t)(x * EDGE_UNIT + (x >= 0.0f ? 0.5f : -0.5f));
}

/* The edge from a to b as a half plane that contains `inside`, never smaller than the true one
 * within `half` of the centre: what rounding the direction could take away is added. */
static void build_edge(rico__surface *s, int k, rico_vec3 a, rico_vec3 b, rico_vec3 inside,
                       float half)
{
    float au, av, bu, bv, iu, iv;
    project(s->normal, a, &au, &av);
    project(s->normal, b, &bu, &bv);
    project(s->normal, inside, &iu, &iv);
    float nu = bv - av, nv = au - bu;
    float length = __builtin_sqrtf(nu * nu + nv * nv);
    s->edge[k][0] = s->edge[k][1] = 0;
    s->reach[k] = INT16_MAX;
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
    int8_t qu = quantize_unit(nu), qv = quantize_unit(nv);
    reach += half * (__builtin_fabsf((float)qu / EDGE_UNIT - nu) +
                     __builtin_fabsf((float)qv / EDGE_UNIT - nv));
    s->edge[k][0] = qu;
    s->edge[k][1] = qv;
    s->reach[k] = (int16_t)(float_clamp(reach * REACH_UNIT, -32766.0f, 32765.0f) + 1.0f);
}

/* False for a triangle without area: nothing can bounce off it. */
static bool build_surface(rico__surface *s, const rico_triangle *triangle, rico_vec3 center,
                          float half)
{
    rico_vec3 a = vec3_sub(triangle->a, center);
    rico_vec3 b = vec3_sub(triangle->b, center);
    rico_vec3 c = vec3_sub(triangle->c, center);
    rico_vec3 cross = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    float length = vec3_length(cross);
    if (!(length > 1.0e-20f))
        return false;
    s->normal = vec3_scale(cross, 1.0f / length);
    s->offset = vec3_dot(s->normal, a);
    s->collider = triangle->collider;
    s->triangle = triangle->triangle;
    build_edge(s, 0, a, b, c, half);
    build_edge(s, 1, b, c, a, half);
    build_edge(s, 2, c, a, b, half);
    return true;
}

void rico__record_build(rico__record *record, const rico_box *box,
                        const rico_triangle *triangles, uint32_t gathered, uint32_t count)
{
    memset(record, 0, sizeof *record);
    rico_vec3 center = vec3_scale(vec3_add(box->lo, box->hi), 0.5f);
    float half = 0.5f * (box->hi.x - box->lo.x);
    for (uint32_t i = 0; i < gathered && record->count < RICO__RECORD_SURFACES; ++i)
        if (build_surface(&record->surface[record->count], &triangles[i], center, half))
            record->count += 1;
    record->crowded = count > RICO__RECORD_SURFACES;
}

/* Is the point of the surface's plane nearest to q on the triangle, give or take margin? */
static bool within(const rico__surface *s, rico_vec3 q, float margin)
{
    float u, v;
    q = vec3_mad(q, s->normal, s->offset - vec3_dot(s->normal, q));
    project(s->normal, q, &u, &v);
    for (int k = 0; k < 3; ++k) {
        if (s->reach[k] == INT16_MAX)
            continue;
        float across = ((float)s->edge[k][0] * u + (float)s->edge[k][1] * v) * (1.0f / EDGE_UNIT);
        if (across > (float)s->reach[k] * (1.0f / REACH_UNIT) + margin)
            return false;
    }
    return true;
}

/* Distance of p from the surface's plane, and the side that p is on as +1 or -1. */
static float distance_to(const rico__surface *s, rico_vec3 p, float *side)
{
    float distance = vec3_dot(s->normal, p) - s->offset;
    *side = distance < 0.0f ? -1.0f : 1.0f;
    return distance * *side;
}

static rico_plane facing_plane(const rico__surface *s, float side, rico_vec3 center)
{
    return (rico_plane){vec3_scale(s->normal, side),
                        (s->offset + vec3_dot(s->normal, center)) * side};
}

rico_plane rico__record_choose(const rico__cell *cell, rico_vec3 p, rico_vec3 v,
                               rico_vec3 gravity, float radius)
{
    rico_plane best = {{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET};
    float best_time = CHOICE_HORIZON, best_speed = 0.0f;
    rico_vec3 local = vec3_sub(p, cell->center);
    for (uint32_t i = 0; i < cell->record->count; ++i) {
        const rico__surface *s = &cell->record->surface[i];
        float side, time;
        float distance = distance_to(s, local, &side);
        float speed = vec3_dot(s->normal, v) * side;
        float accel = vec3_dot(s->normal, gravity) * side;
        if (!ballistic_time(distance - radius, speed, accel, &time) || time > best_time)
            continue;
        /* Of several surfaces touched now, watch the one that is approached fastest. */
        if (time == best_time && speed >= best_speed)
            continue;
        rico_vec3 point =
            vec3_mad(vec3_mad(local, v, time), gravity, 0.5f * time * time);
        if (!within(s, point, CHOICE_MARGIN))
            continue;
        best = facing_plane(s, side, cell->center);
        best_time = time;
        best_speed = speed;
    }
    return best;
}

bool rico__record_contact(const rico__cell *cell, rico_vec3 p, rico_vec3 v, float dt,
                          float radius, rico__contact *contact)
{
    bool found = false;
    rico_vec3 local = vec3_sub(p, cell->center);
    contact->time = 2.0f;
    for (uint32_t i = 0; i < cell->record->count; ++i) {
        const rico__surface *s = &cell->record->surface[i];
        float side;
        float distance = distance_to(s, local, &side);
        float speed = vec3_dot(s->normal, v) * side;
        if (!(speed < 0.0f && distance + speed * dt < radius))
            continue;
        float time = float_clamp((radius - distance) / (speed * dt), 0.0f, 1.0f);
        if (time >= contact->time || !within(s, vec3_mad(local, v, time * dt), CONTACT_MARGIN))
            continue;
        rico_plane plane = facing_plane(s, side, cell->center);
        *contact = (rico__contact){time, plane.normal, plane.offset, s->collider, s->triangle};
        found = true;
    }
    return found;
}
