/* Rays and boxes through the tree of bodies. Lanes only reject. */
#include "bits.h"
#include "bodies.h"
#include "vec.h"

#define RICO_LANES 4 /* of any CPU that we build for */
#include "simd.h"

#define STACK (RICO_BODY_LEVELS * RICO_BODY_FAN)

/* More than what rounding moves a hit by, in a shape's space and on the way there and back, per
 * length of the ray (ray_triangle.h: 6 x 2^-24). The part that depends on the body's size is in
 * its box. */
#define PAD_PER_LENGTH (64.0f / 16777216.0f)
/* The same for the place of the ray, per coordinate of each end. */
#define PAD_PER_PLACE (4.0f / 16777216.0f)
#define PARALLEL 1.0e-12f
#define NEVER 1.0e30f

rico__body_ray rico__body_ray_make(const rico_vec3 *origin, const rico_vec3 *direction,
                                   float t_max, const rico_box *bounds)
{
    const float from[3] = {origin->x, origin->y, origin->z};
    const float along[3] = {direction->x, direction->y, direction->z};
    const float lo[3] = {bounds->lo.x, bounds->lo.y, bounds->lo.z};
    const float hi[3] = {bounds->hi.x, bounds->hi.y, bounds->hi.z};
    rico__body_ray ray = {.s_per_t = 0.0f};
    float farthest = 0.0f;
    for (int k = 0; k < 3; ++k) {
        ray.s_per_t = float_max(__builtin_fabsf(along[k]), ray.s_per_t);
        farthest = float_max(__builtin_fabsf(lo[k] - from[k]), farthest);
        farthest = float_max(__builtin_fabsf(hi[k] - from[k]), farthest);
    }
    /* Beyond twice the distance of the farthest side there is nothing to meet. */
    ray.limit = float_min(t_max * ray.s_per_t, farthest + farthest);
    float pad = ray.limit * PAD_PER_LENGTH;
    ray.limit += pad;
    for (int k = 0; k < 3; ++k) {
        float slope = along[k] / ray.s_per_t;
        bool moves = __builtin_fabsf(slope) > PARALLEL;
        ray.inverse[k] = moves ? 1.0f / slope : NEVER;
        /* lo - (origin + pad) = lo - pad - origin, and the reverse for hi. */
        ray.ahead[k] = from[k] + pad;
        ray.behind[k] = from[k] - pad;
    }
    return ray;
}

bool rico__body_ray_meets(const rico__body_ray *ray, const rico_box *box)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    float begin = 0.0f, end = ray->limit;
    for (int k = 0; k < 3; ++k) {
        float at_lo = (lo[k] - ray->ahead[k]) * ray->inverse[k];
        float at_hi = (hi[k] - ray->behind[k]) * ray->inverse[k];
        begin = float_max(float_min(at_lo, at_hi), begin);
        end = float_min(float_max(at_lo, at_hi), end);
    }
    return begin <= end;
}

/* The children that the ray meets, and where it enters each. */
static uint32_t meet_node(const rico__body_node *n, const rico__body_ray *ray, float *begins)
{
    uint32_t met = 0;
    for (uint32_t c = 0; c < n->count; c += RICO_LANES) {
        vf begin = vf_set(0.0f), end = vf_set(ray->limit);
        for (int k = 0; k < 3; ++k) {
            vf inverse = vf_set(ray->inverse[k]);
            vf at_lo = (vf_load(&n->lo[k][c]) - vf_set(ray->ahead[k])) * inverse;
            vf at_hi = (vf_load(&n->hi[k][c]) - vf_set(ray->behind[k])) * inverse;
            begin = vf_max(vf_min(at_lo, at_hi), begin);
            end = vf_min(vf_max(at_lo, at_hi), end);
        }
        vf_store(begins + c, begin);
        met |= vm_bits(vf_le(begin, end)) << c;
    }
    return met & ((1u << n->count) - 1u);
}

static uint32_t touch_node(const rico__body_node *n, const rico_box *box)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    uint32_t apart = 0;
    for (uint32_t c = 0; c < n->count; c += RICO_LANES) {
        vm beside = vf_gt(vf_set(0.0f), vf_set(1.0f));
        for (int k = 0; k < 3; ++k) {
            beside = vm_or(beside, vf_gt(vf_load(&n->lo[k][c]), vf_set(hi[k])));
            beside = vm_or(beside, vf_lt(vf_load(&n->hi[k][c]), vf_set(lo[k])));
        }
        apart |= (vm_bits(beside) & ((1u << RICO_LANES) - 1u)) << c;
    }
    return ~apart & ((1u << n->count) - 1u);
}

bool rico__body_node_touches(const rico__body_node *node, const rico_box *box)
{
    return touch_node(node, box) != 0;
}

rico_box rico__body_ray_room(const rico_box *ends)
{
    const float lo[3] = {ends->lo.x, ends->lo.y, ends->lo.z};
    const float hi[3] = {ends->hi.x, ends->hi.y, ends->hi.z};
    float pad = 0.0f;
    for (int k = 0; k < 3; ++k) {
        const float farthest = float_max(__builtin_fabsf(lo[k]), __builtin_fabsf(hi[k]));
        pad += (hi[k] - lo[k]) * PAD_PER_LENGTH + farthest * PAD_PER_PLACE;
    }
    const rico_vec3 around = vec3(pad, pad, pad);
    return (rico_box){vec3_sub(ends->lo, around), vec3_add(ends->hi, around)};
}

