#include "effect_fields.h"

#include "effect_file.h"

#include <string.h>

#define FIELD(kind, name)                                                                      \
    {                                                                                          \
#name, RIO_FIELD_##kind, offsetof(rico_recipe, name)                                   \
    }
#define BURST_FIELD(kind, name)                                                                \
    {                                                                                          \
#name, RIO_FIELD_##kind, offsetof(rico_burst, name)                                    \
    }
#define FORCE_FIELD(kind, name)                                                                \
    {                                                                                          \
#name, RIO_FIELD_##kind, offsetof(rico_force, name)                                    \
    }
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static const rio_field recipe_fields[] = {
    FIELD(SPACE, space),
    FIELD(SHAPE, shape),
    FIELD(VECTOR, size),
    FIELD(FLAG, surface),
    FIELD(FLAG, births_in_sight),
    FIELD(MESH, mesh),
    FIELD(NUMBER, spread),
    FIELD(NUMBER, rate),
    FIELD(NUMBER, rate_per_metre),
    FIELD(COUNT, burst_count),
    FIELD(NUMBER, burst_interval),
    FIELD(BURSTS, bursts),
    FIELD(NUMBER, delay),
    FIELD(NUMBER, duration),
    FIELD(NUMBER, prewarm),
    FIELD(COUNT, loops),
    FIELD(RANGE, speed),
    FIELD(RANGE, lifetime),
    FIELD(NUMBER, inherit_velocity),
    FIELD(CURVE, speed_over_duration),
    FIELD(CURVE, lifetime_over_duration),
    FIELD(CURVE, size_over_duration),
    FIELD(COUNT, max_particles),
    FIELD(VECTOR, gravity),
    FIELD(NUMBER, drag),
    FIELD(CURVE, drag_over_life),
    FIELD(NUMBER, drag_quadratic),
    FIELD(VECTOR, wind),
    FIELD(NUMBER, limit_speed),
    FIELD(FORCES, forces),
    FIELD(COUNT, field_layers),
    FIELD(RANGE, start_size),
    FIELD(GRADIENT, start_color),
    FIELD(RANGE, start_rotation),
    FIELD(RANGE, spin),
    FIELD(CURVE, particle_size),
    FIELD(GRADIENT, color),
    FIELD(CURVE, alpha_over_life),
    FIELD(CURVE, rotation_over_life),
    FIELD(CURVE, sprite_frame),
    FIELD(RANGE, start_frame),
    FIELD(MODE, mode),
    FIELD(NUMBER, radius),
    FIELD(NUMBER, restitution),
    FIELD(NUMBER, friction),
    FIELD(NUMBER, rest_speed),
    FIELD(RESPONSE, on_collision),
    FIELD(NUMBER, restitution_random),
    FIELD(NUMBER, friction_random),
    FIELD(FLAG, rolls),
    FIELD(NUMBER, rolling_friction),
    FIELD(NUMBER, lifetime_loss),
    FIELD(NUMBER, kill_below),
    FIELD(NUMBER, kill_above),
    FIELD(FLAG, by_surface),
    FIELD(COUNT, ignored_layers),
    FIELD(NUMBER, queries_per_frame),
    FIELD(COUNT, kill_volumes),
    FIELD(PLANES, planes),
    FIELD(HIDDEN, hidden),
    FIELD(COUNT, hidden_steps),
    FIELD(NUMBER, cull_distance),
    FIELD(NUMBER, lod_distance),
    FIELD(NUMBER, lod_below),
    FIELD(NUMBER, lod_births),
    FIELD(EVENTS, events),
    FIELD(FLAG, particle_ids),
    FIELD(FLAG, interpolate),
    FIELD(SUB_EMITTERS, sub_emitters),
};

_Static_assert(COUNT_OF(recipe_fields) <= RIO_MOST_FIELDS, "lists of them have room for all");

static const rio_field burst_fields[] = {
    BURST_FIELD(NUMBER, time),     BURST_FIELD(COUNT, count),        BURST_FIELD(COUNT, cycles),
    BURST_FIELD(NUMBER, interval), BURST_FIELD(NUMBER, probability),
};

