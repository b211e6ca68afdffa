/* Scenes of many bodies against every triangle of every collider in turn. */
#include "collision_fixture.h"
#include "scene_private.h"

#include <pthread.h>

enum { SHAPES = 4, MOST = 400, CORPUS = 300 };

/* A mesh as the oracle has it. */
typedef struct model {
    fixture_mesh mesh;
    rico__vertex *vertices; /* as they are, and after these as placed last */
    rico__face *faces;
    uint16_t *surfaces;
    rico_shape_id shape;
} model;

/* What the oracle knows of a collider. */
typedef struct member {
    rico_collider_id id;
    uint32_t model, layers, version;
    rico_motion motion;
    bool used, placed;
} member;

typedef struct crowd {
    rico_scene *scene;
    fixture_random random;
    model models[SHAPES];
    member members[MOST]; /* by slot */
    uint32_t hits;        /* of rays that the tests saw hit */
} crowd;

static rico_vec3 local_corner(const model *m, uint32_t triangle, uint32_t j)
{
    return mesh_corner(&m->mesh, triangle, j);
}

/* The corner in the world: of an added mesh as it is placed for good, else through the placement. */
static rico_vec3 world_corner(const crowd *c, const member *who, uint32_t triangle, uint32_t j)
{
    rico_vec3 p = local_corner(&c->models[who->model], triangle, j);
    if (who->placed)
        return transform_point(&who->motion.transform, p);
    rico__placement placement = rico__placement_of(&who->motion.transform);
    return rico__placement_point(&placement, p);
}

static void fill_triangles(const crowd *c, const member *who, rico__vertex *vertices,
                           rico__face *faces)
{
    const model *m = &c->models[who->model];
    const rico__triangles triangles = {vertices, faces};
    for (uint32_t i = 0; i < m->mesh.triangle_count; ++i) {
        for (uint32_t j = 0; j < 3; ++j) {
            rico_vec3 p = who->placed ? world_corner(c, who, i, j) : local_corner(m, i, j);
            vertices[3 * i + j] = (rico__vertex){{p.x, p.y, p.z}, 1};
            faces[i].corner[j] = 3 * i + j;
        }
        faces[i].triangle = i;
        rico__triangle triangle = rico__triangle_at(&triangles, i);
        if (rico__triangle_is_flat(&triangle))
            faces[i].corner[0] |= RICO_FACE_FLAT;
    }
}

/* The triangles of a collider for rico__ray_test: in its own space, or placed. */
static rico__triangles triangles_of(const crowd *c, const member *who)
{
    const model *m = &c->models[who->model];
    uint32_t count = m->mesh.triangle_count;
    if (!who->placed)
        return (rico__triangles){m->vertices, m->faces};
    fill_triangles(c, who, m->vertices + 3 * count, m->faces + count);
    return (rico__triangles){m->vertices + 3 * count, m->faces + count};
}

/* Closest hit among a collider's triangles, each by itself. */
static rico_hit brute_member(const crowd *c, const member *who, const rico_filter *filter,
                             const rico_ray *ray)
{
    rico__placement placement = rico__placement_of(&who->motion.transform);
    rico_ray local = who->placed ? *ray : rico__placement_ray_back(&placement, ray);
    rico__triangles triangles = triangles_of(c, who);
    rico_hit best = {.t = ray->t_max, .triangle = RICO_NO_TRIANGLE};
    rico__ray_frame world, frame;
    if (!rico__ray_frame_init(&world, ray) || !rico__ray_frame_init(&frame, &local))
        return best;
    for (uint32_t i = 0; i < c->models[who->model].mesh.triangle_count; ++i) {
        rico__ray_best one = {frame.t_max, RICO_NO_TRIANGLE};
        rico__ray_test(&frame, &triangles, i, &one);
        if (one.id == RICO_NO_TRIANGLE)
            continue;
        rico_hit hit = rico__ray_hit(&local, one, &triangles, 0);
        if (filter->skip_back_faces && hit.back_face)
            continue;
        if (best.collider == 0 || hit.t < best.t) {
            best = hit;
            best.collider = who->id.index1;
        }
    }
    if (!who->placed)
        best.normal = rico__placement_turn(&placement, best.normal);
    return best;
}

