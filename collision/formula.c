#include "formula.h"
#include "vec.h"

rico_hit rico__formula_raycast(const rico__shape *shape, const rico_ray *ray, bool skip_backs)
{
    rico__primitive primitive = rico__shape_primitive(shape);
    rico_hit hit = {.t = ray->t_max, .triangle = RICO_NO_TRIANGLE, .steps = 1};
    float t;
    rico_vec3 normal;
    bool back;
    if (!rico__primitive_raycast(&primitive, ray, &t, &normal, &back) || (back && skip_backs))
        return hit;
    hit.t = t;
    hit.collider = 1;
    hit.normal = normal;
    hit.back_face = back;
    return hit;
}

void rico__formula_nearest(const rico__shape *shape, const rico__nearest_frame *frame,
                           bool skip_backs, uint32_t collider, rico__nearest_best *best)
{
    rico__primitive primitive = rico__shape_primitive(shape);
    rico__primitive_nearest near = rico__primitive_nearest_to(&primitive, frame->center);
    float distance = (float)(near.distance * frame->scale);
    if (!(distance <= frame->radius) || (near.behind && skip_backs) ||
        !rico__nearest_is_better(best, distance, collider, RICO_NO_TRIANGLE))
        return;
    *best = (rico__nearest_best){.distance = distance,
                                 .collider = collider,
                                 .triangle = RICO_NO_TRIANGLE,
                                 .back_face = near.behind};
    double apart[3];
    rico__mad(near.point, frame->center, -1.0, apart);
    for (int i = 0; i < 3; ++i) {
        best->point[i] = rico__dot(frame->matrix[i], apart);
        best->normal[i] = rico__dot(frame->matrix[i], near.normal) / frame->scale;
    }
}

/* The ellipsoid and its motion in the shape's space. */
static rico__ellipsoid local_ellipsoid(const rico__sweep_frame *f, double scale,
                                       double motion[3])
{
    rico__ellipsoid e;
    for (int k = 0; k < 3; ++k)
        motion[k] = 0.0;
    for (int i = 0; i < 3; ++i) {
        e.center[i] = f->center[i];
        e.radius[i] = f->radius[i] / scale;
        for (int k = 0; k < 3; ++k)
            e.axis[i][k] = f->matrix[i][k] * (f->radius[i] / scale);
        rico__mad(motion, e.axis[i], f->motion[i] * e.radius[i], motion);
    }
    return e;
}

/* A local point in world space, computed in double. */
static rico_vec3 world_point(const rico_transform *place, const double p[3])
{
    double turn[3][3], at[3] = {(double)place->position.x, (double)place->position.y,
                                (double)place->position.z};
    rico__rotation_axes(place->rotation, turn);
    for (int k = 0; k < 3; ++k)
        rico__mad(at, turn[k], p[k] * (double)place->scale, at);
    return vec3((float)at[0], (float)at[1], (float)at[2]);
}

void rico__formula_sweep(const rico__shape *shape, const rico__collider *c,
                         const rico__sweep_frame *frame, uint32_t collider,
                         rico__sweep_best *best, rico_sweep_hit *hit)
{
    const rico_transform *place = &c->motion.transform;
    rico__primitive primitive = rico__shape_primitive(shape);
    rico__contact contact;
    double motion[3], apart[3], scale = (double)place->scale;
    rico__ellipsoid ellipsoid = local_ellipsoid(frame, scale, motion);
    best->steps += 1;
    if (!rico__primitive_sweep(&primitive, &ellipsoid, motion, &contact))
        return;
    rico__sweep_best found = {.t = contact.overlaps ? 0.0f : rico__float_below(contact.t),
                              .level = 1.0f,
                              .collider = collider,
                              .triangle = RICO_NO_TRIANGLE};
    rico__mad(contact.point, frame->center, -1.0, apart);
    for (int i = 0; i < 3; ++i)
        found.point[i] = rico__dot(frame->matrix[i], apart);
    if (contact.overlaps)
        found.level =
            float_min((float)__builtin_sqrt(rico__dot(found.point, found.point)), 1.0f);
    if (!rico__sweep_is_better(best, found.t, found.level, collider, RICO_NO_TRIANGLE))
        return;
    found.steps = best->steps;
    *best = found;
    const rico_vec3 normal = {(float)contact.normal[0], (float)contact.normal[1],
                              (float)contact.normal[2]};
    *hit = (rico_sweep_hit){.t = found.t,
                            .collider = collider,
                            .triangle = RICO_NO_TRIANGLE,
                            .overlaps = contact.overlaps,
                            .point = world_point(place, contact.point),
                            .normal = rico__placement_turn(&c->placement, normal),
                            .depth = (float)(contact.depth * scale)};
}

bool rico__formula_plane_touches(const rico__collider *c, const rico_box *box)
{
    rico_vec3 n = c->placement.column[2];
    double above = 0.0, half = 0.0, size = 0.0;
    for (int k = 0; k < 3; ++k) {
        double lo = (double)(&box->lo.x)[k], hi = (double)(&box->hi.x)[k];
        double at = (double)(&c->placement.position.x)[k], along = (double)(&n.x)[k];
        above += along * ((lo + hi) * 0.5 - at);
        half += __builtin_fabs(along) * (hi - lo) * 0.5;
        size += __builtin_fabs(lo) + __builtin_fabs(hi) + __builtin_fabs(at);
    }
    return __builtin_fabs(above) <= half + size * 1.0e-6;
}