static const rio_field sub_emitter_fields[] = {
    {"on", RIO_FIELD_EVENT, offsetof(rico_sub_emitter, on)},
    {"effect", RIO_FIELD_EFFECT, offsetof(rico_sub_emitter, recipe)},
    {"count", RIO_FIELD_COUNT, offsetof(rico_sub_emitter, count)},
    {"probability", RIO_FIELD_NUMBER, offsetof(rico_sub_emitter, probability)},
    {"min_impact_speed", RIO_FIELD_NUMBER, offsetof(rico_sub_emitter, min_impact_speed)},
    {"inherit_velocity", RIO_FIELD_NUMBER, offsetof(rico_sub_emitter, inherit_velocity)},
    {"orientation", RIO_FIELD_ORIENTATION, offsetof(rico_sub_emitter, orientation)},
    {"inherit_size", RIO_FIELD_FLAG, offsetof(rico_sub_emitter, inherit_size)},
    {"inherit_color", RIO_FIELD_FLAG, offsetof(rico_sub_emitter, inherit_color)},
};

static const rio_field with_fields[] = {
    {"effect", RIO_FIELD_FILE, offsetof(rio_with, effect)},
    {"position", RIO_FIELD_VECTOR, offsetof(rio_with, place.position)},
    {"rotation", RIO_FIELD_ROTATION, offsetof(rio_with, place.rotation)},
    {"scale", RIO_FIELD_NUMBER, offsetof(rio_with, place.scale)},
};

static const rio_field plane_fields[] = {
    {"normal", RIO_FIELD_VECTOR, offsetof(rico_plane, normal)},
    {"offset", RIO_FIELD_NUMBER, offsetof(rico_plane, offset)},
};

static const rio_field force_fields[] = {
    FORCE_FIELD(KIND, kind),    FORCE_FIELD(NUMBER, strength), FORCE_FIELD(VECTOR, position),
    FORCE_FIELD(VECTOR, axis),  FORCE_FIELD(NUMBER, speed),    FORCE_FIELD(NUMBER, reach),
    FORCE_FIELD(NUMBER, scale), FORCE_FIELD(VECTOR, scroll),   FORCE_FIELD(FLAG, world_space),
};

static const char *const shape_names[] = {
    [RICO_EMIT_POINT] = "point", [RICO_EMIT_SPHERE] = "sphere", [RICO_EMIT_BOX] = "box",
    [RICO_EMIT_CONE] = "cone",   [RICO_EMIT_DISC] = "disc",     [RICO_EMIT_LINE] = "line",
    [RICO_EMIT_RING] = "ring",   [RICO_EMIT_MESH] = "mesh",
};

static const char *const mode_names[] = {
    [RICO_COLLIDE_NONE] = "none",     [RICO_COLLIDE_FIXED] = "fixed",
    [RICO_COLLIDE_CACHED] = "cached", [RICO_COLLIDE_CLASSIC] = "classic",
    [RICO_COLLIDE_EXACT] = "exact",
};

/* RICO_EVENT_BIT_COLLISION, RICO_EVENT_BIT_DEATH, RICO_EVENT_BIT_BIRTH */
static const char *const event_names[] = {"collision", "death", "birth"};

static const char *const response_names[] = {
    [RICO_ON_COLLISION_BOUNCE] = "bounce", [RICO_ON_COLLISION_STOP] = "stop",
    [RICO_ON_COLLISION_STICK] = "stick",   [RICO_ON_COLLISION_SLIDE] = "slide",
    [RICO_ON_COLLISION_DIE] = "die",
};

static const char *const space_names[] = {
    [RICO_SPACE_WORLD] = "world", [RICO_SPACE_LOCAL] = "local"};

static const char *const orientation_names[] = {[RICO_ORIENT_UP] = "up",
                                                [RICO_ORIENT_VELOCITY] = "velocity",
                                                [RICO_ORIENT_EFFECT] = "effect"};

static const char *const hidden_names[] = {
    [RICO_HIDDEN_RUNS] = "runs",
    [RICO_HIDDEN_FREEZES] = "freezes",
    [RICO_HIDDEN_RUNS_SLOWLY] = "runs_slowly",
    [RICO_HIDDEN_RUNS_BLIND] = "runs_blind",
};

static const char *const interpolation_names[] = {
    [RICO_LINEAR] = "linear",
    [RICO_SMOOTH] = "smooth",
    [RICO_CUBIC] = "cubic",
};