static rico_hit brute(const crowd *c, const rico_filter *filter, const rico_ray *ray)
{
    rico_hit best = {.t = ray->t_max, .triangle = RICO_NO_TRIANGLE};
    for (uint32_t slot = 0; slot < MOST; ++slot) {
        const member *who = &c->members[slot];
        if (!who->used || (who->layers & filter->layers) == 0 || slot + 1 == ray->ignore)
            continue;
        rico_hit hit = brute_member(c, who, filter, ray);
        if (hit.collider != 0 && (best.collider == 0 || hit.t < best.t))
            best = hit;
    }
    if (best.collider == 0)
        return best;
    const member *who = &c->members[best.collider - 1];
    const rico_motion *m = &who->motion;
    rico_vec3 arm =
        vec3_sub(vec3_mad(ray->origin, ray->direction, best.t), m->transform.position);
    best.surface = c->models[who->model].surfaces[best.triangle];
    if (!who->placed)
        best.velocity = vec3_add(m->velocity, vec3_cross(m->angular_velocity, arm));
    best.moving = !who->placed &&
                  (vec3_length(m->velocity) > 0.0f || vec3_length(m->angular_velocity) > 0.0f);
    if (!best.moving)
        best.velocity = vec3(0.0f, 0.0f, 0.0f);
    return best;
}

static bool answers_equal(const rico_hit *a, const rico_hit *b)
{
    return hit_equal(a, b) && a->surface == b->surface && a->moving == b->moving &&
           memcmp(&a->velocity, &b->velocity, sizeof a->velocity) == 0;
}

/* --- making and changing a crowd --- */

static void model_finish(crowd *c, uint32_t index)
{
    model *m = &c->models[index];
    const member itself = {.model = index};
    uint32_t count = m->mesh.triangle_count;
    m->vertices = calloc(6 * (size_t)count, sizeof *m->vertices);
    m->faces = calloc(2 * (size_t)count, sizeof *m->faces);
    m->surfaces = calloc(count, sizeof *m->surfaces);
    for (uint32_t i = 0; i < count; ++i)
        m->surfaces[i] = (uint16_t)(i * 7 + 1);
    fill_triangles(c, &itself, m->vertices, m->faces);
}

static rico_mesh model_view(const model *m)
{
    rico_mesh view = mesh_view(&m->mesh);
    view.surfaces = m->surfaces;
    return view;
}

static crowd *crowd_create(uint64_t seed)
{
    crowd *c = calloc(1, sizeof *c);
    c->random.state = seed;
    c->scene = scene_create_quiet(0.0f);
    mesh_scatter(&c->models[0].mesh, &c->random, 0.4f, 40);
    mesh_box(&c->models[1].mesh, vec3(-0.3f, -0.2f, 0.0f), vec3(0.3f, 0.2f, 0.5f));
    mesh_sphere(&c->models[2].mesh, 0.25f, 1);
    mesh_scatter(&c->models[3].mesh, &c->random, 4.0f, 60);
    for (uint32_t i = 0; i < SHAPES; ++i) {
        model *m = &c->models[i];
        rico_shape_def def = rico_shape_def_default();
        model_finish(c, i);
        def.mesh = model_view(m);
        CHECK_EQ(rico_scene_add_shape(c->scene, &def, NULL, &m->shape), RICO_OK);
    }
    return c;
}

static void crowd_destroy(crowd *c)
{
    rico_scene_destroy(c->scene);
    for (int i = 0; i < SHAPES; ++i) {
        mesh_free(&c->models[i].mesh);
        free(c->models[i].vertices);
        free(c->models[i].faces);
        free(c->models[i].surfaces);
    }
    free(c);
}

static rico_motion random_motion(crowd *c)
{
    static const float scales[] = {1.0f, 1.0f, 0.37f, 2.5f};
    const rico_box room = {vec3(-3.0f, -3.0f, -3.0f), vec3(3.0f, 3.0f, 3.0f)};
    rico_motion m = {.transform = {random_in_box(&c->random, &room),
                                   random_rotation(&c->random),
                                   scales[random_below(&c->random, 4)]}};
    uint32_t other = random_below(&c->random, MOST);
    if (random_below(&c->random, 4) == 0 && c->members[other].used)
        m = c->members[other].motion; /* the same place: hits tie */
    if (random_below(&c->random, 2) == 0)
        m.velocity = random_direction(&c->random);
    if (random_below(&c->random, 3) == 0)
        m.angular_velocity = random_direction(&c->random);
    return m;
}

