/* Sweeps and nearest points of a scene: the frame of the question, then each grid in turn. */
#include "check.h"
#include "filter.h"
#include "nearest.h"
#include "scene_private.h"
#include "sweep.h"

static rico_sweep_hit sweep_scene(const rico_scene *scene, const rico_filter *filter,
                                  const rico_sweep *sweep)
{
    rico__sweep_frame frame;
    rico__cast_filter seen;
    rico__sweep_best best = rico__sweep_none();
    if (rico__filter_make(filter, NULL, sweep->ignore, &seen) &&
        rico__sweep_frame_init(&frame, sweep))
        rico__grid_sweep(&scene->grid, rico__volume_for_isa(scene->cast->isa), &seen, &frame, 0,
                         &best);
    return rico__sweep_answer(&frame, &best);
}

rico_sweep_hit rico_scene_sweep(const rico_scene *scene, const rico_filter *filter,
                                const rico_sweep *sweep)
{
    if (!RICO_REQUIRE(scene != NULL && sweep != NULL))
        return (rico_sweep_hit){.t = 1.0f, .triangle = RICO_NO_TRIANGLE};
    return sweep_scene(scene, filter, sweep);
}

void rico_scene_sweep_batch(const rico_scene *scene, const rico_filter *filter,
                            const rico_sweep *sweeps, rico_sweep_hit *hits, uint32_t count)
{
    if (!RICO_REQUIRE(scene != NULL && (count == 0 || (sweeps != NULL && hits != NULL))))
        return;
    for (uint32_t i = 0; i < count; ++i)
        hits[i] = sweep_scene(scene, filter, &sweeps[i]);
}

rico_nearest rico_scene_nearest(const rico_scene *scene, const rico_filter *filter,
                                rico_vec3 point, float radius, uint32_t ignore)
{
    rico_nearest none = {.distance = radius, .triangle = RICO_NO_TRIANGLE};
    rico__nearest_frame frame;
    rico__cast_filter seen;
    if (!RICO_REQUIRE(scene != NULL) || !rico__filter_make(filter, NULL, ignore, &seen) ||
        !rico__nearest_frame_init(&frame, point, radius, ignore))
        return none;
    rico__nearest_best best = rico__nearest_none(&frame);
    rico__grid_nearest(&scene->grid, rico__volume_for_isa(scene->cast->isa), &seen, &frame, 0,
                       &best);
    return best.collider != 0 ? rico__nearest_answer(&frame, &best) : none;
}
