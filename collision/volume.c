#include "volume.h"
#include "brick_tree.h"
#include "check.h"

static const rico__volume_kernel *const built[RICO_ISA_COUNT] = {
    [RICO_ISA_SCALAR] = &rico__volume_scalar,
#ifdef RICO_HAVE_SSE2
    [RICO_ISA_SSE2] = &rico__volume_sse2,
#endif
#ifdef RICO_HAVE_AVX2
    [RICO_ISA_AVX2] = &rico__volume_avx2,
#endif
#ifdef RICO_HAVE_AVX512
    [RICO_ISA_AVX512] = &rico__volume_avx512,
#endif
#ifdef RICO_HAVE_NEON
    [RICO_ISA_NEON] = &rico__volume_neon,
#endif
};

const rico__volume_kernel *rico__volume_for_isa(rico__isa isa)
{
    return built[isa] != NULL ? built[isa] : &rico__volume_scalar;
}

enum {
    /* Each level that is open has 15 more nodes that wait. */
    STACK = (RICO_CHUNK_LEVELS + RICO_BRICK_TREE_LEVELS) * (RICO_FAN - 1) + 1,
    HEAP = 1024, /* sweeps at a dense object have some 200 nodes waiting */
    RECENT = 16, /* a power of two */
};

/* A node that waits, with its key, in one number, so that the least key is the least number. It
 * is a node of the tree over bricks, or of a brick's tree. From the highest bit: the key,
 * whether the node is a brick's, the place (index in tops, or unit). */
typedef uint64_t waiting;

enum { BRICK_SHIFT = 28, KEY_SHIFT = 32 };

static waiting wait_for(float key, bool in_brick, uint32_t place)
{
    uint32_t bits;
    memcpy(&bits, &key, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 0x80000000u; /* numbers in the order of floats */
    return (uint64_t)bits << KEY_SHIFT | (uint64_t)in_brick << BRICK_SHIFT | place;
}

static float key_of(waiting at)
{
    uint32_t bits = (uint32_t)(at >> KEY_SHIFT);
    float key;
    bits = bits >> 31 ? bits & 0x7fffffffu : ~bits;
    memcpy(&key, &bits, sizeof key);
    return key;
}

static bool is_in_brick(waiting at)
{
    return at >> BRICK_SHIFT & 1;
}

static uint32_t place_of(waiting at)
{
    return (uint32_t)at & ((1u << BRICK_SHIFT) - 1u);
}

typedef struct walk {
    const rico__grid *grid;
    const rico__volume_kernel *kernel;
    const rico__probe *probe;
    rico__volume_fn *test;
    void *query;
    uint32_t recent[RECENT]; /* ids tested last: large triangles are in many bricks */
    uint32_t steps;
    uint32_t heap_count;
    waiting heap[HEAP];
    waiting stack[STACK];
} walk;

static const void *arena_at(const walk *w, uint32_t unit)
{
    return w->grid->arena + (size_t)unit * RICO_ARENA_UNIT;
}

/* --- the heap: binary, the least number first --- */

static void heap_push(walk *w, waiting item)
{
    uint32_t at = w->heap_count++;
    for (; at > 0 && w->heap[(at - 1) / 2] > item; at = (at - 1) / 2)
        w->heap[at] = w->heap[(at - 1) / 2];
    w->heap[at] = item;
}

/* Moves the hole down to a leaf without regard to what will fill it, which is mostly right, and
 * then a little up again (Wegener 1993). */
static waiting heap_pop(walk *w)
{
    waiting least = w->heap[0], last = w->heap[--w->heap_count];
    uint32_t at = 0, count = w->heap_count;
    for (uint32_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && w->heap[child + 1] < w->heap[child];
        w->heap[at] = w->heap[child];
        at = child;
    }
    for (; at > 0 && w->heap[(at - 1) / 2] > last; at = (at - 1) / 2)
        w->heap[at] = w->heap[(at - 1) / 2];
    w->heap[at] = last;
    return least;
}

/* --- opening --- */

static void fetch_lines(const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += RICO_CACHE_LINE)
        __builtin_prefetch((const char *)from + at);
}

/* The numbers of the bits in the order of their keys, the least first. Returns how many. */
static uint32_t order_keys(const float key[RICO_FAN], uint32_t bits, uint8_t order[RICO_FAN])
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1, ++count) {
        uint32_t c = bits_lowest64(bits), at = count;
        for (; at > 0 && key[order[at - 1]] > key[c]; --at)
            order[at] = order[at - 1];
        order[at] = (uint8_t)c;
    }
    return count;
}