static void crowd_add(crowd *c, bool placed)
{
    member who = {.model = random_below(&c->random, SHAPES - 1),
                  .layers = 1u << random_below(&c->random, 3),
                  .motion = random_motion(c),
                  .used = true,
                  .placed = placed};
    if (placed) {
        who.model = random_below(&c->random, SHAPES);
        rico_mesh view = model_view(&c->models[who.model]);
        CHECK_EQ(rico_scene_add_mesh(c->scene, &view, who.motion.transform, NULL, &who.id),
                 RICO_OK);
        CHECK_EQ(rico_scene_set_layers(c->scene, who.id, who.layers), RICO_OK);
    } else {
        rico_collider_def def = rico_collider_def_default();
        def.shape = c->models[who.model].shape;
        def.motion = who.motion;
        def.layers = who.layers;
        CHECK_EQ(rico_scene_add(c->scene, &def, &who.id), RICO_OK);
    }
    CHECK(who.id.index1 >= 1 && who.id.index1 <= MOST);
    CHECK(!c->members[who.id.index1 - 1].used);
    who.version = rico_scene_version(c->scene);
    c->members[who.id.index1 - 1] = who;
}

static uint32_t any_member(crowd *c)
{
    uint32_t slot = random_below(&c->random, MOST);
    while (!c->members[slot].used)
        slot = (slot + 1) % MOST;
    return slot;
}

static void crowd_remove(crowd *c)
{
    member *who = &c->members[any_member(c)];
    CHECK_EQ(rico_scene_remove(c->scene, who->id), RICO_OK);
    CHECK_EQ(rico_scene_remove(c->scene, who->id), RICO_STALE_ID);
    who->used = false;
    who->version = rico_scene_version(c->scene);
}

static void crowd_move(crowd *c, uint32_t one_in)
{
    static rico_collider_id ids[MOST];
    static rico_motion motions[MOST];
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < MOST; ++slot) {
        member *who = &c->members[slot];
        if (!who->used || who->placed || random_below(&c->random, one_in) != 0)
            continue;
        if (random_below(&c->random, 3) == 0) {
            who->motion = random_motion(c);
        } else {
            rico_vec3 by = vec3_scale(random_direction(&c->random), 0.1f);
            who->motion.transform.position = vec3_add(who->motion.transform.position, by);
        }
        ids[count] = who->id;
        motions[count++] = who->motion;
        who->version = rico_scene_version(c->scene) + 1;
    }
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, count), RICO_OK);
}

/* --- questions --- */

static rico_ray crowd_ray(crowd *c)
{
    static const float lengths[] = {0.2f, 1.0f, 3.0f, 20.0f, INFINITY};
    const rico_box room = {vec3(-4.0f, -4.0f, -4.0f), vec3(4.0f, 4.0f, 4.0f)};
    rico_ray ray = {.origin = random_in_box(&c->random, &room),
                    .t_max = lengths[random_below(&c->random, 5)],
                    .direction = random_direction(&c->random)};
    if (random_below(&c->random, 8) == 0)
        (&ray.direction.x)[random_below(&c->random, 3)] = 0.0f;
    if (random_below(&c->random, 8) == 0)
        ray.direction = vec3_scale(ray.direction, 1.0e3f);
    if (random_below(&c->random, 32) == 0)
        ray.direction.y = NAN;
    if (random_below(&c->random, 4) == 0)
        ray.ignore = 1 + random_below(&c->random, MOST);
    return ray;
}

static void check_rays(crowd *c, const rico_filter *filter)
{
    static rico_ray rays[CORPUS];
    static rico_hit hits[CORPUS];
    static bool blocked[CORPUS];
    uint32_t count = (uint32_t)FIXTURE_REPEATS(CORPUS);
    for (uint32_t i = 0; i < count; ++i)
        rays[i] = crowd_ray(c);
    rico_scene_raycast_batch(c->scene, filter, rays, hits, count);
    rico_scene_blocked_batch(c->scene, filter, rays, blocked, count);
    for (uint32_t i = 0; i < count; ++i) {
        rico_hit expected = brute(c, filter, &rays[i]);
        rico_hit alone = rico_scene_raycast(c->scene, filter, &rays[i]);
        CHECK_MSG(answers_equal(&hits[i], &expected),
                  "ray %u: collider %u triangle %u at %a, expected %u %u at %a", i,
                  hits[i].collider, hits[i].triangle, (double)hits[i].t, expected.collider,
                  expected.triangle, (double)expected.t);
        CHECK(answers_equal(&alone, &expected));
        CHECK_EQ(blocked[i], expected.collider != 0);
        CHECK_EQ(rico_scene_blocked(c->scene, filter, &rays[i]), expected.collider != 0);
        c->hits += expected.collider != 0;
    }
}

