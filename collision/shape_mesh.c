#include "shape_mesh.h"
#include "hull.h"
#include "limit.h"
#include "trig.h"

#include <stdio.h>

#define SHAPE_MIN 1.0e-4f
#define SHAPE_MAX 1.0e5f
#define SAMPLES_MAX 65536u
#define SQUARES_MAX 0x04000000u
#define HULL_POINTS_MAX 65536u
#define PI 3.14159265f

/* The triangles of a sphere or capsule have this many meridians, and 6 rings per half, from the
 * equator on, without the pole. Large ones have more. */
#define MERIDIANS 24u
#define MOST_MERIDIANS 128u
#define MERIDIANS_PER_RING 4u

/* A flat quad that spans the angle a both ways dips below the surface by a^2 / 4 of the radius:
 * 1.7 % for 15 degrees. This share of the dip goes outside. */
#define SWELL 0.4377f
/* Metres: the most that the rest of the dip may be, as far as MOST_MERIDIANS allows. A ball of
 * 1 cm that is too fast for records meets the surface itself, and must not begin behind it. */
#define MOST_OFF 0.004f

bool rico__shape_mesh_reserve(rico__shape_mesh *mesh, rico__memory *memory,
                              uint32_t vertex_count, uint32_t triangle_count)
{
    *mesh = (rico__shape_mesh){.vertex_count = vertex_count, .triangle_count = triangle_count};
    mesh->positions = rico__memory_allocate(memory, vertex_count, 3 * sizeof *mesh->positions,
                                            RICO_CACHE_LINE);
    mesh->indices = rico__memory_allocate(memory, triangle_count, 3 * sizeof *mesh->indices,
                                          RICO_CACHE_LINE);
    if (mesh->positions != NULL && mesh->indices != NULL)
        return true;
    rico__shape_mesh_release(mesh, memory);
    return false;
}

void rico__shape_mesh_release(rico__shape_mesh *mesh, rico__memory *memory)
{
    rico__memory_release(memory, mesh->positions, mesh->vertex_count,
                         3 * sizeof *mesh->positions, RICO_CACHE_LINE);
    rico__memory_release(memory, mesh->indices, mesh->triangle_count, 3 * sizeof *mesh->indices,
                         RICO_CACHE_LINE);
    *mesh = (rico__shape_mesh){.triangle_count = 0};
}

rico_mesh rico__shape_mesh_view(const rico__shape_mesh *mesh)
{
    return (rico_mesh){.positions = mesh->positions,
                       .vertex_count = mesh->vertex_count,
                       .indices = mesh->indices,
                       .triangle_count = mesh->triangle_count};
}

static void set_vertex(rico__shape_mesh *mesh, uint32_t i, float x, float y, float z)
{
    float *p = mesh->positions + 3 * (size_t)i;
    p[0] = x;
    p[1] = y;
    p[2] = z;
}

/* Writes a triangle. Returns the place of the next. */
static uint32_t *put_triangle(uint32_t *index, uint32_t a, uint32_t b, uint32_t c)
{
    index[0] = a;
    index[1] = b;
    index[2] = c;
    return index + 3;
}

/* Writes a quad: a, b, c, d go around its front. */
static uint32_t *put_quad(uint32_t *index, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return put_triangle(put_triangle(index, a, b, c), a, c, d);
}

/* --- box --- */

static bool make_box(rico__shape_mesh *mesh, rico__memory *memory, rico_vec3 half)
{
    static const uint8_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    if (!rico__shape_mesh_reserve(mesh, memory, 8, 12))
        return false;
    for (uint32_t i = 0; i < 8; ++i)
        set_vertex(mesh, i, i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                   i & 4 ? half.z : -half.z);
    uint32_t *index = mesh->indices;
    for (uint32_t i = 0; i < 6; ++i)
        index = put_quad(index, faces[i][0], faces[i][1], faces[i][2], faces[i][3]);
    return true;
}

/* --- height field --- */

static bool make_height_field(rico__shape_mesh *mesh, rico__memory *memory,
                              const rico_height_field *field)
{
    uint32_t columns = field->columns, rows = field->rows;
    if (!rico__shape_mesh_reserve(mesh, memory, columns * rows, 2 * (columns - 1) * (rows - 1)))
        return false;
    for (uint32_t y = 0; y < rows; ++y)
        for (uint32_t x = 0; x < columns; ++x) {
            uint32_t i = y * columns + x;
            set_vertex(mesh, i, (float)x * field->spacing_x, (float)y * field->spacing_y,
                       field->heights[i]);
        }
    uint32_t *index = mesh->indices;
    for (uint32_t y = 0; y + 1 < rows; ++y)
        for (uint32_t x = 0; x + 1 < columns; ++x) {
            uint32_t i = y * columns + x, above = i + columns;
            index = put_quad(index, i, i + 1, above + 1, above);
        }
    return true;
}