static void open_bundle(walk *w, const rico__bundle *bundle, uint32_t size, float from)
{
    float key[RICO_FAN];
    uint8_t order[RICO_FAN];
    uint32_t met = w->kernel->triangles(w->probe, bundle, size, from, key);
    w->steps += 1;
    if (met == 0)
        return;
    uint32_t count = order_keys(key, met, order);
    for (uint32_t n = 0; n < count && key[order[n]] <= w->probe->limit; ++n) {
        uint32_t id = rico__bundle_id(bundle, size, order[n]);
        if (w->recent[id % RECENT] == id)
            continue;
        w->recent[id % RECENT] = id;
        w->test(w->query, id, key[order[n]]);
    }
}

/* Opens bundles, the least key first. They lie behind the node. */
static void open_bundles(walk *w, const rico__node *node, uint32_t place, uint32_t leaves,
                         const float key[RICO_FAN])
{
    uint8_t order[RICO_FAN];
    for (uint32_t bits = leaves; bits != 0; bits &= bits - 1) {
        uint32_t child = node->child[bits_lowest64(bits)];
        fetch_lines(arena_at(w, place + (child >> 4)), RICO_BUNDLE_BYTES((child & 15u) + 1));
    }
    uint32_t count = order_keys(key, leaves, order);
    for (uint32_t n = 0; n < count && key[order[n]] <= w->probe->limit; ++n) {
        uint32_t child = node->child[order[n]];
        open_bundle(w, arena_at(w, place + (child >> 4)), (child & 15u) + 1, key[order[n]]);
    }
}

/* Tests the triangles in the node's own bundles. Returns how many nodes below it are wanted. */
static uint32_t open_node(walk *w, waiting at, waiting children[RICO_FAN])
{
    uint32_t place = place_of(at), count = 0, leaves = 0;
    bool brick = is_in_brick(at);
    const rico__node *node = brick ? arena_at(w, place) : &w->grid->tops[place];
    float key[RICO_FAN];
    uint32_t met = w->kernel->boxes(w->probe, node, key);
    w->steps += 1;
    if (brick) {
        leaves = met & node->leaves;
        met &= ~leaves;
    }
    for (; met != 0; met &= met - 1) {
        uint32_t c = bits_lowest64(met);
        uint32_t to = (brick ? place : 0) + (node->child[c] >> 4);
        bool below = brick || node->leaves >> c & 1;
        fetch_lines(below ? arena_at(w, to) : &w->grid->tops[to], sizeof *node);
        children[count++] = wait_for(key[c], below, to);
    }
    if (leaves != 0)
        open_bundles(w, node, place, leaves, key);
    return count;
}

/* --- the walk --- */

/* Walks depth first, when the heap has no room. The stack suffices for any tree. */
static void walk_below(walk *w, waiting top)
{
    uint32_t waits = 1;
    w->stack[0] = top;
    while (waits > 0) {
        waiting at = w->stack[--waits], *children = &w->stack[waits];
        if (key_of(at) > w->probe->limit)
            continue;
        RICO_ASSERT(waits + RICO_FAN <= STACK);
        uint32_t count = open_node(w, at, children);
        for (uint32_t i = 1; i < count; ++i) { /* the least comes last */
            waiting child = children[i];
            uint32_t to = i;
            for (; to > 0 && children[to - 1] < child; --to)
                children[to] = children[to - 1];
            children[to] = child;
        }
        waits += count;
    }
}

static void walk_best_first(walk *w)
{
    w->heap[0] = wait_for(-1.0f, false, 0);
    w->heap_count = 1;
    while (w->heap_count > 0) {
        waiting at = heap_pop(w), children[RICO_FAN];
        if (key_of(at) > w->probe->limit)
            return; /* all others that wait have larger keys */
        if (w->heap_count + RICO_FAN > HEAP) {
            walk_below(w, at);
            continue;
        }
        uint32_t count = open_node(w, at, children);
        for (uint32_t i = 0; i < count; ++i)
            heap_push(w, children[i]);
    }
}

uint32_t rico__volume_walk(const rico__grid *grid, const rico__volume_kernel *kernel,
                           const rico__probe *probe, rico__volume_fn *test, void *query)
{
    walk w;
    if (grid->top_count == 0)
        return 0;
    w.grid = grid;
    w.kernel = kernel;
    w.probe = probe;
    w.test = test;
    w.query = query;
    w.steps = 0;
    memset(w.recent, 0xff, sizeof w.recent);
    walk_best_first(&w);
    return w.steps;
}