static void check_box(crowd *c, const rico_filter *filter)
{
    static rico_triangle found[100000];
    const rico_box room = {vec3(-4.0f, -4.0f, -4.0f), vec3(4.0f, 4.0f, 4.0f)};
    rico_vec3 lo = random_in_box(&c->random, &room);
    float size = random_below(&c->random, 8) == 0 ? 5.0f : 0.3f;
    rico_box box = {lo, vec3_add(lo, vec3(size, size, size))};
    uint32_t count = rico_scene_gather(c->scene, filter, &box, found, 100000), n = 0;
    bool any = false;
    for (uint32_t slot = 0; slot < MOST; ++slot) {
        const member *who = &c->members[slot];
        uint32_t triangles = who->used ? c->models[who->model].mesh.triangle_count : 0;
        for (uint32_t i = 0; i < triangles; ++i) {
            float p[9];
            for (uint32_t j = 0; j < 3; ++j) {
                rico_vec3 corner = world_corner(c, who, i, j);
                memcpy(p + 3 * j, &corner, sizeof corner);
            }
            if (!oracle_touches(p, &box))
                continue;
            any = true;
            if ((who->layers & filter->layers) == 0)
                continue;
            CHECK_MSG(n < count && found[n].collider == slot + 1 && found[n].triangle == i,
                      "triangle %u of collider %u is not in its place", i, slot + 1);
            CHECK(memcmp(&found[n].a, p, sizeof p) == 0);
            n += 1;
        }
    }
    CHECK_EQ(n, count);
    CHECK(!any || rico_scene_occupied(c->scene, &box));
    static rico_triangle few[7];
    CHECK_EQ(rico_scene_gather(c->scene, filter, &box, few, 7), count);
    CHECK(memcmp(few, found, (count < 7 ? count : 7) * sizeof *few) == 0);
}

static void check_book(crowd *c)
{
    uint32_t count = 0;
    rico_box bounds = rico_scene_get_stats(c->scene).bounds;
    for (uint32_t slot = 0; slot < MOST; ++slot) {
        const member *who = &c->members[slot];
        CHECK_EQ(rico_scene_collider_version(c->scene, slot + 1), who->version);
        rico_collider_id id = rico_scene_collider_id(c->scene, slot + 1);
        CHECK_EQ(id.index1, who->used ? slot + 1 : 0);
        if (!who->used)
            continue;
        rico_box box;
        rico_motion motion;
        CHECK_EQ(id.generation, who->id.generation);
        CHECK_EQ(rico_scene_collider_state(c->scene, id, &box, &motion), RICO_OK);
        CHECK(who->placed || memcmp(&motion, &who->motion, sizeof motion) == 0);
        for (uint32_t i = 0; i < c->models[who->model].mesh.triangle_count; ++i) {
            rico_vec3 p = world_corner(c, who, i, 0);
            CHECK(p.x >= box.lo.x && p.y >= box.lo.y && p.z >= box.lo.z);
            CHECK(p.x <= box.hi.x && p.y <= box.hi.y && p.z <= box.hi.z);
        }
        CHECK(bounds.lo.x <= box.lo.x && bounds.hi.z >= box.hi.z);
        count += 1;
    }
    CHECK_EQ(rico_scene_get_stats(c->scene).collider_count, count);
}

/* With the kernels of an instruction set, when this CPU has it. */
static void check_all(crowd *c, int round)
{
    static const rico_filter filters[] = {{UINT32_MAX, false, false},
                                          {2, false, false},
                                          {UINT32_MAX, true, false},
                                          {5, true, false},
                                          {0, false, false}};
    const rico__cast_kernel *own = c->scene->cast;
    const rico__cast_kernel *kernel =
        rico__cast_for_isa((rico__isa)((uint32_t)round % RICO_ISA_COUNT));
    const rico_filter *filter = &filters[round % 2 == 0 ? 0 : round / 2 % 5];
    c->scene->cast = kernel != NULL ? kernel : own;
    check_rays(c, filter);
    for (int i = 0; i < FIXTURE_REPEATS(20); ++i)
        check_box(c, filter);
    check_book(c);
    c->scene->cast = own;
}

