/* rock.c - a cube of six grids, blown up to a sphere and displaced by noise.
 *
 * A direction is computed from its cube coordinates alone, in the same order for every face. So
 * two faces give the same bits on their common edge: the body is closed although the faces do
 * not share vertices.
 */
#include "rock.h"

#include "mesh_builder.h"

#include <math.h>

enum { CELLS = 160, OCTAVES = 5 }; /* 6 x 160 x 160 x 2 = 307,200 triangles */

/* Distance of the surface from the middle, in rock units. */
static float radius(uint64_t seed, float x, float y, float z)
{
    float sum = 1.0f, size = 0.22f, frequency = 1.3f;
    for (uint64_t i = 0; i < OCTAVES; i++) {
        sum += size * rio_noise(seed + i, x * frequency, y * frequency, z * frequency);
        size *= 0.45f;
        frequency *= 2.3f;
    }
    return sum;
}

/* Cube coordinate of a grid line. It evens out the triangles: those of a plain cube are five
 * times larger in the middle of a face than at its corners. The function is odd, and exact at
 * -1, 0 and 1. */
static float grid_line(uint32_t i)
{
    float t = (float)((int32_t)i * 2 - CELLS) / (float)CELLS;
    return t * (0.75f + 0.25f * t * t);
}

static uint32_t rock_vertex(rio_builder *b, uint64_t seed, const float cube[3])
{
    float x = cube[0], y = cube[1], z = cube[2];
    float k = 1.0f / sqrtf(x * x + y * y + z * z);
    x *= k;
    y *= k;
    z *= k;
    float r = radius(seed, x, y, z);
    return rio_builder_vertex(b, x * r, y * r, z * r * 0.8f);
}

static void rock_face(rio_builder *b, uint64_t seed, int axis, float side)
{
    uint32_t first = b->vertex_count, stride = CELLS + 1;
    for (uint32_t j = 0; j <= CELLS; j++)
        for (uint32_t i = 0; i <= CELLS; i++) {
            float cube[3];
            cube[axis] = side;
            /* Reversed on the far side, so that both faces look outwards. */
            cube[(axis + 1) % 3] = grid_line(side > 0.0f ? i : CELLS - i);
            cube[(axis + 2) % 3] = grid_line(j);
            rock_vertex(b, seed, cube);
        }
    for (uint32_t j = 0; j < CELLS; j++)
        for (uint32_t i = 0; i < CELLS; i++) {
            uint32_t v = first + j * stride + i, w = v + stride;
            rio_builder_quad(b, v, v + 1, w + 1, w);
        }
}

/* Scales and moves the mesh to its size and place. */
static void settle(rio_mesh *mesh)
{
    rico_box box = rio_mesh_bounds(mesh);
    float widest = fmaxf(box.hi.x - box.lo.x, fmaxf(box.hi.y - box.lo.y, box.hi.z - box.lo.z));
    float scale = RIO_ROCK_SIZE / widest;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        float *p = mesh->positions + v * 3;
        p[0] *= scale;
        p[1] *= scale;
        p[2] = (p[2] - box.lo.z) * scale;
    }
}

rico_result rio_rock_create(uint64_t seed, rio_mesh *out)
{
    rio_builder b = rio_builder_begin();
    rio_builder_color(&b, 0.36f, 0.33f, 0.30f);
    for (int axis = 0; axis < 3; axis++) {
        rock_face(&b, seed, axis, 1.0f);
        rock_face(&b, seed, axis, -1.0f);
    }
    rico_result result = rio_builder_take(&b, out);
    if (result == RICO_OK)
        settle(out);
    return result;
}
