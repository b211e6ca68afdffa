#include "planes.h"

#include "response.h"

#include "bits.h"

#include <string.h>

static bool is_of(const rico__contact *contact, const rico_plane *plane)
{
    const rico_vec3 n = contact->normal, m = plane->normal;
    return n.x == m.x && n.y == m.y && n.z == m.z && contact->offset == plane->offset;
}

/* Of planes that are met at the same time, the first in the recipe counts, as in the kernel. */
static bool first_of_recipe(const rico__block_context *c, const rico__contact *last,
                            rico_vec3 p, rico_vec3 v, float dt, rico__contact *contact)
{
    const rico_recipe *def = &c->recipe->def;
    rico__contact best = {.time = 2.0f};
    for (uint32_t k = 0; k < def->plane_count; ++k) {
        rico__contact next;
        if (last != NULL && is_of(last, &def->planes[k]))
            continue;
        if (rico__plane_contact(def->planes[k], p, v, dt, &c->step, &next) &&
            next.time < best.time)
            best = next;
    }
    if (best.time > 1.0f)
        return false;
    *contact = best;
    return true;
}

bool rico__planes_contact(const rico__block_context *c, uint32_t i, const rico__contact *last,
                          rico_vec3 p, rico_vec3 v, float dt, rico__contact *contact)
{
    if (c->recipe->def.mode == RICO_COLLIDE_FIXED)
        return first_of_recipe(c, last, p, v, dt, contact);
    rico_plane own = block_plane(c, i);
    return !(last != NULL && is_of(last, &own)) &&
           rico__plane_contact(own, p, v, dt, &c->step, contact);
}

void rico__planes_look_up(rico__block_context *c, uint32_t i, bool newborn)
{
    if (c->recipe->def.mode == RICO_COLLIDE_CLASSIC)
        rico__classic_look_up(c, i, newborn);
    else if (newborn && c->recipe->def.mode == RICO_COLLIDE_FIXED)
        block_watch_plane(c, i, rico__planes_number(c->recipe));
}

/* What is left of a particle's step. */
typedef struct way {
    rico_vec3 p, v;
    float left; /* seconds */
} way;

/* Whether the particle is held by the plane that it touches together with another plane of the
 * recipe, just below. If so, it is put where it touches both: its bounces between the two are
 * as far from there as a step's fall is long. */
static bool is_propped(const rico__block_context *c, uint32_t i, way *w,
                       const rico__contact *contact)
{
    const float reach = RICO__PROP_WAY + c->step.fall * c->step.kick * c->step.dt;
    rico_vec3 down;
    rico__contact prop;
    if (!rico__planes_are_many(c->recipe) ||
        !rico__slides_slowly(w->v, contact, &c->step, &down) ||
        !rico__planes_contact(c, i, contact, w->p, down, reach, &prop) ||
        !rico__hold_together(contact->normal, prop.normal, &c->step))
        return false;
    w->p = vec3_mad(w->p, down, reach * prop.time);
    return true;
}

static void rest(rico__block_context *c, uint32_t i, way *w)
{
    const rico_vec3 none = {0.0f, 0.0f, 0.0f};
    w->v = none;
    block_set_position(c, i, w->p);
    block_set_velocity(c, i, none);
    if (c->recipe->def.rolls)
        rico__response_set_spin(c, i, none);
    rico__bit_set(c->block->asleep, i, true);
}

/* True when the particle's step is over. */
static bool make_contact(rico__block_context *c, uint32_t i, way *w, rico__contact *contact)
{
    w->p = vec3_mad(w->p, w->v, w->left * contact->time);
    w->left *= 1.0f - contact->time;
    contact->when = c->step.dt - w->left;
    bool over = rico__meet(c, i, w->p, &w->v, contact, false);
    block_set_position(c, i, w->p);
    block_set_velocity(c, i, w->v);
    rico__bit_set(c->block->asleep, i, over);
    if (over || !is_propped(c, i, w, contact))
        return over;
    rest(c, i, w);
    return true;
}

/* After the last allowed contact, where there would be one more. The particle goes on as both
 * planes let it, in a V along the bottom, up to a third plane. */
static void slip_on(rico__block_context *c, uint32_t i, const way *w, const rico__contact *last,
                    const rico__contact *next)
{
    const rico_recipe *def = &c->recipe->def;
    rico_vec3 v = w->v;
    const bool both = rico__along_both(&v, last->normal, next->normal);
    float time = 1.0f;
    if (!both)
        v = vec3_mad(v, last->normal, -vec3_dot(last->normal, v));
    for (uint32_t k = 0; k < def->plane_count; ++k) {
        const rico_plane *plane = &def->planes[k];
        rico__contact third;
        if (is_of(last, plane) || (both && is_of(next, plane)))
            continue;
        if (rico__plane_contact(*plane, w->p, v, w->left, &c->step, &third))
            time = float_min(time, third.time);
    }
    block_set_position(c, i, vec3_mad(w->p, v, w->left * time));
}

/* Moves the particle from one contact to the next. Mode classic, which knows one plane, leaves
 * it where there would be one contact too many. */
