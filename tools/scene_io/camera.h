/* camera.h - where to stand and where to look, for any world that can be queried with rays. */
#ifndef RIO_CAMERA_H
#define RIO_CAMERA_H

#include <ricochet/scene_query.h>
#include <ricochet/types.h>

/* The rays of painter, cameras and spots. Answers `count` rays like rico_scene_raycast_batch.
 * Hits give t (the ray's t_max when nothing was hit), triangle, collider (0 = nothing hit) and
 * normal; steps and back_face are not used. Directions are unit vectors. Threads: called from
 * every job that the painter's parallel callback starts. Typical body:
 *     rico_scene_raycast_batch((const rico_scene *)user, NULL, rays, hits, count); */
typedef void rio_cast_fn(void *user, const rico_ray *rays, rico_hit *hits, uint32_t count);

typedef struct rio_caster {
    rio_cast_fn *cast;
    void *user;
} rio_caster;

typedef struct rio_camera {
    rico_vec3 eye, target; /* metres; z is up in the picture */
    float fov_degrees;     /* vertical, 10..120 */
} rio_camera;

/* A good first view of whatever is in bounds. A world that closes around the points in it is
 * seen from inside, from the place and in the direction with the longest view. Any other world
 * is seen from outside, from above and one side, far enough away to fit. Deterministic; casts up
 * to 700,000 rays. */
rio_camera rio_camera_frame(const rico_box *bounds, const rio_caster *caster);

/* A view of what rises from a place: of a point that is distance / 5 above it, from as far away as
 * the surfaces around that point allow, at most distance (metres, above 0). Deterministic; casts
 * 64 rays. */
rio_camera rio_camera_near(rico_vec3 place, float distance, const rio_caster *caster);

/* A sun for a view, in degrees (painter.h). It is low and from one side where it reaches what
 * the camera sees, and higher where walls would keep it out. Casts about 9,000 rays. */
void rio_sun_frame(const rio_camera *camera, const rio_caster *caster, float *azimuth,
                   float *elevation);

#endif
