#include "runtime_forces.h"

#include "random.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void rotate(const rico_quat *q, const double v[3], double out[3])
{
    const double u[3] = {(double)q->x, (double)q->y, (double)q->z};
    double t[3], s[3];
    cross(u, v, t);
    for (int k = 0; k < 3; ++k)
        t[k] *= 2.0;
    cross(u, t, s);
    for (int k = 0; k < 3; ++k)
        out[k] = v[k] + (double)q->w * t[k] + s[k];
}

static void to_world(const rico_transform *t, rico_vec3 p, double out[3])
{
    const double local[3] = {(double)p.x, (double)p.y, (double)p.z};
    const double at[3] = {(double)t->position.x, (double)t->position.y, (double)t->position.z};
    rotate(&t->rotation, local, out);
    for (int k = 0; k < 3; ++k)
        out[k] = out[k] * (double)t->scale + at[k];
}

/* --- Noise -------------------------------------------------------------------------------- */

static void corner(int64_t x, int64_t y, int64_t z, double h[3])
{
    uint32_t n = (uint32_t)(uint64_t)x * 0x9e3779b1u + (uint32_t)(uint64_t)y * 0x85ebca77u +
                 (uint32_t)(uint64_t)z * 0xc2b2ae3du;
    n = (n ^ n >> 16) * 0x7feb352du;
    n ^= n >> 15;
    for (uint32_t k = 0; k < 3; ++k)
        h[k] = n >> (31 - k) & 1 ? -1.0 : 1.0;
}

/* Blends rotations about the eight corners of the cell. x: in cells. */
static void potential(const double x[3], double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    for (int c = 0; c < 8; ++c) {
        double weight = 1.0, d[3], h[3], turn[3];
        int64_t at[3];
        for (int k = 0; k < 3; ++k) {
            double base = floor(x[k]), u = x[k] - base;
            int upper = c >> k & 1;
            double up = u * u * u * (u * (u * 6.0 - 15.0) + 10.0);
            at[k] = (int64_t)base + upper;
            d[k] = u - upper;
            weight *= upper ? up : 1.0 - up;
        }
        corner(at[0], at[1], at[2], h);
        cross(h, d, turn);
        for (int k = 0; k < 3; ++k)
            out[k] += 0.5 * weight * turn[k];
    }
}

void slow_swirl(const rico_force *force, const double p[3], double clock, double out[3])
{
    const double scroll[3] = {(double)force->scroll.x, (double)force->scroll.y,
                              (double)force->scroll.z};
    const double by = 1.0e-5;
    double x[3], rate[3][3]; /* rate of change of component j along axis k */
    for (int k = 0; k < 3; ++k)
        x[k] = (p[k] - scroll[k] * clock) / (double)force->scale;
    for (int k = 0; k < 3; ++k) {
        double lo[3] = {x[0], x[1], x[2]}, hi[3] = {x[0], x[1], x[2]}, a[3], b[3];
        lo[k] -= by;
        hi[k] += by;
        potential(lo, a);
        potential(hi, b);
        for (int j = 0; j < 3; ++j)
            rate[j][k] = (b[j] - a[j]) / (2.0 * by);
    }
    out[0] = (rate[2][1] - rate[1][2]) / 1.04775;
    out[1] = (rate[0][2] - rate[2][0]) / 1.04775;
    out[2] = (rate[1][0] - rate[0][1]) / 1.04775;
}

/* --- Forces ------------------------------------------------------------------------------- */

double slow_presence(const rico_force *force, const slow_place *place, const double p[3])
{
    const rico_transform *t = &place->space;
    double out = 0.0, r[3], middle[3], axis[3];
    if (place->everywhere && !(force->reach > 0.0f))
        return 1.0;
    if (place->everywhere) {
        to_world(t, force->position, middle);
        for (int k = 0; k < 3; ++k)
            r[k] = p[k] - middle[k];
        return fmax(0.0, 1.0 - sqrt(dot(r, r)) / ((double)force->reach * (double)t->scale));
    }
    const double at[3] = {(double)t->position.x, (double)t->position.y, (double)t->position.z};
    for (int k = 0; k < 3; ++k)
        r[k] = p[k] - at[k];
    for (int k = 0; k < 3; ++k) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        rotate(&t->rotation, unit, axis);
        double x = dot(r, axis) / place->half[k];
        out = place->ball ? out + x * x : fmax(out, fabs(x));
    }
    out = place->ball ? sqrt(out) : out;
    if (place->falloff == 0.0)
        return out < 1.0;
    return fmin(fmax((1.0 - out) / place->falloff, 0.0), 1.0);
}

static void unit_to(const double a[3], double out[3])
{
    double length = fmax(sqrt(dot(a, a)), 0.05);
    for (int k = 0; k < 3; ++k)
        out[k] = a[k] / length;
}

