#include "collision_fixture.h"
#include "hash.h"
#include "scene_private.h"

#include <unistd.h>

/* --- random numbers --- */

static uint64_t random_next(fixture_random *random)
{
    random->state += 0x9e3779b97f4a7c15u;
    return rico__mix64(random->state);
}

uint32_t random_below(fixture_random *random, uint32_t n)
{
    return (uint32_t)((random_next(random) >> 32) * n >> 32);
}

float random_between(fixture_random *random, float lo, float hi)
{
    return lo + (hi - lo) * (float)(random_next(random) >> 40) * 0x1p-24f;
}

rico_vec3 random_in_box(fixture_random *random, const rico_box *box)
{
    float x = random_between(random, box->lo.x, box->hi.x);
    float y = random_between(random, box->lo.y, box->hi.y);
    return vec3(x, y, random_between(random, box->lo.z, box->hi.z));
}

rico_vec3 random_direction(fixture_random *random)
{
    rico_box cube = {{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}};
    for (;;) {
        rico_vec3 d = random_in_box(random, &cube);
        float length = vec3_length(d);
        if (length > 0.1f && length <= 1.0f)
            return vec3_scale(d, 1.0f / length);
    }
}

rico_quat random_rotation(fixture_random *random)
{
    rico_vec3 axis = random_direction(random);
    float half = random_between(random, 0.0f, 3.14159f);
    float s = sinf(half);
    rico_quat q = {axis.x * s, axis.y * s, axis.z * s, cosf(half)};
    return q;
}

/* --- meshes --- */

static void *grown(void *array, uint32_t *capacity, uint32_t count, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity == 0 ? 64 : *capacity * 2;
    array = realloc(array, *capacity * size);
    if (array == NULL)
        abort();
    return array;
}

uint32_t mesh_vertex(fixture_mesh *mesh, rico_vec3 p)
{
    mesh->positions = grown(mesh->positions, &mesh->vertex_capacity, mesh->vertex_count,
                            3 * sizeof *mesh->positions);
    memcpy(mesh->positions + 3 * mesh->vertex_count, &p, sizeof p);
    return mesh->vertex_count++;
}

void mesh_triangle(fixture_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    mesh->indices = grown(mesh->indices, &mesh->triangle_capacity, mesh->triangle_count,
                          3 * sizeof *mesh->indices);
    uint32_t *index = mesh->indices + 3 * mesh->triangle_count++;
    index[0] = a;
    index[1] = b;
    index[2] = c;
}

void mesh_loose(fixture_mesh *mesh, rico_vec3 a, rico_vec3 b, rico_vec3 c)
{
    uint32_t first = mesh_vertex(mesh, a);
    mesh_vertex(mesh, b);
    mesh_vertex(mesh, c);
    mesh_triangle(mesh, first, first + 1, first + 2);
}

void mesh_box(fixture_mesh *mesh, rico_vec3 lo, rico_vec3 hi)
{
    static const uint8_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    uint32_t first = mesh->vertex_count;
    for (int i = 0; i < 8; ++i)
        mesh_vertex(mesh, vec3(i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z));
    for (int f = 0; f < 6; ++f) {
        mesh_triangle(mesh, first + faces[f][0], first + faces[f][1], first + faces[f][2]);
        mesh_triangle(mesh, first + faces[f][0], first + faces[f][2], first + faces[f][3]);
    }
}

static rico_vec3 mesh_position(const fixture_mesh *mesh, uint32_t vertex)
{
    const float *p = mesh->positions + 3 * vertex;
    return vec3(p[0], p[1], p[2]);
}

/* The vertex halfway between two, on the sphere; made once per edge. */
static uint32_t middle_vertex(fixture_mesh *mesh, uint32_t *cache, uint32_t side, uint32_t a,
                              uint32_t b, float radius)
{
    uint32_t *entry = a < b ? &cache[a * side + b] : &cache[b * side + a];
    if (*entry == 0) {
        rico_vec3 p = vec3_add(mesh_position(mesh, a), mesh_position(mesh, b));
        *entry = mesh_vertex(mesh, vec3_scale(vec3_normalize(p), radius));
    }
    return *entry;
}

