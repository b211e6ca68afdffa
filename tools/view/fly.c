#include "fly.h"

#include <math.h>

#define MOST_PITCH 1.55f /* not quite upwards, where "right" is undefined */

fly fly_from(const rio_camera *camera)
{
    rico_vec3 a = camera->eye, b = camera->target;
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
    fly f = {a, atan2f(y, x), atan2f(z, sqrtf(x * x + y * y)), camera->fov_degrees, 4.0f};
    return f;
}

fly_axes fly_axes_of(const fly *f)
{
    float cy = cosf(f->yaw), sy = sinf(f->yaw), cp = cosf(f->pitch), sp = sinf(f->pitch);
    fly_axes axes = {{cy * cp, sy * cp, sp}, {sy, -cy, 0.0f}, {-cy * sp, -sy * sp, cp}};
    return axes;
}

rio_camera fly_camera(const fly *f)
{
    rico_vec3 d = fly_axes_of(f).forward;
    rio_camera camera = {
        f->eye, {f->eye.x + d.x, f->eye.y + d.y, f->eye.z + d.z}, f->fov_degrees};
    return camera;
}

void fly_move(fly *f, const fly_input *in, float seconds)
{
    f->yaw = remainderf(f->yaw - in->turn, 6.2831853f);
    f->pitch = fminf(fmaxf(f->pitch + in->tilt, -MOST_PITCH), MOST_PITCH);
    fly_axes a = fly_axes_of(f);
    float way = f->speed * seconds;
    f->eye.x += way * (in->ahead * a.forward.x + in->aside * a.right.x);
    f->eye.y += way * (in->ahead * a.forward.y + in->aside * a.right.y);
    f->eye.z += way * (in->ahead * a.forward.z + in->upwards);
}