/* --- sphere and capsule --- */

/* How far quads between this many meridians dip, per radius. */
static float dip(uint32_t meridians)
{
    float half = PI / (float)meridians;
    return half * half;
}

static uint32_t meridians_of(float radius)
{
    uint32_t n = MERIDIANS;
    while (n < MOST_MERIDIANS && (1.0f - SWELL) * dip(n) * radius > MOST_OFF)
        n += MERIDIANS_PER_RING;
    return n;
}

/* Writes one ring of vertices, from `first` on, at the height z. */
static void put_ring(rico__shape_mesh *mesh, uint32_t first, uint32_t meridians, float radius,
                     float z)
{
    for (uint32_t i = 0; i < meridians; ++i) {
        float angle = 2.0f * PI * (float)i / (float)meridians;
        set_vertex(mesh, first + i, radius * rico__cos(angle), radius * rico__sin(angle), z);
    }
}

/* Writes the quads between a ring and the one above it. */
static uint32_t *put_band(uint32_t *index, uint32_t meridians, uint32_t low, uint32_t high)
{
    for (uint32_t i = 0; i < meridians; ++i) {
        uint32_t next = (i + 1) % meridians;
        index = put_quad(index, low + i, low + next, high + next, high + i);
    }
    return index;
}

static uint32_t *put_caps(uint32_t *index, uint32_t meridians, uint32_t bottom, uint32_t low,
                          uint32_t high, uint32_t top)
{
    for (uint32_t i = 0; i < meridians; ++i) {
        uint32_t next = (i + 1) % meridians;
        index = put_triangle(index, bottom, low + next, low + i);
        index = put_triangle(index, top, high + i, high + next);
    }
    return index;
}

/* Makes rings from the south to the north. A sphere has one equator, a capsule two. */
static bool make_capsule(rico__shape_mesh *mesh, rico__memory *memory, float radius,
                         float half_length)
{
    const uint32_t n = meridians_of(radius), per_half = n / MERIDIANS_PER_RING;
    const uint32_t ring_count = 2 * per_half - (half_length > 0.0f ? 0 : 1);
    const uint32_t bottom = ring_count * n, top = bottom + 1;
    if (!rico__shape_mesh_reserve(mesh, memory, top + 1, 2 * ring_count * n))
        return false;
    const float wide = radius * (1.0f + SWELL * dip(n));
    for (uint32_t ring = 0; ring < ring_count; ++ring) {
        bool north = ring >= ring_count - per_half;
        uint32_t up = north ? ring - (ring_count - per_half) : per_half - 1 - ring;
        float angle = 0.5f * PI * (float)up / (float)per_half, side = north ? 1.0f : -1.0f;
        put_ring(mesh, ring * n, n, wide * rico__cos(angle),
                 side * (half_length + wide * rico__sin(angle)));
    }
    set_vertex(mesh, bottom, 0.0f, 0.0f, -(half_length + wide));
    set_vertex(mesh, top, 0.0f, 0.0f, half_length + wide);
    uint32_t *index = mesh->indices;
    for (uint32_t ring = 0; ring + 1 < ring_count; ++ring)
        index = put_band(index, n, ring * n, (ring + 1) * n);
    put_caps(index, n, bottom, 0, (ring_count - 1) * n, top);
    return true;
}

/* --- checks --- */

static rico_result check_number(const rico__shape_maker *maker, const char *field, float value,
                                float lo, float hi)
{
    return rico__limit_number(maker->log, maker->call, field, value, lo, hi);
}

static rico_result check_mesh(const rico__shape_maker *maker, const rico_mesh *mesh)
{
    if (mesh->indices != NULL && mesh->indices16 != NULL)
        return rico__fail(maker->log, RICO_OUT_OF_RANGE, maker->call,
                          "def.mesh.indices and indices16 are both set, expected one of them");
    return check_number(maker, "def.mesh.smooth_angle", mesh->smooth_angle, 0.0f, PI);
}

static rico_result check_height_field(const rico__shape_maker *maker,
                                      const rico_height_field *field)
{
    if (field->heights == NULL)
        return rico__fail(maker->log, RICO_OUT_OF_RANGE, maker->call,
                          "def.height_field.heights is NULL");
    if (field->columns < 2 || field->columns > SAMPLES_MAX || field->rows < 2 ||
        field->rows > SAMPLES_MAX ||
        (uint64_t)(field->columns - 1) * (field->rows - 1) >= SQUARES_MAX)
        return rico__fail(maker->log, RICO_OUT_OF_RANGE, maker->call,
                          "def.height_field has %u columns and %u rows, expected 2..%u of each "
                          "and fewer than 2^26 squares",
                          field->columns, field->rows, SAMPLES_MAX);
    rico_result result =
        check_number(maker, "def.height_field.spacing_x", field->spacing_x, 1.0e-3f, 1.0e4f);
    return result != RICO_OK ? result
                             : check_number(maker, "def.height_field.spacing_y",
                                            field->spacing_y, 1.0e-3f, 1.0e4f);
}

