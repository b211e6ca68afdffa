/* even_steps - a world at 60 steps per second, drawn by frames of any length.
 *
 * Steps of one length keep a world the same on every machine, whatever its display does. If the
 * last step were drawn as it is, the world would stand still in one frame and move by two steps
 * in the next. So particles are drawn between the last two steps, in proportion to the time that
 * has passed.
 */
#include <ricochet/ricochet.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SPEED 3.0f /* m/s */

/* Spawns a particle that moves along x. */
static rico_effect_id shoot(rico_world *world)
{
    rico_recipe shot = rico_recipe_default();
    rico_transform along_x = RICO_TRANSFORM_IDENTITY;
    along_x.rotation = (rico_quat){0.0f, sqrtf(0.5f), 0.0f, sqrtf(0.5f)}; /* its z axis */
    shot.mode = RICO_COLLIDE_NONE;
    shot.shape = RICO_EMIT_POINT;
    shot.spread = 0.0f;
    shot.gravity = (rico_vec3){0.0f, 0.0f, 0.0f};
    shot.speed = (rico_range){SPEED, SPEED};
    shot.lifetime = (rico_range){60.0f, 60.0f};
    shot.rate = 0.0f;
    shot.burst_count = 1;
    shot.interpolate = true; /* keeps where particles were before the last step */
    return rico_effect_spawn(world, rico_world_add_recipe(world, &shot), along_x);
}

/* Seconds since the last frame, for a display that hesitates. */
static float frame_seconds(int frame)
{
    static const float of[5] = {1.0f / 144.0f, 1.0f / 90.0f, 1.0f / 40.0f, 1.0f / 144.0f,
                                1.0f / 75.0f};
    return of[frame % 5];
}

/* The place where the particle is drawn; negative: it is not drawn. */
static float drawn_at(rico_output *output, rico_effect_id effect, float interpolation)
{
    rico_output_frame frame;
    if (rico_output_write_interpolated(output, &effect, 1, NULL, interpolation, &frame) !=
            RICO_OK ||
        frame.count != 1)
        return -1.0f;
    return ((const rico_billboard *)frame.records)->position[0];
}

static bool run(rico_world *world, rico_output *output)
{
    rico_effect_id effect = shoot(world);
    rico_clock clock = {.step = 1.0f / 60.0f};
    float last = -1.0f, last_between = -1.0f, worst = 0.0f, worst_between = 0.0f;
    uint32_t steps = 0;
    for (int frame = 0; frame < 200; ++frame) {
        float seconds = frame_seconds(frame);
        for (uint32_t due = rico_clock_advance(&clock, seconds, 5); due > 0; --due, ++steps)
            rico_world_step(world, clock.step);
        float now = drawn_at(output, effect, 1.0f);
        float between = drawn_at(output, effect, clock.interpolation);
        if (steps > 2 && last_between > 0.0f) { /* the first step is its birth */
            float even = SPEED * seconds;
            worst = fmaxf(worst, fabsf(now - last - even));
            worst_between = fmaxf(worst_between, fabsf(between - last_between - even));
        }
        last = now;
        last_between = steps > 1 ? between : -1.0f;
    }
    printf("%u steps in 200 frames; off an even way by at most %.1f mm in a frame as the last "
           "step left it,\n%.3f mm between the last two steps\n",
           steps, (double)(1000.0f * worst), (double)(1000.0f * worst_between));
    return worst > 0.02f && worst_between < 0.0001f;
}

int main(void)
{
    rico_world_def def = rico_world_def_default();
    rico_output_def out = rico_output_def_default();
    rico_world *world;
    rico_output *output = NULL;
    def.max_particles = 1024;
    if (rico_world_create(&def, &world) != RICO_OK)
        return 1;
    out.capacity = 16;
    out.memory[0] = out.memory[1] = aligned_alloc(64, 1024); /* drawn before the next write */
    bool right = out.memory[0] != NULL && rico_output_create(world, &out, &output) == RICO_OK &&
                 run(world, output);
    rico_output_destroy(output);
    free(out.memory[0]);
    rico_world_destroy(world);
    return right ? 0 : 1;
}
