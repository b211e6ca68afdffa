/* Births. Each begins at its own time within the step, where the emitter is then. From then on
 * it ages and moves for the rest of the step. Every number is a function of (effect seed,
 * particle serial, use), so any job may write births. */
#include "births.h"
#include "contact.h"
#include "curve.h"
#include "forces.h"
#include "free_motion.h"
#include "host_rays.h"
#include "looks.h"
#include "newborns.h"
#include "pace.h"
#include "planes.h"
#include "preparation.h"
#include "response.h"
#include "rotation.h"
#include "sight.h"
#include "space.h"
#include "sub_emitters.h"

#include "check.h"

/* The range of rico_recipe.lifetime. It holds whatever lifetimes are multiplied with. */
#define LEAST_LIFE 0.01f
#define MOST_LIFE 1000.0f

/* --- The rest of the step ----------------------------------------------------------------- */

/* The free motion of the block's particle from where it is, with all that acts there. */
static rico__motion motion_from(const rico__block_context *c, uint32_t i, float seconds)
{
    rico_vec3 v = block_velocity(c, i);
    if (c->forces == NULL)
        return rico__free_motion(c->recipe, c->step.dt, v, NULL, seconds);
    rico_vec3 kick = rico__forces_kick(c->world, c->forces, block_position(c, i), v);
    return rico__free_motion(c->recipe, c->step.dt, v, &kick, seconds);
}

/* Casts a ray if anything is near. */
static bool scene_contact(rico__block_context *c, rico_vec3 p, rico_vec3 v, float dt,
                          rico__contact *contact)
{
    if (rico__way_is_free(c, p, vec3_mad(p, v, dt)))
        return false;
    rico_ray ray = rico__contact_ray(p, v, dt, c->step.radius);
    rico_hit hit = rico__cast_ray(c, &ray);
    return rico__hit_contact(&hit, &ray, ray.direction, c->step.radius, contact) &&
           rico__confirm_contact(c, &ray, &hit, contact);
}

/* Finds the path's next contact in the way of the particle's mode. */
static bool next_contact(rico__block_context *c, uint32_t i, const rico__contact *last,
                         rico_vec3 p, rico_vec3 v, float dt, rico__contact *contact)
{
    switch (c->recipe->def.mode) {
    case RICO_COLLIDE_FIXED:
    case RICO_COLLIDE_CLASSIC:
        return rico__planes_contact(c, i, last, p, v, dt, contact);
    case RICO_COLLIDE_EXACT:
        return scene_contact(c, p, v, dt, contact);
    default:
        return false;
    }
}

/* Goes on from a first contact. What is left of the step after the last allowed contact is not
 * moved. */
static void bounce_on(rico__block_context *c, uint32_t i, rico_vec3 v, float left,
                      rico__contact *contact)
{
    rico_vec3 p = block_position(c, i);
    bool rests = false;
    for (uint32_t n = 0; n < RICO__CONTACTS_PER_STEP && !rests; ++n) {
        p = rico__contact_place(p, v, left, contact, c->step.radius);
        left *= 1.0f - contact->time;
        contact->when = float_max(c->step.dt - left, 0.0f); /* 0: born in the step before */
        rests = rico__meet(c, i, p, &v, contact, false);
        block_set_position(c, i, p);
        block_set_velocity(c, i, v);
        if (rests)
            break;
        rico__planes_look_up(c, i, false);
        if (!next_contact(c, i, contact, p, v, left, contact)) {
            block_set_position(c, i, vec3_mad(p, v, left));
            break;
        }
    }
    rico__bit_set(c->block->asleep, i, rests);
}

/* Whether a particle of mode exact may not ask what is there. It then begins with the next
 * step. */
static bool is_blind_there(const rico__block_context *c, rico_vec3 p, rico_vec3 to)
{
    const rico_recipe *def = &c->recipe->def;
    return def->mode == RICO_COLLIDE_EXACT && rico__is_blind(def, c->effect) &&
           !rico__way_is_free(c, p, to);
}