TEST(collision, answers_of_a_crowd_equal_brute_force_through_all_its_changes)
{
    crowd *c = crowd_create(211);
    for (int i = 0; i < 6; ++i)
        crowd_add(c, true);
    check_all(c, 0);
    CHECK_EQ(rico_scene_merge(c->scene), RICO_OK);
    check_all(c, 1);
    for (int i = 0; i < 200; ++i)
        crowd_add(c, random_below(&c->random, 30) == 0);
    for (int round = 2; round < 30; ++round) {
        check_all(c, round);
        for (int i = 0; i < 12; ++i)
            crowd_remove(c);
        for (int i = 0; i < 15; ++i)
            crowd_add(c, random_below(&c->random, 10) == 0);
        crowd_move(c, round % 4 == 0 ? 1 : 3);
        uint32_t version = rico_scene_version(c->scene);
        if (round % 7 == 0)
            CHECK_EQ(rico_scene_merge(c->scene), RICO_OK);
        CHECK_EQ(rico_scene_version(c->scene), version);
    }
    CHECK(c->hits > (uint32_t)FIXTURE_REPEATS(1500));
    crowd_destroy(c);
}

/* t as if asked in double: an oracle that shares nothing but the transform's meaning. */
static double exact_t(const crowd *c, const member *who, uint32_t triangle, const rico_ray *ray)
{
    double p[3][3], n[3], along = 0.0, above = 0.0;
    rico_quat q = who->motion.transform.rotation;
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double norm = x * x + y * y + z * z + w * w;
    for (uint32_t j = 0; j < 3; ++j) {
        rico_vec3 v = local_corner(&c->models[who->model], triangle, j);
        double a = (double)v.x, b = (double)v.y, d = (double)v.z, u[3], r[3];
        u[0] = 2.0 * (y * d - z * b);
        u[1] = 2.0 * (z * a - x * d);
        u[2] = 2.0 * (x * b - y * a);
        r[0] = a * norm + w * u[0] + y * u[2] - z * u[1];
        r[1] = b * norm + w * u[1] + z * u[0] - x * u[2];
        r[2] = d * norm + w * u[2] + x * u[1] - y * u[0];
        for (int k = 0; k < 3; ++k)
            p[j][k] = r[k] / norm * (double)who->motion.transform.scale +
                      (double)(&who->motion.transform.position.x)[k];
    }
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        n[k] = (p[1][l] - p[0][l]) * (p[2][m] - p[0][m]) -
               (p[1][m] - p[0][m]) * (p[2][l] - p[0][l]);
        along += n[k] * (double)(&ray->direction.x)[k];
        above += n[k] * (p[0][k] - (double)(&ray->origin.x)[k]);
    }
    return above / along;
}

TEST(collision, rays_meet_placed_shapes_where_they_are_in_the_world)
{
    crowd *c = crowd_create(223);
    for (int i = 0; i < 150; ++i)
        crowd_add(c, false);
    uint32_t hits = 0, far = 0;
    for (int i = 0; i < FIXTURE_REPEATS(20000); ++i) {
        rico_ray ray = crowd_ray(c);
        ray.ignore = 0;
        rico_hit hit = rico_scene_raycast(c->scene, NULL, &ray);
        if (hit.collider == 0)
            continue;
        double t = exact_t(c, &c->members[hit.collider - 1], hit.triangle, &ray);
        double apart = fabs(t - (double)hit.t) * (double)vec3_length(ray.direction);
        hits += 1;
        far += apart > 1.0e-5; /* nearly along the surface */
        CHECK_NEAR(vec3_length(hit.normal), 1.0, 1.0e-6);
        CHECK(vec3_dot(hit.normal, ray.direction) <= 0.0f);
    }
    CHECK(hits > (uint32_t)FIXTURE_REPEATS(3000));
    CHECK_MSG(far * 100 <= hits, "%u of %u hits are off by more than 10 um", far, hits);
    crowd_destroy(c);
}

