#include "forces.h"

#include "preparation.h"

#include "bits.h"

#include <stdio.h>
#include <string.h>

/* --- Ranges ------------------------------------------------------------------------------- */

rico_result rico__force_check(const char *call, const char *owner, const rico_force *f,
                              const rico_log *log)
{
    if ((unsigned)f->kind >= RICO_FORCE_KIND_COUNT)
        return rico__fail(log, RICO_OUT_OF_RANGE, call, "%s.kind is %d, expected 0 to %d",
                          owner, (int)f->kind, RICO_FORCE_KIND_COUNT - 1);
    if (f->kind == RICO_FORCE_NONE)
        return RICO_OK;
    bool rate = f->kind == RICO_FORCE_ORBIT || f->kind == RICO_FORCE_DRAG ||
                f->kind == RICO_FORCE_TURBULENCE;
    const rico__bound bounds[] = {
        {"strength", f->strength, rate ? 0.0f : -1000.0f, 1000.0f},
        {"position.x", f->position.x, -1.0e6f, 1.0e6f},
        {"position.y", f->position.y, -1.0e6f, 1.0e6f},
        {"position.z", f->position.z, -1.0e6f, 1.0e6f},
        {"speed", f->speed, -1000.0f, 1000.0f},
        {"reach", f->reach, 0.0f, 1.0e6f},
        {"scale", f->scale, 0.05f, 1.0e4f},
        {"scroll.x", f->scroll.x, -1000.0f, 1000.0f},
        {"scroll.y", f->scroll.y, -1000.0f, 1000.0f},
        {"scroll.z", f->scroll.z, -1000.0f, 1000.0f},
        {"axis.x", f->axis.x, -1.001f, 1.001f},
        {"axis.y", f->axis.y, -1.001f, 1.001f},
        {"axis.z", f->axis.z, -1.001f, 1.001f},
    };
    rico_result result =
        rico__check_numbers(call, owner, bounds, sizeof bounds / sizeof bounds[0], log);
    if (result != RICO_OK)
        return result;
    float length = vec3_length(f->axis);
    if (length < 0.999f || length > 1.001f)
        return rico__fail(log, RICO_OUT_OF_RANGE, call, "%s.axis has length %g, expected 1",
                          owner, (double)length);
    return RICO_OK;
}

rico_result rico__forces_check(const rico_recipe *r, const rico_log *log)
{
    const rico__bound bounds[] = {
        {"drag_quadratic", r->drag_quadratic, 0.0f, 100.0f},
        {"wind.x", r->wind.x, -1000.0f, 1000.0f},
        {"wind.y", r->wind.y, -1000.0f, 1000.0f},
        {"wind.z", r->wind.z, -1000.0f, 1000.0f},
        {"limit_speed", r->limit_speed, 0.0f, 1.0e4f},
    };
    rico_result result = rico__check_bounds(bounds, sizeof bounds / sizeof bounds[0], log);
    for (uint32_t i = 0; result == RICO_OK && i < RICO_MAX_FORCES; ++i) {
        char owner[32];
        snprintf(owner, sizeof owner, "recipe.forces[%u]", i);
        result = rico__force_check("rico_recipe_check", owner, &r->forces[i], log);
    }
    return result;
}

/* --- Places ------------------------------------------------------------------------------- */

/* From this many cells on, doubles do not tell one from the next. */
#define MOST_CELLS 0x1p53

/* The noise stands still in the world, however the origin is moved, or moves with its scroll.
 * Whole cells are kept apart, so that places near the origin keep their bits. In a world
 * without colliders the origin may have moved so far that nothing tells where the noise stands:
 * then its shift counts as 0. */
static void place_noise(rico__force *out, const rico_force *force, double clock,
                        const double shifted[3])
{
    const float scroll[3] = {force->scroll.x, force->scroll.y, force->scroll.z};
    float shift[3];
    out->per_metre = 1.0f / force->scale;
    out->hurry = vec3_length(force->scroll);
    for (int k = 0; k < 3; ++k) {
        double cells = ((double)scroll[k] * clock - shifted[k]) / (double)force->scale;
        if (!(__builtin_fabs(cells) < MOST_CELLS))
            cells = 0.0;
        int64_t whole = (int64_t)cells;
        whole -= (double)whole > cells;
        shift[k] = (float)(cells - (double)whole);
        out->cells[k] = (int32_t)(uint32_t)(uint64_t)whole;
    }
    out->shift = vec3(shift[0], shift[1], shift[2]);
}

void rico__force_place(rico__force *out, const rico_force *force, const rico_transform *space,
                       double clock, const double shifted[3])
{
    out->kind = force->kind;
    out->everywhere = true;
    out->hurry = 0.0f; /* *out may have been turbulence */
    out->strength = force->strength;
    out->speed = force->speed;
    out->center = transform_point(space, force->position);
    out->axis = vec3_normalize(transform_direction(space, force->axis));
    float size = __builtin_fabsf(force->strength);
    out->most = size;
    if (force->kind == RICO_FORCE_DRAG)
        out->most = size * __builtin_fabsf(force->speed);
    else if (force->kind == RICO_FORCE_TURBULENCE)
        out->most = size * RICO__SWIRL_MOST;
    if (force->kind == RICO_FORCE_TURBULENCE)
        place_noise(out, force, clock, shifted);
}

