#include "quality_space.h"

#include "quality_vec.h"

void quality_pose_turn(const quality_pose *pose, const double direction[3], double out[3])
{
    double x = direction[0], y = direction[1];
    out[0] = pose->cosine * x - pose->sine * y;
    out[1] = pose->sine * x + pose->cosine * y;
    out[2] = direction[2];
}

void quality_pose_turn_back(const quality_pose *pose, const double direction[3], double out[3])
{
    double x = direction[0], y = direction[1];
    out[0] = pose->cosine * x + pose->sine * y;
    out[1] = pose->cosine * y - pose->sine * x;
    out[2] = direction[2];
}

void quality_pose_to_body(const quality_pose *pose, const double point[3], double out[3])
{
    double d[3];
    qv_sub(point, pose->position, d);
    quality_pose_turn_back(pose, d, out);
}

static bool cross_body(const quality_space *space, const double from[3], double t0,
                       const double to[3], double t1, quality_hit *hit)
{
    quality_pose begin = space->pose(t0), end = space->pose(t1);
    double a[3], b[3];
    quality_pose_to_body(&begin, from, a);
    quality_pose_to_body(&end, to, b);
    return quality_truth_segment(space->body, a, b, hit);
}

bool quality_space_cross(const quality_space *space, const double from[3], double t0,
                         const double to[3], double t1, quality_crossing *crossing)
{
    quality_hit hit;
    bool any = false;
    if (space->still && quality_truth_segment(space->still, from, to, &hit)) {
        crossing->t = hit.t;
        qv_copy(crossing->normal, hit.normal);
        crossing->back_face = hit.back_face;
        crossing->body = false;
        any = true;
    }
    if (space->body && cross_body(space, from, t0, to, t1, &hit) &&
        (!any || hit.t < crossing->t)) {
        quality_pose pose = space->pose(t0 + hit.t * (t1 - t0));
        crossing->t = hit.t;
        quality_pose_turn(&pose, hit.normal, crossing->normal);
        crossing->back_face = hit.back_face;
        crossing->body = true;
        any = true;
    }
    return any;
}

double quality_space_distance(const quality_space *space, const double point[3], double time,
                              double limit)
{
    double best = limit;
    if (space->still)
        best = quality_truth_distance(space->still, point, best);
    if (space->body) {
        quality_pose pose = space->pose(time);
        double at[3];
        quality_pose_to_body(&pose, point, at);
        best = quality_truth_distance(space->body, at, best);
    }
    return best;
}