TEST(collision, of_bodies_in_one_place_the_first_collider_is_hit)
{
    fixture_mesh mesh = {0};
    mesh_box(&mesh, vec3(-1.0f, -1.0f, -1.0f), vec3(1.0f, 1.0f, 1.0f));
    rico_scene *scene = scene_create_quiet(0.0f);
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    rico_collider_id ids[20];
    shape.mesh = mesh_view(&mesh);
    CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &def.shape), RICO_OK);
    for (int i = 0; i < 20; ++i)
        CHECK_EQ(rico_scene_add(scene, &def, &ids[i]), RICO_OK);
    scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
    rico_ray ray = {vec3(0.1f, 0.2f, 5.0f), 10.0f, vec3(0.0f, 0.0f, -1.0f), 0};
    for (uint32_t i = 0; i < 20; ++i) {
        CHECK_EQ(rico_scene_raycast(scene, NULL, &ray).collider, i + 1);
        ray.ignore = i + 1;
        CHECK_EQ(rico_scene_raycast(scene, NULL, &ray).collider, i + 2);
        ray.ignore = 0;
        CHECK_EQ(rico_scene_remove(scene, ids[i]), RICO_OK);
    }
    CHECK_EQ(rico_scene_remove_shape(scene, def.shape), RICO_OK);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

/* A triangle at height z across the z axis, and one beside it that begins earlier when asked for. */
static rico_collider_id add_sheet(rico_scene *scene, float z, bool early)
{
    fixture_mesh mesh = {0};
    mesh_loose(&mesh, vec3(-1.0f, -1.0f, z), vec3(1.0f, -1.0f, z), vec3(0.0f, 1.0f, z));
    if (early)
        mesh_loose(&mesh, vec3(0.5f, 0.5f, 0.1f), vec3(0.9f, 0.5f, 0.1f),
                   vec3(0.5f, 1.0f, 0.1f));
    rico_collider_id id = scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
    mesh_free(&mesh);
    return id;
}

/* The farther of two sheets, by less than a float's step of t, is the first collider, and asked last:
 * its t rounds to the same, so it wins. */
TEST(collision, hits_that_round_to_the_same_t_are_ordered_by_collider_whoever_is_asked_first)
{
    uint32_t ties = 0;
    float z = 1.9f;
    for (int i = 0; i < 200; ++i, z = nextafterf(z, 2.0f)) {
        rico_scene *scene = scene_create_quiet(0.0f);
        rico_ray ray = {vec3(0.0f, 0.0f, 0.0f), 9.0f, vec3(0.0f, 0.0f, 1.81f), 2};
        float far = nextafterf(z, 2.0f);
        add_sheet(scene, far, false);
        add_sheet(scene, z, true);
        rico_hit first = rico_scene_raycast(scene, NULL, &ray);
        ray.ignore = 1;
        rico_hit second = rico_scene_raycast(scene, NULL, &ray);
        ray.ignore = 0;
        rico_hit both = rico_scene_raycast(scene, NULL, &ray);
        CHECK(first.collider == 1 && second.collider == 2);
        CHECK_EQ(both.collider, first.t <= second.t ? 1 : 2);
        /* Those that a limit of the nearer one's t would leave out. */
        ties += first.t == second.t && (double)far / 1.81f > (double)second.t;
        rico_scene_destroy(scene);
    }
    CHECK_MSG(ties > 10, "only %u pairs", ties);
}

/* --- rules --- */

TEST(collision, moves_are_made_all_or_none)
{
    crowd *c = crowd_create(227);
    for (int i = 0; i < 3; ++i)
        crowd_add(c, i == 2);
    rico_motion motions[3] = {c->members[0].motion, c->members[1].motion, c->members[0].motion};
    rico_collider_id ids[3] = {c->members[0].id, c->members[1].id, c->members[2].id};
    uint32_t version = rico_scene_version(c->scene);
    motions[0].transform.position = vec3(9.0f, 9.0f, 9.0f);
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_OUT_OF_RANGE);
    ids[2].index1 = 77;
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_STALE_ID);
    ids[2] = ids[1];
    motions[2].velocity.y = NAN;
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_NOT_FINITE);
    motions[2] = motions[0];
    motions[2].transform.scale = 1.0e-7f;
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_NOT_FINITE);
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 0), RICO_OK);
    CHECK_EQ(rico_scene_version(c->scene), version);
    check_all(c, 0);
    motions[2].transform.scale = 1.0f;
    CHECK_EQ(rico_scene_move(c->scene, ids, motions, 3), RICO_OK);
    CHECK_EQ(rico_scene_version(c->scene), version + 1);
    c->members[0].motion = motions[0];
    c->members[1].motion = motions[2]; /* the later of two */
    c->members[0].version = c->members[1].version = version + 1;
    check_all(c, 0);
    crowd_destroy(c);
}

