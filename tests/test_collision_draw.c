/* Compares what rico_scene_draw shows with the answers of queries. */
#include "collision_fixture.h"

#include "chunk.h"

#include <ricochet/scene_draw.h>

/* Everything that was drawn. */
typedef struct shown {
    rico_drawn what;
    rico_box box;
    rico_transform place;
    rico_vec3 a, b;
    bool line;
} shown;

typedef struct canvas {
    shown *all;
    uint32_t count, capacity;
} canvas;

static shown *canvas_add(canvas *c, const rico_drawn *what)
{
    if (c->count == c->capacity) {
        c->capacity = c->capacity * 2 + 256;
        c->all = realloc(c->all, c->capacity * sizeof *c->all);
    }
    c->all[c->count] = (shown){.what = *what};
    return &c->all[c->count++];
}

static void on_box(void *user, const rico_drawn *what, const rico_box *box,
                   const rico_transform *place)
{
    shown *s = canvas_add(user, what);
    s->box = *box;
    s->place = *place;
}

static void on_line(void *user, const rico_drawn *what, rico_vec3 a, rico_vec3 b)
{
    shown *s = canvas_add(user, what);
    s->line = true;
    s->a = a;
    s->b = b;
}

static rico_draw_report draw_all(const rico_scene *scene, const rico_draw_request *request,
                                 canvas *out)
{
    rico_draw draw = {out, on_box, on_line};
    rico_draw_report report;
    *out = (canvas){0};
    CHECK_EQ(rico_scene_draw(scene, request, &draw, &report), RICO_OK);
    CHECK_EQ(report.drawn, out->count);
    return report;
}

static rico_draw_request request_of(uint32_t what)
{
    rico_draw_request request = rico_draw_request_default();
    request.what = what;
    request.max_count = 10000000;
    return request;
}

/* Transforms the point back into the box's space, in double and by the quaternion's own formula. */
static bool holds(const shown *s, rico_vec3 world, double slack)
{
    double v[3] = {(double)world.x - (double)s->place.position.x,
                   (double)world.y - (double)s->place.position.y,
                   (double)world.z - (double)s->place.position.z};
    double q[3] = {-(double)s->place.rotation.x, -(double)s->place.rotation.y,
                   -(double)s->place.rotation.z};
    double w = (double)s->place.rotation.w, t[3], p[3];
    for (int k = 0; k < 3; ++k)
        t[k] = 2.0 * (q[(k + 1) % 3] * v[(k + 2) % 3] - q[(k + 2) % 3] * v[(k + 1) % 3]);
    for (int k = 0; k < 3; ++k)
        p[k] = (v[k] + w * t[k] + q[(k + 1) % 3] * t[(k + 2) % 3] -
                q[(k + 2) % 3] * t[(k + 1) % 3]) /
               (double)s->place.scale;
    const float *lo = &s->box.lo.x, *hi = &s->box.hi.x;
    for (int k = 0; k < 3; ++k)
        if (p[k] < (double)lo[k] - slack || p[k] > (double)hi[k] + slack)
            return false;
    return true;
}

/* --- scenes --- */