static void subdivide(fixture_mesh *mesh, float radius)
{
    fixture_mesh old = *mesh;
    uint32_t side = old.vertex_count;
    uint32_t *cache = calloc((size_t)side * side, sizeof *cache);
    if (cache == NULL)
        abort();
    mesh->indices = NULL;
    mesh->triangle_count = mesh->triangle_capacity = 0;
    for (uint32_t i = 0; i < old.triangle_count; ++i) {
        const uint32_t *t = old.indices + 3 * i;
        uint32_t ab = middle_vertex(mesh, cache, side, t[0], t[1], radius);
        uint32_t bc = middle_vertex(mesh, cache, side, t[1], t[2], radius);
        uint32_t ca = middle_vertex(mesh, cache, side, t[2], t[0], radius);
        mesh_triangle(mesh, t[0], ab, ca);
        mesh_triangle(mesh, ab, t[1], bc);
        mesh_triangle(mesh, ca, bc, t[2]);
        mesh_triangle(mesh, ab, bc, ca);
    }
    free(old.indices);
    free(cache);
}

static void append(fixture_mesh *mesh, const fixture_mesh *other)
{
    uint32_t first = mesh->vertex_count;
    for (uint32_t i = 0; i < other->vertex_count; ++i)
        mesh_vertex(mesh, mesh_position(other, i));
    for (uint32_t i = 0; i < other->triangle_count; ++i) {
        const uint32_t *t = other->indices + 3 * (size_t)i;
        mesh_triangle(mesh, first + t[0], first + t[1], first + t[2]);
    }
}