TEST(collision, shapes_stay_while_they_are_placed_and_their_ids_go_stale)
{
    crowd *c = crowd_create(229);
    rico_shape_id shape = c->models[1].shape, null = {0, 0};
    rico_collider_def def = rico_collider_def_default();
    rico_collider_id id;
    def.shape = shape;
    CHECK_EQ(rico_scene_get_stats(c->scene).shape_count, SHAPES);
    CHECK_EQ(rico_scene_version(c->scene), 0);
    CHECK_EQ(rico_scene_add(c->scene, &def, &id), RICO_OK);
    CHECK_EQ(rico_scene_remove_shape(c->scene, shape), RICO_IN_USE);
    CHECK_EQ(rico_scene_remove(c->scene, id), RICO_OK);
    CHECK_EQ(rico_scene_remove_shape(c->scene, shape), RICO_OK);
    CHECK_EQ(rico_scene_remove_shape(c->scene, shape), RICO_STALE_ID);
    CHECK_EQ(rico_scene_remove_shape(c->scene, null), RICO_STALE_ID);
    CHECK_EQ(rico_scene_add(c->scene, &def, &id), RICO_STALE_ID);
    CHECK_EQ(id.index1, 0);
    /* What an added mesh brings with it has no id of its own, in the same place or not. */
    rico_mesh view = model_view(&c->models[0]);
    CHECK_EQ(rico_scene_add_mesh(c->scene, &view, RICO_TRANSFORM_IDENTITY, NULL, NULL),
             RICO_OK);
    for (uint32_t generation = 0; generation < 4; ++generation) {
        def.shape = (rico_shape_id){shape.index1, generation};
        CHECK_EQ(rico_scene_add(c->scene, &def, &id), RICO_STALE_ID);
    }
    def = (rico_collider_def){.shape = c->models[0].shape};
    CHECK_EQ(rico_scene_add(c->scene, &def, &id), RICO_UNINITIALIZED_DEF);
    def = rico_collider_def_default();
    def.shape = c->models[0].shape;
    def.motion.transform.position.x = INFINITY;
    CHECK_EQ(rico_scene_add(c->scene, &def, &id), RICO_NOT_FINITE);
    CHECK_EQ(rico_scene_version(c->scene), 3);
    crowd_destroy(c);
}

TEST(collision, indices_of_16_bits_make_the_same_mesh)
{
    fixture_mesh mesh = {0};
    mesh_sphere(&mesh, 1.0f, 2);
    uint16_t *narrow = calloc(3 * mesh.triangle_count, sizeof *narrow);
    for (uint32_t i = 0; i < 3 * mesh.triangle_count; ++i)
        narrow[i] = (uint16_t)mesh.indices[i];
    rico_mesh view = mesh_view(&mesh);
    view.indices16 = narrow;
    rico_scene *scene = scene_create_quiet(0.0f), *wide = scene_of(&mesh, 0.0f);
    CHECK_EQ(rico_scene_add_mesh(scene, &view, RICO_TRANSFORM_IDENTITY, NULL, NULL),
             RICO_OUT_OF_RANGE);
    view.indices = NULL;
    view.smooth_angle = NAN;
    CHECK_EQ(rico_scene_add_mesh(scene, &view, RICO_TRANSFORM_IDENTITY, NULL, NULL),
             RICO_OUT_OF_RANGE);
    view.smooth_angle = 0.0f;
    CHECK_EQ(rico_scene_add_mesh(scene, &view, RICO_TRANSFORM_IDENTITY, NULL, NULL), RICO_OK);
    fixture_random random = {233};
    for (int i = 0; i < 1000; ++i) {
        rico_ray ray = ray_near_surface(&random, wide);
        rico_hit a = rico_scene_raycast(scene, NULL, &ray),
                 b = rico_scene_raycast(wide, NULL, &ray);
        CHECK(hit_equal(&a, &b));
    }
    free(narrow);
    rico_scene_destroy(scene);
    rico_scene_destroy(wide);
    mesh_free(&mesh);
}

/* --- the origin --- */