void slow_force(const rico_force *f, const slow_place *place, const double p[3], double v[3],
                double clock, double dt)
{
    const double local[3] = {(double)f->axis.x, (double)f->axis.y, (double)f->axis.z};
    double center[3], axis[3], r[3], way[3], around[3];
    double part = slow_presence(f, place, p), amount = part * (double)f->strength * dt;
    double speed = (double)f->speed;
    to_world(&place->space, f->position, center);
    rotate(&place->space.rotation, local, axis);
    for (int k = 0; k < 3; ++k)
        r[k] = p[k] - center[k];
    cross(axis, r, around);
    switch (f->kind) {
    case RICO_FORCE_DIRECTION:
        memcpy(way, axis, sizeof way);
        break;
    case RICO_FORCE_ATTRACTOR:
        unit_to(r, way);
        amount = -amount;
        break;
    case RICO_FORCE_VORTEX:
        unit_to(around, way);
        break;
    case RICO_FORCE_ORBIT: {
        double of_r = dot(axis, r), of_v = dot(axis, v);
        for (int k = 0; k < 3; ++k) {
            double across = v[k] - axis[k] * of_v, out = r[k] - axis[k] * of_r;
            v[k] += (speed * around[k] - across) * amount / (1.0 + amount);
            v[k] -= part * speed * speed * dt * out;
        }
        return;
    }
    case RICO_FORCE_DRAG:
        for (int k = 0; k < 3; ++k)
            v[k] += (speed * axis[k] - v[k]) * amount / (1.0 + amount);
        return;
    case RICO_FORCE_TURBULENCE:
        slow_swirl(f, p, clock, way);
        break;
    default:
        return;
    }
    for (int k = 0; k < 3; ++k)
        v[k] += way[k] * amount;
}

void slow_step(const rico_recipe *recipe, const rico_transform *space, const slow_field *fields,
               int field_count, double clock, double dt, double p[3], double v[3])
{
    const double wind[3] = {(double)recipe->wind.x, (double)recipe->wind.y,
                            (double)recipe->wind.z};
    const double gravity[3] = {(double)recipe->gravity.x, (double)recipe->gravity.y,
                               (double)recipe->gravity.z};
    const rico_transform world = RICO_TRANSFORM_IDENTITY;
    for (uint32_t i = 0; i < RICO_MAX_FORCES; ++i) {
        const rico_force *f = &recipe->forces[i];
        slow_place place = {.space = f->world_space ? world : *space, .everywhere = true};
        slow_force(f, &place, p, v, clock, dt);
    }
    for (int i = 0; i < field_count; ++i)
        slow_force(&fields[i].force, &fields[i].place, p, v, clock, dt);
    double through[3], fade = exp(-(double)recipe->drag * dt);
    for (int k = 0; k < 3; ++k)
        through[k] = v[k] - wind[k];
    double slow =
        1.0 / (1.0 + (double)recipe->drag_quadratic * dt * sqrt(dot(through, through)));
    if (recipe->drag_quadratic > 0.0f)
        for (int k = 0; k < 3; ++k)
            v[k] = wind[k] + through[k] * slow;
    for (int k = 0; k < 3; ++k)
        v[k] = (v[k] + gravity[k] * dt) * fade + wind[k] * (1.0 - fade);
    double speed = sqrt(dot(v, v));
    if (recipe->limit_speed > 0.0f && speed > (double)recipe->limit_speed)
        for (int k = 0; k < 3; ++k)
            v[k] *= (double)recipe->limit_speed / speed;
    for (int k = 0; k < 3; ++k)
        p[k] += v[k] * dt;
}

/* --- Particles ---------------------------------------------------------------------------- */

void look_at(const rico_world *world, rico_effect_id effect, crowd *out)
{
    rico_view view = rico_effect_view(world, effect);
    out->count = 0;
    while (rico_view_next(&view))
        for (uint32_t i = 0; i < view.count; ++i) {
            uint32_t n = out->count++;
            CHECK(n < 1024);
            const float *p[3] = {view.px, view.py, view.pz},
                        *v[3] = {view.vx, view.vy, view.vz};
            for (int k = 0; k < 3; ++k) {
                out->p[n][k] = p[k][i];
                out->v[n][k] = v[k][i];
            }
            out->age[n] = view.age[i];
            out->id[n] = view.id != NULL ? view.id[i] : 0;
        }
}

rico_force some_force(rico_force_kind kind, uint32_t serial)
{
    rico_force f = rico_force_default();
    float tilt = rico__random_range(31, serial, 1, -0.9f, 0.9f);
    float turn = rico__random_range(31, serial, 2, -3.0f, 3.0f),
          flat = sqrtf(1.0f - tilt * tilt);
    bool rate = kind == RICO_FORCE_ORBIT || kind == RICO_FORCE_DRAG;
    f.kind = kind;
    f.strength = rico__random_range(31, serial, 3, 1.0f, rate ? 4.0f : 12.0f);
    f.axis = (rico_vec3){flat * cosf(turn), flat * sinf(turn), tilt};
    f.position = (rico_vec3){rico__random_range(31, serial, 4, -1.0f, 1.0f),
                             rico__random_range(31, serial, 5, -1.0f, 1.0f), 0.5f};
    f.speed = rico__random_range(31, serial, 6, -3.0f, 3.0f);
    f.scale = rico__random_range(31, serial, 7, 0.5f, 2.0f);
    f.scroll = (rico_vec3){0.7f, -0.3f, 1.1f};
    return f;
}
