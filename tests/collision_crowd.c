#include "collision_crowd.h"

enum { CORPUS = 300 };

static rico_vec3 local_corner(const model *m, uint32_t triangle, uint32_t j)
{
    return mesh_corner(&m->mesh, triangle, j);
}

/* The corner in the world: placed once for added meshes, else through the placement. */
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

/* The closest hit among a collider's triangles, each tested by itself. */
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

static bool is_seen(const member *who, const rico_filter *filter)
{
    return (who->layers & filter->layers) != 0 && (who->layers & filter->ignored_layers) == 0;
}

static rico_hit brute(const crowd *c, const rico_filter *filter, const rico_ray *ray)
{
    rico_hit best = {.t = ray->t_max, .triangle = RICO_NO_TRIANGLE};
    for (uint32_t slot = 0; slot < CROWD_MOST; ++slot) {
        const member *who = &c->members[slot];
        if (!who->used || !is_seen(who, filter) || slot + 1 == ray->ignore)
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

bool answers_equal(const rico_hit *a, const rico_hit *b)
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

rico_mesh crowd_view(const model *m)
{
    rico_mesh view = mesh_view(&m->mesh);
    view.surfaces = m->surfaces;
    return view;
}

crowd *crowd_create(uint64_t seed)
{
    crowd *c = calloc(1, sizeof *c);
    c->random.state = seed;
    c->scene = scene_create_quiet(0.0f);
    mesh_scatter(&c->models[0].mesh, &c->random, 0.4f, 40);
    mesh_box(&c->models[1].mesh, vec3(-0.3f, -0.2f, 0.0f), vec3(0.3f, 0.2f, 0.5f));
    mesh_sphere(&c->models[2].mesh, 0.25f, 1);
    mesh_scatter(&c->models[3].mesh, &c->random, 4.0f, 60);
    for (uint32_t i = 0; i < CROWD_SHAPES; ++i) {
        model *m = &c->models[i];
        rico_shape_def def = rico_shape_def_default();
        model_finish(c, i);
        def.mesh = crowd_view(m);
        CHECK_EQ(rico_scene_add_shape(c->scene, &def, NULL, &m->shape), RICO_OK);
    }
    return c;
}

void crowd_destroy(crowd *c)
{
    rico_scene_destroy(c->scene);
    for (int i = 0; i < CROWD_SHAPES; ++i) {
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
    uint32_t other = random_below(&c->random, CROWD_MOST);
    if (random_below(&c->random, 4) == 0 && c->members[other].used)
        m = c->members[other].motion; /* the same place, so that hits tie */
    if (random_below(&c->random, 2) == 0)
        m.velocity = random_direction(&c->random);
    if (random_below(&c->random, 3) == 0)
        m.angular_velocity = random_direction(&c->random);
    return m;
}

void crowd_add(crowd *c, bool placed)
{
    member who = {.model = random_below(&c->random, CROWD_SHAPES - 1),
                  .layers = 1u << random_below(&c->random, 3),
                  .motion = random_motion(c),
                  .used = true,
                  .placed = placed};
    if (placed) {
        who.model = random_below(&c->random, CROWD_SHAPES);
        rico_mesh view = crowd_view(&c->models[who.model]);
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
    CHECK(who.id.index1 >= 1 && who.id.index1 <= CROWD_MOST);
    CHECK(!c->members[who.id.index1 - 1].used);
    who.version = rico_scene_version(c->scene);
    c->members[who.id.index1 - 1] = who;
}

static uint32_t any_member(crowd *c)
{
    uint32_t slot = random_below(&c->random, CROWD_MOST);
    while (!c->members[slot].used)
        slot = (slot + 1) % CROWD_MOST;
    return slot;
}

void crowd_remove(crowd *c)
{
    member *who = &c->members[any_member(c)];
    CHECK_EQ(rico_scene_remove(c->scene, who->id), RICO_OK);
    CHECK_EQ(rico_scene_remove(c->scene, who->id), RICO_STALE_ID);
    who->used = false;
    who->version = rico_scene_version(c->scene);
}

void crowd_move(crowd *c, uint32_t one_in)
{
    static rico_collider_id ids[CROWD_MOST];
    static rico_motion motions[CROWD_MOST];
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < CROWD_MOST; ++slot) {
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

/* --- queries --- */

rico_ray crowd_ray(crowd *c)
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
        ray.ignore = 1 + random_below(&c->random, CROWD_MOST);
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

/* For boxes in a row that begins with `box`: one call for all of them answers as one call per
 * box. */
static void check_row(crowd *c, const rico_box *box)
{
    rico_box boxes[24];
    bool occupied[24];
    const uint32_t count = 1 + (uint32_t)random_below(&c->random, 24);
    const uint32_t layers = random_below(&c->random, 2) == 0 ? UINT32_MAX : 2u;
    const float room = random_below(&c->random, 2) == 0 ? 0.0f : 0.25f;
    const rico_vec3 step = vec3_sub(box->hi, box->lo);
    for (uint32_t i = 0; i < count; ++i) {
        const rico_vec3 by = vec3((float)i * step.x * 0.75f, 0.0f, (float)(i / 8) * step.z);
        boxes[i] = (rico_box){vec3_add(box->lo, by), vec3_add(box->hi, by)};
    }
    rico_scene_occupied_row(c->scene, layers, boxes, count, room, occupied);
    for (uint32_t i = 0; i < count; ++i)
        CHECK_EQ(occupied[i], rico_scene_occupied_closely(c->scene, layers, &boxes[i], room));
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
    for (uint32_t slot = 0; slot < CROWD_MOST; ++slot) {
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
            if (!is_seen(who, filter))
                continue;
            CHECK_MSG(n < count && found[n].collider == slot + 1 && found[n].triangle == i,
                      "triangle %u of collider %u is not in its place", i, slot + 1);
            CHECK(memcmp(&found[n].a, p, sizeof p) == 0);
            n += 1;
        }
    }
    CHECK_EQ(n, count);
    CHECK(!any || rico_scene_occupied(c->scene, &box));
    CHECK(!any || rico_scene_occupied_closely(c->scene, UINT32_MAX, &box, 0.0f));
    check_row(c, &box);
    static rico_triangle few[7];
    CHECK_EQ(rico_scene_gather(c->scene, filter, &box, few, 7), count);
    CHECK(memcmp(few, found, (count < 7 ? count : 7) * sizeof *few) == 0);
}

static void check_book(crowd *c)
{
    uint32_t count = 0;
    rico_box bounds = rico_scene_get_stats(c->scene).bounds;
    for (uint32_t slot = 0; slot < CROWD_MOST; ++slot) {
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

/* With the kernels of one instruction set, when this CPU has it. */
void crowd_check(crowd *c, int round)
{
    static const rico_filter filters[] = {
        {.layers = UINT32_MAX},
        {.layers = 2},
        {.layers = UINT32_MAX, .skip_back_faces = true},
        {.layers = 5, .skip_back_faces = true},
        {.layers = 0},
        {.layers = UINT32_MAX, .ignored_layers = 6},
        {.layers = 3, .skip_back_faces = true, .ignored_layers = 2}};
    const rico__cast_kernel *own = c->scene->cast;
    const rico__cast_kernel *kernel =
        rico__cast_for_isa((rico__isa)((uint32_t)round % RICO_ISA_COUNT));
    const rico_filter *filter = &filters[round % 2 == 0 ? 0 : round / 2 % 7];
    c->scene->cast = kernel != NULL ? kernel : own;
    check_rays(c, filter);
    for (int i = 0; i < FIXTURE_REPEATS(20); ++i)
        check_box(c, filter);
    check_book(c);
    c->scene->cast = own;
}