/* For mode exact. In mode classic, which does not look at bodies, the particle begins with the
 * next step. */
static void live_among_bodies(rico__block_context *c, uint32_t i, const rico__motion *m,
                              rico_vec3 to, float seconds)
{
    if (c->recipe->def.mode != RICO_COLLIDE_EXACT ||
        rico__movers_meet_newborn(c, i, m->mean, seconds))
        return;
    block_set_position(c, i, to);
    block_set_velocity(c, i, m->after);
}

static void live_on(rico__block_context *c, uint32_t i, float seconds)
{
    rico_vec3 p = block_position(c, i);
    rico__motion m = motion_from(c, i, seconds);
    rico_vec3 to = vec3_mad(p, m.mean, seconds);
    rico__contact contact;
    if (is_blind_there(c, p, to))
        return;
    if (rico__movers_may_meet(c->world, c->recipe, p, to)) {
        live_among_bodies(c, i, &m, to, seconds);
        return;
    }
    if (next_contact(c, i, NULL, p, m.mean, seconds, &contact)) {
        bounce_on(c, i, m.mean, seconds, &contact);
        return;
    }
    block_set_position(c, i, to);
    block_set_velocity(c, i, m.after);
}

/* --- Mode cached -------------------------------------------------------------------------- */

/* Whether the particle may meet a body. If so, it begins with the next step, because static
 * geometry is not known yet. But bodies go on before that, and take it along. */
static bool is_swept(const rico__block_context *c, uint32_t i)
{
    rico_vec3 p = block_position(c, i);
    return c->world->movers.any_moved && rico__movers_may_meet(c->world, c->recipe, p, p);
}

/* On the host's rays, the path is asked about after the step. So the particle only moves where
 * nothing can be. */
static void live_on_where_free(rico__block_context *c, uint32_t i, float seconds)
{
    rico_vec3 p = block_position(c, i);
    rico__motion m = motion_from(c, i, seconds);
    rico_vec3 to = vec3_mad(p, m.mean, seconds);
    if (rico__movers_may_meet(c->world, c->recipe, p, to) || !rico__way_is_free(c, p, to))
        return;
    block_set_position(c, i, to);
    block_set_velocity(c, i, m.after);
}

static void begin_cached(rico__block_context *c, uint32_t i, float seconds)
{
    block_set_plane(c, i, no_plane());
    c->streams.until[i] = 0.0f;
    rico__bit_set(c->masks.look, i, true);
    rico__bit_set(c->block->waits, i, false);
    if (is_swept(c, i) &&
        rico__movers_meet_newborn(c, i, (rico_vec3){0.0f, 0.0f, 0.0f}, seconds))
        return;
    if (rico__has_caster(c->world))
        live_on_where_free(c, i, seconds);
}

static rico_vec3 numbers(const float *stream, size_t stride)
{
    return vec3(stream[0], stream[stride], stream[2 * stride]);
}

static void set_numbers(float *stream, size_t stride, rico_vec3 v)
{
    stream[0] = v.x;
    stream[stride] = v.y;
    stream[2 * stride] = v.z;
}

/* If its path is not known, or meets its plane within the step, the particle begins with the
 * next step: that is better than passing through a surface. Streams that mode cached has lie
 * one after the other, as the fields do. */
void rico__birth_settle(const rico_world *world, const rico__effect *effect, float *first,
                        const rico_vec3 *kick)
{
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    const size_t stride = recipe->stream_floats;
    float seconds = first[FIELD_AGE * stride], *until = first + FIELD_UNTIL * stride;
    if (!(*until >= 2.0f * seconds))
        return;
    rico_vec3 p = numbers(first + FIELD_PX * stride, stride);
    rico_plane own = rico__watched_plane(first, stride);
    rico_vec3 v = numbers(first + FIELD_VX * stride, stride);
    rico__motion m =
        rico__free_motion(recipe, rico__pace_lag(effect), v, kick, seconds); /* as its path */
    rico_vec3 to = vec3_mad(p, m.mean, seconds);
    float left = vec3_dot(own.normal, to) - own.offset;
    if (rico__movers_may_meet(world, recipe, p, to))
        return;
    if (!(left >= recipe->contact_radius || vec3_dot(own.normal, m.mean) >= 0.0f))
        return;
    set_numbers(first + FIELD_PX * stride, stride, to);
    set_numbers(first + FIELD_VX * stride, stride, m.after);
    *until -= seconds;
}