/* Added meshes, merged and not, and placed shapes, some turned, some moving. */
static rico_scene *mixed_scene(fixture_random *random, rico_collider_id *last)
{
    fixture_mesh rubble = {0}, ball = {0}, box = {0};
    rico_scene *scene = scene_create_quiet(0.1f);
    mesh_scatter(&rubble, random, 3.0f, 500);
    mesh_sphere(&ball, 0.7f, 3);
    mesh_box(&box, vec3(-0.5f, -0.4f, -0.3f), vec3(0.5f, 0.4f, 0.3f));
    scene_add(scene, &rubble, RICO_TRANSFORM_IDENTITY);
    rico_transform aside = RICO_TRANSFORM_IDENTITY;
    aside.position = vec3(1.0f, 0.5f, 0.2f);
    scene_add(scene, &box, aside);
    CHECK_EQ(rico_scene_merge(scene), RICO_OK);
    aside.position = vec3(-1.5f, 0.5f, 0.2f);
    scene_add(scene, &ball, aside);
    rico_shape_def def = rico_shape_def_default();
    def.mesh = mesh_view(&ball);
    rico_shape_id shape;
    CHECK_EQ(rico_scene_add_shape(scene, &def, NULL, &shape), RICO_OK);
    for (int i = 0; i < 5; ++i) {
        rico_collider_def c = rico_collider_def_default();
        rico_box room = {vec3(-3.0f, -3.0f, -3.0f), vec3(3.0f, 3.0f, 3.0f)};
        c.shape = shape;
        c.motion.transform.position = random_in_box(random, &room);
        c.motion.transform.rotation = random_rotation(random);
        c.motion.transform.scale = random_between(random, 0.3f, 2.0f);
        c.motion.velocity.x = i == 2 ? 1.0f : 0.0f;
        CHECK_EQ(rico_scene_add(scene, &c, last), RICO_OK);
    }
    def = rico_shape_def_default();
    def.kind = RICO_SHAPE_PLANE;
    CHECK_EQ(rico_scene_add_shape(scene, &def, NULL, &shape), RICO_OK);
    rico_collider_def plane = rico_collider_def_default();
    plane.shape = shape;
    plane.motion.transform.position.z = -4.0f;
    CHECK_EQ(rico_scene_add(scene, &plane, NULL), RICO_OK);
    mesh_free(&rubble);
    mesh_free(&ball);
    mesh_free(&box);
    return scene;
}

/* --- boxes --- */

static rico_vec3 between(const rico_triangle *t, fixture_random *random)
{
    float u = random_between(random, 0.0f, 1.0f), v = random_between(random, 0.0f, 1.0f);
    if (u + v > 1.0f) {
        u = 1.0f - u;
        v = 1.0f - v;
    }
    return vec3_mad(vec3_mad(t->a, vec3_sub(t->b, t->a), u), vec3_sub(t->c, t->a), v);
}

static bool in_a_box(const canvas *c, rico_vec3 p, rico_drawn_kind kind, uint32_t collider)
{
    for (uint32_t i = 0; i < c->count; ++i)
        if (!c->all[i].line && c->all[i].what.kind == kind &&
            c->all[i].what.collider == collider && holds(&c->all[i], p, 2.0e-5))
            return true;
    return false;
}

static bool point_in(rico_vec3 p, const rico_box *box)
{
    return p.x >= box->lo.x && p.y >= box->lo.y && p.z >= box->lo.z && p.x <= box->hi.x &&
           p.y <= box->hi.y && p.z <= box->hi.z;
}

/* Every gathered triangle lies, with all of its points in the query box, in a drawn box of its
 * kind. */
static void check_gathers_lie_in(uint32_t what, rico_drawn_kind kind)
{
    enum { ROOM = 2000 };
    static rico_triangle found[ROOM];
    fixture_random random = {77};
    rico_scene *scene = mixed_scene(&random, &(rico_collider_id){0});
    rico_box room = {vec3(-3.0f, -3.0f, -3.0f), vec3(3.0f, 3.0f, 3.0f)};
    uint32_t tried = 0, merged = 0;
    for (int i = 0; i < 60; ++i) {
        canvas c;
        rico_draw_request request = request_of(what);
        rico_vec3 middle = random_in_box(&random, &room), half = vec3(0.3f, 0.3f, 0.3f);
        request.box = (rico_box){vec3_sub(middle, half), vec3_add(middle, half)};
        draw_all(scene, &request, &c);
        uint32_t count = rico_scene_gather(scene, NULL, &request.box, found, ROOM);
        CHECK(count <= ROOM);
        for (uint32_t n = 0; n < 40 * count; ++n) {
            const rico_triangle *t = &found[n % count];
            rico_vec3 p = between(t, &random);
            uint32_t slot = t->collider <= 2 ? 0 : t->collider; /* the first two are merged */
            if (!point_in(p, &request.box) || t->collider == 9) /* the plane has no grid */
                continue;
            tried += 1;
            merged += slot == 0;
            CHECK_MSG(in_a_box(&c, p, kind, slot), "collider %u, triangle %u", t->collider,
                      t->triangle);
        }
        free(c.all);
    }
    CHECK_MSG(tried > 500 && merged > 100 && tried - merged > 100, "%u, %u", tried, merged);
    rico_scene_destroy(scene);
}

