/* The B-tree's edits. */
#include "bodies.h"
#include "check.h"
#include "vec.h"

#define RICO_LANES 4 /* of any CPU that we build for */
#include "simd.h"

#define JOIN_BELOW 12u /* two neighbours with at most this many children together become one */

void rico__bodies_clear(rico__bodies *bodies)
{
    bodies->node_high = bodies->free_node = bodies->root = bodies->level = bodies->count = 0;
}

/* --- the curve --- */

static uint32_t key_axis(float lo, float hi)
{
    float middle = float_clamp(lo * 0.5f + hi * 0.5f, -1.0e6f, 1.0e6f);
    return (uint32_t)(int32_t)(middle * 2048.0f) + 0x80000000u;
}

static rico__body_key key_of(const rico_box *box)
{
    return (rico__body_key){{key_axis(box->lo.x, box->hi.x), key_axis(box->lo.y, box->hi.y),
                             key_axis(box->lo.z, box->hi.z)}};
}

/* The axis with the highest bit that differs decides; among equals, the first. It has no
 * branches, because nothing could predict them. */
static inline bool key_less(const rico__body_key *a, const rico__body_key *b)
{
    uint32_t most = a->at[0] ^ b->at[0], x = a->at[0], y = b->at[0];
    for (uint32_t k = 1; k < 3; ++k) {
        uint32_t differs = a->at[k] ^ b->at[k];
        uint32_t take = 0u - (uint32_t)((most < differs) & (most < (most ^ differs)));
        most ^= (most ^ differs) & take;
        x ^= (x ^ a->at[k]) & take;
        y ^= (y ^ b->at[k]) & take;
    }
    return x < y;
}

/* --- nodes --- */

static uint32_t node_new(rico__bodies *bodies)
{
    uint32_t node = bodies->node_high;
    if (bodies->free_node != 0) {
        node = bodies->free_node - 1;
        bodies->free_node = bodies->nodes[node].parent;
    } else {
        bodies->node_high += 1;
    }
    RICO_ASSERT(node < bodies->node_capacity);
    bodies->nodes[node].count = 0;
    bodies->nodes[node].stamp = bodies->stamp;
    return node;
}

static void node_free(rico__bodies *bodies, uint32_t node)
{
    bodies->nodes[node].parent = bodies->free_node;
    bodies->free_node = node + 1;
}

static void set_box(rico__body_node *n, uint32_t i, const rico_box *box)
{
    n->lo[0][i] = box->lo.x;
    n->lo[1][i] = box->lo.y;
    n->lo[2][i] = box->lo.z;
    n->hi[0][i] = box->hi.x;
    n->hi[1][i] = box->hi.y;
    n->hi[2][i] = box->hi.z;
}

static void clear_box(rico__body_node *n, uint32_t i)
{
    for (int k = 0; k < 3; ++k) {
        n->lo[k][i] = __builtin_inff();
        n->hi[k][i] = -__builtin_inff();
    }
}

static float least4(vf v)
{
    return float_min(float_min(v[0], v[1]), float_min(v[2], v[3]));
}

static float most4(vf v)
{
    return float_max(float_max(v[0], v[1]), float_max(v[2], v[3]));
}