static const char *const kind_names[] = {
    [RICO_FORCE_NONE] = "none",
    [RICO_FORCE_DIRECTION] = "direction",
    [RICO_FORCE_ATTRACTOR] = "attractor",
    [RICO_FORCE_VORTEX] = "vortex",
    [RICO_FORCE_ORBIT] = "orbit",
    [RICO_FORCE_DRAG] = "drag",
    [RICO_FORCE_TURBULENCE] = "turbulence",
};

_Static_assert(COUNT_OF(interpolation_names) == RICO_INTERPOLATION_COUNT, "each has a name");
_Static_assert(COUNT_OF(kind_names) == RICO_FORCE_KIND_COUNT, "each kind has a name");
_Static_assert(COUNT_OF(shape_names) == RICO_EMITTER_SHAPE_COUNT, "each shape has a name");
_Static_assert(COUNT_OF(mode_names) == RICO_COLLISION_MODE_COUNT, "each mode has a name");
_Static_assert(COUNT_OF(response_names) == RICO_ON_COLLISION_COUNT, "each response has a name");
_Static_assert(COUNT_OF(space_names) == RICO_SPACE_COUNT, "each space has a name");
_Static_assert(COUNT_OF(orientation_names) == RICO_ORIENTATION_COUNT, "each has a name");
_Static_assert(COUNT_OF(hidden_names) == RICO_HIDDEN_COUNT, "each of them has a name");

rio_fields rio_recipe_fields(void)
{
    return (rio_fields){recipe_fields, COUNT_OF(recipe_fields)};
}

const rio_field *rio_recipe_field(const char *name, size_t length)
{
    rio_fields fields = rio_recipe_fields();
    for (size_t i = 0; i < fields.count; ++i)
        if (strlen(fields.items[i].name) == length &&
            strncmp(fields.items[i].name, name, length) == 0)
            return &fields.items[i];
    return NULL;
}

rio_fields rio_burst_fields(void)
{
    return (rio_fields){burst_fields, COUNT_OF(burst_fields)};
}

rio_fields rio_sub_emitter_fields(void)
{
    return (rio_fields){sub_emitter_fields, COUNT_OF(sub_emitter_fields)};
}

rio_fields rio_with_fields(void)
{
    return (rio_fields){with_fields, COUNT_OF(with_fields)};
}

rio_fields rio_plane_fields(void)
{
    return (rio_fields){plane_fields, COUNT_OF(plane_fields)};
}

rio_fields rio_force_fields(void)
{
    return (rio_fields){force_fields, COUNT_OF(force_fields)};
}

rio_names rio_kind_names(void)
{
    return (rio_names){kind_names, COUNT_OF(kind_names)};
}

rio_names rio_interpolation_names(rio_field_kind kind)
{
    size_t count = kind == RIO_FIELD_CURVE ? COUNT_OF(interpolation_names) : RICO_SMOOTH + 1;
    return (rio_names){interpolation_names, count};
}

rio_names rio_shape_names(void)
{
    return (rio_names){shape_names, COUNT_OF(shape_names)};
}

rio_names rio_mode_names(void)
{
    return (rio_names){mode_names, COUNT_OF(mode_names)};
}

rio_names rio_event_names(void)
{
    return (rio_names){event_names, COUNT_OF(event_names)};
}

rio_names rio_response_names(void)
{
    return (rio_names){response_names, COUNT_OF(response_names)};
}

rio_names rio_space_names(void)
{
    return (rio_names){space_names, COUNT_OF(space_names)};
}

rio_names rio_orientation_names(void)
{
    return (rio_names){orientation_names, COUNT_OF(orientation_names)};
}

rio_names rio_hidden_names(void)
{
    return (rio_names){hidden_names, COUNT_OF(hidden_names)};
}

rico_sub_emitter rio_sub_emitter_default(void)
{
    return (rico_sub_emitter){.count = 1, .probability = 1.0f};
}

rico_burst rio_burst_default(void)
{
    return (rico_burst){.cycles = 1, .probability = 1.0f};
}

size_t rio_count_characters(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; ++text)
        count += ((unsigned char)*text & 0xc0u) != 0x80u; /* continuation bytes do not count */
    return count;
}

bool rio_is_sub_name(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = 0; /* a name may fill its array without a zero byte */
    while (length < RIO_SUB_NAME_BYTES && text[length] != '\0' &&
           strchr(letters, text[length]) != NULL)
        ++length;
    return length > 0 && length < RIO_SUB_NAME_BYTES && text[length] == '\0';
}