/* The most that an orbit may do grows with the distance from its axis. */
static void bound_orbit(rico__force *f, float distance)
{
    float speed = __builtin_fabsf(f->speed);
    if (f->kind == RICO_FORCE_ORBIT)
        f->most = (speed + f->strength) * speed * distance;
}

void rico__force_within(rico__force *out, const rico_transform *space, rico_vec3 half,
                        bool ball, float falloff)
{
    const rico_vec3 axes[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    const float size[3] = {half.x, half.y, half.z};
    out->everywhere = false;
    out->ball = ball;
    out->middle = space->position;
    for (int k = 0; k < 3; ++k) {
        rico_vec3 axis = transform_direction(space, axes[k]);
        out->rows[k] = vec3_scale(axis, 1.0f / size[k]);
    }
    out->fade = falloff > 0.0f ? 1.0f / falloff : 1.0e30f;
    out->plateau = 1.0f - falloff;
    out->half = half;
    out->least = float_min(float_min(half.x, half.y), half.z);
    float far = vec3_length(vec3_sub(out->center, out->middle));
    bound_orbit(out, far + (ball ? half.x : vec3_length(half)));
}

static void place_own(rico__force *out, const rico_world *world, const rico__effect *effect,
                      const rico_force *force, const rico_box *box)
{
    const rico_transform identity = RICO_TRANSFORM_IDENTITY;
    const rico_transform *space = force->world_space ? &identity : &effect->transform;
    rico__force_place(out, force, space, effect->clock, world->fields.shifted);
    rico_vec3 far = vec3_max(vec3_sub(box->hi, out->center), vec3_sub(out->center, box->lo));
    bound_orbit(out, vec3_length(far));
    if (!(force->reach > 0.0f))
        return;
    rico_transform where = RICO_TRANSFORM_IDENTITY;
    where.position = out->center;
    float reach = force->reach * space->scale;
    rico__force_within(out, &where, vec3(reach, reach, reach), true, 1.0f);
}

/* --- Finding ------------------------------------------------------------------------------ */

/* Air drags a particle along, up to the air's own speed. */
static float most_of_air(const rico__recipe *recipe)
{
    const rico_recipe *def = &recipe->def;
    float most = 2.0f * def->drag_quadratic * vec3_dot(def->wind, def->wind);
    return recipe->drag_varies ? most + recipe->most_drag * vec3_length(def->wind) : most;
}

static bool feels(const rico__recipe *recipe, const rico__zone *zone)
{
    return zone->alive && (zone->def.layers & recipe->def.field_layers) != 0 &&
           zone->def.force.kind != RICO_FORCE_NONE;
}

void rico__forces_find(const rico_world *world, const rico__effect *effect,
                       const rico__step *step, const rico_box *box, rico__forces *out)
{
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    const rico_recipe *def = &recipe->def;
    const rico_vec3 around = {RICO__FORCES_AROUND, RICO__FORCES_AROUND, RICO__FORCES_AROUND};
    const rico_box near = {vec3_sub(box->lo, around), vec3_add(box->hi, around)};
    out->count = 0;
    out->dt = step->kick; /* that of paths, not the frame's */
    out->wind = def->wind;
    out->drag_quadratic = def->drag_quadratic;
    out->limit_speed = def->limit_speed;
    out->drags = recipe->drag_varies ? recipe->tables.drag : NULL;
    out->air = most_of_air(recipe);
    out->push = vec3(step->gx, step->gy, step->gz);
    out->factor = step->drag_factor;
    out->even_dt = 0.0f;
    if ((effect->paths & RICO__PATHS_UNEVEN) != 0) {
        out->even_dt = effect->path_dt;
        out->gravity = def->gravity;
    }
    for (uint32_t i = 0; i < RICO_MAX_FORCES; ++i) {
        if (def->forces[i].kind == RICO_FORCE_NONE)
            continue;
        place_own(&out->own[i], world, effect, &def->forces[i], &near);
        out->items[out->count++] = &out->own[i];
    }
    out->own_count = out->count;
    if ((world->fields.layers & def->field_layers) == 0)
        return;
    for (uint32_t z = 0; z < world->fields.high_water; ++z) {
        const rico__zone *zone = &world->fields.items[z];
        if (feels(recipe, zone) && boxes_meet(&zone->box, &near))
            out->items[out->count++] = &zone->force;
    }
}

static bool acts(const rico__forces *forces)
{
    return forces->count > 0 || forces->drag_quadratic > 0.0f || forces->limit_speed > 0.0f ||
           forces->drags != NULL;
}

static float sum_most(const rico__forces *forces)
{
    float most = 0.0f;
    for (uint32_t i = 0; i < forces->count; ++i)
        most += forces->items[i]->most;
    return most;
}

float rico__forces_most(const rico__forces *forces)
{
    return sum_most(forces) + forces->air;
}

float rico__forces_own_most(const rico__recipe *recipe)
{
    static const double nowhere[3] = {0.0, 0.0, 0.0};
    float most = most_of_air(recipe);
    for (uint32_t i = 0; i < RICO_MAX_FORCES; ++i) {
        const rico_force *force = &recipe->def.forces[i];
        rico__force placed;
        rico_transform where = RICO_TRANSFORM_IDENTITY;
        if (force->kind == RICO_FORCE_NONE)
            continue;
        rico__force_place(&placed, force, &where, 0.0, nowhere);
        bound_orbit(&placed, force->reach > 0.0f ? force->reach : 1.0e6f);
        most += placed.most;
    }
    return most;
}

float rico__forces_most_anywhere(const rico_world *world, const rico__recipe *recipe)
{
    float most = rico__forces_own_most(recipe);
    if ((world->fields.layers & recipe->def.field_layers) != 0)
        most += world->fields.most;
    return most;
}

/* --- The pass ----------------------------------------------------------------------------- */

bool rico__forces_hold(const rico__step *step, float most, float *hold_cosine)
{
    float cosine = step->hold_cosine;
    float sine = __builtin_sqrtf(float_max(1.0f - cosine * cosine, 0.0f));
    if (!(most < step->fall * sine))
        return false;
    /* The push turns the pull on the particle by an angle of this sine, at most. */
    float turn = most / step->fall;
    *hold_cosine = cosine * __builtin_sqrtf(1.0f - turn * turn) + sine * turn;
    return true;
}

void rico__forces_push(rico__block_context *c)
{
    rico__forces forces;
    rico_box box;
    const rico__kernels *kernels = c->world->kernels;
    if (c->block->count == 0)
        return;
    kernels->bounds(&c->streams, c->block->count, &box);
    rico__forces_find(c->world, c->effect, &c->step, &box, &forces);
    if (!acts(&forces))
        return;
    float most = kernels->force(&c->streams, c->block->count, &forces, c->block->asleep);
    most += forces.air;
    if (!rico__forces_hold(&c->step, most, &c->step.hold_cosine))
        c->step.rest_speed2 = 0.0f;
    c->most_push = rico__forces_most(&forces);
    c->pushed = true;
}

/* As use_clearance in the kernel. But here forces speed the particle up as well, and in any
 * direction, not only downhill. */
static void rebound(rico__block_context *c, uint32_t i)
{
    const rico__step *step = &c->step;
    float *until = &c->streams.until[i], age = c->streams.age[i];
    float left = rico__clearance(block_known(c, i)) * (*until - age);
    float fall = step->fall + c->most_push;
    float speed = vec3_length(block_velocity(c, i)) + 0.5f * fall * step->dt;
    float root = __builtin_sqrtf(speed * speed + 2.0f * fall * left);
    float rate = float_max(0.5f * (speed + root), RICO__LEAST_RATE);
    rico__set_known(c->data + i, c->recipe->stream_floats, rico__known_clearance(rate));
    *until = age + left / rate;
    if (age + step->ahead > *until && !rico__bit(c->block->asleep, i))
        rico__bit_set(c->masks.look, i, true);
}

void rico__forces_rebound(rico__block_context *c)
{
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.bounced[w] & c->masks.rebound[w]; bits != 0;
             bits &= bits - 1)
            rebound(c, w * 64 + bits_lowest64(bits));
}