/* --- The birth ---------------------------------------------------------------------------- */

/* What the births of a block share. */
typedef struct source {
    rico_vec3 velocity; /* inherited by the births */
    bool moves;
} source;

static float mix(float a, float b, float f)
{
    return float_mix(a, b, f);
}

static float within(float speed)
{
    return float_clamp(speed, -RICO__MOST_SPEED, RICO__MOST_SPEED);
}

static source source_of(const rico__block_context *c)
{
    const rico__effect *effect = c->effect;
    source s = {.moves = effect->moved && c->recipe->def.space == RICO_SPACE_WORLD};
    if (s.moves)
        s.velocity = vec3_scale(vec3_sub(effect->transform.position, effect->before.position),
                                c->recipe->def.inherit_velocity / c->step.dt);
    s.velocity = vec3(within(s.velocity.x), within(s.velocity.y), within(s.velocity.z));
    return s;
}

/* For births at events of other particles, or where the host says: they are outside of any
 * duration. */
#define NO_PHASE (-1.0f)

/* The factor of a curve over the duration. A curve with one key is constant. */
static float factor_at(const rico_curve *curve, float phase)
{
    if (curve->key_count == 1)
        return curve->value[0];
    return phase == NO_PHASE ? 1.0f : rico__curve_at(curve, phase, RICO__FACTORS);
}

static void set_place_and_velocity(rico__block_context *c, uint32_t i, const rico__birth *b,
                                   const rico_transform *transform, rico_vec3 inherited,
                                   float speed)
{
    rico_vec3 place, direction;
    rico__birth_place(b, &place, &direction);
    bool at_origin = c->recipe->def.shape == RICO_EMIT_POINT;
    inherited = vec3_add(inherited, rico__pace_birth(c->recipe, c->effect));
    block_set_position(c, i,
                       at_origin ? transform->position : transform_point(transform, place));
    block_set_velocity(c, i,
                       vec3_mad(inherited, transform_direction(transform, direction), speed));
}

/* The lifetime as the recipe draws it, times a factor that is mostly 1. */
static float life_after(float life, float factor)
{
    return factor == 1.0f ? life : float_clamp(life * factor, LEAST_LIFE, MOST_LIFE);
}

static void draw_looks(rico__block_context *c, uint32_t i, const rico__birth *b, float phase,
                       rico__look inherited)
{
    const rico__recipe *recipe = c->recipe;
    const rico_recipe *def = &recipe->def;
    const bool draws = recipe->draws_size || recipe->draws_color;
    rico__look look = inherited;
    if (!draws && recipe->inherits == 0)
        return;
    rico__random_pair draw = {0.0f, 0.0f};
    if (draws)
        draw = rico__draw(b, USE_LOOKS);
    if (recipe->draws_size)
        look.size *= mix(def->start_size.lo, def->start_size.hi, draw.first) *
                     factor_at(&def->size_over_duration, phase);
    if (recipe->draws_color)
        look.color =
            rico__tinted(rico__gradient_at(&def->start_color, draw.second), look.color);
    rico__looks_set(recipe, c->data, i, 1, look);
}

static void record(rico__block_context *c, rico_event_type type, uint32_t serial, float time,
                   rico_vec3 p, rico_vec3 v)
{
    if ((c->recipe->event_bits & RICO__EVENT_BIT(type)) == 0)
        return;
    *rico__event_raise(&c->scratch->events) = (rico_event){
        .type = type,
        .particle = serial,
        .effect = {c->block->effect + 1, c->effect->generation},
        .position = p,
        .speed = vec3_length(v),
        .time = time,
        .velocity = v,
        .triangle = RICO_NO_TRIANGLE,
    };
}

