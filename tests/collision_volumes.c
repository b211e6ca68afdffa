#include "collision_volumes.h"
#include "cast.h"

static point64 sub(point64 a, point64 b)
{
    return (point64){a.x - b.x, a.y - b.y, a.z - b.z};
}

static long double dot(point64 a, point64 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static point64 cross(point64 a, point64 b)
{
    return (point64){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static point64 along(point64 a, point64 d, long double s)
{
    return (point64){a.x + d.x * s, a.y + d.y * s, a.z + d.z * s};
}

static void take(point64 p, point64 q, long double *best, point64 *nearest)
{
    point64 d = sub(p, q);
    long double distance = sqrtl(dot(d, d));
    if (distance < *best) {
        *best = distance;
        *nearest = q;
    }
}

long double volume_distance(const point64 corner[3], point64 p, point64 *nearest)
{
    long double best = INFINITY;
    point64 at = corner[0];
    for (int i = 0; i < 3; ++i) {
        point64 a = corner[i], edge = sub(corner[(i + 1) % 3], a);
        long double square = dot(edge, edge);
        long double s = square > 0 ? dot(sub(p, a), edge) / square : 0;
        take(p, along(a, edge, s < 0 ? 0 : s > 1 ? 1 : s), &best, &at);
    }
    point64 ab = sub(corner[1], corner[0]), ac = sub(corner[2], corner[0]);
    point64 n = cross(ab, ac), ap = sub(p, corner[0]);
    long double square = dot(n, n);
    /* Barycentric coordinates of the foot of the perpendicular. */
    if (square > 0) {
        long double v = dot(cross(ap, ac), n) / square, w = dot(cross(ab, ap), n) / square;
        if (v >= 0 && w >= 0 && v + w <= 1)
            take(p, along(along(corner[0], ab, v), ac, w), &best, &at);
    }
    if (nearest != NULL)
        *nearest = at;
    return best;
}

static rico_vec3 near_to(fixture_random *random, rico_vec3 p, float size)
{
    return vec3_mad(p, random_direction(random), size);
}

/* A square patch of a plane, with corners on exact floats. */
static void mesh_patch(fixture_mesh *mesh, rico_vec3 at, float step, int side)
{
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            rico_vec3 a = vec3(at.x + (float)x * step, at.y + (float)y * step, at.z);
            rico_vec3 b = vec3(a.x + step, a.y, a.z), c = vec3(a.x + step, a.y + step, a.z);
            mesh_loose(mesh, a, b, c);
            mesh_loose(mesh, a, c, vec3(a.x, a.y + step, a.z));
        }
}

void mesh_nasty(fixture_mesh *mesh, fixture_random *random, int count)
{
    rico_box room = {vec3(-2.0f, -2.0f, -2.0f), vec3(2.0f, 2.0f, 2.0f)};
    for (int i = 0; i < count; ++i) {
        rico_vec3 a = random_in_box(random, &room), d = random_direction(random);
        rico_vec3 b = vec3_mad(a, d, random_between(random, 0.01f, 1.0f));
        rico_vec3 middle = vec3_scale(vec3_add(a, b), 0.5f);
        switch (random_below(random, 6)) {
        case 0: /* a sliver, of a few float steps */
            mesh_loose(mesh, a, b, near_to(random, middle, 1.0e-6f));
            break;
        case 1: /* a needle: two corners nearly the same */
            mesh_loose(mesh, a, b, near_to(random, b, 3.0e-7f));
            break;
        case 2: /* the same triangle twice, then once turned over */
            mesh_loose(mesh, a, b, near_to(random, middle, 0.2f));
            mesh_triangle(mesh, mesh->vertex_count - 3, mesh->vertex_count - 2,
                          mesh->vertex_count - 1);
            mesh_triangle(mesh, mesh->vertex_count - 3, mesh->vertex_count - 1,
                          mesh->vertex_count - 2);
            break;
        case 3: /* tiny */
            mesh_loose(mesh, a, near_to(random, a, 1.0e-3f), near_to(random, a, 1.0e-3f));
            break;
        case 4: /* no area */
            mesh_loose(mesh, a, middle, a);
            break;
        default:
            mesh_loose(mesh, a, b, near_to(random, middle, 0.3f));
        }
    }
    mesh_patch(mesh, vec3(-0.5f, -0.5f, -0.25f), 0.125f, 8);
    mesh_loose(mesh, vec3(-900.0f, -800.0f, -1.5f), vec3(1000.0f, -700.0f, -1.5f),
               vec3(0.0f, 1100.0f, -1.25f));
}

void mesh_peaks(fixture_mesh *mesh, fixture_random *random, uint32_t side)
{
    uint32_t first = mesh->triangle_count, row = side + 1;
    for (uint32_t i = 0; i < row * row; ++i)
        mesh_vertex(mesh, vec3((float)(i % row) * 2.0f / (float)side - 1.0f,
                               (float)(i / row) * 2.0f / (float)side - 1.0f,
                               random_between(random, 0.0f, 0.5f)));
    for (uint32_t i = 0; i < side * side; ++i) {
        uint32_t a = i / side * row + i % side;
        mesh_triangle(mesh, a, a + 1, a + row + 1);
        mesh_triangle(mesh, a, a + row + 1, a + row);
    }
    for (uint32_t i = mesh->triangle_count - 1; i > first; --i) {
        uint32_t *p = mesh->indices + 3 * (size_t)i, kept[3];
        uint32_t *q = mesh->indices + 3 * (size_t)(first + random_below(random, i - first));
        memcpy(kept, p, sizeof kept);
        memcpy(p, q, sizeof kept);
        memcpy(q, kept, sizeof kept);
    }
}

void each_isa(isa_fn *call, void *user)
{
    for (int isa = 0; isa < RICO_ISA_COUNT; ++isa)
        if (rico__cast_for_isa((rico__isa)isa) != NULL)
            call(user, isa);
}
