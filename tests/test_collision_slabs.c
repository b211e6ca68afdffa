/* Slabs of nodes, and the keys that kernels compute from boxes with them. Both are bounds that
 * must hold for every point. */
#include "collision_volumes.h"

#include "slab.h"
#include "sweep.h"

typedef struct visited {
    const rico__grid *grid;
    const rico__node *node;
    uint32_t child;
} visited;

typedef void child_fn(void *user, const visited *at, const double point[3]);

typedef struct sampling {
    visited at;
    fixture_random *random;
    child_fn *visit;
    void *user;
} sampling;

/* The lowest or highest coordinate of the child's box. */
static double side(const visited *at, int k, int high)
{
    return (double)at->node->base[k] +
           (double)at->node->scale[k] * at->node->box[3 * high + k][at->child];
}

/* Some points of each triangle that lie in the child's box. */
static void sample_bundle(void *user, const rico__bundle *bundle, uint32_t count)
{
    const sampling *s = user;
    for (uint32_t i = 0; i < count; ++i) {
        rico__triangle t = rico__triangle_at(&s->at.grid->triangles, bundle->ids[i]);
        for (int sample = 0; sample < 4; ++sample) {
            double u = sample < 3 ? 0.0 : 0.5 * (double)random_between(s->random, 0.0f, 1.0f);
            double point[3];
            bool inside = true;
            for (int k = 0; k < 3; ++k) {
                double a = (double)t.v[3 * (sample % 3) + k], b = (double)t.v[3 + k];
                point[k] = a + (b - a) * u;
                inside =
                    inside && point[k] >= side(&s->at, k, 0) && point[k] <= side(&s->at, k, 1);
            }
            if (inside)
                s->visit(s->user, &s->at, point);
        }
    }
}

/* Samples the triangles below a node of the upper tree, for the current child. */
static void sample_below(sampling *s, const rico__node *node)
{
    for (uint32_t i = 0; i < node->count; ++i) {
        uint32_t child = node->child[i] >> 4;
        if (node->leaves >> i & 1)
            rico__chunk_each(s->at.grid->arena, child, sample_bundle, s);
        else
            sample_below(s, &s->at.grid->tops[child]);
    }
}

static void sample_child(sampling *s, bool top)
{
    const rico__node *node = s->at.node;
    uint32_t child = node->child[s->at.child] >> 4;
    bool leaf = node->leaves >> s->at.child & 1;
    const uint8_t *arena = s->at.grid->arena;
    if (!top && leaf)
        sample_bundle(s,
                      (const rico__bundle *)(const void *)((const uint8_t *)node +
                                                           (size_t)child * RICO_ARENA_UNIT),
                      (node->child[s->at.child] & 15u) + 1);
    else if (!top)
        rico__chunk_each((const uint8_t *)node, child, sample_bundle, s);
    else if (leaf)
        rico__chunk_each(arena, child, sample_bundle, s);
    else
        sample_below(s, &s->at.grid->tops[child]);
}

static void sample_node(sampling *s, const rico__node *node, bool top)
{
    for (uint32_t i = 0; i < node->count; ++i) {
        s->at.node = node;
        s->at.child = i;
        sample_child(s, top);
    }
    for (uint32_t i = 0; !top && i < node->count; ++i)
        if (!(node->leaves >> i & 1))
            sample_node(s,
                        (const rico__node *)(const void *)((const uint8_t *)node +
                                                           (size_t)(node->child[i] >> 4) *
                                                               RICO_ARENA_UNIT),
                        false);
}

static void each_sample(const rico__grid *grid, fixture_random *random, child_fn *visit,
                        void *user)
{
    sampling s = {.at = {.grid = grid}, .random = random, .visit = visit, .user = user};
    for (uint32_t i = 0; i < grid->top_count; ++i)
        sample_node(&s, &grid->tops[i], true);
    for (uint32_t i = 0; i < grid->brick_count; ++i)
        sample_node(
            &s,
            (const rico__node *)(const void *)(grid->arena +
                                               (size_t)grid->bricks[i].root * RICO_ARENA_UNIT),
            false);
}

/* --- slabs --- */

typedef struct slab_sums {
    double room; /* sum of distances from points to planes, in radii of the box */
    uint32_t points, planes;
} slab_sums;