TEST(collision, draws_leaves_around_every_triangle_that_a_gather_finds)
{
    check_gathers_lie_in(RICO_DRAW_LEAVES, RICO_DRAWN_LEAF);
}

TEST(collision, draws_bricks_around_every_triangle_that_a_gather_finds)
{
    check_gathers_lie_in(RICO_DRAW_GRID, RICO_DRAWN_BRICK);
}

TEST(collision, draws_cells_around_every_triangle_that_a_gather_finds)
{
    check_gathers_lie_in(RICO_DRAW_OCCUPANCY, RICO_DRAWN_CELLS);
}

/* Tests the middle of every cell of the bounds: it is occupied exactly where a box is drawn. */
TEST(collision, draws_the_cells_that_are_occupied_and_no_others)
{
    fixture_random random = {5};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 1.5f, 120);
    rico_scene *scene = scene_of(&mesh, 0.1f);
    const rico__grid *grid = scene_grid(scene);
    rico_draw_request request = request_of(RICO_DRAW_OCCUPANCY);
    canvas c;
    draw_all(scene, &request, &c);
    uint64_t cells = 0;
    uint32_t total = (uint32_t)(grid->dims[0] * grid->dims[1] * grid->dims[2]), wrong = 0;
    uint8_t *drawn = calloc(total, 1);
    for (uint32_t i = 0; i < c.count; ++i) {
        const rico_box *b = &c.all[i].box;
        int32_t lo[3], hi[3];
        for (int k = 0; k < 3; ++k) {
            double base = (double)(&grid->base.x)[k], size = (double)grid->cell_size;
            lo[k] = (int32_t)floor(((double)(&b->lo.x)[k] - base) / size + 0.5);
            hi[k] = (int32_t)floor(((double)(&b->hi.x)[k] - base) / size + 0.5);
        }
        CHECK_EQ(c.all[i].what.kind, RICO_DRAWN_CELLS);
        CHECK_EQ(c.all[i].what.number, (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]));
        for (int32_t z = lo[2]; z < hi[2]; ++z)
            for (int32_t y = lo[1]; y < hi[1]; ++y)
                for (int32_t x = lo[0]; x < hi[0]; ++x) {
                    CHECK(x < grid->dims[0] && y < grid->dims[1] && z < grid->dims[2]);
                    drawn[x + (y + z * grid->dims[1]) * grid->dims[0]] += 1;
                    cells += 1;
                }
    }
    CHECK_EQ(cells, rico_scene_get_stats(scene).cell_count);
    for (uint32_t i = 0; i < total; ++i) {
        uint32_t nx = (uint32_t)grid->dims[0], ny = (uint32_t)grid->dims[1];
        rico_vec3 at = vec3((float)(i % nx) + 0.5f, (float)(i / nx % ny) + 0.5f,
                            (float)(i / nx / ny) + 0.5f);
        at = vec3_mad(grid->base, at, grid->cell_size);
        rico_box point = {at, at};
        wrong += rico_scene_occupied(scene, &point) != (drawn[i] != 0) || drawn[i] > 1;
    }
    CHECK_EQ(wrong, 0);
    free(drawn);
    free(c.all);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, draws_the_world_box_of_every_collider_but_planes)
{
    fixture_random random = {3};
    rico_collider_id last;
    rico_scene *scene = mixed_scene(&random, &last);
    CHECK_EQ(rico_scene_remove(scene, last), RICO_OK);
    rico_draw_request request = request_of(RICO_DRAW_COLLIDERS);
    canvas c;
    draw_all(scene, &request, &c);
    CHECK_EQ(c.count, rico_scene_get_stats(scene).collider_count - 1);
    for (uint32_t i = 0; i < c.count; ++i) {
        rico_box box;
        rico_collider_id id = rico_scene_collider_id(scene, c.all[i].what.collider);
        CHECK_EQ(rico_scene_collider_state(scene, id, &box, NULL), RICO_OK);
        CHECK(memcmp(&box, &c.all[i].box, sizeof box) == 0);
        uint32_t slot = c.all[i].what.collider;
        uint32_t color = slot <= 2 ? 0xffffffffu : slot == 6 ? 0xffe040e0u : 0xff2090ffu;
        CHECK_EQ(c.all[i].what.rgba, color);
    }
    free(c.all);
    rico_scene_destroy(scene);
}