/* The box around all children. Empty boxes do not change it. */
static rico_box box_of(const rico__body_node *n)
{
    float lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
        vf least = vf_load(n->lo[k]), most = vf_load(n->hi[k]);
        for (uint32_t i = RICO_LANES; i < RICO_BODY_FAN; i += RICO_LANES) {
            least = vf_min(vf_load(&n->lo[k][i]), least);
            most = vf_max(vf_load(&n->hi[k][i]), most);
        }
        lo[k] = least4(least);
        hi[k] = most4(most);
    }
    return (rico_box){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

/* Stores in the child where it is. */
static void tell_child(rico__bodies *bodies, uint32_t node, uint32_t level, uint32_t i)
{
    uint32_t child = bodies->nodes[node].child[i];
    if (level == 0) {
        bodies->where[child] = node * RICO_BODY_FAN + i;
        return;
    }
    bodies->nodes[child].parent = node;
    bodies->nodes[child].place = i;
}

static void copy_entry(rico__body_node *to, uint32_t i, const rico__body_node *from, uint32_t j)
{
    for (int k = 0; k < 3; ++k) {
        to->lo[k][i] = from->lo[k][j];
        to->hi[k][i] = from->hi[k][j];
    }
    to->child[i] = from->child[j];
    to->key[i] = from->key[j];
}

/* Replaces the node's entries from `first` on by those of `from`, from begin to end. */
static void fill(rico__bodies *bodies, uint32_t node, uint32_t level, uint32_t first,
                 const rico__body_node *from, uint32_t begin, uint32_t end)
{
    rico__body_node *n = &bodies->nodes[node];
    n->count = first + (end - begin);
    for (uint32_t i = first; i < n->count; ++i) {
        copy_entry(n, i, from, begin + i - first);
        tell_child(bodies, node, level, i);
    }
    for (uint32_t i = n->count; i < RICO_BODY_FAN; ++i)
        clear_box(n, i);
}

/* Makes the node's box in its parent exact, and so on upwards, until nothing changes. */
static void fit_above(rico__bodies *bodies, uint32_t node)
{
    while (node != bodies->root) {
        const rico__body_node *n = &bodies->nodes[node];
        rico__body_node *parent = &bodies->nodes[n->parent];
        rico_box box = box_of(n);
        const float lo[3] = {box.lo.x, box.lo.y, box.lo.z};
        const float hi[3] = {box.hi.x, box.hi.y, box.hi.z};
        bool same = true;
        for (int k = 0; k < 3; ++k)
            same &= parent->lo[k][n->place] == lo[k] && parent->hi[k][n->place] == hi[k];
        if (same)
            return;
        set_box(parent, n->place, &box);
        node = n->parent;
    }
}

/* --- putting --- */

static void sort_entries(rico__body_node *n)
{
    uint32_t order[RICO_BODY_FAN];
    for (uint32_t i = 0; i < n->count; ++i) {
        uint32_t at = i;
        for (; at > 0 && key_less(&n->key[i], &n->key[order[at - 1]]); --at)
            order[at] = order[at - 1];
        order[at] = i;
    }
    rico__body_node sorted = *n;
    for (uint32_t i = 0; i < n->count; ++i)
        copy_entry(&sorted, i, n, order[i]);
    *n = sorted;
}

/* The upper half of a full node becomes its right neighbour. The parent has room. */
static void split(rico__bodies *bodies, uint32_t node, uint32_t level)
{
    uint32_t right = node_new(bodies), half = RICO_BODY_FAN / 2;
    rico__body_node *n = &bodies->nodes[node], *r = &bodies->nodes[right];
    if (level == 0)
        sort_entries(n);
    rico__body_node whole = *n;
    fill(bodies, node, level, 0, &whole, 0, half);
    fill(bodies, right, level, 0, &whole, half, RICO_BODY_FAN);
    r->begin = whole.key[half];
    r->end = n->end;
    n->end = r->begin;
    uint32_t parent = n->parent, place = n->place;
    rico__body_node *p = &bodies->nodes[parent];
    for (uint32_t i = p->count; i > place + 1; --i) {
        copy_entry(p, i, p, i - 1);
        tell_child(bodies, parent, level + 1, i);
    }
    p->count += 1;
    p->child[place + 1] = right;
    p->key[place + 1] = r->begin;
    tell_child(bodies, parent, level + 1, place + 1);
    rico_box left_box = box_of(n), right_box = box_of(r);
    set_box(p, place, &left_box);
    set_box(p, place + 1, &right_box);
}

static void raise_root(rico__bodies *bodies)
{
    uint32_t old = bodies->root, root = node_new(bodies);
    rico__body_node *n = &bodies->nodes[root];
    rico_box box = box_of(&bodies->nodes[old]);
    n->begin = bodies->nodes[old].begin;
    n->end = bodies->nodes[old].end;
    n->count = 1;
    n->child[0] = old;
    n->key[0] = n->begin;
    set_box(n, 0, &box);
    for (uint32_t i = 1; i < RICO_BODY_FAN; ++i)
        clear_box(n, i);
    bodies->root = root;
    bodies->level += 1;
    tell_child(bodies, root, bodies->level, 0);
}

static void first_root(rico__bodies *bodies)
{
    bodies->root = node_new(bodies);
    rico__body_node *n = &bodies->nodes[bodies->root];
    for (uint32_t i = 0; i < RICO_BODY_FAN; ++i)
        clear_box(n, i);
    n->begin = (rico__body_key){{0, 0, 0}};
    n->end = (rico__body_key){{UINT32_MAX, UINT32_MAX, UINT32_MAX}};
}

static uint32_t child_for(const rico__body_node *n, const rico__body_key *key)
{
    uint32_t i = n->count - 1;
    while (i > 0 && key_less(key, &n->key[i]))
        --i;
    return i;
}

static void put(rico__bodies *bodies, uint32_t body, const rico__body_key *key,
                const rico_box *box)
{
    if (bodies->nodes[bodies->root].count == RICO_BODY_FAN)
        raise_root(bodies);
    uint32_t node = bodies->root;
    for (uint32_t level = bodies->level; level > 0; --level) {
        uint32_t i = child_for(&bodies->nodes[node], key);
        if (bodies->nodes[bodies->nodes[node].child[i]].count == RICO_BODY_FAN) {
            split(bodies, bodies->nodes[node].child[i], level - 1);
            i += !key_less(key, &bodies->nodes[node].key[i + 1]);
        }
        node = bodies->nodes[node].child[i];
    }
    rico__body_node *leaf = &bodies->nodes[node];
    uint32_t at = leaf->count++;
    leaf->child[at] = body;
    leaf->key[at] = *key;
    set_box(leaf, at, box);
    tell_child(bodies, node, 0, at);
}

void rico__bodies_put(rico__bodies *bodies, uint32_t body, const rico_box *box)
{
    rico__body_key key = key_of(box);
    if (bodies->node_high == 0)
        first_root(bodies);
    bodies->count += 1;
    put(bodies, body, &key, box);
    fit_above(bodies, bodies->where[body] / RICO_BODY_FAN);
}

/* --- taking --- */

static void remove_entry(rico__bodies *bodies, uint32_t node, uint32_t level, uint32_t at)
{
    rico__body_node *n = &bodies->nodes[node];
    n->count -= 1;
    /* Entries of inner nodes are in order, those of leaves are not. */
    for (; level > 0 && at < n->count; ++at) {
        copy_entry(n, at, n, at + 1);
        tell_child(bodies, node, level, at);
    }
    if (at < n->count) {
        copy_entry(n, at, n, n->count);
        tell_child(bodies, node, level, at);
    }
    clear_box(n, n->count);
}

static bool are_small(const rico__bodies *bodies, uint32_t a, uint32_t b)
{
    return bodies->nodes[a].count + bodies->nodes[b].count <= JOIN_BELOW;
}

/* Merges two neighbours into the left one. Their children that become neighbours are merged,
 * too, when they are small. The parent loses an entry. */
static void join(rico__bodies *bodies, uint32_t left, uint32_t right, uint32_t level)
{
    for (;; --level) {
        rico__body_node *l = &bodies->nodes[left];
        const rico__body_node *r = &bodies->nodes[right];
        uint32_t seam = l->count;
        fill(bodies, left, level, seam, r, 0, r->count);
        l->end = r->end;
        remove_entry(bodies, r->parent, level + 1, r->place);
        node_free(bodies, right);
        fit_above(bodies, left);
        if (level == 0 || seam == 0 || seam == l->count)
            return;
        left = l->child[seam - 1];
        right = l->child[seam];
        if (!are_small(bodies, left, right))
            return;
    }
}

/* Joins the node with a neighbour where both are small together, and so on upwards. */
static void keep_full(rico__bodies *bodies, uint32_t node)
{
    for (uint32_t level = 0; node != bodies->root; ++level) {
        const rico__body_node *n = &bodies->nodes[node];
        const rico__body_node *p = &bodies->nodes[n->parent];
        uint32_t parent = n->parent, place = n->place;
        uint32_t before = place > 0 ? p->child[place - 1] : node;
        uint32_t after = place + 1 < p->count ? p->child[place + 1] : node;
        if (before != node && are_small(bodies, before, node))
            join(bodies, before, node, level);
        else if (after != node && are_small(bodies, node, after))
            join(bodies, node, after, level);
        else
            break;
        node = parent;
    }
    while (bodies->level > 0 && bodies->nodes[bodies->root].count == 1) {
        uint32_t old = bodies->root;
        bodies->root = bodies->nodes[old].child[0];
        bodies->level -= 1;
        node_free(bodies, old);
    }
}

void rico__bodies_take(rico__bodies *bodies, uint32_t body)
{
    uint32_t leaf = bodies->where[body] / RICO_BODY_FAN;
    bodies->count -= 1;
    remove_entry(bodies, leaf, 0, bodies->where[body] % RICO_BODY_FAN);
    fit_above(bodies, leaf);
    keep_full(bodies, leaf);
}

/* --- moving --- */

/* Notes that the boxes of the body's leaf and of all nodes above it are to be made exact. */
static void note(rico__bodies *bodies, uint32_t body)
{
    if (bodies->moved_count == bodies->moved_capacity) /* bodies were noted more than once */
        rico__bodies_tighten(bodies);
    bodies->moved[bodies->moved_count++] = body;
}

/* Moves a body to another leaf. */
static void change_leaf(rico__bodies *bodies, uint32_t body, const rico__body_key *key,
                        const rico_box *box)
{
    uint32_t leaf = bodies->where[body] / RICO_BODY_FAN;
    remove_entry(bodies, leaf, 0, bodies->where[body] % RICO_BODY_FAN);
    if (bodies->nodes[leaf].count > 0)
        note(bodies, bodies->nodes[leaf].child[0]);
    else
        fit_above(bodies, leaf);
    keep_full(bodies, leaf);
    put(bodies, body, key, box);
}

/* Whether the key is in the leaf's stretch of the curve. Both comparisons are always made,
 * because it cannot be predicted which of them fails. */
static bool is_within(const rico__body_key *key, const rico__body_node *leaf)
{
    bool before = key_less(key, &leaf->begin);
    bool inside = key_less(key, &leaf->end);
    return inside & !before;
}

void rico__bodies_move(rico__bodies *bodies, uint32_t body, const rico_box *box)
{
    rico__body_key key = key_of(box);
    uint32_t node = bodies->where[body] / RICO_BODY_FAN,
             i = bodies->where[body] % RICO_BODY_FAN;
    rico__body_node *leaf = &bodies->nodes[node];
    if (!is_within(&key, leaf)) {
        change_leaf(bodies, body, &key, box);
    } else {
        leaf->key[i] = key;
        set_box(leaf, i, box);
    }
    note(bodies, body);
}

void rico__bodies_tighten(rico__bodies *bodies)
{
    for (uint32_t level = 0; level < bodies->level; ++level) {
        bodies->stamp += 1;
        for (uint32_t i = 0; i < bodies->moved_count; ++i) {
            uint32_t node = bodies->where[bodies->moved[i]] / RICO_BODY_FAN;
            for (uint32_t up = 0; up < level; ++up)
                node = bodies->nodes[node].parent;
            rico__body_node *n = &bodies->nodes[node];
            if (n->stamp == bodies->stamp)
                continue;
            n->stamp = bodies->stamp;
            rico_box box = box_of(n);
            set_box(&bodies->nodes[n->parent], n->place, &box);
        }
    }
    bodies->moved_count = 0;
}

rico_box rico__bodies_bounds(const rico__bodies *bodies)
{
    return box_of(&bodies->nodes[bodies->root]);
}