static void check_slab(void *user, const visited *at, const double point[3])
{
    slab_sums *sums = user;
    double above = 0.0, radius = 0.0;
    for (int k = 0; k < 3; ++k) {
        double normal = rico__slab_number(at->node, (uint32_t)k, at->child);
        double lo = side(at, k, 0), hi = side(at, k, 1);
        above += normal * (point[k] - 0.5 * (lo + hi));
        radius += fabs(normal) * 0.5 * (hi - lo);
    }
    double rise = radius * (rico__slab_number(at->node, 3, at->child) / 127.5 - 1.0);
    CHECK_MSG(above <= rise + 1.0e-5 * radius, "%g above %g of %g", above, rise, radius);
    sums->points += 1;
    sums->planes += radius > 0.0;
    sums->room += radius > 0.0 ? (rise - above) / radius : 0.0;
}

TEST(collision, nothing_of_a_child_is_beyond_its_slab)
{
    fixture_random random = {1201};
    for (int m = 0; m < 3; ++m) {
        fixture_mesh mesh = {0};
        if (m == 0)
            mesh_sphere(&mesh, 1.0f, 5);
        else if (m == 1)
            mesh_nasty(&mesh, &random, 2000);
        else
            mesh_peaks(&mesh, &random, 60);
        for (int c = 0; c < 2; ++c) {
            rico_scene *scene = scene_of(&mesh, c == 0 ? 0.0f : 1.0f);
            slab_sums sums = {0.0, 0, 0};
            each_sample(scene_grid(scene), &random, check_slab, &sums);
            CHECK(sums.points > 3 * mesh.triangle_count);
            CHECK(sums.planes > sums.points / 2);
            /* On a ball, points are on average an eighth of the box below their planes. */
            CHECK_MSG(m > 0 || sums.room < 0.3 * sums.points, "%g", sums.room / sums.points);
            rico_scene_destroy(scene);
        }
        mesh_free(&mesh);
    }
}

/* --- keys --- */

typedef struct key_case {
    const rico__volume_kernel *kernel;
    rico__probe probe;
    const rico__node *node; /* the node whose keys are listed below */
    float key[RICO_FAN];
    uint32_t met, tight, points;
    const rico__grid *grid;
    uint32_t triangles;
} key_case;

/* A turned sphere with half axes, as sweep.c makes it. */
static void make_probe(key_case *c, fixture_random *random, const double center[3],
                       rico_vec3 way)
{
    rico__probe *p = &c->probe;
    double axis[3][3], matrix[3][3];
    *p = (rico__probe){.sweeps = true};
    CHECK(rico__rotation_axes(random_rotation(random), axis));
    for (int i = 0; i < 3; ++i) {
        double radius = (double)random_between(random, 0.2f, 2.0f), square = 0.0;
        p->center[i] = center[i];
        p->way[i] = (&way.x)[i];
        p->inverse[i] = 1.0f / fmaxf(fabsf(p->way[i]), 1.0e-18f);
        for (int k = 0; k < 3; ++k) {
            matrix[i][k] = axis[i][k] / radius;
            p->matrix[i][k] = (float)matrix[i][k];
            square += matrix[i][k] * matrix[i][k];
        }
        for (int k = 0; k < 3; ++k)
            p->advance[k] += matrix[i][k] * (double)p->way[i] / square;
    }
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            p->lift[k] += matrix[i][k] * (double)p->way[i];
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            for (int i = 0; i < 3; ++i)
                p->metric[k][l] += matrix[i][k] * matrix[i][l];
    for (int k = 0; k < 3; ++k)
        p->stretch[k] = sqrt(p->metric[k][k]);
    c->node = NULL;
}

/* The key of a point. From inside it is the distance - 1; from outside, the way until the point
 * is met, or "never". */
static double key_of_point(const rico__probe *p, const double point[3], double *met_from)
{
    double at[3] = {0}, square = 0.0, along = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            at[i] += (double)p->matrix[i][k] * (point[k] - p->center[k]);
        square += at[i] * at[i];
        along += at[i] * (double)p->way[i];
    }
    *met_from = sqrt(square);
    if (square <= 1.0)
        return sqrt(square) - 1.0;
    double under = 1.0 - (square - along * along);
    return along > 0.0 && under >= 0.0 ? along - sqrt(under) : 1.0e30;
}

