#include "response.h"

#include "births.h"
#include "contact.h"
#include "host_rays.h"
#include "looks.h"

#include "bits.h"

#include <string.h>

/* --- Of a recipe -------------------------------------------------------------------------- */

bool rico__response_is_plain(const rico_recipe *def)
{
    return def->on_collision == RICO_ON_COLLISION_BOUNCE && def->restitution_random == 0.0f &&
           def->friction_random == 0.0f && def->lifetime_loss == 0.0f &&
           def->kill_below == 0.0f && def->kill_above == 0.0f && !def->by_surface &&
           !def->rolls;
}

bool rico__response_draws(const rico_recipe *def)
{
    return def->restitution_random > 0.0f || def->friction_random > 0.0f;
}

/* A slope of up to 45 degrees holds a slow particle. A particle that loses more than 70 % of
 * its speed along the surface in a contact only creeps on steeper slopes, too, and is held
 * there. */
#define HOLD_COSINE 0.7f
#define STICKY_SLIP 0.3f

float rico__response_hold_cosine(const rico_recipe *def)
{
    /* Coulomb: the friction is the tangent of the steepest slope that holds. */
    float coulomb = def->rolls ? def->rolling_friction : def->friction;
    if (def->rolls || def->on_collision == RICO_ON_COLLISION_SLIDE)
        return 1.0f / __builtin_sqrtf(1.0f + coulomb * coulomb);
    return HOLD_COSINE * float_min((1.0f - def->friction) / STICKY_SLIP, 1.0f);
}

/* --- One contact -------------------------------------------------------------------------- */

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* No two contacts of a particle are at the same age. So they are numbered by age, not by a
 * count that would have to be kept for each particle. */
static rico__random_pair draw(const rico__block_context *c, uint32_t i,
                              const rico__contact *contact)
{
    const uint32_t *id =
        (const uint32_t *)(const void *)rico__stream(c->recipe, c->data, FIELD_ID);
    uint32_t use = bits_of(c->streams.age[i]) * 0x9e3779b1u ^ bits_of(contact->when);
    return rico__random_units(c->effect->seed, id[i], use | 0x80000000u);
}

static float varied(float value, float by, float unit)
{
    return float_clamp(value + by * (2.0f * unit - 1.0f), 0.0f, 1.0f);
}

static rico__surface_factors factors_of(const rico__block_context *c,
                                        const rico__contact *contact)
{
    uint32_t number = RICO_MAX_SURFACES;
    if (contact->collider != 0)
        number = rico__contact_surface(c->world, contact);
    if (number < RICO_MAX_SURFACES)
        return c->world->surfaces[number];
    return (rico__surface_factors){1.0f, 1.0f};
}

/* Sets the step's restitution and friction to those of this contact. */
static void settle_numbers(const rico__block_context *c, uint32_t i,
                           const rico__contact *contact, rico__step *step)
{
    const rico_recipe *def = &c->recipe->def;
    float restitution = def->restitution, friction = def->friction;
    if (rico__response_draws(def)) {
        rico__random_pair unit = draw(c, i, contact);
        restitution = varied(restitution, def->restitution_random, unit.first);
        friction = varied(friction, def->friction_random, unit.second);
    }
    if (def->by_surface) {
        rico__surface_factors factors = factors_of(c, contact);
        restitution = float_clamp(restitution * factors.restitution, 0.0f, 1.0f);
        friction = float_clamp(friction * factors.friction, 0.0f, 1.0f);
    }
    step->restitution = restitution;
    step->slip = 1.0f - friction;
}

/* Shortens the particle's life; true when it ends now. In mode fixed, the number of its plane
 * stays where it is. */
static bool loses_its_life(rico__block_context *c, uint32_t i)
{
    float loss = c->recipe->def.lifetime_loss;
    if (loss == 0.0f)
        return false;
    float *life = &c->streams.life[i], age = c->streams.age[i];
    float left = age + (*life - age) * (1.0f - loss);
    if (c->recipe->def.mode != RICO_COLLIDE_FIXED) {
        *life = left;
        return !(left > age);
    }
    *life = rico__life_with_plane(left, rico__plane_of_life(*life));
    return !(rico__life_with_plane(left, 0) > age); /* whatever plane it watches next */
}

static bool is_killed(rico__block_context *c, uint32_t i, float speed)
{
    const rico_recipe *def = &c->recipe->def;
    return def->on_collision == RICO_ON_COLLISION_DIE || speed < def->kill_below ||
           (def->kill_above > 0.0f && speed > def->kill_above) || loses_its_life(c, i);
}

/* Coulomb's friction: the speed along the surface loses `friction` times what is lost into it. */
static void slide(rico_vec3 *v, const rico__contact *contact, rico__step *step)
{
    float into = -vec3_dot(contact->normal, *v), friction = 1.0f - step->slip;
    float along = vec3_length(vec3_mad(*v, contact->normal, into));
    float lost = friction * float_max(into, 0.0f); /* it may move away from what turns */
    step->restitution = 0.0f;
    step->slip = lost < along ? 1.0f - lost / along : 0.0f;
}

static rico_vec3 spin_of(const rico__block_context *c, uint32_t i)
{
    return vec3(rico__stream(c->recipe, c->data, FIELD_WX)[i],
                rico__stream(c->recipe, c->data, FIELD_WY)[i],
                rico__stream(c->recipe, c->data, FIELD_WZ)[i]);
}

void rico__response_set_spin(rico__block_context *c, uint32_t i, rico_vec3 spin)
{
    rico__stream(c->recipe, c->data, FIELD_WX)[i] = spin.x;
    rico__stream(c->recipe, c->data, FIELD_WY)[i] = spin.y;
    rico__stream(c->recipe, c->data, FIELD_WZ)[i] = spin.z;
}

