#include "kill_volumes.h"

#include "check.h"
#include "float_mode.h"
#include "log.h"
#include "simulate.h"
#include "stages.h"

#include "bits.h"

/* --- The host's side ---------------------------------------------------------------------- */

#define MOST_SIZE 1.0e6f

static rico_result check_size(rico_world *world, const rico_kill_volume *v, const char *call)
{
    rico_result result =
        rico__check_number(world, v->size.x, 0.0f, MOST_SIZE, call, "volume.size.x");
    if (result == RICO_OK && !v->sphere)
        result = rico__check_number(world, v->size.y, 0.0f, MOST_SIZE, call, "volume.size.y");
    if (result == RICO_OK && !v->sphere)
        result = rico__check_number(world, v->size.z, 0.0f, MOST_SIZE, call, "volume.size.z");
    return result;
}

static rico__kill_volume prepared(const rico_kill_volume *v)
{
    const rico_transform *t = &v->transform;
    float radius = v->size.x * t->scale;
    return (rico__kill_volume){
        .center = t->position,
        .x = quat_rotate(t->rotation, vec3(1.0f, 0.0f, 0.0f)),
        .y = quat_rotate(t->rotation, vec3(0.0f, 1.0f, 0.0f)),
        .z = quat_rotate(t->rotation, vec3(0.0f, 0.0f, 1.0f)),
        .half = vec3_scale(v->size, t->scale),
        .radius2 = radius * radius,
        .sphere = v->sphere,
        .outside = v->outside,
    };
}

rico_result rico_world_set_kill_volume(rico_world *world, uint32_t number,
                                       const rico_kill_volume *volume)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL))
        return RICO_OUT_OF_RANGE;
    static const char call[] = "rico_world_set_kill_volume";
    if (rico__is_busy(world, call))
        return RICO_BUSY;
    if (rico__check_count(world, number, RICO_MAX_KILL_VOLUMES - 1, call, "number") != RICO_OK)
        return world->last_result;
    if (volume == NULL) {
        world->kill_volumes.used &= ~(1u << number);
        return RICO_OK;
    }
    rico_result result =
        rico__check_transform(world, &volume->transform, call, "volume.transform");
    if (result == RICO_OK)
        result = check_size(world, volume, call);
    if (result != RICO_OK)
        return result;
    rico__sleep_wake_all(world);
    world->kill_volumes.items[number] = prepared(volume);
    world->kill_volumes.used |= 1u << number;
    return RICO_OK;
}

/* --- In a step ---------------------------------------------------------------------------- */

static bool is_inside(const rico__kill_volume *v, rico_vec3 p)
{
    rico_vec3 d = vec3_sub(p, v->center);
    if (v->sphere)
        return vec3_dot(d, d) <= v->radius2;
    return __builtin_fabsf(vec3_dot(v->x, d)) <= v->half.x &&
           __builtin_fabsf(vec3_dot(v->y, d)) <= v->half.y &&
           __builtin_fabsf(vec3_dot(v->z, d)) <= v->half.z;
}

static void kill_in(rico__block_context *c, const rico__kill_volume *v)
{
    const uint32_t count = c->block->count;
    for (uint32_t w = 0; w * 64 < count; ++w) {
        uint64_t inside = 0;
        uint32_t end = uint_min(count - w * 64, 64);
        for (uint32_t i = 0; i < end; ++i)
            inside |= (uint64_t)is_inside(v, block_position(c, w * 64 + i)) << i;
        c->masks.dead[w] |= (v->outside ? ~inside : inside) & rico__first_bits(count, w);
    }
}

void rico__kill_in_volumes(rico__block_context *c)
{
    const rico__kill_volumes *volumes = &c->world->kill_volumes;
    uint32_t bits = volumes->used & c->recipe->def.kill_volumes;
    for (; bits != 0; bits &= bits - 1)
        kill_in(c, &volumes->items[bits_lowest64(bits)]);
}