static void record_death(rico__block_context *c, uint32_t i, uint32_t serial, rico_vec3 p,
                         rico_vec3 v)
{
    c->scratch->tally.deaths += 1;
    record(c, RICO_EVENT_DEATH, serial, c->step.dt, p, v);
    rico__look_note_at(c, i, RICO_EVENT_DEATH, c->streams.age[i], c->streams.life[i]);
}

/* Where a particle that dies in the step of its birth has met something, or may have. Births at
 * its death must not be behind that. If no deaths are reported, nothing is asked. */
static rico_vec3 place_of_death(rico__block_context *c, uint32_t i, rico_vec3 v, float life)
{
    const rico_collision_mode mode = c->recipe->def.mode;
    rico_vec3 p = block_position(c, i), to = vec3_mad(p, v, life);
    rico__contact contact;
    bool met;
    if ((c->recipe->event_bits & RICO_EVENT_BIT_DEATH) == 0 || mode == RICO_COLLIDE_NONE)
        return to;
    if (rico__movers_may_meet(c->world, c->recipe, p, to))
        return p;
    if (mode == RICO_COLLIDE_FIXED || mode == RICO_COLLIDE_CLASSIC) {
        rico__planes_look_up(c, i, true);
        met = next_contact(c, i, NULL, p, v, life, &contact);
    } else if (rico__is_blind(&c->recipe->def, c->effect) ||
               (mode == RICO_COLLIDE_CACHED && rico__has_caster(c->world))) {
        return rico__way_is_free(c, p, to) ? to : p;
    } else {
        met = scene_contact(c, p, v, life, &contact);
    }
    return met ? vec3_mad(p, v, life * contact.time) : to;
}

static void die_at_once(rico__block_context *c, uint32_t i, uint32_t serial, float life)
{
    rico__motion m = motion_from(c, i, life);
    record_death(c, i, serial, place_of_death(c, i, m.mean, life), m.after);
}

/* The particle that was in this place before may have left a spin, or may have died. */
static void begin_response(rico__block_context *c, uint32_t i, const rico_transform *where)
{
    rico__bit_set(c->masks.dead, i, false);
    if (!c->recipe->def.rolls)
        return;
    rico__response_set_spin(c, i, vec3(0.0f, 0.0f, 0.0f));
    rico__rotation_begin(c, i, where->rotation);
}

/* Whether the particle dies of what it met on its way through the rest of the step. */
static bool dies_in_contact(rico__block_context *c, uint32_t i, uint32_t serial)
{
    if (!rico__bit(c->masks.dead, i))
        return false;
    rico__bit_set(c->block->asleep, i, false);
    rico__bit_set(c->masks.look, i, false);
    record_death(c, i, serial, block_position(c, i), block_velocity(c, i));
    return true;
}

/* A birth at a time within the step or before it: where the emitter is then, which velocity is
 * added, how long before the step's end it is, and how far through the duration. */
typedef struct beginning {
    const rico_transform *where;
    rico_vec3 inherited;
    float rest, phase;
    rico__look look; /* inherited, too */
} beginning;