/* A solid ball. Friction acts where it touches, against the speed of that point, up to what
 * stops the point: two sevenths of its speed, because a push also turns the ball. True when it
 * rests. */
static bool roll(rico__block_context *c, uint32_t i, rico_vec3 *v, const rico__contact *contact,
                 const rico__step *step)
{
    rico_vec3 n = contact->normal, spin = spin_of(c, i);
    float into = -vec3_dot(n, *v), off = rico__rebound_speed(into, contact, step);
    float push = float_max(into + off, 0.0f);
    rico_vec3 along = vec3_mad(*v, n, into);
    rico_vec3 slip = vec3_mad(along, vec3_cross(spin, n), -step->radius);
    float speed = vec3_length(slip);
    if (speed > 0.0f) {
        float most = (1.0f - step->slip) * push / speed;
        float part = float_min(most, 2.0f / 7.0f);
        along = vec3_mad(along, slip, -part);
        spin = vec3_mad(spin, vec3_cross(n, slip), 2.5f * part / step->radius);
    }
    float way = vec3_length(along), lost = c->recipe->def.rolling_friction * push;
    float kept = lost < way ? 1.0f - lost / way : 0.0f;
    along = vec3_scale(along, kept);
    spin = vec3_scale(spin, kept);
    *v = vec3_mad(along, n, off);
    rico_vec3 up = vec3(step->hold_x, step->hold_y, step->hold_z);
    float turning = vec3_dot(spin, spin) * step->radius * step->radius;
    bool rests = vec3_dot(*v, *v) < step->rest_speed2 && turning < step->rest_speed2 &&
                 vec3_dot(n, up) > step->hold_cosine;
    if (rests)
        *v = spin = vec3(0.0f, 0.0f, 0.0f);
    rico__response_set_spin(c, i, spin);
    return rests;
}

static bool respond_by_recipe(rico__block_context *c, uint32_t i, rico_vec3 *v,
                              const rico__contact *contact, bool guessed)
{
    const rico_recipe *def = &c->recipe->def;
    if (is_killed(c, i, vec3_length(*v))) {
        rico__bit_set(c->masks.dead, i, true);
        return true;
    }
    if (rico__response_stays(def)) {
        *v = vec3(0.0f, 0.0f, 0.0f);
        return !guessed;
    }
    rico__step step = c->step;
    settle_numbers(c, i, contact, &step);
    if (guessed)
        step.rest_speed2 = 0.0f;
    if (def->rolls)
        return roll(c, i, v, contact, &step);
    if (def->on_collision == RICO_ON_COLLISION_SLIDE)
        slide(v, contact, &step);
    return rico__respond(v, contact, &step);
}

/* A slow particle does not hop on a plane that is only assumed: it may not rest there, and
 * would hop for ever. What a step's fall gives it again does not count. */
static void stay_down(rico_vec3 *v, const rico__contact *contact, const rico__step *step)
{
    float fall = step->fall * step->kick, most = 2.0f * (step->rest_speed2 + fall * fall);
    if (step->rest_speed2 > 0.0f && vec3_dot(*v, *v) < most)
        *v = vec3_mad(*v, contact->normal, -vec3_dot(contact->normal, *v));
}

bool rico__meet(rico__block_context *c, uint32_t i, rico_vec3 p, rico_vec3 *v,
                rico__contact *contact, bool guessed)
{
    if (rico__response_names(&c->recipe->def))
        rico__name_touched(c, p, contact);
    const float speed = vec3_length(*v);
    contact->into = -vec3_dot(contact->normal, *v);
    bool over;
    if (!c->recipe->plain_response)
        over = respond_by_recipe(c, i, v, contact, guessed);
    else if (guessed)
        over = rico__respond_awake(v, contact, &c->step);
    else
        over = rico__respond(v, contact, &c->step);
    if (guessed)
        stay_down(v, contact, &c->step);
    rico__record_bounce(c, i, p, speed, *v, contact);
    rico__look_note_contact(c, i, contact->when);
    return over;
}

/* --- What sticks -------------------------------------------------------------------------- */

static bool may_have_lost_hold(const rico__block_context *c, uint32_t i)
{
    const rico_box box = box_around(block_position(c, i), c->step.radius);
    return c->effect->forgets || rico__edit_boxes_meet(&c->world->edits.list, &box, true,
                                                       c->recipe->def.ignored_layers);
}

static void let_go(rico__block_context *c, uint32_t i)
{
    rico__bit_set(c->block->asleep, i, false);
    rico__bit_set(c->masks.asleep, i, false);
    rico__bit_set(c->masks.rebound, i, false);
    rico__bit_set(c->block->rebound, i, false);
    if (c->streams.nxy != NULL)
        block_set_plane(c, i, no_plane());
    if (c->streams.until == NULL)
        return;
    c->streams.until[i] = 0.0f;
    if (!rico__has_caster(c->world)) /* its answers come later */
        rico__bit_set(c->block->waits, i, true);
}

static bool is_held(rico__block_context *c, uint32_t i)
{
    if (rico__sticks_by_query(c->world, c->recipe))
        return block_plane(c, i).offset != RICO_NO_PLANE_OFFSET; /* until a query asks */
    return rico__is_held(c, block_position(c, i));
}

void rico__unstick(rico__block_context *c)
{
    if (!c->effect->forgets && c->world->edits.list.count == 0)
        return; /* asking once more does no harm to effects that know the edits */
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->block->asleep[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = w * 64 + bits_lowest64(bits);
            if (may_have_lost_hold(c, i) && !is_held(c, i))
                let_go(c, i);
        }
}
