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
    /* Of a brick's tree: 64 by areas, then halves of 2^28 triangles. */
    CHUNK_LEVELS = 92,
    /* Each level that is open has 15 more that wait. */
    WAITING = (CHUNK_LEVELS + RICO_BRICK_TREE_LEVELS) * (RICO_FAN - 1) + 1,
    RECENT = 16, /* a power of two */
};

/* What waits: a node of the tree over bricks, one of a brick's, or a bundle of some triangles. */
typedef enum kind { KIND_TOP, KIND_NODE, KIND_BUNDLE } kind;

typedef struct waiting {
    float key;
    uint32_t place; /* index in tops, or unit */
    uint16_t kind;
    uint16_t count; /* triangles */
} waiting;

typedef struct walk {
    const rico__grid *grid;
    const rico__volume_kernel *kernel;
    const rico__probe *probe;
    rico__volume_fn *test;
    void *query;
    uint32_t recent[RECENT]; /* ids tested lately: large triangles are in many bricks */
    uint32_t count;
    waiting stack[WAITING];
} walk;

static const void *arena_at(const walk *w, uint32_t unit)
{
    return w->grid->arena + (size_t)unit * RICO_ARENA_UNIT;
}

/* The bits' numbers in the order of their keys, the least first; returns how many. */
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

static waiting child_of(const rico__node *node, const waiting *parent, uint32_t c, float key)
{
    uint32_t place = node->child[c] >> 4;
    bool leaf = node->leaves >> c & 1;
    if (parent->kind == KIND_TOP)
        return (waiting){key, place, leaf ? KIND_NODE : KIND_TOP, 0};
    return (waiting){key, parent->place + place, leaf ? KIND_BUNDLE : KIND_NODE,
                     (uint16_t)((node->child[c] & 15u) + 1)};
}

static void fetch(const walk *w, const waiting *next)
{
    const char *p = next->kind == KIND_TOP ? (const char *)&w->grid->tops[next->place]
                                           : (const char *)arena_at(w, next->place);
    for (int line = 0; line < 3; ++line)
        __builtin_prefetch(p + 64 * line);
}

static void open_node(walk *w, const waiting *at)
{
    const rico__node *node =
        at->kind == KIND_TOP ? &w->grid->tops[at->place] : arena_at(w, at->place);
    float key[RICO_FAN];
    uint8_t order[RICO_FAN];
    uint32_t met = w->kernel->boxes(w->probe, node, key);
    for (uint32_t n = order_keys(key, met, order); n-- > 0;) {
        RICO_ASSERT(w->count < WAITING);
        w->stack[w->count] = child_of(node, at, order[n], key[order[n]]);
        fetch(w, &w->stack[w->count]);
        w->count += 1;
    }
}

static void open_bundle(walk *w, const waiting *at)
{
    const rico__bundle *bundle = arena_at(w, at->place);
    float key[RICO_FAN];
    uint8_t order[RICO_FAN];
    uint32_t met = w->kernel->triangles(w->probe, bundle, at->count, at->key, key);
    uint32_t count = order_keys(key, met, order);
    for (uint32_t n = 0; n < count && key[order[n]] <= w->probe->limit; ++n) {
        uint32_t id = rico__bundle_id(bundle, at->count, order[n]);
        if (w->recent[id % RECENT] == id)
            continue;
        w->recent[id % RECENT] = id;
        w->test(w->query, id, key[order[n]]);
    }
}

uint32_t rico__volume_walk(const rico__grid *grid, const rico__volume_kernel *kernel,
                           const rico__probe *probe, rico__volume_fn *test, void *query)
{
    walk w;
    uint32_t steps = 0;
    if (grid->top_count == 0)
        return 0;
    w.grid = grid;
    w.kernel = kernel;
    w.probe = probe;
    w.test = test;
    w.query = query;
    memset(w.recent, 0xff, sizeof w.recent);
    w.stack[0] = (waiting){-1.0f, 0, KIND_TOP, 0};
    w.count = 1;
    while (w.count > 0) {
        waiting at = w.stack[--w.count];
        if (at.key > probe->limit)
            continue;
        steps += 1;
        if (at.kind == KIND_BUNDLE)
            open_bundle(&w, &at);
        else
            open_node(&w, &at);
    }
    return steps;
}