/* False: it is dead already at the end of the step. */
static bool begin_life(rico__block_context *c, uint32_t i, uint32_t serial,
                       const beginning *from)
{
    const float rest = from->rest, phase = from->phase;
    const rico_recipe *def = &c->recipe->def;
    const rico__birth b = {c->recipe, c->effect->seed, serial};
    const rico__random_pair draw = rico__draw(&b, USE_SPEED_AND_LIFE);
    float speed = mix(def->speed.lo, def->speed.hi, draw.first);
    float life = mix(def->lifetime.lo, def->lifetime.hi, draw.second);
    speed *= factor_at(&def->speed_over_duration, phase);
    life = life_after(life, factor_at(&def->lifetime_over_duration, phase));
    set_place_and_velocity(c, i, &b, from->where, from->inherited, speed);
    if (def->births_in_sight)
        rico__birth_in_sight(c, i, from->where);
    if (def->interpolate)
        rico__keep_places(c, i, 1);
    c->streams.age[i] = rest;
    c->streams.life[i] = life;
    draw_looks(c, i, &b, phase, from->look);
    if ((c->recipe->event_bits & RICO_EVENT_BIT_BIRTH) != 0) {
        record(c, RICO_EVENT_BIRTH, serial, float_max(c->step.dt - rest, 0.0f),
               block_position(c, i), block_velocity(c, i));
        rico__look_note_at(c, i, RICO_EVENT_BIRTH, 0.0f, life);
    }
    if (rest >= life) {
        die_at_once(c, i, serial, life);
        return false;
    }
    uint32_t *id = (uint32_t *)(void *)rico__stream(c->recipe, c->data, FIELD_ID);
    if (id != NULL)
        id[i] = serial;
    const bool plain = c->recipe->plain_response;
    if (!plain)
        begin_response(c, i, from->where);
    RICO_ASSERT(!rico__bit(c->block->asleep, i) && !rico__bit(c->masks.rebound, i));
    if (def->mode == RICO_COLLIDE_CACHED) {
        begin_cached(c, i, rest);
    } else {
        rico__planes_look_up(c, i, true);
        live_on(c, i, rest);
    }
    return plain || !dies_in_contact(c, i, serial);
}

static beginning due_one(const rico__block_context *c, const rico__due *due, const source *from,
                         rico_transform *on_way)
{
    const float dt = c->step.dt, time = rico__due_time(due, dt);
    const bool moves = from->moves && !due->span->at_hand;
    if (moves)
        *on_way = transform_mix(&c->effect->before, &c->effect->transform, time / dt);
    return (beginning){moves ? on_way : &c->effect->transform, from->velocity, dt - time,
                       rico__emitter_phase(&c->effect->emitter, &c->recipe->def, time),
                       RICO__OWN_LOOK};
}

/* There is one call to begin_life, so it is inlined. That saves a twentieth of a birth. */
static void emit_all(rico__block_context *c)
{
    rico__block *block = c->block;
    const rico__emitter *emitter = &c->effect->emitter;
    const bool thins = c->recipe->detail && c->effect->regard.thins;
    const source from = source_of(c);
    const uint32_t first = block->birth_serial - emitter->first_serial;
    rico__due due = {emitter->spans, 0};
    if (!thins)
        due = rico__due_at(emitter, first);
    for (uint32_t n = 0; n < block->birth_count; ++n) {
        rico_transform on_way;
        uint32_t number = first + n;
        if (thins) {
            number = rico__detail_number(c->effect, number);
            due = rico__due_at(emitter, number);
        }
        const beginning next = due_one(c, &due, &from, &on_way);
        block->count += begin_life(c, block->count, emitter->first_serial + number, &next);
        rico__due_next(&due);
    }
}

/* Fewer births are done faster one by one. */
#define LEAST_LITTER 4u

/* Writes the births that events of the last step or the host have asked for, seed by seed. */
static void emit_fed(rico__block_context *c, bool plain)
{
    rico__block *block = c->block;
    const uint32_t first = c->effect->emitter.first_serial;
    const uint32_t end = block->birth_serial + block->birth_count - first;
    uint32_t number = block->birth_serial - first;
    const rico__seed *seed = rico__seed_at(c->world, c->recipe, number);
    rico__newborns born;
    for (uint32_t count; number < end; number += count) {
        seed += number == seed->end;
        count = uint_min(uint_min(seed->end, end) - number, RICO__LITTER);
        const beginning at = {&seed->where, seed->velocity,
                              c->step.dt + seed->late * c->effect->time_scale, NO_PHASE,
                              rico__look_inherited(c->world, seed)};
        uint32_t alone = UINT32_MAX;
        if (plain && count >= LEAST_LITTER)
            alone = rico__newborns_begin_fed(c, number, seed, at.rest, count, &born);
        if (alone == 0)
            rico__newborns_add(c, &born, 0, count, first + number, at.look);
        for (uint32_t i = 0; alone != 0 && i < count; ++i) {
            const uint32_t serial = first + number + i;
            if ((alone >> i & 1u) == 0)
                rico__newborns_add(c, &born, i, 1, serial, at.look);
            else
                block->count += begin_life(c, block->count, serial, &at);
        }
    }
}

