#include "record.h"

#include "bits.h"
#include "contact.h"
#include "four.h"
#include "vec.h"

#include <string.h>

/* A path that meets a plane this near to a triangle's edge meets the triangle. This covers the
 * rounding of edges, and leaves no gap between neighbours. Metres. */
#define CONTACT_MARGIN 0.004f
/* The same for choosing the plane to watch: as far as the particle's path may be off the
 * forecast one (RICO__MOST_DRIFT). A wider margin only finds planes that are then not met: at
 * 0.03, a tenth of all forecasts was for planes of that kind. The contact decides later. */
#define CHOICE_MARGIN 0.01f

#define ROOT_OF_3 1.7320508f

/* A rim is at least this, squared, because normals are rounded. */
#define LEAST_RIM 1.0e-4f

/* A smaller clearance is not worth a bounce without the record. */
#define LEAST_CLEARANCE 0.002f

/* A pull that is askew to a plane's normal by no more than this is along it, except for
 * rounding. Planes of records that lean at all lean by more. */
#define SQUARE 1.0e-5f
/* m/s, squared. A slower particle has no direction along a plane. */
#define LEAST_HEADING 1.0e-8f
/* If a direction leads to a border at all, it is taken to do so by at least this, squared. */
#define LEAST_PART 0.01f

rico__cell rico__record_cell(rico_cache_key key, float cell_size)
{
    int32_t x, y, z;
    uint32_t direction;
    rico_cache_key_cell(key, &x, &y, &z, &direction);
    rico__cell cell = rico__record_cell_at(x, y, z, RICO_WHOLE_CELL - direction, cell_size);
    cell.key = key;
    return cell;
}

/* Half the edge of the cube in which the cell's record follows the centres of particles. */
static float followed_half(const rico__cell *cell)
{
    return cell->half + RICO__CELL_ROOM;
}

