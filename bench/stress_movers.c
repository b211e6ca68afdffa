#include "stress_movers.h"

#include <math.h>

float stress_sway(uint32_t frame, uint32_t period)
{
    float at = (float)(frame % period) / (float)period;
    return at < 0.5f ? 4.0f * at - 1.0f : 3.0f - 4.0f * at;
}

static bool is_door(uint32_t i)
{
    return i % 2 != 0;
}

/* Kinds of effects repeat after this many, whichever kinds are in use. The first of them is
 * sparks and the third is gravel. All rain comes from one place. */
#define KINDS_AGAIN 15u

/* Each mover is below or beside an effect of its own, the largest ones included, and has its own
 * period. */
static rico_transform place_of(const stress_world *w, uint32_t i)
{
    uint32_t rank = (uint32_t)((uint64_t)i * w->setup.effects / STRESS_MOVERS);
    rank = rank / KINDS_AGAIN * KINDS_AGAIN + (i % 4 < 2 ? 0 : 2);
    rico_transform t = RICO_TRANSFORM_IDENTITY;
    t.position = w->effects[rank].home.position;
    if (is_door(i)) {
        float turn = stress_sway(w->frame + 13u * i, 140u + i);
        float scale = 1.0f / sqrtf(1.0f + turn * turn);
        t.position.x += 1.0f;
        t.rotation = (rico_quat){0.0f, 0.0f, turn * scale, scale};
    } else {
        t.position.x += 0.4f * stress_sway(w->frame + 7u * i, 110u + i);
        t.position.z += 0.3f * stress_sway(w->frame + 11u * i, 160u + i) - 0.8f;
    }
    return t;
}

static bool add_shape(stress_world *w, rico_vec3 half_size, rico_shape_id *id)
{
    rico_shape_def def = rico_shape_def_default();
    def.kind = RICO_SHAPE_BOX;
    def.half_size = half_size;
    return rico_world_add_shape(w->world, &def, NULL, id) == RICO_OK;
}

bool stress_movers_open(stress_world *w)
{
    rico_collider_def platform = rico_collider_def_default(), door = platform;
    if (!add_shape(w, (rico_vec3){0.75f, 0.75f, 0.05f}, &platform.shape) ||
        !add_shape(w, (rico_vec3){0.5f, 0.04f, 1.0f}, &door.shape))
        return false;
    for (uint32_t i = 0; i < STRESS_MOVERS; ++i) {
        rico_collider_def *def = is_door(i) ? &door : &platform;
        def->motion.transform = place_of(w, i);
        w->movers[i] = rico_world_add_collider(w->world, def);
        if (w->movers[i].index1 == 0)
            return false;
    }
    return true;
}

void stress_movers_move(stress_world *w)
{
    rico_motion motions[STRESS_MOVERS];
    if (w->movers[0].index1 == 0)
        return;
    for (uint32_t i = 0; i < STRESS_MOVERS; ++i)
        motions[i] = (rico_motion){.transform = place_of(w, i)};
    if (rico_world_move_colliders(w->world, w->movers, motions, STRESS_MOVERS) != RICO_OK &&
        !stress_faults_explain(w))
        ++w->lost;
}
