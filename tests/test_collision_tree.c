/* The broad phase by itself: its tree is compared with plain lists. */
#include "bodies.h"
#include "collision_fixture.h"
#include "ray_triangle.h"

enum { BODIES = 3000 };

typedef struct flock {
    rico__memory memory;
    rico__bodies bodies;
    rico_box box[BODIES];
    bool in[BODIES];
    uint32_t count;
} flock;

static flock *flock_create(void)
{
    static flock f;
    const rico_allocator libc = {0};
    memset(&f, 0, sizeof f);
    rico__memory_init(&f.memory, &libc);
    return &f;
}

static void flock_put(flock *f, uint32_t body, const rico_box *box)
{
    rico__bodies_room room;
    CHECK(rico__bodies_prepare(&f->bodies, &f->memory, body, f->count + 1, &room));
    rico__bodies_commit(&f->bodies, &f->memory, &room);
    rico__bodies_put(&f->bodies, body, box);
    f->box[body] = *box;
    f->in[body] = true;
    f->count += 1;
}

static void flock_take(flock *f, uint32_t body)
{
    rico__bodies_take(&f->bodies, body);
    f->in[body] = false;
    f->count -= 1;
}

static void flock_move(flock *f, uint32_t body, const rico_box *box)
{
    rico__bodies_move(&f->bodies, body, box);
    f->box[body] = *box;
}

static rico_box random_body(fixture_random *random, float room)
{
    static const float sizes[] = {0.0f, 0.01f, 0.3f, 0.3f, 1.0f, 20.0f};
    rico_box cube = {vec3(-room, -room, -room), vec3(room, room, room)};
    rico_vec3 at = random_in_box(random, &cube);
    float size = sizes[random_below(random, 6)];
    if (random_below(random, 8) == 0)
        at = vec3(1.0f, 1.0f, 1.0f); /* many in one place */
    return (rico_box){at, vec3_add(at, vec3(size, size * 0.5f, size))};
}

static bool boxes_equal(const rico_box *a, const rico_box *b)
{
    const float *p = &a->lo.x, *q = &b->lo.x;
    for (int i = 0; i < 6; ++i)
        if (p[i] != q[i])
            return false;
    return true;
}

/* Counts bodies and nodes below a node; each entry's box is exactly what is below it. */
static rico_box check_node(const flock *f, uint32_t node, uint32_t level, uint32_t *bodies,
                           uint32_t *nodes)
{
    const rico__body_node *n = &f->bodies.nodes[node];
    rico_box all = {vec3(INFINITY, INFINITY, INFINITY), vec3(-INFINITY, -INFINITY, -INFINITY)};
    *nodes += 1;
    for (uint32_t i = 0; i < n->count; ++i) {
        rico_box box = {{n->lo[0][i], n->lo[1][i], n->lo[2][i]},
                        {n->hi[0][i], n->hi[1][i], n->hi[2][i]}};
        rico_box below;
        if (level > 0) {
            const rico__body_node *child = &f->bodies.nodes[n->child[i]];
            CHECK_EQ(child->parent, node);
            CHECK_EQ(child->place, i);
            if (i > 0) {
                uint32_t pair = child->count + f->bodies.nodes[n->child[i - 1]].count;
                CHECK_MSG(pair >= 9, "neighbours have %u children", pair);
            }
            below = check_node(f, n->child[i], level - 1, bodies, nodes);
        } else {
            CHECK(f->in[n->child[i]]);
            CHECK_EQ(f->bodies.where[n->child[i]], node * RICO_BODY_FAN + i);
            below = f->box[n->child[i]];
            *bodies += 1;
        }
        CHECK(boxes_equal(&box, &below));
        all.lo = vec3_min(box.lo, all.lo);
        all.hi = vec3_max(box.hi, all.hi);
    }
    return all;
}

static void check_tree(const flock *f)
{
    uint32_t bodies = 0, nodes = 0;
    CHECK_EQ(f->bodies.count, f->count);
    if (f->bodies.node_high == 0)
        return;
    check_node(f, f->bodies.root, f->bodies.level, &bodies, &nodes);
    CHECK_EQ(bodies, f->count);
    CHECK_MSG(nodes <= f->count / 2 + 20, "%u nodes for %u bodies", nodes, f->count);
}

static bool touches(const rico_box *a, const rico_box *b)
{
    return a->lo.x <= b->hi.x && a->hi.x >= b->lo.x && a->lo.y <= b->hi.y &&
           a->hi.y >= b->lo.y && a->lo.z <= b->hi.z && a->hi.z >= b->lo.z;
}

/* Reads the answer in pages of 5, so that page borders are tested. */
static void check_boxes(const flock *f, const rico_box *box)
{
    uint32_t found[5], count = 5, first = 0, expected = 0;
    while (count == 5) {
        count = rico__bodies_in_box(&f->bodies, box, first, found, 5);
        for (uint32_t i = 0; i < count; ++i, ++expected) {
            while (expected < BODIES && !(f->in[expected] && touches(&f->box[expected], box)))
                ++expected;
            CHECK_EQ(found[i], expected);
        }
        first = count > 0 ? found[count - 1] + 1 : 0;
    }
    for (; expected < BODIES; ++expected)
        CHECK(!(f->in[expected] && touches(&f->box[expected], box)));
}