void mesh_sphere(fixture_mesh *mesh, float radius, int subdivisions)
{
    static const float g = 1.618034f;
    static const uint8_t faces[20][3] = {
        {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
        {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
        {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    const rico_vec3 corners[12] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                   {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                   {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    fixture_mesh ball = {0};
    for (int i = 0; i < 12; ++i)
        mesh_vertex(&ball, vec3_scale(vec3_normalize(corners[i]), radius));
    for (int i = 0; i < 20; ++i)
        mesh_triangle(&ball, faces[i][0], faces[i][1], faces[i][2]);
    for (int i = 0; i < subdivisions; ++i)
        subdivide(&ball, radius);
    append(mesh, &ball); /* a mesh of its own until here, since all of it was divided */
    mesh_free(&ball);
}

void mesh_scatter(fixture_mesh *mesh, fixture_random *random, float size, int count)
{
    rico_box room = {vec3(-size, -size, -size), vec3(size, size, size)};
    for (int i = 0; i < count; ++i) {
        rico_vec3 a = random_in_box(random, &room);
        float length = random_between(random, 0.001f, i % 50 == 0 ? size : 0.3f);
        mesh_loose(mesh, a, vec3_mad(a, random_direction(random), length),
                   vec3_mad(a, random_direction(random), length));
    }
}

rico_mesh mesh_view(const fixture_mesh *mesh)
{
    rico_mesh view = {.positions = mesh->positions,
                      .vertex_count = mesh->vertex_count,
                      .indices = mesh->indices,
                      .triangle_count = mesh->triangle_count};
    return view;
}

rico_vec3 mesh_corner(const fixture_mesh *mesh, uint32_t triangle, uint32_t corner)
{
    return mesh_position(mesh, mesh->indices[3 * triangle + corner]);
}

void mesh_free(fixture_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->indices);
    *mesh = (fixture_mesh){0};
}

static void read_face(fixture_mesh *mesh, char *text)
{
    uint32_t fan[2] = {0, 0}, corners = 0;
    for (char *word = strtok(text, " \t\r\n"); word != NULL; word = strtok(NULL, " \t\r\n")) {
        long index = strtol(word, NULL, 10);
        uint32_t vertex = (uint32_t)(index < 0 ? (long)mesh->vertex_count + index : index - 1);
        if (corners >= 2)
            mesh_triangle(mesh, fan[0], fan[1], vertex);
        fan[corners == 0 ? 0 : 1] = vertex;
        corners += 1;
    }
}

static FILE *open_scene(const char *name)
{
    char path[1024];
    const char *folder = getenv("RICO_SCENES");
    if (folder != NULL) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
        return fopen(path, "r");
    }
    char up[64] = "";
    for (int level = 0; level < 8; ++level) {
        snprintf(path, sizeof path, "%sshared/scenes/%s", up, name);
        FILE *file = fopen(path, "r");
        if (file != NULL)
            return file;
        strcat(up, "../");
    }
    return NULL;
}

bool mesh_read_scene(fixture_mesh *mesh, const char *name)
{
    FILE *file = open_scene(name);
    if (file == NULL) {
        printf("skipped: %s is neither in $RICO_SCENES nor in shared/scenes above here\n",
               name);
        return false;
    }
    char line[4096];
    while (fgets(line, sizeof line, file) != NULL) {
        rico_vec3 p;
        if (line[0] == 'v' && sscanf(line, "v %f %f %f", &p.x, &p.y, &p.z) == 3)
            mesh_vertex(mesh, vec3(p.x, -p.z, p.y)); /* y up to z up */
        else if (line[0] == 'f' && line[1] == ' ')
            read_face(mesh, line + 2);
    }
    fclose(file);
    return true;
}

/* --- scenes --- */

static void say_nothing(void *user, rico_log_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

rico_scene *scene_create_quiet(float cell_size)
{
    rico_scene_def def = rico_scene_def_default();
    rico_scene *scene = NULL;
    def.cell_size = cell_size;
    def.log.write = say_nothing;
    rico_result result = rico_scene_create(&def, &scene);
    CHECK_EQ(result, RICO_OK);
    return scene;
}

rico_collider_id scene_add(rico_scene *scene, const fixture_mesh *mesh,
                           rico_transform transform)
{
    rico_mesh view = mesh_view(mesh);
    rico_collider_id id = {0, 0};
    rico_result result = rico_scene_add_mesh(scene, &view, transform, NULL, &id);
    CHECK_EQ(result, RICO_OK);
    return id;
}

rico_scene *scene_of(const fixture_mesh *mesh, float cell_size)
{
    rico_scene *scene = scene_create_quiet(cell_size);
    scene_add(scene, mesh, RICO_TRANSFORM_IDENTITY);
    return scene;
}

rico__triangle scene_triangle(const rico_scene *scene, uint32_t id)
{
    for (uint32_t slot = 0; slot < scene->collider_capacity; ++slot) {
        const rico__collider *c = &scene->colliders[slot];
        uint32_t count = c->used && c->placed ? scene->shapes[c->shape].triangle_count : 0;
        if (id < count)
            return rico__triangle_at(&rico__collider_part(scene, c)->grid.triangles,
                                     id + (c->merged ? c->face_first : 0));
        id -= count;
    }
    abort();
}

/* Triangles of added meshes. */
static uint32_t added_count(const rico_scene *scene)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < scene->collider_capacity; ++slot) {
        const rico__collider *c = &scene->colliders[slot];
        count += c->used && c->placed ? scene->shapes[c->shape].triangle_count : 0;
    }
    return count;
}

const rico__grid *scene_grid(const rico_scene *scene)
{
    CHECK(scene->only != NULL);
    return &scene->only->grid;
}

rico__triangle scene_random_triangle(const rico_scene *scene, fixture_random *random)
{
    return scene_triangle(scene, random_below(random, added_count(scene)));
}

/* --- oracle --- */

#define GROUP 64u

/* Copies every added mesh, one after the other in the order of slots. */
static void copy_triangles(oracle *o)
{
    uint32_t count = o->count;
    o->vertices = calloc(3 * (size_t)count + 1, sizeof *o->vertices);
    o->faces = calloc((size_t)count + 1, sizeof *o->faces);
    if (o->vertices == NULL || o->faces == NULL)
        abort();
    for (uint32_t i = 0; i < count; ++i) {
        rico__triangle triangle = scene_triangle(o->scene, i);
        for (uint32_t j = 0; j < 3; ++j) {
            memcpy(o->vertices[3 * i + j].at, triangle.v + 3 * j, 3 * sizeof(float));
            o->vertices[3 * i + j].collider = triangle.collider;
            o->faces[i].corner[j] = 3 * i + j;
        }
        o->faces[i].corner[0] |= triangle.flat ? RICO_FACE_FLAT : 0;
        o->faces[i].triangle = triangle.triangle;
    }
}

oracle oracle_create(const rico_scene *scene)
{
    oracle o = {.scene = scene, .count = added_count(scene)};
    o.group_count = (o.count + GROUP - 1) / GROUP;
    o.groups = calloc(o.group_count + 1, sizeof *o.groups);
    copy_triangles(&o);
    const rico__triangles triangles = {o.vertices, o.faces};
    for (uint32_t i = 0; i < o.count; ++i) {
        rico__triangle triangle = rico__triangle_at(&triangles, i);
        rico_box box = rico__triangle_bounds(&triangle);
        rico_box *group = &o.groups[i / GROUP];
        group->lo = i % GROUP == 0 ? box.lo : vec3_min(group->lo, box.lo);
        group->hi = i % GROUP == 0 ? box.hi : vec3_max(group->hi, box.hi);
    }
    return o;
}

void oracle_destroy(oracle *o)
{
    free(o->groups);
    free(o->vertices);
    free(o->faces);
}

static bool ray_may_meet(const rico_ray *ray, const rico_box *box)
{
    const float *origin = &ray->origin.x, *direction = &ray->direction.x;
    const float *lo = &box->lo.x, *hi = &box->hi.x;
    double far = 0.0;
    for (int k = 0; k < 3; ++k)
        far = fmax(far, fmax(fabs((double)lo[k] - origin[k]), fabs((double)hi[k] - origin[k])));
    double begin = 0.0, end = (double)ray->t_max, pad = 1.0e-4 * far;
    for (int k = 0; k < 3; ++k) {
        double from = (double)lo[k] - origin[k] - pad, to = (double)hi[k] - origin[k] + pad;
        double d = (double)direction[k];
        if (d == 0.0) {
            if (from > 0.0 || to < 0.0)
                return false;
            continue;
        }
        begin = fmax(begin, (d > 0.0 ? from : to) / d);
        end = fmin(end, (d > 0.0 ? to : from) / d);
    }
    return begin <= end;
}

rico_hit oracle_raycast(const oracle *o, const rico_ray *ray)
{
    rico__ray_frame frame;
    rico__ray_best best = {0.0f, RICO_NO_TRIANGLE};
    const rico__triangles triangles = {o->vertices, o->faces};
    if (rico__ray_frame_init(&frame, ray)) {
        best.t = frame.t_max;
        for (uint32_t g = 0; g < o->group_count; ++g) {
            if (!ray_may_meet(ray, &o->groups[g]))
                continue;
            for (uint32_t i = g * GROUP; i < (g + 1) * GROUP && i < o->count; ++i)
                rico__ray_test(&frame, &triangles, i, &best);
        }
    }
    return rico__ray_hit(ray, best, &triangles, 0);
}

bool oracle_touches(const float v[9], const rico_box *box)
{
    const float *lo = &box->lo.x, *hi = &box->hi.x;
    double in[24][3], out[24][3];
    int count = 3;
    for (int i = 0; i < 9; ++i)
        in[i / 3][i % 3] = (double)v[i];
    for (int side = 0; side < 6; ++side) {
        int k = side % 3, kept = 0;
        double sign = side < 3 ? 1.0 : -1.0, bound = (double)(side < 3 ? lo[k] : hi[k]);
        for (int i = 0; i < count; ++i) {
            const double *p = in[i], *q = in[(i + 1) % count];
            double dp = sign * (p[k] - bound), dq = sign * (q[k] - bound);
            if (dp >= 0.0)
                memcpy(out[kept++], p, sizeof out[0]);
            if ((dp < 0.0 && dq > 0.0) || (dp > 0.0 && dq < 0.0)) {
                for (int c = 0; c < 3; ++c)
                    out[kept][c] = p[c] + (q[c] - p[c]) * (dp / (dp - dq));
                out[kept++][k] = bound;
            }
        }
        memcpy(in, out, sizeof in);
        count = kept;
    }
    return count > 0;
}

bool hit_equal(const rico_hit *a, const rico_hit *b)
{
    return memcmp(&a->t, &b->t, sizeof a->t) == 0 && a->collider == b->collider &&
           a->triangle == b->triangle && a->back_face == b->back_face &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0;
}

/* Checks that every instruction set of this CPU gives the same bits, alone and in a batch. */
static void check_kernels(const rico_scene *scene, const rico_ray *ray,
                          const rico_hit *expected)
{
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa) {
        const rico__cast_kernel *kernel = rico__cast_for_isa((rico__isa)isa);
        if (kernel == NULL || scene->only == NULL)
            continue;
        /* More rays than kernels cast one by one. */
        rico_ray rays[16];
        rico_hit hit, hits[16];
        for (int i = 0; i < 16; ++i)
            rays[i] = *ray;
        kernel->closest(&scene->only->grid, NULL, ray, &hit, 1);
        kernel->closest(&scene->only->grid, NULL, rays, hits, 16);
        CHECK_MSG(hit_equal(&hit, expected), "%s differs", rico__isa_name((rico__isa)isa));
        CHECK_MSG(hit_equal(&hits[0], expected) && hit_equal(&hits[15], expected),
                  "a batch of %s differs", rico__isa_name((rico__isa)isa));
    }
}

void check_hit(const oracle *o, const rico_ray *ray)
{
    rico_hit expected = oracle_raycast(o, ray), hit = rico_scene_raycast(o->scene, NULL, ray);
    uint32_t bits;
    memcpy(&bits, &ray->direction.y, sizeof bits);
    if (rico__mix64(bits) % 16 == 0)
        check_kernels(o->scene, ray, &hit);
    CHECK_MSG(hit_equal(&hit, &expected),
              "from (%a %a %a) along (%a %a %a) to %a: triangle %u at %a, expected %u at %a",
              (double)ray->origin.x, (double)ray->origin.y, (double)ray->origin.z,
              (double)ray->direction.x, (double)ray->direction.y, (double)ray->direction.z,
              (double)ray->t_max, hit.triangle, (double)hit.t, expected.triangle,
              (double)expected.t);
}

rico_ray ray_near_surface(fixture_random *random, const rico_scene *scene)
{
    rico__triangle triangle = scene_random_triangle(scene, random);
    const float *v = triangle.v;
    float u = random_between(random, 0.0f, 1.0f), w = random_between(random, 0.0f, 1.0f - u);
    rico_vec3 a = vec3(v[0], v[1], v[2]), b = vec3(v[3], v[4], v[5]),
              c = vec3(v[6], v[7], v[8]);
    rico_vec3 p = vec3_mad(vec3_mad(vec3_scale(a, 1.0f - u - w), b, u), c, w);
    rico_ray ray = {.t_max = random_between(random, 0.1f, 3.75f)};
    ray.origin = vec3_mad(p, random_direction(random), random_between(random, 0.0f, 2.0f));
    ray.direction = random_direction(random);
    if (random_below(random, 3) > 0)
        ray.direction.z = -fabsf(ray.direction.z);
    return ray;
}
