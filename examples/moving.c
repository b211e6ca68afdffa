/* moving - a lift that carries grains, and a door that sweeps them away.
 *
 * Shapes are prepared once; colliders place them. Before each step, a moving collider is given
 * its place at the end of the step. Particles that meet it are carried or pushed.
 */
#include <ricochet/ricochet.h>

#include <math.h>
#include <stdio.h>

#define DT (1.0f / 60.0f)

static rico_transform place(float x, float y, float z, float turn)
{
    rico_transform t = RICO_TRANSFORM_IDENTITY;
    t.position = (rico_vec3){x, y, z};
    t.rotation = (rico_quat){0.0f, 0.0f, sinf(0.5f * turn), cosf(0.5f * turn)};
    return t;
}

static rico_collider_id add_box(rico_world *world, float x, float y, float z, rico_transform at)
{
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    shape.kind = RICO_SHAPE_BOX;
    shape.half_size = (rico_vec3){x, y, z};
    if (rico_world_add_shape(world, &shape, NULL, &def.shape) != RICO_OK)
        return (rico_collider_id){0};
    def.motion.transform = at;
    return rico_world_add_collider(world, &def);
}

static rico_effect_id pour(rico_world *world, rico_transform at)
{
    rico_recipe grains = rico_recipe_default();
    grains.shape = RICO_EMIT_DISC;
    grains.size.x = 0.4f;
    grains.speed = (rico_range){0.0f, 0.5f};
    grains.rate = 0.0f;
    grains.burst_count = 500;
    grains.lifetime = (rico_range){30.0f, 30.0f};
    return rico_effect_spawn(world, rico_world_add_recipe(world, &grains), at);
}

/* The middle of the effect's particles, and the height of the lowest one. */
static rico_vec3 middle(const rico_world *world, rico_effect_id effect, float *lowest)
{
    rico_vec3 sum = {0.0f, 0.0f, 0.0f};
    float count = 0.0f;
    *lowest = 1.0e9f;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            sum.x += v.px[i];
            sum.y += v.py[i];
            sum.z += v.pz[i];
            count += 1.0f;
            *lowest = v.pz[i] < *lowest ? v.pz[i] : *lowest;
        }
    return (rico_vec3){sum.x / count, sum.y / count, sum.z / count};
}

static bool tell(rico_world *world, rico_effect_id on_lift, rico_effect_id on_floor, int frame)
{
    float lowest, floor;
    rico_vec3 up = middle(world, on_lift, &lowest), down = middle(world, on_floor, &floor);
    rico_world_stats stats = rico_world_get_stats(world);
    printf("%4.1f s: on the lift %.2f m high; on the floor at %.2f, %.2f; %u at rest\n",
           (double)((float)frame * DT), (double)up.z, (double)down.x, (double)down.y,
           stats.sleeping);
    return lowest > 0.4f && floor > 0.0f;
}

int main(void)
{
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    def.max_particles = 4096;
    if (rico_world_create(&def, &world) != RICO_OK)
        return 1;
    add_box(world, 10.0f, 10.0f, 0.5f, place(0.0f, 0.0f, -0.5f, 0.0f));
    rico_collider_id moving[2] = {
        add_box(world, 1.5f, 1.5f, 0.1f, place(0.0f, 4.0f, 0.4f, 0.0f)),
        add_box(world, 2.0f, 0.05f, 1.0f, place(0.0f, 0.0f, 1.01f, 0.0f)),
    };
    rico_effect_id on_lift = pour(world, place(0.0f, 4.0f, 0.8f, 0.0f));
    rico_effect_id on_floor = pour(world, place(1.0f, -0.7f, 0.3f, 0.0f));
    bool right = moving[0].index1 != 0 && moving[1].index1 != 0;
    for (int frame = 1; frame <= 600 && right; ++frame) {
        float time = (float)frame * DT;
        const rico_motion motions[2] = {
            {.transform = place(0.0f, 4.0f, 1.9f - 1.5f * cosf(0.8f * time), 0.3f * time)},
            {.transform = place(0.0f, 0.0f, 1.01f, -0.7f * time)},
        };
        right = rico_world_move_colliders(world, moving, motions, 2) == RICO_OK;
        rico_world_step(world, DT);
        if (frame % 60 == 0)
            right = tell(world, on_lift, on_floor, frame) && right;
    }
    rico_world_destroy(world);
    return right ? 0 : 1;
}