static rico_result check_hull(const rico__shape_maker *maker, const rico_hull *hull)
{
    if (hull->points == NULL || hull->point_count < 4 || hull->point_count > HULL_POINTS_MAX)
        return rico__fail(maker->log, RICO_OUT_OF_RANGE, maker->call,
                          "def.hull has %u points at %s, expected 4..%u", hull->point_count,
                          hull->points == NULL ? "NULL" : "hull.points", HULL_POINTS_MAX);
    for (uint32_t i = 0; i < 3 * hull->point_count; ++i) {
        char name[48];
        if (hull->points[i] >= -RICO__MOST_COORDINATE &&
            hull->points[i] <= RICO__MOST_COORDINATE)
            continue;
        snprintf(name, sizeof name, "def.hull.points[%u]", i);
        return check_number(maker, name, hull->points[i], -RICO__MOST_COORDINATE,
                            RICO__MOST_COORDINATE);
    }
    return RICO_OK;
}

static rico_result check_box(const rico__shape_maker *maker, rico_vec3 half)
{
    rico_result result = check_number(maker, "def.half_size.x", half.x, SHAPE_MIN, SHAPE_MAX);
    if (result == RICO_OK)
        result = check_number(maker, "def.half_size.y", half.y, SHAPE_MIN, SHAPE_MAX);
    if (result == RICO_OK)
        result = check_number(maker, "def.half_size.z", half.z, SHAPE_MIN, SHAPE_MAX);
    return result;
}

static rico_result check_capsule(const rico__shape_maker *maker, const rico_shape_def *def)
{
    rico_result result =
        check_number(maker, "def.half_length", def->half_length, 0.0f, SHAPE_MAX);
    return result != RICO_OK
               ? result
               : check_number(maker, "def.radius", def->radius, SHAPE_MIN, SHAPE_MAX);
}

static rico_result check_shape(const rico__shape_maker *maker, const rico_shape_def *def)
{
    switch (def->kind) {
    case RICO_SHAPE_MESH:
        return check_mesh(maker, &def->mesh);
    case RICO_SHAPE_HEIGHT_FIELD:
        return check_height_field(maker, &def->height_field);
    case RICO_SHAPE_HULL:
        return check_hull(maker, &def->hull);
    case RICO_SHAPE_BOX:
        return check_box(maker, def->half_size);
    case RICO_SHAPE_CAPSULE:
        return check_capsule(maker, def);
    case RICO_SHAPE_SPHERE:
        return check_number(maker, "def.radius", def->radius, SHAPE_MIN, SHAPE_MAX);
    case RICO_SHAPE_PLANE:
        return RICO_OK;
    }
    return rico__fail(maker->log, RICO_OUT_OF_RANGE, maker->call,
                      "def.kind is %d, expected a rico_shape_kind", (int)def->kind);
}

static rico_result make_shape(rico__shape_mesh *mesh, rico__memory *memory,
                              const rico_shape_def *def)
{
    bool made = true;
    switch (def->kind) {
    case RICO_SHAPE_HULL:
        return rico__hull_make(mesh, memory, def->hull.points, def->hull.point_count);
    case RICO_SHAPE_BOX:
        made = make_box(mesh, memory, def->half_size);
        break;
    case RICO_SHAPE_HEIGHT_FIELD:
        made = make_height_field(mesh, memory, &def->height_field);
        break;
    case RICO_SHAPE_CAPSULE:
        made = make_capsule(mesh, memory, def->radius, def->half_length);
        break;
    case RICO_SHAPE_SPHERE:
        made = make_capsule(mesh, memory, def->radius, 0.0f);
        break;
    case RICO_SHAPE_MESH:
    case RICO_SHAPE_PLANE:
        break;
    }
    return made ? RICO_OK : RICO_OUT_OF_MEMORY;
}

rico_result rico__shape_mesh_make(rico__shape_mesh *mesh, const rico__shape_maker *maker,
                                  const rico_shape_def *def)
{
    *mesh = (rico__shape_mesh){.triangle_count = 0};
    rico_result result = check_shape(maker, def);
    if (result != RICO_OK)
        return result;
    result = make_shape(mesh, maker->memory, def);
    if (result == RICO_EMPTY_MESH)
        return rico__fail(maker->log, result, maker->call,
                          "def.hull: all %u points are in one plane, expected a volume",
                          def->hull.point_count);
    if (result != RICO_OK)
        return rico__fail(maker->log, result, maker->call, "no memory for the shape");
    return RICO_OK;
}