/* --- One particle ------------------------------------------------------------------------- */

/* Adds the push on a particle of age 0 to its velocity. Returns the most that the forces come
 * to, without air. */
static float push_one(const rico_world *world, const rico__forces *forces, rico_vec3 p,
                      rico_vec3 *v)
{
    /* Kernels read and write whole vectors. */
    float n[8][16] = {{p.x}, {p.y}, {p.z}, {v->x}, {v->y}, {v->z}, {0.0f}, {1.0f}};
    const uint64_t asleep[RICO__MASK_WORDS] = {0};
    const rico__streams s = {.px = n[0],
                             .py = n[1],
                             .pz = n[2],
                             .vx = n[3],
                             .vy = n[4],
                             .vz = n[5],
                             .age = n[6],
                             .life = n[7]};
    const float most = world->kernels->force(&s, 1, forces, asleep);
    *v = vec3(n[3][0], n[4][0], n[5][0]);
    return most;
}

rico_vec3 rico__forces_kick(const rico_world *world, const rico__forces *forces, rico_vec3 p,
                            rico_vec3 v)
{
    rico_vec3 after = v;
    if (!acts(forces))
        return vec3(0.0f, 0.0f, 0.0f);
    push_one(world, forces, p, &after);
    return vec3_sub(after, v);
}

float rico__forces_on_sleeper(const rico_world *world, const rico__forces *forces, rico_vec3 p)
{
    rico_vec3 v = {0.0f, 0.0f, 0.0f};
    return push_one(world, forces, p, &v) + forces->air;
}