rico_box rico__record_box(const rico__cell *cell, float margin)
{
    float half = cell->half + margin;
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

static int16_t quantize(float x, float unit)
{
    return (int16_t)(int32_t)(x * unit + __builtin_copysignf(0.5f, x));
}

/* An edge farther than FAR_EDGE from the cell's centre is kept in a smaller unit, down to
 * LEAST_SCALE. These edges say where the opposite corner ends (kernel_surfaces.h). Metres; a
 * factor. */
#define FAR_EDGE 1.99f
#define LEAST_SCALE (1.0f / 64.0f)

/* The edge from corner k to the next, as a half plane that contains the third corner. Within
 * `half` of the centre it is never smaller than the true one: what rounding the direction could
 * take away is added. edge: the place for it in the first of nine arrays. */
static void build_edge(int16_t *edge, size_t stride, int k, const float u[3], const float v[3],
                       float half)
{
    const float au = u[k], bu = u[(k + 1) % 3], iu = u[(k + 2) % 3];
    const float av = v[k], bv = v[(k + 1) % 3], iv = v[(k + 2) % 3];
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
    if (reach > FAR_EDGE) {
        float scale = FAR_EDGE / reach;
        if (scale < LEAST_SCALE)
            return;
        nu *= scale;
        nv *= scale;
        reach = FAR_EDGE;
    }
    edge[0] = quantize(nu, RICO__LENGTH_UNIT);
    edge[stride] = quantize(nv, RICO__LENGTH_UNIT);
    reach += half * (__builtin_fabsf((float)edge[0] / RICO__LENGTH_UNIT - nu) +
                     __builtin_fabsf((float)edge[stride] / RICO__LENGTH_UNIT - nv));
    edge[2 * stride] =
        (int16_t)(float_clamp(reach * RICO__LENGTH_UNIT, -32766.0f, 32765.0f) + 1.0f);
}

/* False: the triangle has no area, and is left out, because nothing can bounce off it. */
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

/* A triangle with an area, relative to the cell's centre. */
typedef struct facet {
    const rico_triangle *of;
    rico_vec3 corner[3], normal;
} facet;

static uint8_t *tags_of(rico__record *record)
{
    return (uint8_t *)record->numbers + RICO__RECORD_TAGS_AT * (size_t)record->count;
}

/* The place of a number of surface i: that of its triangle (which = 0) or of its collider (1). */
static size_t id_at(const rico__record *record, uint32_t i, uint32_t which)
{
    return RICO__RECORD_IDS_AT * (size_t)record->count +
           RICO__RECORD_ID_BYTES * ((size_t)which * record->count + i);
}

static void set_id(rico__record *record, uint32_t i, uint32_t which, uint32_t id)
{
    memcpy((uint8_t *)record->numbers + id_at(record, i, which), &id, sizeof id);
}

static uint32_t id_of(const rico__record *record, uint32_t i, uint32_t which)
{
    uint32_t id;
    memcpy(&id, (const uint8_t *)record->numbers + id_at(record, i, which), sizeof id);
    return id;
}

rico__owner rico__record_owner(const rico__record *record, uint32_t i)
{
    uint32_t collider = record->mixed != 0 ? id_of(record, i, 1) : record->collider;
    return (rico__owner){collider, id_of(record, i, 0)};
}

static void set_surface(rico__record *record, uint32_t i, const facet *f, float half)
{
    size_t stride = record->count;
    int16_t *plane = record->numbers + i;
    plane[0] = quantize(f->normal.x, RICO__NORMAL_UNIT);
    plane[stride] = quantize(f->normal.y, RICO__NORMAL_UNIT);
    plane[2 * stride] = quantize(f->normal.z, RICO__NORMAL_UNIT);
    plane[3 * stride] = quantize(vec3_dot(f->normal, f->corner[0]), RICO__LENGTH_UNIT);
    /* Seen along the axis that readers of the rounded normal take for the main one. */
    rico_vec3 rounded = vec3(plane[0], plane[stride], plane[2 * stride]);
    int16_t *outline = plane + 4 * stride;
    float u[3], v[3];
    for (int k = 0; k < 3; ++k)
        project(rounded, f->corner[k], &u[k], &v[k]);
    for (int k = 0; k < 3; ++k)
        build_edge(outline + 3 * (size_t)k * stride, stride, k, u, v, half);
    tags_of(record)[i] = (uint8_t)(i * RICO__TAG_SHEET);
    set_id(record, i, 0, f->of->triangle);
    if (record->mixed != 0)
        set_id(record, i, 1, f->of->collider);
}

static bool same_point(rico_vec3 a, rico_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The corner of f that is this point; 3 = none. */
static int corner_at(const facet *f, rico_vec3 point)
{
    int k = 0;
    while (k < 3 && !same_point(f->corner[k], point))
        ++k;
    return k;
}

/* An edge that is bent by more than 11 degrees ends a sheet. */
#define SHEET_COSINE 0.98f

/* The edge of b, by its first corner, that is also edge k of a, if b goes on beyond it, on the
 * other side. 3 = none. */
static int edge_beyond(const facet *a, int k, const facet *b)
{
    int from = corner_at(b, a->corner[k]), to = corner_at(b, a->corner[(k + 1) % 3]);
    if (from == 3 || to == 3)
        return 3;
    rico_vec3 along = vec3_sub(a->corner[(k + 1) % 3], a->corner[k]);
    rico_vec3 inward = vec3_cross(a->normal, along);
    rico_vec3 third = vec3_sub(b->corner[3 - from - to], a->corner[k]);
    return vec3_dot(inward, third) < 0.0f ? (4 - from - to) % 3 : 3;
}

/* Whether the facets have two corners in common. Few neighbours in a list are neighbours in
 * space. */
static bool share_an_edge(const facet *a, const facet *b)
{
    uint32_t common = 0;
    for (int k = 0; k < 3; ++k) {
        const v4 corner = v4_of(a->corner[k]);
        for (int n = 0; n < 3; ++n)
            common += v4_bits(corner == v4_of(b->corner[n])) == 15u;
    }
    return common >= 2;
}

static void join_sheets(rico__record *record, int to, int from)
{
    uint8_t *tags = tags_of(record);
    for (uint32_t n = 0; to != from && n < record->count; ++n)
        if (tags[n] / RICO__TAG_SHEET == from)
            tags[n] = (uint8_t)(to * RICO__TAG_SHEET + tags[n] % RICO__TAG_SHEET);
}

/* A bounce within a sheet is reported as one off the surface that the particle watched. So a
 * sheet has one collider and one surface number. */
static bool have_one_name(const rico_scene *scene, const rico_triangle *a,
                          const rico_triangle *b)
{
    return a->collider == b->collider &&
           (scene == NULL || rico_scene_surface_number(scene, a->collider, a->triangle) ==
                                 rico_scene_surface_number(scene, b->collider, b->triangle));
}

/* Notes that surfaces i and j are one sheet, if they share an edge that is hardly bent. */
static void join(rico__record *record, const rico_scene *scene, const facet *facets, uint32_t i,
                 uint32_t j)
{
    const facet *a = &facets[i], *b = &facets[j];
    uint8_t *tags = tags_of(record);
    if (__builtin_fabsf(vec3_dot(a->normal, b->normal)) < SHEET_COSINE || !share_an_edge(a, b))
        return;
    for (int k = 0; k < 3; ++k) {
        int edge = edge_beyond(a, k, b);
        if (edge == 3 || !have_one_name(scene, a->of, b->of))
            continue;
        tags[i] |= (uint8_t)(1 << k);
        tags[j] |= (uint8_t)(1 << edge);
        join_sheets(record, tags[i] / RICO__TAG_SHEET, tags[j] / RICO__TAG_SHEET);
    }
}

rico__surfaces rico__record_surfaces(const rico__record *record)
{
    const int16_t *planes = record->numbers;
    size_t count = record->count;
    const uint8_t *bytes = (const uint8_t *)planes;
    return (rico__surfaces){.planes = planes,
                            .outlines = planes + 4 * count,
                            .tags = bytes + RICO__RECORD_TAGS_AT * count,
                            .count = record->count};
}

/* Most that a plane's offset may be for 16 bits, allowing for rounding. Metres. */
#define MOST_OFFSET 1.99f

/* Whether a centre in the cell may touch a plane that is farther than MOST_OFFSET from the
 * cell's centre. With the least margin, none can. */
static bool is_too_wide(const rico__cell *cell, float margin)
{
    return margin > RICO__LEAST_MARGIN &&
           ROOT_OF_3 * followed_half(cell) + margin > MOST_OFFSET;
}

/* The triangle as a facet; false: it is left out. */
static bool facet_of(const rico_triangle *triangle, const rico__cell *cell, float margin,
                     facet *f)
{
    f->of = triangle;
    return plane_of(triangle, cell->center, f->corner, &f->normal) &&
           (margin <= RICO__LEAST_MARGIN ||
            __builtin_fabsf(vec3_dot(f->normal, f->corner[0])) < MOST_OFFSET);
}

void rico__record_build(rico__record *record, const rico__cell *cell, float margin,
                        const rico_scene *scene, const rico_triangle *triangles,
                        uint32_t gathered, uint32_t count)
{
    facet facets[RICO__RECORD_SURFACES];
    memset(record, 0, RICO__RECORD_HEADER);
    record->crowded = count > RICO__RECORD_SURFACES || (count > 0 && is_too_wide(cell, margin));
    if (record->crowded != 0)
        return;
    for (uint32_t i = 0; i < gathered; ++i)
        record->count += facet_of(&triangles[i], cell, margin, &facets[record->count]);
    if (record->count == 0)
        return;
    record->collider = facets[0].of->collider;
    for (uint32_t i = 1; i < record->count; ++i)
        record->mixed |= facets[i].of->collider != record->collider;
    memset(record->numbers, 0, rico__record_bytes(record) - RICO__RECORD_HEADER);
    for (uint32_t i = 0; i < record->count; ++i)
        set_surface(record, i, &facets[i], cell->half + margin);
    for (uint32_t i = 0; i < record->count; ++i)
        for (uint32_t j = i + 1; j < record->count; ++j)
            join(record, scene, facets, i, j);
}

static float surface_offset(const rico__surfaces *s, uint32_t i)
{
    return (float)s->planes[3 * (size_t)s->count + i] * (1.0f / RICO__LENGTH_UNIT);
}

static rico_vec3 surface_normal(const rico__surfaces *s, uint32_t i)
{
    const int16_t *plane = s->planes + i;
    return vec3_scale(vec3(plane[0], plane[s->count], plane[2 * (size_t)s->count]),
                      1.0f / RICO__NORMAL_UNIT);
}

/* The surface's plane, relative to the cell's centre, facing against the velocity. If the
 * velocity is along it, the plane faces the local point p. Its normal is rounded. */
static rico_plane plane_against(const rico__surfaces *s, uint32_t i, rico_vec3 p,
                                rico_vec3 velocity)
{
    rico_vec3 normal = surface_normal(s, i);
    float offset = surface_offset(s, i);
    float speed = vec3_dot(normal, velocity);
    if (speed > 0.0f || (speed == 0.0f && vec3_dot(normal, p) < offset)) {
        normal = vec3_neg(normal);
        offset = -offset;
    }
    return (rico_plane){normal, offset};
}

static rico_plane in_world(const rico__cell *cell, rico_plane local)
{
    return (rico_plane){local.normal, local.offset + vec3_dot(local.normal, cell->center)};
}

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

/* How far within the surface's outline the point of its plane nearest to q is; negative
 * outside. */
static float inside_by(const rico__surfaces *s, uint32_t i, rico_vec3 q)
{
    float u, v, least = 1.0e30f;
    rico_vec3 n = surface_normal(s, i);
    project(n, vec3_mad(q, n, surface_offset(s, i) - vec3_dot(n, q)), &u, &v);
    const int16_t *edge = s->outlines + i;
    for (int k = 0; k < 3; ++k, edge += 3 * (size_t)s->count) {
        float across = (float)edge[0] * u + (float)edge[s->count] * v;
        least = float_min(least, (float)edge[2 * (size_t)s->count] - across);
    }
    return least * (1.0f / RICO__LENGTH_UNIT);
}

/* The radius around q within which all that is in front of a plane through q, with this normal,
 * is in the cube. Behind the plane, half a ball reaches no farther than its rim. */
static float reach_anywhere(rico_vec3 q, rico_vec3 normal, float half)
{
    const v4 at = v4_of(q), n = v4_of(normal), up = half + at, down = half - at;
    const v4 in_front = v4_select(n >= 0.0f, down, up);
    const v4 behind = v4_select(n >= 0.0f, up, down);
    const v4 rim = v4_sqrt(v4_max(1.0f - n * n, v4_set(LEAST_RIM)));
    return v4_least3(v4_min(in_front, behind / rim));
}

/* Squared: how far a particle may go until it comes to a border that is `gap` away. It goes
 * along two directions that are square to each other, never back along either. `along` and `up`
 * are how much these lead to the border. */
static v4 reach2_to_border(v4 gap, v4 along, v4 up)
{
    const v4 zero = v4_set(0.0f), least = v4_set(LEAST_PART);
    v4 part = v4_select(along > 0.0f, v4_max(along * along, least), zero);
    part += v4_select(up > 0.0f, up * up, zero);
    gap = v4_max(gap, zero);
    return v4_select(part > 0.0f, gap * gap / part, v4_set(1.0e30f));
}

/* The same within the cube, for ways that lead on along `along` and up along n. */
static float reach_ahead(rico_vec3 q, rico_vec3 along, rico_vec3 n, float half)
{
    const v4 at = v4_of(q), on = v4_of(along), up = v4_of(n);
    const v4 high = reach2_to_border(half - at, on, up);
    const v4 low = reach2_to_border(half + at, -on, -up);
    return __builtin_sqrtf(v4_least3(v4_min(high, low)));
}

/* Whether a particle that bounces off the plane, slides and rolls goes on in one direction
 * along it, and which. It does so if nothing pulls it along the plane: then it is only slowed
 * down. */
static bool keeps_heading(rico_vec3 n, rico_vec3 v, const rico_vec3 *pull, rico_vec3 *heading)
{
    if (pull == NULL)
        return false;
    const float unit2 = vec3_dot(n, n); /* n is rounded */
    const rico_vec3 aside = vec3_mad(vec3_scale(*pull, unit2), n, -vec3_dot(*pull, n));
    const rico_vec3 along = vec3_mad(vec3_scale(v, unit2), n, -vec3_dot(v, n));
    const float speed2 = vec3_dot(along, along);
    if (vec3_dot(aside, aside) > SQUARE * SQUARE * vec3_dot(*pull, *pull) ||
        !(speed2 > LEAST_HEADING))
        return false;
    *heading = vec3_scale(along, 1.0f / __builtin_sqrtf(speed2));
    return true;
}

static float find_clearance(const rico__kernels *kernels, const rico__surfaces *s, uint32_t own,
                            rico_vec3 q, float border, float radius)
{
    const float at[3] = {q.x, q.y, q.z};
    float clear = float_min(border, kernels->clearance(s, at, own, radius) - radius);
    if (clear > LEAST_CLEARANCE + CONTACT_MARGIN)
        return clear - CONTACT_MARGIN;
    return inside_by(s, own, q) > LEAST_CLEARANCE + CONTACT_MARGIN ? RICO__SURE_CONTACT : 0.0f;
}

/* Whether the centre, at q, is behind the plane that it comes to, and beside the surface. It
 * then rises through the plane over a neighbour of that surface, as at a crest, and the
 * clearance is that of the side to which it goes. */
static bool is_past(const rico__surfaces *s, uint32_t own, const rico_plane *plane, rico_vec3 q)
{
    return vec3_dot(plane->normal, q) < plane->offset && inside_by(s, own, q) < 0.0f;
}

/* The first time at which the path turns round beyond where the record follows it. What it
 * meets in the cell until then, it meets before it has left. */
static float straying_time(const rico__cell *cell, const rico__path *path)
{
    const float half = followed_half(cell);
    const v4 p = v4_load(path->p), v = v4_load(path->v), accel = v4_load(path->accel);
    const v4 turn = -v / accel, at = p + 0.5f * v * turn;
    const v4i beyond = (turn > 0.0f) & ((at > half) | (at < -half));
    return v4_least3(v4_select(beyond, turn, v4_set(RICO__NEVER)));
}

/* The surfaces that exist for the recipe. */
static uint32_t seen(const rico__record *record, const rico__unseen *unseen, uint32_t surfaces)
{
    uint32_t there = surfaces;
    if (unseen == NULL)
        return surfaces;
    for (uint32_t bits = surfaces; bits != 0; bits &= bits - 1) {
        const uint32_t i = bits_lowest64(bits);
        const uint32_t slot = rico__record_owner(record, i).collider;
        if ((rico_scene_slot_layers(unseen->scene, slot) & unseen->layers) != 0)
            there &= ~(1u << i);
    }
    return there;
}

/* Bit i: time[i] is not later than `last`. Tests as many times as there is room for, because
 * the number of surfaces is hard to predict. */
static uint32_t met_by(const float time[RICO__RECORD_TIMES], float last)
{
    uint32_t met = 0;
    for (uint32_t i = 0; i < RICO__RECORD_SURFACES; i += 4)
        met |= v4_bits(v4_load(time + i) <= last) << i;
    return met;
}

/* What a ball does beyond the cell is up to the records of other cells. What it meets after it
 * has come back counts only then. */
uint32_t rico__record_search(const rico__kernels *kernels, const rico__cell *cell,
                             const rico__unseen *unseen, const rico__path *path, float horizon,
                             float time[RICO__RECORD_TIMES])
{
    rico__surfaces surfaces = rico__record_surfaces(cell->record);
    const uint32_t found =
        kernels->ballistic(&surfaces, path, horizon, followed_half(cell), CHOICE_MARGIN, time);
    return seen(cell->record, unseen, found & met_by(time, straying_time(cell, path)));
}

static rico_vec3 vec3_of(const float v[3])
{
    return vec3(v[0], v[1], v[2]);
}

rico__choice rico__record_choose(const rico__kernels *kernels, const rico__cell *cell,
                                 const rico__path *path, uint32_t found, const float *time,
                                 const rico_vec3 *pull)
{
    if (found == 0)
        return (rico__choice){{{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET}, RICO__NEVER, 0.0f, 0};
    rico__surfaces surfaces = rico__record_surfaces(cell->record);
    rico_vec3 p = vec3_of(path->p);
    rico_vec3 v = vec3_of(path->v);
    rico_vec3 accel = vec3_of(path->accel);
    uint32_t i = earliest(&surfaces, found, time, v);
    rico_vec3 q = vec3_mad(vec3_mad(p, v, time[i]), accel, 0.5f * time[i] * time[i]);
    const rico_vec3 then = vec3_mad(v, accel, time[i]);
    rico_plane plane = plane_against(&surfaces, i, p, then);
    rico_vec3 heading;
    const float half = followed_half(cell);
    const float border = keeps_heading(plane.normal, then, pull, &heading)
                             ? reach_ahead(q, heading, plane.normal, half)
                             : reach_anywhere(q, plane.normal, half);
    float clear = find_clearance(kernels, &surfaces, i, q, border, path->radius);
    if (clear > 0.0f && is_past(&surfaces, i, &plane, q))
        clear = 0.0f;
    return (rico__choice){in_world(cell, plane), time[i], clear, i};
}

/* Whether the path, which bends away from the plane that it meets, leaves it again within dt. */
static bool turns_away(const rico__choice *choice, const rico__path *path, float dt)
{
    const rico_vec3 n = choice->plane.normal;
    const float off = vec3_dot(n, vec3_of(path->accel));
    const float into = -vec3_dot(n, vec3_of(path->v)) - off * choice->time;
    return off > 0.0f && 2.0f * into < off * dt;
}

rico__choice rico__record_choose_in_steps(const rico__kernels *kernels, const rico__cell *cell,
                                          const rico__path *path, uint32_t found,
                                          const float *time, const rico_vec3 *pull, float dt,
                                          float late)
{
    const rico__choice first = rico__record_choose(kernels, cell, path, found, time, pull);
    if ((found & (found - 1)) == 0 || !turns_away(&first, path, dt))
        return first;
    const uint32_t others =
        found & ~(1u << first.surface) & met_by(time, first.time + late * dt);
    return others != 0 ? rico__record_choose(kernels, cell, path, others, time, pull) : first;
}

bool rico__record_contact(const rico__kernels *kernels, const rico__cell *cell,
                          const rico__unseen *unseen, rico_vec3 p, rico_vec3 v, float dt,
                          float radius, rico__contact *contact)
{
    float time[RICO__RECORD_TIMES];
    rico_vec3 local = vec3_sub(p, cell->center);
    rico__surfaces surfaces = rico__record_surfaces(cell->record);
    rico__path path = {
        .p = {local.x, local.y, local.z}, .v = {v.x, v.y, v.z}, .radius = radius};
    uint32_t candidates =
        kernels->straight(&surfaces, &path, dt, followed_half(cell), CONTACT_MARGIN, time);
    candidates = seen(cell->record, unseen, candidates);
    if (candidates == 0)
        return false;
    uint32_t i = earliest(&surfaces, candidates, time, v);
    rico_plane plane = rico__unit_plane(in_world(cell, plane_against(&surfaces, i, local, v)));
    const rico__owner owner = rico__record_owner(cell->record, i);
    *contact = (rico__contact){.time = time[i],
                               .normal = plane.normal,
                               .offset = plane.offset,
                               .collider = owner.collider,
                               .triangle = owner.triangle};
    return true;
}
