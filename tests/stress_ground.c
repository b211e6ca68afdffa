#include "stress_ground.h"

#include "stress_patch.h"

const rio_mesh *stress_ground(void)
{
    static stress_patch patch;
    static rio_mesh mesh;
    rico_mesh view = stress_patch_make(99, &patch);
    for (uint32_t i = 0; i < 3 * STRESS_PATCH_VERTICES; ++i)
        patch.positions[i] *= 4.0f;
    mesh = (rio_mesh){.positions = patch.positions,
                      .vertex_count = view.vertex_count,
                      .indices = patch.indices,
                      .triangle_count = view.triangle_count};
    return &mesh;
}
