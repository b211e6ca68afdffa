/* Checks of the ranges of a recipe's emission. */
#include "curve.h"
#include "preparation.h"
#include "vec.h"

#include <stdio.h>

#define CALL "rico_recipe_check"
#define LEAST_REPEAT 0.01f /* seconds; for a duration that is run through again */
#define LEAST_INTERVAL 0.001f
#define STEEPEST 1.5607963f /* radians: pi / 2 - 0.01 */
#define MOST_TRIANGLES (1u << 22)

/* A time, which is not to be below `least` if something repeats after it: other than once. */
static rico_result check_repeat(const char *name, float time, float least, const char *repeats,
                                uint32_t count, const rico_log *log)
{
    const rico__bound bound = {name, time, 0.0f, 1.0e6f};
    if (count == 1 || !float_is_finite(time))
        return rico__check_bounds(&bound, 1, log);
    if (time >= least && time <= 1.0e6f)
        return RICO_OK;
    return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                      "recipe.%s is %g, expected %g to 1e+06, because %s is %u", name,
                      (double)time, (double)least, repeats, count);
}

static rico_result check_numbers(const rico_recipe *r, const rico_log *log)
{
    const rico__bound bounds[] = {
        {"size.x", r->size.x, 0.0f, 1.0e6f},
        {"size.y", r->size.y, 0.0f, 1.0e6f},
        {"size.z", r->size.z, 0.0f, 1.0e6f},
        {"spread", r->spread, 0.0f, 3.1415928f},
        {"rate", r->rate, 0.0f, 1.0e7f},
        {"rate_per_metre", r->rate_per_metre, 0.0f, 1.0e5f},
        {"burst_interval", r->burst_interval, 0.0f, 1.0e6f},
        {"delay", r->delay, 0.0f, 1.0e6f},
        {"prewarm", r->prewarm, 0.0f, 100.0f},
        {"speed.lo", r->speed.lo, -1000.0f, 1000.0f},
        {"speed.hi", r->speed.hi, -1000.0f, 1000.0f},
        {"lifetime.lo", r->lifetime.lo, 0.01f, 1000.0f},
        {"lifetime.hi", r->lifetime.hi, 0.01f, 1000.0f},
        {"start_rotation.lo", r->start_rotation.lo, -1000.0f, 1000.0f},
        {"start_rotation.hi", r->start_rotation.hi, -1000.0f, 1000.0f},
        {"spin.lo", r->spin.lo, -1000.0f, 1000.0f},
        {"spin.hi", r->spin.hi, -1000.0f, 1000.0f},
        {"start_frame.lo", r->start_frame.lo, 0.0f, 65535.0f},
        {"start_frame.hi", r->start_frame.hi, 0.0f, 65535.0f},
        {"start_size.lo", r->start_size.lo, 0.0f, 1000.0f},
        {"start_size.hi", r->start_size.hi, 0.0f, 1000.0f},
        {"inherit_velocity", r->inherit_velocity, -10.0f, 10.0f},
    };
    return rico__check_bounds(bounds, sizeof bounds / sizeof bounds[0], log);
}

static rico_result check_counts(const rico_recipe *r, const rico_log *log)
{
    if ((unsigned)r->shape >= RICO_EMITTER_SHAPE_COUNT)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL, "recipe.shape is %d, expected 0 to %d",
                          (int)r->shape, RICO_EMITTER_SHAPE_COUNT - 1);
    if (r->burst_count > 1000000)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                          "recipe.burst_count is %u, expected 0 to 1000000", r->burst_count);
    return RICO_OK;
}

static rico_result check_ranges(const rico_recipe *r, const rico_log *log)
{
    const struct {
        const char *name;
        rico_range range;
    } ranges[] = {
        {"speed", r->speed},
        {"lifetime", r->lifetime},
        {"start_rotation", r->start_rotation},
        {"spin", r->spin},
        {"start_frame", r->start_frame},
        {"start_size", r->start_size},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i) {
        const rico_range range = ranges[i].range;
        if (range.lo > range.hi)
            return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                              "recipe.%s.lo is %g, expected at most its hi of %g",
                              ranges[i].name, (double)range.lo, (double)range.hi);
    }
    return RICO_OK;
}