/* --- rays --- */

static uint32_t lines_of_triangle(const canvas *c, rico_drawn_kind kind, const rico_hit *hit)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < c->count; ++i)
        found += c->all[i].line && c->all[i].what.kind == kind &&
                 c->all[i].what.collider == hit->collider &&
                 c->all[i].what.number == hit->triangle;
    return found;
}

static bool is_corner(const rico_triangle *t, rico_vec3 p)
{
    return vec3_length(vec3_sub(t->a, p)) < 1.0e-5f ||
           vec3_length(vec3_sub(t->b, p)) < 1.0e-5f || vec3_length(vec3_sub(t->c, p)) < 1.0e-5f;
}

/* Counts the lines of the hit that are edges of the triangle that a gather finds at the point. */
static uint32_t edges_of_gathered(const rico_scene *scene, const canvas *c, const rico_hit *hit,
                                  rico_vec3 at)
{
    rico_triangle found[64];
    rico_vec3 half = vec3(1.0e-4f, 1.0e-4f, 1.0e-4f);
    rico_box box = {vec3_sub(at, half), vec3_add(at, half)};
    uint32_t count = rico_scene_gather(scene, NULL, &box, found, 64), edges = 0;
    for (uint32_t n = 0; n < count && n < 64; ++n)
        for (uint32_t i = 0; i < c->count; ++i)
            edges += found[n].collider == hit->collider && found[n].triangle == hit->triangle &&
                     c->all[i].what.kind == RICO_DRAWN_HIT &&
                     is_corner(&found[n], c->all[i].a) && is_corner(&found[n], c->all[i].b);
    return edges;
}

TEST(collision, draws_the_path_of_a_ray_down_to_the_triangle_that_it_hits)
{
    fixture_random random = {19};
    rico_scene *scene = mixed_scene(&random, &(rico_collider_id){0});
    rico_draw_request request = request_of(RICO_DRAW_RAY);
    uint32_t on_meshes = 0, on_planes = 0, misses = 0;
    for (int i = 0; i < FIXTURE_REPEATS(4000); ++i) {
        rico_box room = {vec3(-4.0f, -4.0f, -3.5f), vec3(4.0f, 4.0f, 4.0f)};
        canvas c;
        request.ray = (rico_ray){random_in_box(&random, &room), 6.0f, random_direction(&random),
                                 i % 3 == 0 ? 3 : 0};
        request.filter.skip_back_faces = i % 2;
        rico_hit hit = rico_scene_raycast(scene, &request.filter, &request.ray);
        draw_all(scene, &request, &c);
        CHECK_EQ(c.all[0].what.kind, RICO_DRAWN_RAY);
        rico_vec3 end = vec3_mad(request.ray.origin, request.ray.direction, hit.t);
        CHECK(vec3_length(vec3_sub(c.all[0].b, end)) < 1.0e-5f);
        bool named = hit.collider != 0 && hit.triangle != RICO_NO_TRIANGLE;
        CHECK(!named || lines_of_triangle(&c, RICO_DRAWN_TRIANGLE, &hit) >= 3);
        uint32_t lines = named ? 4 : hit.collider != 0; /* three edges and the normal */
        CHECK_EQ(lines_of_triangle(&c, RICO_DRAWN_HIT, &hit), lines);
        CHECK_EQ(edges_of_gathered(scene, &c, &hit, end), named ? 3 : 0);
        if (named) { /* the point is in a brick and in a leaf of the path */
            uint32_t slot = hit.collider <= 2 ? 0 : hit.collider;
            CHECK(in_a_box(&c, end, RICO_DRAWN_BRICK, slot));
            CHECK(in_a_box(&c, end, RICO_DRAWN_LEAF, slot));
        }
        for (uint32_t n = 0; n < c.count; ++n)
            CHECK(c.all[n].what.path &&
                  (c.all[n].what.collider != request.ray.ignore || request.ray.ignore == 0));
        on_meshes += named;
        on_planes += hit.collider == 9;
        misses += hit.collider == 0;
        free(c.all);
    }
    CHECK_MSG(on_meshes > 50 && on_planes > 5 && misses > 20, "%u, %u, %u", on_meshes,
              on_planes, misses);
    rico_scene_destroy(scene);
}

