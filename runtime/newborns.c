#include "newborns.h"

#include "check.h"
#include "host_rays.h"
#include "looks.h"
#include "pace.h"

static bool is_constant(const rico_curve *curve)
{
    return curve->key_count == 1;
}

/* Modes that know where a particle goes without asking anything, or that ask later. */
static bool mode_is_plain(const rico__block_context *c)
{
    const rico_recipe *def = &c->recipe->def;
    return def->mode == RICO_COLLIDE_NONE ||
           (def->mode == RICO_COLLIDE_FIXED && def->plane_count == 1) ||
           (def->mode == RICO_COLLIDE_CACHED && !rico__has_caster(c->world));
}

bool rico__births_are_plain(const rico__block_context *c)
{
    const rico__recipe *recipe = c->recipe;
    const rico_recipe *def = &recipe->def;
    const rico__effect *effect = c->effect;
    bool stands = !effect->moved || def->space != RICO_SPACE_WORLD;
    bool numbered = !(recipe->detail && effect->regard.thins);
    return stands && numbered && c->forces == NULL && mode_is_plain(c) &&
           recipe->plain_response && !def->births_in_sight && !def->interpolate &&
           !recipe->windy && rico__birth_goes_up(def) &&
           (recipe->event_bits & RICO_EVENT_BIT_BIRTH) == 0 && !recipe->draws_size &&
           !recipe->draws_color && is_constant(&def->speed_over_duration) &&
           is_constant(&def->lifetime_over_duration) &&
           def->lifetime_over_duration.value[0] == 1.0f;
}

static void set3(float to[3], rico_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

/* What all births have in common. If they are fewer than a litter, the rest is cleared, so that
 * nothing stays unwritten. */
static void set_out(const rico__block_context *c, const rico_transform *where,
                    rico_vec3 inherited, uint32_t count, rico__newborns *out)
{
    const rico__recipe *recipe = c->recipe;
    const rico_recipe *def = &recipe->def;
    const rico_quat q = where->rotation;
    if (count < RICO__LITTER)
        *out = (rico__newborns){.lowest = 0.0f};
    out->rotation[0] = q.x;
    out->rotation[1] = q.y;
    out->rotation[2] = q.z;
    out->rotation[3] = q.w;
    set3(out->inherited, vec3_add(inherited, rico__pace_birth(recipe, c->effect)));
    set3(out->gravity, def->gravity);
    out->lowest = recipe->lowest;
    out->drag = recipe->drag;
    out->moves_on = def->mode != RICO_COLLIDE_CACHED;
    out->plane = def->mode == RICO_COLLIDE_FIXED;
    if (out->plane) {
        set3(out->normal, def->planes[0].normal);
        out->offset = def->planes[0].offset;
    }
}

/* Draws as begin_life does. */
static void draw_one(const rico_transform *at, const rico__birth *b, float rest, uint32_t i,
                     rico__newborns *out)
{
    const rico_recipe *def = &b->recipe->def;
    const rico__random_pair way = rico__draw(b, USE_DIRECTION);
    const rico__random_pair draw = rico__draw(b, USE_SPEED_AND_LIFE);
    out->around[i] = way.first;
    out->tilt[i] = way.second;
    out->speed[i] = (def->speed.lo + (def->speed.hi - def->speed.lo) * draw.first) *
                    def->speed_over_duration.value[0];
    out->life[i] = def->lifetime.lo + (def->lifetime.hi - def->lifetime.lo) * draw.second;
    out->age[i] = rest;
    rico_vec3 place = at->position;
    if (def->shape != RICO_EMIT_POINT)
        place = transform_point(at, rico__birth_spot(b));
    out->p[0][i] = place.x;
    out->p[1][i] = place.y;
    out->p[2][i] = place.z;
}

uint32_t rico__newborns_begin(const rico__block_context *c, uint32_t number, rico__due *due,
                              uint32_t count, rico__newborns *out)
{
    const float dt = c->step.dt;
    const rico_transform *where = &c->effect->transform;
    set_out(c, where, (rico_vec3){0.0f, 0.0f, 0.0f}, count, out);
    rico__birth b = {c->recipe, c->effect->seed, c->effect->emitter.first_serial + number};
    for (uint32_t i = 0; i < count; ++i, ++b.serial) {
        draw_one(where, &b, dt - rico__due_time(due, dt), i, out);
        rico__due_next(due);
    }
    return c->world->kernels->bear(out, count, &c->step);
}

uint32_t rico__newborns_begin_fed(const rico__block_context *c, uint32_t number,
                                  const rico__seed *seed, float rest, uint32_t count,
                                  rico__newborns *out)
{
    set_out(c, &seed->where, seed->velocity, count, out);
    rico__birth b = {c->recipe, c->effect->seed, c->effect->emitter.first_serial + number};
    for (uint32_t i = 0; i < count; ++i, ++b.serial)
        draw_one(&seed->where, &b, rest, i, out);
    return c->world->kernels->bear(out, count, &c->step);
}

/* Appends a stream's next lanes: all at once where there is room for a whole litter. */
static void append(const rico__block_context *c, float *stream, const float *lanes,
                   uint32_t count)
{
    const uint32_t at = c->block->count;
    if (at + RICO__LITTER <= c->recipe->block_capacity)
        memcpy(stream + at, lanes, RICO__LITTER * sizeof *lanes);
    else
        memcpy(stream + at, lanes, count * sizeof *lanes);
}

static void begin_waiting(rico__block_context *c, uint32_t at)
{
    block_set_plane(c, at, no_plane());
    c->streams.until[at] = 0.0f;
    rico__bit_set(c->masks.look, at, true);
    rico__bit_set(c->block->waits, at, false);
}

void rico__newborns_add(rico__block_context *c, const rico__newborns *born, uint32_t from,
                        uint32_t count, uint32_t serial, rico__look look)
{
    const uint32_t first = c->block->count;
    const rico__streams *s = &c->streams;
    float *const streams[8] = {s->px, s->py, s->pz, s->vx, s->vy, s->vz, s->age, s->life};
    const float *const lanes[8] = {born->p[0], born->p[1], born->p[2], born->v[0],
                                   born->v[1], born->v[2], born->age,  born->life};
    RICO_ASSERT(first + count <= c->recipe->block_capacity);
    if (from == 0) {
        for (uint32_t k = 0; k < 8; ++k)
            append(c, streams[k], lanes[k], count);
    } else {
        for (uint32_t k = 0; k < 8; ++k)
            memcpy(streams[k] + first, lanes[k] + from, count * sizeof(float));
    }
    if (born->plane)
        for (uint32_t i = first; i < first + count; ++i)
            block_watch_plane(c, i, 0);
    if (!born->moves_on)
        for (uint32_t i = first; i < first + count; ++i)
            begin_waiting(c, i);
    uint32_t *id = (uint32_t *)(void *)rico__stream(c->recipe, c->data, FIELD_ID);
    for (uint32_t i = 0; id != NULL && i < count; ++i)
        id[first + i] = serial + i;
    if (c->recipe->inherits != 0)
        rico__looks_set(c->recipe, c->data, first, count, look);
    c->block->count = (uint16_t)(first + count);
}