/* Every body whose box the exact ray meets is found once, and not too late. */
static void check_ray(const flock *f, fixture_random *random, const rico_box *room)
{
    static bool found[BODIES];
    rico_ray ray = {.origin = random_in_box(random, room),
                    .t_max = random_between(random, 0.1f, 30.0f),
                    .direction = random_direction(random)};
    if (random_below(random, 4) == 0)
        (&ray.direction.x)[random_below(random, 3)] = 0.0f;
    if (random_below(random, 16) == 0)
        ray.t_max = 3.0e38f;
    rico_box bounds = rico__bodies_bounds(&f->bodies);
    rico__body_ray r = rico__body_ray_make(&ray.origin, &ray.direction, ray.t_max, &bounds);
    rico__body_entry near[3], last;
    uint32_t count = 3;
    memset(found, 0, sizeof found);
    for (bool first = true; count == 3; first = false) {
        count = rico__bodies_on_ray(&f->bodies, &r, first ? NULL : &last, near, 3);
        for (uint32_t i = 0; i < count; ++i) {
            CHECK(!found[near[i].body]);
            CHECK(first || near[i].begin >= last.begin);
            found[near[i].body] = true;
            last = near[i];
        }
    }
    for (uint32_t b = 0; b < BODIES; ++b) {
        const float *lo = &f->box[b].lo.x, *hi = &f->box[b].hi.x;
        double begin = 0.0, end = (double)ray.t_max;
        for (int k = 0; k < 3; ++k) {
            double o = (double)(&ray.origin.x)[k], d = (double)(&ray.direction.x)[k];
            if (d == 0.0 && !(o >= (double)lo[k] && o <= (double)hi[k]))
                begin = INFINITY;
            if (d == 0.0)
                continue;
            begin = fmax(begin, fmin(((double)lo[k] - o) / d, ((double)hi[k] - o) / d));
            end = fmin(end, fmax(((double)lo[k] - o) / d, ((double)hi[k] - o) / d));
        }
        CHECK_MSG(!(f->in[b] && begin <= end) || found[b], "body %u is not found", b);
        CHECK(!found[b] || rico__body_ray_meets(&r, &f->box[b]));
    }
}

static void check_questions(const flock *f, fixture_random *random)
{
    const rico_box room = {vec3(-40.0f, -40.0f, -40.0f), vec3(40.0f, 40.0f, 40.0f)};
    check_tree(f);
    for (int i = 0; i < 10 && f->count > 0; ++i) {
        rico_box box = random_body(random, 30.0f);
        check_boxes(f, &box);
        check_ray(f, random, &room);
    }
}

TEST(collision, bodies_are_found_whatever_was_put_taken_and_moved)
{
    static const uint32_t few[] = {1, 3, 200}; /* one in so many moves */
    fixture_random random = {101};
    flock *f = flock_create();
    for (int round = 0; round < 300; ++round) {
        /* Phases in which the tree grows, shrinks and keeps its size. */
        uint32_t puts = round % 100 < 40 ? 70 : 5, takes = round % 100 < 60 ? 5 : 90;
        for (uint32_t i = 0; i < puts; ++i) {
            uint32_t body = random_below(&random, BODIES);
            rico_box box = random_body(&random, 30.0f);
            if (!f->in[body])
                flock_put(f, body, &box);
        }
        for (uint32_t i = 0; i < takes && f->count > 0; ++i) {
            uint32_t body = random_below(&random, BODIES);
            for (; !f->in[body]; body = (body + 1) % BODIES)
                continue;
            flock_take(f, body);
        }
        float step = round % 3 == 0 ? 60.0f : 0.1f; /* some jump, some creep */
        for (uint32_t body = 0; body < BODIES; ++body) {
            if (!f->in[body] || random_below(&random, few[round / 3 % 3]) != 0)
                continue;
            rico_vec3 by = vec3_scale(random_direction(&random), step);
            rico_box box = {vec3_add(f->box[body].lo, by), vec3_add(f->box[body].hi, by)};
            flock_move(f, body, &box);
            if (random_below(&random, 50) == 0)
                flock_move(f, body, &box);
        }
        rico__bodies_tighten(&f->bodies);
        check_questions(f, &random);
    }
    for (uint32_t body = 0; body < BODIES; ++body)
        if (f->in[body])
            flock_take(f, body);
    check_tree(f);
    CHECK_EQ(f->bodies.level, 0);
    rico__bodies_release(&f->bodies, &f->memory);
    CHECK_EQ(f->memory.live_bytes, 0);
}

TEST(collision, bodies_far_out_and_without_measure_are_found_too)
{
    static const float odd[] = {0.0f,    -0.0f,    1.0e-40f, 1.0e6f, -1.0e6f,
                                3.0e38f, -3.0e38f, INFINITY, 1.0e9f, 7.5f};
    fixture_random random = {103};
    flock *f = flock_create();
    for (uint32_t body = 0; body < 500; ++body) {
        rico_vec3 a = {odd[random_below(&random, 10)], odd[random_below(&random, 10)],
                       odd[random_below(&random, 10)]};
        rico_vec3 b = {odd[random_below(&random, 10)], odd[random_below(&random, 10)],
                       odd[random_below(&random, 10)]};
        rico_box box = {vec3_min(a, b), vec3_max(a, b)};
        flock_put(f, body, &box);
    }
    check_tree(f);
    for (int i = 0; i < 300; ++i) {
        rico_box box = random_body(&random, 30.0f);
        check_boxes(f, &box);
    }
    rico__bodies_clear(&f->bodies);
    rico__bodies_release(&f->bodies, &f->memory);
    CHECK_EQ(f->memory.live_bytes, 0);
}