/* Thousands of triangles in one brick: its tree has several levels of nodes. */
TEST(collision, draws_nodes_after_those_above_them_and_on_the_path_of_a_ray)
{
    fixture_random random = {29};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 2.0f, 6000);
    rico_scene *scene = scene_of(&mesh, 1.0f);
    rico_draw_request request = request_of(RICO_DRAW_GRID);
    canvas c;
    uint32_t colors[8] = {0}, deepest = 0, on_paths = 0;
    draw_all(scene, &request, &c);
    for (uint32_t n = 0; n < c.count; ++n) {
        const shown *s = &c.all[n];
        if (s->what.kind != RICO_DRAWN_NODE)
            continue;
        const uint32_t level = s->what.number;
        CHECK(level >= 1 && level < 8 && (colors[level] == 0 || colors[level] == s->what.rgba));
        colors[level] = s->what.rgba;
        deepest = level > deepest ? level : deepest;
        uint32_t above = n; /* it comes after the one that it belongs to */
        while (level > 1 && c.all[above].what.number != level - 1 && above > 0)
            --above;
        CHECK(level == 1 || boxes_meet(&c.all[above].box, &s->box));
    }
    free(c.all);
    CHECK(deepest >= 2 && colors[1] != 0 && colors[2] != 0 && colors[1] != colors[2]);
    CHECK((colors[1] >> 16 & 255u) > 2 * (colors[1] & 255u)); /* blue */
    request.what = RICO_DRAW_RAY;
    for (int i = 0; i < 100; ++i) {
        const rico_box room = {vec3(-2.0f, -2.0f, -2.0f), vec3(2.0f, 2.0f, 2.0f)};
        request.ray =
            (rico_ray){random_in_box(&random, &room), 6.0f, random_direction(&random), 0};
        const rico_hit hit = rico_scene_raycast(scene, &request.filter, &request.ray);
        draw_all(scene, &request, &c);
        if (hit.collider != 0)
            CHECK(in_a_box(&c, vec3_mad(request.ray.origin, request.ray.direction, hit.t),
                           RICO_DRAWN_LEAF, hit.collider));
        for (uint32_t n = 0; n < c.count; ++n)
            on_paths += c.all[n].what.kind == RICO_DRAWN_NODE;
        free(c.all);
    }
    CHECK(on_paths > 100);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

/* Consecutive bricks share a side, and the first holds the origin. */
TEST(collision, draws_a_path_of_bricks_that_hang_together)
{
    fixture_random random = {23};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 4.0f, 60);
    rico_scene *scene = scene_of(&mesh, 0.05f);
    rico_box room = rico_scene_get_stats(scene).bounds;
    float side = scene_grid(scene)->cell_size * RICO_BRICK_CELLS;
    rico_draw_request request = request_of(RICO_DRAW_RAY);
    uint32_t bricks = 0, empty = 0;
    for (int i = 0; i < 300; ++i) {
        canvas c;
        const shown *before = NULL;
        request.ray =
            (rico_ray){random_in_box(&random, &room), 20.0f, random_direction(&random), 0};
        request.ray.direction.x = i % 4 == 0 ? 0.0f : request.ray.direction.x;
        draw_all(scene, &request, &c);
        for (uint32_t n = 0; n < c.count; ++n) {
            const shown *s = &c.all[n];
            if (s->what.kind != RICO_DRAWN_BRICK)
                continue;
            rico_vec3 step =
                before != NULL ? vec3_sub(s->box.lo, before->box.lo) : vec3(side, 0, 0);
            float sum = fabsf(step.x) + fabsf(step.y) + fabsf(step.z);
            CHECK_NEAR(sum, side, 1.0e-3f);
            CHECK(before != NULL || holds(s, request.ray.origin, 1.0e-5));
            before = s;
            bricks += 1;
            empty += s->what.number == 0;
        }
        CHECK(before != NULL);
        free(c.all);
    }
    CHECK_MSG(bricks > 1500 && empty > 300, "%u, %u", bricks, empty);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