/* --- walks --- */

typedef struct stop {
    uint32_t node, level;
    float begin;
} stop;

/* Keeps the smallest `capacity` entries, in order. */
static uint32_t keep(rico__body_entry *found, uint32_t count, uint32_t capacity,
                     rico__body_entry entry)
{
    uint32_t at = count < capacity ? count : capacity - 1;
    if (count == capacity && (entry.begin > found[at].begin ||
                              (entry.begin == found[at].begin && entry.body > found[at].body)))
        return count;
    for (; at > 0 && (found[at - 1].begin > entry.begin ||
                      (found[at - 1].begin == entry.begin && found[at - 1].body > entry.body));
         --at)
        found[at] = found[at - 1];
    found[at] = entry;
    return count < capacity ? count + 1 : count;
}

static bool comes_after(rico__body_entry entry, const rico__body_entry *after)
{
    return after == NULL || entry.begin > after->begin ||
           (entry.begin == after->begin && entry.body > after->body);
}

uint32_t rico__bodies_on_ray(const rico__bodies *bodies, const rico__body_ray *ray,
                             const rico__body_entry *after, rico__body_entry *found,
                             uint32_t capacity)
{
    stop stack[STACK]; /* not cleared: it is large */
    stack[0] = (stop){bodies->root, bodies->level, 0.0f};
    uint32_t stack_count = bodies->count > 0, count = 0;
    while (stack_count > 0) {
        stop at = stack[--stack_count];
        const rico__body_node *n = &bodies->nodes[at.node];
        float begins[RICO_BODY_FAN];
        if (count == capacity && at.begin > found[count - 1].begin)
            continue;
        for (uint32_t met = meet_node(n, ray, begins); met != 0; met &= met - 1) {
            uint32_t c = bits_lowest64(met);
            if (at.level > 0) {
                __builtin_prefetch(&bodies->nodes[n->child[c]]);
                stack[stack_count++] = (stop){n->child[c], at.level - 1, begins[c]};
                continue;
            }
            rico__body_entry entry = {begins[c], n->child[c]};
            if (comes_after(entry, after))
                count = keep(found, count, capacity, entry);
        }
    }
    return count;
}

bool rico__bodies_each(const rico__bodies *bodies, const rico_box *box, rico__body_fn *visit,
                       void *user)
{
    stop stack[STACK]; /* not cleared: it is large */
    stack[0] = (stop){bodies->root, bodies->level, 0.0f};
    uint32_t stack_count = bodies->count > 0;
    while (stack_count > 0) {
        stop at = stack[--stack_count];
        const rico__body_node *n = &bodies->nodes[at.node];
        for (uint32_t met = touch_node(n, box); met != 0; met &= met - 1) {
            uint32_t child = n->child[bits_lowest64(met)];
            if (at.level > 0)
                stack[stack_count++] = (stop){child, at.level - 1, 0.0f};
            else if (visit(user, child))
                return true;
        }
    }
    return false;
}

bool rico__body_leaf_each(const rico__body_node *leaf, const rico_box *box,
                          rico__body_fn *visit, void *user)
{
    for (uint32_t met = touch_node(leaf, box); met != 0; met &= met - 1)
        if (visit(user, leaf->child[bits_lowest64(met)]))
            return true;
    return false;
}

typedef struct near_leaf {
    const rico__bodies *bodies;
    rico__body_node *leaf;
} near_leaf;

static bool is_too_many(void *user, uint32_t body)
{
    const near_leaf *n = user;
    const uint32_t where = n->bodies->where[body];
    const rico__body_node *from = &n->bodies->nodes[where / RICO_BODY_FAN];
    rico__body_node *leaf = n->leaf;
    if (leaf->count == RICO_BODY_FAN)
        return true;
    for (int k = 0; k < 3; ++k) {
        leaf->lo[k][leaf->count] = from->lo[k][where % RICO_BODY_FAN];
        leaf->hi[k][leaf->count] = from->hi[k][where % RICO_BODY_FAN];
    }
    leaf->child[leaf->count++] = body;
    return false;
}

bool rico__bodies_near(const rico__bodies *bodies, const rico_box *box, rico__body_node *leaf)
{
    near_leaf n = {bodies, leaf};
    leaf->count = 0;
    return !rico__bodies_each(bodies, box, is_too_many, &n);
}

typedef struct smallest {
    uint32_t *found;
    uint32_t count, capacity, first;
} smallest;

static bool keep_smallest(void *user, uint32_t body)
{
    smallest *s = user;
    uint32_t at = s->count;
    if (body < s->first)
        return false;
    if (at == s->capacity) {
        if (body > s->found[at - 1])
            return false;
        at -= 1;
    }
    for (; at > 0 && s->found[at - 1] > body; --at)
        s->found[at] = s->found[at - 1];
    s->found[at] = body;
    s->count += s->count < s->capacity;
    return false;
}

uint32_t rico__bodies_in_box(const rico__bodies *bodies, const rico_box *box, uint32_t first,
                             uint32_t *found, uint32_t capacity)
{
    smallest s = {.found = found, .capacity = capacity, .first = first};
    rico__bodies_each(bodies, box, keep_smallest, &s);
    return s.count;
}