TEST(collision, shifting_the_origin_keeps_every_answer_where_it_is_exact)
{
    fixture_random random = {239};
    fixture_mesh mesh = {0};
    mesh_scatter(&mesh, &random, 3.0f, 500);
    for (uint32_t i = 0; i < 3 * mesh.vertex_count; ++i) /* 4096ths: exact up to 4 km */
        mesh.positions[i] = floorf(mesh.positions[i] * 4096.0f) / 4096.0f;
    rico_scene *here = scene_create_quiet(0.0f), *there = scene_create_quiet(0.0f);
    const rico_vec3 by = vec3(512.0f, -256.5f, 3.25f);
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    shape.mesh = mesh_view(&mesh);
    for (int i = 0; i < 2; ++i) {
        rico_scene *scene = i == 0 ? here : there;
        scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
        CHECK_EQ(rico_scene_merge(scene), RICO_OK);
        scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
        CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &def.shape), RICO_OK);
        def.motion.transform.position = vec3(1.0f, 2.0f, 0.5f);
        CHECK_EQ(rico_scene_add(scene, &def, NULL), RICO_OK);
    }
    CHECK_EQ(rico_scene_shift_origin(there, vec3(NAN, 0.0f, 0.0f)), RICO_NOT_FINITE);
    CHECK_EQ(rico_scene_shift_origin(there, vec3(1.0e6f, 0.0f, 0.0f)), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_scene_version(there), 3);
    CHECK_EQ(rico_scene_shift_origin(there, by), RICO_OK);
    CHECK_EQ(rico_scene_version(there), 4);
    for (uint32_t slot = 1; slot <= 3; ++slot)
        CHECK_EQ(rico_scene_collider_version(there, slot), 4);
    for (int i = 0; i < FIXTURE_REPEATS(20000); ++i) {
        rico_ray ray = ray_near_surface(&random, here), moved;
        for (int k = 0; k < 3; ++k)
            (&ray.origin.x)[k] = floorf((&ray.origin.x)[k] * 4096.0f) / 4096.0f;
        moved = ray;
        moved.origin = vec3_sub(ray.origin, by);
        rico_hit a = rico_scene_raycast(here, NULL, &ray),
                 b = rico_scene_raycast(there, NULL, &moved);
        CHECK(hit_equal(&a, &b));
    }
    rico_scene_destroy(here);
    rico_scene_destroy(there);
    mesh_free(&mesh);
}

/* --- threads --- */

enum { READERS = 4, READER_RAYS = 1500 };

typedef struct reader {
    const rico_scene *scene;
    const rico_ray *rays;
    rico_hit *hits;
    uint32_t gathered, blocked;
} reader;

static void *read_crowd(void *user)
{
    reader *r = user;
    rico_scene_raycast_batch(r->scene, NULL, r->rays, r->hits, READER_RAYS);
    for (int i = 0; i < READER_RAYS; ++i) {
        rico_vec3 half = vec3(0.2f, 0.2f, 0.2f);
        rico_box box = {vec3_sub(r->rays[i].origin, half), vec3_add(r->rays[i].origin, half)};
        r->gathered += rico_scene_gather(r->scene, NULL, &box, NULL, 0);
        r->gathered += rico_scene_occupied(r->scene, &box);
        r->blocked += rico_scene_blocked(r->scene, NULL, &r->rays[i]);
    }
    return NULL;
}

TEST(collision, readers_of_a_crowd_on_four_threads_get_the_same_answers)
{
    static rico_ray rays[READER_RAYS];
    static rico_hit hits[READERS][READER_RAYS];
    crowd *c = crowd_create(241);
    for (int i = 0; i < 150; ++i)
        crowd_add(c, i % 20 == 0);
    CHECK_EQ(rico_scene_merge(c->scene), RICO_OK);
    crowd_move(c, 2);
    for (int i = 0; i < READER_RAYS; ++i)
        rays[i] = crowd_ray(c);
    reader readers[READERS];
    pthread_t threads[READERS];
    for (int i = 0; i < READERS; ++i) {
        readers[i] = (reader){c->scene, rays, hits[i], 0, 0};
        CHECK_EQ(pthread_create(&threads[i], NULL, read_crowd, &readers[i]), 0);
    }
    for (int i = 0; i < READERS; ++i)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < READERS; ++i) {
        for (int r = 0; r < READER_RAYS; ++r)
            CHECK(answers_equal(&hits[i][r], &hits[0][r]));
        CHECK_EQ(readers[i].gathered, readers[0].gathered);
        CHECK_EQ(readers[i].blocked, readers[0].blocked);
    }
    crowd_destroy(c);
}