static rico_result check_curves(const rico_recipe *r, const rico_log *log)
{
    static const char *const names[] = {"speed_over_duration", "lifetime_over_duration",
                                        "size_over_duration"};
    const rico_curve *curves[] = {&r->speed_over_duration, &r->lifetime_over_duration,
                                  &r->size_over_duration};
    for (int i = 0; i < 3; ++i) {
        rico_result result = rico__check_curve(names[i], curves[i], RICO__FACTORS, log);
        if (result != RICO_OK)
            return result;
        if (curves[i]->key_count > 1 && !(r->duration > 0.0f))
            return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                              "recipe.%s has %u keys, but duration is 0", names[i],
                              curves[i]->key_count);
    }
    return rico__check_gradient("start_color", &r->start_color, log);
}

static rico_result check_burst(const rico_burst *burst, uint32_t number, const rico_log *log)
{
    char names[3][48];
    static const char *const fields[3] = {"time", "interval", "probability"};
    for (int i = 0; i < 3; ++i)
        snprintf(names[i], sizeof names[i], "bursts[%u].%s", number, fields[i]);
    if (burst->count > 1000000)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                          "recipe.bursts[%u].count is %u, expected 0 to 1000000", number,
                          burst->count);
    const rico__bound bounds[] = {
        {names[0], burst->time, 0.0f, 1.0e6f},
        {names[2], burst->probability, 0.0f, 1.0f},
    };
    rico_result result = rico__check_bounds(bounds, sizeof bounds / sizeof bounds[0], log);
    if (result != RICO_OK)
        return result;
    return check_repeat(names[1], burst->interval, LEAST_INTERVAL, "cycles", burst->cycles,
                        log);
}

/* Checks what a shape requires of its measures. */
static rico_result check_shape(const rico_recipe *r, const rico_log *log)
{
    const rico__bound cone = {"spread (of a cone with a length)", r->spread, 0.0f, STEEPEST};
    const rico__bound ring = {"size.y (of a ring)", r->size.y, 0.0f, r->size.x};
    if (r->shape == RICO_EMIT_CONE && r->size.z > 0.0f)
        return rico__check_bounds(&cone, 1, log);
    if (r->shape == RICO_EMIT_RING)
        return rico__check_bounds(&ring, 1, log);
    return RICO_OK;
}

static rico_result check_corners(const rico_emitter_mesh *mesh, const rico_log *log)
{
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; ++i) {
        uint32_t vertex = mesh->indices[i];
        if (vertex >= mesh->vertex_count)
            return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                              "recipe.mesh.indices[%zu] is %u, but there are %u vertices", i,
                              vertex, mesh->vertex_count);
        for (size_t k = 0; k < 3; ++k) {
            char name[48];
            size_t at = 3 * (size_t)vertex + k;
            snprintf(name, sizeof name, "mesh.positions[%zu]", at);
            const rico__bound number = {name, mesh->positions[at], -1.0e6f, 1.0e6f};
            rico_result result = rico__check_bounds(&number, 1, log);
            if (result != RICO_OK)
                return result;
        }
    }
    return RICO_OK;
}

static rico_result check_mesh(const rico_recipe *r, const rico_log *log)
{
    const rico_emitter_mesh *mesh = &r->mesh;
    if (r->shape != RICO_EMIT_MESH)
        return RICO_OK;
    if (mesh->positions == NULL || mesh->indices == NULL)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL, "recipe.mesh.%s is NULL",
                          mesh->positions == NULL ? "positions" : "indices");
    if (mesh->triangle_count < 1 || mesh->triangle_count > MOST_TRIANGLES)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                          "recipe.mesh.triangle_count is %u, expected 1 to %u",
                          mesh->triangle_count, MOST_TRIANGLES);
    return check_corners(mesh, log);
}

rico_result rico__emission_check(const rico_recipe *r, const rico_log *log)
{
    rico_result result = check_numbers(r, log);
    if (result == RICO_OK)
        result = check_repeat("duration", r->duration, LEAST_REPEAT, "loops", r->loops, log);
    if (result == RICO_OK)
        result = check_counts(r, log);
    if (result == RICO_OK)
        result = check_ranges(r, log);
    if (result == RICO_OK)
        result = check_curves(r, log);
    if (result == RICO_OK)
        result = check_shape(r, log);
    if (result == RICO_OK)
        result = check_mesh(r, log);
    for (uint32_t i = 0; result == RICO_OK && i < RICO_MAX_BURSTS; ++i)
        if (r->bursts[i].count > 0)
            result = check_burst(&r->bursts[i], i, log);
    return result;
}
