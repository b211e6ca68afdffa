/* runtime_record.h - records of a few triangles, and reference computations in doubles. */
#ifndef RICO_TESTS_RUNTIME_RECORD_H
#define RICO_TESTS_RUNTIME_RECORD_H

#include "testing.h"

#include "contact.h"
#include "random.h"

static inline float number(uint32_t serial, uint32_t use, float lo, float hi)
{
    return rico__random_range(11, serial, use, lo, hi);
}

/* A random triangle near the origin, the same one for the same number. */
static inline rico_triangle random_triangle(uint32_t serial)
{
    rico_triangle t = {.collider = 1, .triangle = serial};
    rico_vec3 *corner[3] = {&t.a, &t.b, &t.c};
    for (uint32_t k = 0; k < 3; ++k)
        *corner[k] = (rico_vec3){number(serial, 10 + k, -0.6f, 0.6f),
                                 number(serial, 20 + k, -0.6f, 0.6f),
                                 number(serial, 30 + k, -0.6f, 0.6f)};
    return t;
}

typedef struct dvec {
    double x, y, z;
} dvec;

static inline dvec d(rico_vec3 v)
{
    return (dvec){(double)v.x, (double)v.y, (double)v.z};
}

static inline dvec sub(dvec a, dvec b)
{
    return (dvec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline double dot(dvec a, dvec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline dvec cross(dvec a, dvec b)
{
    return (dvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* How far the projection of q lies inside the triangle, in its plane and in metres; negative:
 * outside. */
static inline double inside_by(const rico_triangle *t, dvec q)
{
    dvec c[3] = {d(t->a), d(t->b), d(t->c)};
    dvec n = cross(sub(c[1], c[0]), sub(c[2], c[0]));
    double least = 1.0e30, length = sqrt(dot(n, n));
    for (int k = 0; k < 3; ++k) {
        dvec edge = sub(c[(k + 1) % 3], c[k]);
        dvec inward = cross(n, edge);
        double distance = dot(inward, sub(q, c[k])) / (length * sqrt(dot(edge, edge)));
        if (distance < least)
            least = distance;
    }
    return least;
}

static inline dvec mad(dvec a, dvec b, double s)
{
    return (dvec){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static inline dvec unit_of(dvec v)
{
    return mad((dvec){0.0, 0.0, 0.0}, v, 1.0 / sqrt(dot(v, v)));
}

static inline rico_vec3 f(dvec v)
{
    return (rico_vec3){(float)v.x, (float)v.y, (float)v.z};
}

static inline dvec unit_normal(const rico_triangle *t)
{
    return unit_of(cross(sub(d(t->b), d(t->a)), sub(d(t->c), d(t->a))));
}

static inline double plane_distance(const rico_triangle *t, dvec q)
{
    return fabs(dot(unit_normal(t), sub(q, d(t->a))));
}

/* Records round planes and edges by no more than this, in metres. */
#define ROUNDING 1.0e-4

static const rico__cell cube = {.state = CELL_RECORDED, .half = 0.38f};

static inline rico__cell cell_of(rico__record *record, const rico_triangle *triangles,
                                 uint32_t count)
{
    rico__cell cell = cube;
    rico__record_build(record, &cube, RICO__LEAST_MARGIN, NULL, triangles, count, count);
    cell.record = record;
    return cell;
}

static inline rico__path path_from(rico_vec3 p, rico_vec3 v, float gravity)
{
    return (rico__path){.p = {p.x, p.y, p.z},
                        .v = {v.x, v.y, v.z},
                        .accel = {0.0f, 0.0f, -gravity},
                        .radius = 0.01f};
}

/* pull: as for rico__record_choose. */
static inline rico__choice choose_pulled(const rico__cell *cell, rico__path path,
                                         const rico_vec3 *pull)
{
    float time[RICO__RECORD_TIMES];
    const rico__kernels *k = rico__kernels_for_cpu();
    uint32_t found = rico__record_search(k, cell, NULL, &path, 4.0f, time);
    return rico__record_choose(k, cell, &path, found, time, pull);
}

static inline rico__choice choose(const rico__cell *cell, rico__path path)
{
    return choose_pulled(cell, path, NULL);
}

#endif