TEST(collision, draws_nothing_for_rays_that_hit_nothing_by_contract)
{
    fixture_mesh mesh = {0};
    mesh_box(&mesh, vec3(-1, -1, -1), vec3(1, 1, 1));
    rico_scene *scene = scene_of(&mesh, 0.1f);
    rico_draw_request request = request_of(RICO_DRAW_RAY);
    const float bad[] = {NAN, INFINITY, -INFINITY, 1.0e30f, 0.0f};
    for (uint32_t i = 0; i < 5; ++i)
        for (uint32_t k = 0; k < 7; ++k) {
            canvas c;
            request.ray = (rico_ray){{0, 0, 0}, 1.0f, {0, 0, 1}, 0};
            float *at[7] = {&request.ray.origin.x,    &request.ray.origin.y,
                            &request.ray.origin.z,    &request.ray.t_max,
                            &request.ray.direction.x, &request.ray.direction.y,
                            &request.ray.direction.z};
            *at[k] = bad[i];
            rico_hit hit = rico_scene_raycast(scene, NULL, &request.ray);
            draw_all(scene, &request, &c);
            bool none = isnan(bad[i]) || (k < 3 && bad[i] != 0.0f) ||
                        (k > 3 && isinf(bad[i])) || (k == 3 && !(bad[i] > 0.0f)) ||
                        (k == 6 && bad[i] == 0.0f);
            CHECK_MSG(!none || (c.count == 0 && hit.collider == 0), "%u: %g", k,
                      (double)bad[i]);
            CHECK(none || c.count > 0);
            free(c.all);
        }
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

/* --- limits --- */

TEST(collision, draws_what_touches_the_box_of_interest_and_nothing_else)
{
    fixture_random random = {29};
    rico_scene *scene = mixed_scene(&random, &(rico_collider_id){0});
    const uint32_t whats[] = {RICO_DRAW_GRID, RICO_DRAW_OCCUPANCY, RICO_DRAW_LEAVES,
                              RICO_DRAW_COLLIDERS};
    for (uint32_t w = 0; w < 4; ++w) {
        canvas all, some;
        rico_draw_request request = request_of(whats[w]);
        draw_all(scene, &request, &all);
        request.box = (rico_box){vec3(-0.6f, -0.2f, -0.4f), vec3(0.5f, 0.9f, 0.3f)};
        draw_all(scene, &request, &some);
        uint32_t next = 0;
        for (uint32_t i = 0; i < all.count; ++i) {
            const rico_box *b = &all.all[i].box, *r = &request.box;
            bool placed = all.all[i].place.scale == 1.0f;
            bool touches = b->lo.x <= r->hi.x && b->lo.y <= r->hi.y && b->lo.z <= r->hi.z &&
                           b->hi.x >= r->lo.x && b->hi.y >= r->lo.y && b->hi.z >= r->lo.z;
            bool same = next < some.count && memcmp(&some.all[next].box, b, sizeof *b) == 0 &&
                        some.all[next].what.collider == all.all[i].what.collider;
            CHECK(!placed || touches == same);
            next += same;
        }
        CHECK_EQ(next, some.count);
        CHECK(some.count > 0 && some.count < all.count);
        free(all.all);
        free(some.all);
    }
    rico_scene_destroy(scene);
}

static bool drawn_equal(const rico_drawn *a, const rico_drawn *b)
{
    return a->kind == b->kind && a->rgba == b->rgba && a->number == b->number &&
           a->collider == b->collider && a->path == b->path;
}

TEST(collision, draws_as_many_as_asked_for_and_says_when_that_is_not_all)
{
    fixture_random random = {31};
    rico_scene *scene = mixed_scene(&random, &(rico_collider_id){0});
    rico_draw_request request = request_of(31);
    canvas all;
    request.ray = (rico_ray){{-3.5f, 0.1f, 0.2f}, 9.0f, {1, 0, 0}, 0};
    rico_draw_report whole = draw_all(scene, &request, &all);
    CHECK(!whole.cut && whole.drawn > 1000);
    const uint32_t limits[] = {1, 2, 100, whole.drawn - 1, whole.drawn, whole.drawn + 1};
    for (uint32_t i = 0; i < 6; ++i) {
        canvas some;
        request.max_count = limits[i];
        rico_draw_report report = draw_all(scene, &request, &some);
        CHECK_EQ(report.cut, limits[i] < whole.drawn);
        CHECK_EQ(report.drawn, limits[i] < whole.drawn ? limits[i] : whole.drawn);
        for (uint32_t n = 0; n < some.count; ++n)
            CHECK(drawn_equal(&some.all[n].what, &all.all[n].what));
        free(some.all);
    }
    free(all.all);
    rico_scene_destroy(scene);
}

TEST(collision, draws_boxes_as_twelve_edges_where_there_is_only_a_pen_for_lines)
{
    fixture_random random = {37};
    rico_scene *scene = mixed_scene(&random, &(rico_collider_id){0});
    rico_draw_request request = request_of(RICO_DRAW_LEAVES);
    canvas boxes, lines = {0};
    draw_all(scene, &request, &boxes);
    rico_draw pen = {&lines, NULL, on_line};
    rico_draw_report report;
    CHECK_EQ(rico_scene_draw(scene, &request, &pen, &report), RICO_OK);
    CHECK_EQ(report.drawn, boxes.count);
    CHECK_EQ(lines.count, 12 * boxes.count);
    for (uint32_t i = 0; i < lines.count; ++i) {
        const shown *box = &boxes.all[i / 12], *edge = &lines.all[i];
        CHECK(holds(box, edge->a, 2.0e-5) && holds(box, edge->b, 2.0e-5));
    }
    for (uint32_t i = 0; i < boxes.count; ++i) { /* four of each length */
        float sum = 0.0f, scale = boxes.all[i].place.scale;
        for (uint32_t n = 0; n < 12; ++n)
            sum += vec3_length(vec3_sub(lines.all[12 * i + n].b, lines.all[12 * i + n].a));
        rico_vec3 size = vec3_sub(boxes.all[i].box.hi, boxes.all[i].box.lo);
        CHECK_NEAR(sum, 4.0f * scale * (size.x + size.y + size.z), 2.0e-4f);
    }
    rico_draw nobody = {0};
    CHECK_EQ(rico_scene_draw(scene, &request, &nobody, &report), RICO_OK);
    CHECK_EQ(report.drawn, boxes.count);
    free(boxes.all);
    free(lines.all);
    rico_scene_destroy(scene);
}

TEST(collision, refuses_to_draw_what_cannot_be)
{
    rico_scene *scene = scene_create_quiet(0.0f);
    canvas c = {0};
    rico_draw draw = {&c, on_box, on_line};
    rico_draw_report report;
    rico_draw_request none = {0};
    CHECK_EQ(rico_scene_draw(scene, &none, &draw, &report), RICO_UNINITIALIZED_DEF);
    rico_draw_request bad[6];
    for (int i = 0; i < 6; ++i)
        bad[i] = request_of(31);
    bad[0].what = 0;
    bad[1].what = 32 | RICO_DRAW_GRID;
    bad[2].max_count = 0;
    bad[3].box.lo.y = NAN;
    bad[4].box = (rico_box){vec3(0, 0, 1), vec3(1, 1, 0.5f)};
    bad[5].box.hi.x = NAN;
    for (int i = 0; i < 6; ++i) {
        CHECK_EQ(rico_scene_draw(scene, &bad[i], &draw, &report),
                 i == 3 || i == 5 ? RICO_NOT_FINITE : RICO_OUT_OF_RANGE);
        CHECK_EQ(report.drawn + report.cut, 0);
    }
    rico_draw_request good = request_of(31);
    CHECK_EQ(rico_scene_draw(scene, &good, &draw, &report), RICO_OK); /* an empty scene */
    CHECK_EQ(report.drawn + c.count, 0);
    rico_scene_destroy(scene);
}