/* Writes many births at a time. Particles to which something happens at once begin one by
 * one. */
static void emit_plain(rico__block_context *c)
{
    const rico__emitter *emitter = &c->effect->emitter;
    const source from = source_of(c);
    uint32_t number = c->block->birth_serial - emitter->first_serial;
    rico__due due = rico__due_at(emitter, number), next = due;
    rico__newborns born;
    for (uint32_t left = c->block->birth_count, count; left != 0; left -= count) {
        count = uint_min(left, RICO__LITTER);
        const uint32_t alone = rico__newborns_begin(c, number, &next, count, &born);
        const uint32_t serial = emitter->first_serial + number;
        if (alone == 0)
            rico__newborns_add(c, &born, 0, count, serial, RICO__OWN_LOOK);
        for (uint32_t i = 0; alone != 0 && i < count; ++i, rico__due_next(&due)) {
            if ((alone >> i & 1u) == 0) {
                rico__newborns_add(c, &born, i, 1, serial + i, RICO__OWN_LOOK);
                continue;
            }
            const beginning one = due_one(c, &due, &from, NULL);
            c->block->count += begin_life(c, c->block->count, serial + i, &one);
        }
        number += count;
        due = next;
    }
}

/* Where particles are born: along the effect's way, as far from it as its shape reaches.
 * Anywhere, if the shape is a mesh or a cone, or if seeds say where. */
static rico_box birth_box(const rico__block_context *c)
{
    const rico_recipe *def = &c->recipe->def;
    const rico_transform *to = &c->effect->transform;
    const rico_transform *from = c->effect->moved ? &c->effect->before : to;
    bool wide = def->shape == RICO_EMIT_MESH || def->shape == RICO_EMIT_CONE || c->effect->fed;
    float size =
        def->shape == RICO_EMIT_RING ? def->size.x + def->size.y : vec3_length(def->size);
    float reach = wide ? 2.0e6f : size * float_max(from->scale, to->scale);
    rico_vec3 around = {reach, reach, reach};
    return (rico_box){vec3_sub(vec3_min(from->position, to->position), around),
                      vec3_add(vec3_max(from->position, to->position), around)};
}

/* Whether bodies may pass over places of birth. */
static bool are_swept(const rico__block_context *c)
{
    if (c->recipe->def.mode != RICO_COLLIDE_CACHED || !c->world->movers.any_moved)
        return false;
    const rico_box box = birth_box(c);
    return rico__movers_may_sweep(c, &box);
}

void rico__emit(rico__block_context *c)
{
    rico__forces forces;
    c->first_born = c->block->count;
    c->forces = NULL;
    if (c->block->birth_count == 0)
        return;
    /* On a scene, paths of mode cached are followed after the births. */
    if (c->recipe->pushed &&
        (c->recipe->def.mode != RICO_COLLIDE_CACHED || rico__has_caster(c->world))) {
        const rico_box box = birth_box(c);
        rico__forces_find(c->world, c->effect, &c->step, &box, &forces);
        forces.dt = c->step.dt; /* free motions divide what these add by it */
        c->forces = &forces;
    }
    const bool plain =
        c->block->birth_count >= LEAST_LITTER && rico__births_are_plain(c) && !are_swept(c);
    if (c->effect->fed)
        emit_fed(c, plain);
    else if (plain)
        emit_plain(c);
    else
        emit_all(c);
    if (c->recipe->def.interpolate && c->effect->ways == RICO__RODE)
        rico__space_ride(c);
    c->scratch->tally.births += c->block->birth_count;
    c->block->birth_count = 0;
}
