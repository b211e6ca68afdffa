#include "triangle_form.h"

#include "cell_block.h"

/* If a component of a unit normal is smaller, the plane or edge is nearly along that axis. Then
 * the other coordinates do not bound that one. */
#define LEAST_SHARE 0.05

/* A squared sine: a triangle whose corners are nearly in line has no plane. */
#define LEAST_SINE2 1.0e-18

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* Rounding moves a hit, per extent and per coordinate. The errors of calculating in floats come
 * on top. */
static void find_limits(const rico__form_frame *frame, rico__form *f)
{
    double longest = 0.0, far = 0.0;
    for (int k = 0; k < 3; ++k) {
        double a = f->corner[0][k], b = f->corner[1][k], c = f->corner[2][k];
        double lo = least(a, least(b, c)), hi = most(a, most(b, c));
        longest = most(longest, hi - lo);
        far = most(far, most(__builtin_fabs(lo), __builtin_fabs(hi)) +
                            __builtin_fabs(frame->middle[k]));
        f->lo[k] = (float)lo;
        f->hi[k] = (float)hi;
    }
    f->pad =
        longest * RICO_PAD_PER_EXTENT * 1.001 + far * (1.0 / 2097152.0) + (double)frame->pad;
    for (int k = 0; k < 3; ++k) {
        f->lo[k] -= (float)f->pad;
        f->hi[k] += (float)f->pad;
    }
}

static void find_levels(const rico__form_frame *frame, rico__form *f, const double normal[3],
                        double length)
{
    const double *a = f->corner[0];
    double offset = normal[0] * a[0] + normal[1] * a[1] + normal[2] * a[2];
    for (int k = 0; k < 3; ++k) {
        int i = rico__axis_after(k), j = rico__axis_after(i);
        rico__form_level *l = &f->levels[k];
        l->holds = __builtin_fabs(normal[k]) > LEAST_SHARE * length;
        if (!l->holds)
            continue;
        double b = -normal[i] / normal[k], c = -normal[j] / normal[k];
        double slope = __builtin_fabs(b) + __builtin_fabs(c);
        l->at = (float)(offset / normal[k]);
        l->per[0] = (float)b;
        l->per[1] = (float)c;
        l->spread = (float)(slope * (double)frame->half + (1.0 + slope) * f->pad);
    }
}

/* The line is where inside . x + at = 0. The triangle is on the side where that is larger. */
static void add_bound(const rico__form_frame *frame, rico__form *f, int of, int other,
                      double of_inside, double other_inside, double at)
{
    if (!(__builtin_fabs(of_inside) > LEAST_SHARE))
        return;
    double slope = -other_inside / of_inside;
    double room =
        __builtin_fabs(slope) * (double)frame->half + (1.0 + __builtin_fabs(slope)) * f->pad;
    bool upper = of_inside < 0.0;
    f->bounds[f->bound_count++] =
        (rico__form_bound){.of = of,
                           .other = other,
                           .upper = upper,
                           .at = (float)(-at / of_inside + (upper ? room : -room)),
                           .per_other = (float)slope};
}

/* Edges bound the triangle as seen along the axis that it faces most. */
static void find_edges(const rico__form_frame *frame, rico__form *f, const double normal[3])
{
    int k = __builtin_fabs(normal[1]) > __builtin_fabs(normal[0]) ? 1 : 0;
    k = __builtin_fabs(normal[2]) > __builtin_fabs(normal[k]) ? 2 : k;
    int i = rico__axis_after(k), j = rico__axis_after(i);
    double sign = normal[k] < 0.0 ? -1.0 : 1.0;
    for (int m = 0; m < 3; ++m) {
        const double *p = f->corner[m], *q = f->corner[rico__axis_after(m)];
        double x = -sign * (q[j] - p[j]), y = sign * (q[i] - p[i]),
               length = __builtin_sqrt(x * x + y * y);
        if (!(length > 0.0))
            continue;
        x /= length;
        y /= length;
        double at = -x * p[i] - y * p[j];
        add_bound(frame, f, i, j, x, y, at);
        add_bound(frame, f, j, i, y, x, at);
    }
}

rico__form rico__form_of(const rico__form_frame *frame, const rico__triangles *triangles,
                         const rico__face *face)
{
    rico__form f;
    double e[2][3], normal[3];
    for (uint32_t m = 0; m < 3; ++m)
        for (int k = 0; k < 3; ++k)
            f.corner[m][k] =
                (double)rico__face_vertex(triangles, face, m)->at[k] - frame->middle[k];
    find_limits(frame, &f);
    f.bound_count = 0;
    f.levels[0].holds = f.levels[1].holds = f.levels[2].holds = false;
    double length2 = 0.0, sizes[2] = {0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        e[0][k] = f.corner[1][k] - f.corner[0][k];
        e[1][k] = f.corner[2][k] - f.corner[0][k];
        sizes[0] += e[0][k] * e[0][k];
        sizes[1] += e[1][k] * e[1][k];
    }
    for (int k = 0; k < 3; ++k) {
        int i = rico__axis_after(k), j = rico__axis_after(i);
        normal[k] = e[0][i] * e[1][j] - e[0][j] * e[1][i];
        length2 += normal[k] * normal[k];
    }
    if (length2 > LEAST_SINE2 * sizes[0] * sizes[1]) {
        find_levels(frame, &f, normal, __builtin_sqrt(length2));
        find_edges(frame, &f, normal);
    }
    return f;
}