static void bounce_on(rico__block_context *c, uint32_t i, way *w, rico__contact *contact,
                      uint32_t most)
{
    rico__contact last = *contact;
    for (uint32_t n = 0; n < most; ++n) {
        if (make_contact(c, i, w, contact))
            return;
        last = *contact;
        rico__planes_look_up(c, i, false);
        if (!rico__planes_contact(c, i, contact, w->p, w->v, w->left, contact)) {
            block_set_position(c, i, vec3_mad(w->p, w->v, w->left));
            return;
        }
    }
    if (c->recipe->def.mode == RICO_COLLIDE_FIXED)
        slip_on(c, i, w, &last, contact);
}

static void step_one(rico__block_context *c, uint32_t i)
{
    way w = {block_position(c, i), rico__accelerate(block_velocity(c, i), &c->step),
             c->step.dt};
    rico__contact contact;
    if (rico__planes_contact(c, i, NULL, w.p, w.v, w.left, &contact)) {
        bounce_on(c, i, &w, &contact, RICO__CONTACTS_PER_STEP);
        return;
    }
    block_set_position(c, i, vec3_mad(w.p, w.v, w.left));
    block_set_velocity(c, i, w.v);
}

/* The pass bounces no particle: `planes` does not without room for impacts, and the guard pass
 * does not because no particle has clearance. */
void rico__planes_step(rico__block_context *c)
{
    const rico__kernels *kernels = c->world->kernels;
    const rico__impacts none = {NULL, NULL, NULL};
    if (rico__planes_are_many(c->recipe))
        kernels->planes(&c->streams, c->block->count, &c->step, &c->masks, NULL);
    else
        kernels->guard(&c->streams, c->block->count, &c->step, &c->masks, &none);
    memcpy(c->block->asleep, c->masks.asleep, sizeof c->block->asleep);
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.hit[w]; bits != 0; bits &= bits - 1)
            step_one(c, w * 64 + bits_lowest64(bits));
    memset(c->masks.hit, 0, sizeof c->masks.hit); /* nothing is left to do for them */
}

/* Goes on after a bounce in the pass. If the way leads straight to where the pass has put the
 * particle, nothing is left to do: the particle stays as it is, to the bit. */
static void go_on(rico__block_context *c, uint32_t i)
{
    const rico_plane plane = rico__planes_watched(c, i);
    rico__contact contact = {.normal = plane.normal, .offset = plane.offset};
    way w = {.v = block_velocity(c, i),
             .left = (1.0f - c->scratch->impact_time[i]) * c->step.dt};
    w.p = vec3_mad(block_position(c, i), w.v, -w.left);
    rico__planes_look_up(c, i, false);
    if (is_propped(c, i, &w, &contact))
        rest(c, i, &w);
    else if (rico__planes_contact(c, i, &contact, w.p, w.v, w.left, &contact))
        bounce_on(c, i, &w, &contact, RICO__CONTACTS_PER_STEP - 1);
}

/* Whether it is past a plane other than the one that it was bounced off. */
static bool is_past_another(const rico__block_context *c, uint32_t i)
{
    const rico__palette *planes = c->streams.palette;
    const uint32_t own = rico__plane_of_life(c->streams.life[i]);
    const rico_vec3 p = block_position(c, i);
    bool past = false;
    for (uint32_t k = 0; k < planes->count; ++k) {
        float distance = planes->x[k] * p.x + planes->y[k] * p.y + planes->z[k] * p.z;
        past |= k != own && distance - planes->offset[k] < c->step.radius;
    }
    return past;
}

/* At the end of the step, most particles are in front of all other planes, and fast. */
static bool has_more_to_do(const rico__block_context *c, uint32_t i)
{
    return is_past_another(c, i) || rico__is_slow(block_velocity(c, i), &c->step);
}

/* For particles that died of age and whose death is reported. One that is now past another
 * plane died where it bounced. */
static void end_at_bounces(rico__block_context *c, uint32_t w)
{
    uint64_t bits = c->masks.bounced[w] & c->masks.dead[w];
    for (; bits != 0; bits &= bits - 1) {
        uint32_t i = w * 64 + bits_lowest64(bits);
        float left = (1.0f - c->scratch->impact_time[i]) * c->step.dt;
        if (is_past_another(c, i))
            block_set_position(c, i,
                               vec3_mad(block_position(c, i), block_velocity(c, i), -left));
    }
}

void rico__planes_go_on(rico__block_context *c)
{
    const bool fixed = c->recipe->def.mode == RICO_COLLIDE_FIXED;
    const bool mourned = fixed && (c->recipe->event_bits & RICO_EVENT_BIT_DEATH) != 0;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        if (mourned)
            end_at_bounces(c, w);
        uint64_t bits = c->masks.bounced[w] & ~c->masks.asleep[w] & ~c->masks.dead[w];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t i = w * 64 + bits_lowest64(bits);
            if (!fixed || has_more_to_do(c, i))
                go_on(c, i);
        }
    }
}