static void check_key(void *user, const visited *at, const double point[3])
{
    key_case *c = user;
    if (c->node != at->node) {
        c->node = at->node;
        c->met = c->kernel->boxes(&c->probe, at->node, c->key);
    }
    double distance, key = key_of_point(&c->probe, point, &distance), slack = 1.0e-9;
    if (key > (double)c->probe.limit - slack)
        return;
    CHECK_MSG(c->met >> at->child & 1, "what is met after %g is left out at %g", key,
              (double)c->probe.limit);
    CHECK_MSG((double)c->key[at->child] <= key + slack, "%g, the box %g", key,
              (double)c->key[at->child]);
    c->points += 1;
    c->tight += (double)c->key[at->child] > key - 0.05;
}

/* The same check for the triangles of a bundle. */
static void check_bundle_keys(void *user, const rico__bundle *bundle, uint32_t count)
{
    key_case *c = user;
    float key[RICO_FAN];
    uint32_t met = c->kernel->triangles(&c->probe, bundle, count, c->probe.limit * 0.5f, key);
    for (uint32_t i = 0; i < count; ++i) {
        rico__triangle t = rico__triangle_at(&c->grid->triangles, bundle->ids[i]);
        for (int j = 0; j < 3; ++j) {
            const double point[3] = {(double)t.v[3 * j], (double)t.v[3 * j + 1],
                                     (double)t.v[3 * j + 2]};
            double distance, exact = key_of_point(&c->probe, point, &distance);
            if (exact > (double)c->probe.limit - 1.0e-9)
                continue;
            CHECK_MSG(met >> i & 1, "a triangle met after %g is left out at %g", exact,
                      (double)c->probe.limit);
            CHECK_MSG((double)key[i] <= exact + 1.0e-9, "%g, the triangle %g", exact,
                      (double)key[i]);
            c->triangles += 1;
        }
    }
}

typedef struct key_user {
    const rico_scene *scene;
    fixture_random *random;
} key_user;

static void check_keys(void *user, int isa)
{
    const key_user *u = user;
    const rico__grid *grid = scene_grid(u->scene);
    key_case c = {.kernel = rico__volume_for_isa((rico__isa)isa), .grid = grid};
    for (int i = 0; i < 16; ++i) {
        /* Every fourth one comes from far away, where rounding is a millimetre. */
        bool far = i % 4 == 3;
        rico_vec3 from = random_direction(u->random), to = random_direction(u->random);
        float apart = far ? random_between(u->random, 1.0e3f, 1.0e4f)
                          : random_between(u->random, 0.0f, 4.0f);
        const double center[3] = {(double)(apart * from.x), (double)(apart * from.y),
                                  (double)(apart * from.z)};
        rico_vec3 way = vec3_normalize(vec3_sub(vec3_scale(to, 0.5f), vec3_scale(from, apart)));
        make_probe(&c, u->random, center, far ? way : to);
        c.probe.limit = i % 3 == 0 ? random_between(u->random, -0.9f, 0.0f)
                                   : random_between(u->random, 0.0f, 4.0f);
        if (far)
            c.probe.limit = 1.0e5f;
        each_sample(grid, u->random, check_key, &c);
        for (uint32_t b = 0; b < grid->brick_count; ++b)
            rico__chunk_each(grid->arena, grid->bricks[b].root, check_bundle_keys, &c);
    }
    CHECK(c.triangles > 2000);
    CHECK_MSG(c.points > 2000 && c.tight > 300, "%u of %u", c.tight, c.points);
}

TEST(collision, the_key_of_a_box_or_triangle_is_at_most_that_of_any_point_in_it)
{
    fixture_random random = {1203};
    for (int m = 0; m < 2; ++m) {
        fixture_mesh mesh = {0};
        if (m == 0)
            mesh_sphere(&mesh, 1.0f, 5);
        else
            mesh_peaks(&mesh, &random, 40);
        rico_scene *scene = scene_of(&mesh, 0.0f);
        key_user user = {scene, &random};
        each_isa(check_keys, &user);
        rico_scene_destroy(scene);
        mesh_free(&mesh);
    }
}
