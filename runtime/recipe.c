#include <ricochet/recipe.h>

#define RECIPE_COOKIE 0x52435045u

rico_curve rico_curve_constant(float value)
{
    return (rico_curve){.key_count = 1, .value = {value}};
}

rico_gradient rico_gradient_constant(float r, float g, float b, float a)
{
    return (rico_gradient){.key_count = 1, .rgba = {{r, g, b, a}}};
}

rico_force rico_force_default(void)
{
    return (rico_force){.axis = {0.0f, 0.0f, 1.0f}, .scale = 1.0f};
}

rico_recipe rico_recipe_default(void)
{
    return (rico_recipe){
        .cookie = RECIPE_COOKIE,
        .shape = RICO_EMIT_POINT,
        .spread = 0.523598776f,
        .rate = 50.0f,
        .loops = 1,
        .speed = {3.0f, 5.0f},
        .lifetime = {1.0f, 2.0f},
        .speed_over_duration = rico_curve_constant(1.0f),
        .lifetime_over_duration = rico_curve_constant(1.0f),
        .size_over_duration = rico_curve_constant(1.0f),
        .max_particles = 1000,
        .gravity = {0.0f, 0.0f, -9.81f},
        .drag_over_life = rico_curve_constant(1.0f),
        .forces = {rico_force_default(), rico_force_default(), rico_force_default(),
                   rico_force_default()},
        .start_size = {1.0f, 1.0f},
        .start_color = rico_gradient_constant(1.0f, 1.0f, 1.0f, 1.0f),
        .particle_size = rico_curve_constant(0.02f),
        .alpha_over_life = rico_curve_constant(1.0f),
        .rotation_over_life = rico_curve_constant(0.0f),
        .sprite_frame = rico_curve_constant(0.0f),
        .color = rico_gradient_constant(1.0f, 1.0f, 1.0f, 1.0f),
        .mode = RICO_COLLIDE_CACHED,
        .radius = 0.01f,
        .restitution = 0.5f,
        .friction = 0.2f,
        .rest_speed = 0.15f,
        .on_collision = RICO_ON_COLLISION_BOUNCE,
        .rolling_friction = 0.01f,
        .queries_per_frame = 1.0f,
        .kill_volumes = UINT32_MAX,
        .hidden_steps = 4,
        .lod_births = 0.25f,
    };
}
