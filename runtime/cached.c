/* Mode cached. Forecasts say which plane a particle meets next, and until when its path is
 * known. Here are the steps that need more than watching: impacts that the kernel could not do
 * by itself. */
#include "contact.h"
#include "host_rays.h"
#include "response.h"
#include "waiting.h"

#include "bits.h"
#include "four.h"

/* This many cells are looked into. A step shorter than a cell of level 0 crosses at most as many
 * borders of the finest cells. */
#define PATH_CELLS 16u

/* A longer step is cut into pieces of that length. A particle that may not ask looks into the
 * cells of at most this many pieces. */
#define MOST_PIECES 8.0f

static bool ray_contact_near_geometry(rico__block_context *c, rico_vec3 p, rico_vec3 v,
                                      float dt, rico__contact *contact)
{
    rico_box box = rico__contact_box(&c->step, p, vec3_mad(p, v, dt));
    return rico__still_occupied(c->world, &box) && rico__ray_contact(c, p, v, dt, contact);
}

/* The time at which the path leaves the cell. */
static float exit_time(const rico__cell *cell, rico_vec3 p, rico_vec3 path)
{
    const v4 start = v4_of(p), along = v4_of(path), center = v4_of(cell->center);
    const v4 border = center + v4_select(along > 0.0f, v4_set(cell->half), v4_set(-cell->half));
    const v4 least = v4_abs(center) * RICO__BORDER_ROUNDING;
    const v4 time = v4_max((border - start) / along, least / v4_abs(along));
    const v4 never = v4_set(2.0f);
    return v4_least3(v4_min(v4_select(along != 0.0f, time, never), never));
}

/* Whether anything is near the place of a contact. Metres. */
#define NEAR_CONTACT 0.02f

static bool is_near_geometry(const rico__block_context *c, rico_vec3 p)
{
    rico_box box = box_around(p, c->step.radius + NEAR_CONTACT);
    return rico__may_touch(c->world, c->recipe, &box);
}

/* Whether the cell has too much for a record, or has none yet and the particle cannot wait for
 * it, or its record is still to be found again after an edit. */
static bool asks_by_rays(const rico_world *world, const rico__cell *cell, bool hurries)
{
    const int32_t whole[3] = {cell->at[0] >> cell->level, cell->at[1] >> cell->level,
                              cell->at[2] >> cell->level};
    return cell->state == CELL_CROWDED ||
           (cell->state == CELL_MISSING && (hurries || rico__edits_by_rays(world, whole)));
}

static uint32_t cells_to_look_into(const rico__block_context *c, float length)
{
    const float pieces = float_min(1.0f + length * c->step.cell_rate, MOST_PIECES);
    return PATH_CELLS * (uint32_t)pieces;
}

/* Finds a contact with the own plane between two times of the path. Not for cells with records,
 * which know better. */
static bool believed_contact(rico__block_context *c, rico_vec3 p, rico_vec3 v, float dt,
                             rico_plane own, float from, float to, rico__contact *contact)
{
    return rico__plane_contact(own, p, v, dt, &c->step, contact) && contact->time >= from &&
           contact->time <= to &&
           is_near_geometry(c, vec3_mad(p, vec3_scale(v, dt), contact->time));
}

static bool contact_in_record(rico__block_context *c, const rico__cell *cell, rico_vec3 p,
                              rico_vec3 v, float dt, rico__contact *contact)
{
    const rico__unseen layers = {c->world->scene, c->recipe->def.ignored_layers};
    return cell->state == CELL_RECORDED &&
           rico__record_contact(c->world->kernels, cell, layers.layers != 0 ? &layers : NULL, p,
                                v, dt, c->step.radius, contact);
}

/* Finds the first contact of the step in records, in this many cells. False also where there is
 * no record that knows it. */
static bool recorded_contact(rico__block_context *c, rico_vec3 p, rico_vec3 v, float dt,
                             uint32_t cells, rico__contact *contact)
{
    const rico_vec3 path = vec3_scale(v, dt);
    const float nudge = RICO__BORDER_NUDGE / vec3_length(path);
    float time = 0.0f;
    for (uint32_t n = 0; n < cells && time < 1.0f; ++n) {
        const rico__cell *cell = rico__cell_find(&c->cells, vec3_mad(p, path, time));
        if (contact_in_record(c, cell, p, v, dt, contact))
            return true;
        if (cell->state == CELL_MISSING || cell->state == CELL_CROWDED)
            return false;
        time = float_max(time, exit_time(cell, p, path)) + nudge;
    }
    return false;
}

/* A step longer than a cell asks the scene, which knows spheres and capsules as they are (what
 * is hit is no triangle). Records know facets of them, and shorter steps go by these. So what
 * counts is the facet: who bounced off the true surface might be behind a facet then. And who
 * lay on a facet may be behind the true surface, where a ray meets nothing. */
static bool fast_contact(rico__block_context *c, rico_vec3 p, rico_vec3 v, float dt,
                         rico__contact *contact)
{
    rico__contact known;
    if (!ray_contact_near_geometry(c, p, v, dt, contact))
        return recorded_contact(c, p, v, dt, 1, contact);
    if (contact->triangle == RICO_NO_TRIANGLE &&
        recorded_contact(c, p, v, dt, cells_to_look_into(c, vec3_length(v) * dt), &known) &&
        known.collider == contact->collider)
        *contact = known;
    return true;
}

/* Of such a particle's path each step knows only the part to the next contact, which is soon: so
 * nothing has asked for the cell that it comes to. It does not wait for that cell's record, since
 * it might be through a wall by then. */
static bool goes_along_surfaces(const rico_recipe *def)
{
    return def->rolls || def->on_collision == RICO_ON_COLLISION_SLIDE ||
           (def->on_collision == RICO_ON_COLLISION_BOUNCE && def->restitution == 0.0f);
}

/* Finds the first contact of the rest of the step, cell by cell. The own plane is believed
 * where there is no record, on the host's rays, and where only rays could tell but the particle
 * may not ask. */
static bool next_contact(rico__block_context *c, rico_vec3 p, rico_vec3 v, float dt,
                         rico_plane own, rico__contact *contact)
{
    rico_vec3 path = vec3_scale(v, dt);
    float length = vec3_length(path), time = 0.0f, entered = 0.0f;
    const bool fast = length * length > c->step.fast_step2;
    const bool blind = rico__is_blind(&c->recipe->def, c->effect);
    if (rico__has_caster(c->world))
        return rico__plane_contact(own, p, v, dt, &c->step, contact);
    if (fast && !blind)
        return fast_contact(c, p, v, dt, contact);
    const bool hurries = rico__hurries(vec3_length(v), c->step.dt, c->step.cell_rate);
    const bool goes_along = goes_along_surfaces(&c->recipe->def);
    const uint32_t cells = fast ? cells_to_look_into(c, length) : PATH_CELLS;
    for (uint32_t n = 0; n < cells; ++n) {
        const rico__cell *cell = rico__cell_find(&c->cells, vec3_mad(p, path, time));
        if (!blind &&
            asks_by_rays(c->world, cell, hurries || (goes_along && (n > 0 || dt < c->step.dt))))
            return ray_contact_near_geometry(c, p, v, dt, contact);
        if (contact_in_record(c, cell, p, v, dt, contact))
            return true;
        float leaves = float_max(time, exit_time(cell, p, path));
        if ((cell->state == CELL_MISSING || cell->state == CELL_CROWDED) &&
            believed_contact(c, p, v, dt, own, entered, leaves, contact))
            return true;
        entered = leaves;
        time = leaves + RICO__BORDER_NUDGE / length;
        if (!(time < 1.0f))
            return false;
    }
    return fast && believed_contact(c, p, v, dt, own, entered, 1.0f, contact);
}

bool rico__cached_contact(rico__block_context *c, uint32_t i, rico_vec3 p, rico_vec3 v,
                          float dt, rico__contact *contact)
{
    return next_contact(c, p, v, dt, block_plane(c, i), contact);
}

/* Whether the impact was forecast, and only its clearance was too little for the rest of the
 * step. */
static bool is_sure(const rico__block_context *c, uint32_t i)
{
    uint32_t known = block_known(c, i);
    return !rico__bit(c->masks.rebound, i) && known != 0 && !rico__waits(known) &&
           !c->step.chord;
}

static bool is_propped(rico__block_context *c, rico_vec3 p, rico_vec3 v,
                       const rico__contact *contact)
{
    rico_vec3 down;
    rico__contact prop;
    rico_plane own = {contact->normal, contact->offset};
    return rico__slides_slowly(v, contact, &c->step, &down) &&
           next_contact(c, p, down, RICO__PROP_WAY, own, &prop) && prop.collider != 0 &&
           rico__hold_together(contact->normal, prop.normal, &c->step);
}

/* Contacts that may be made in one step. A host's rays say nothing of the way after a bounce,
 * except for particles that slide. */
static uint32_t most_contacts(const rico__block_context *c)
{
    return rico__has_caster(c->world) ? 1 : RICO__CONTACTS_PER_STEP;
}

/* On the host's rays: whether the particle slides or rolls where nothing but its plane is near.
 * Particles with a plain response do so in the kernel. */
static bool slides_by_query(const rico__block_context *c, uint32_t i, float ahead)
{
    return rico__has_caster(c->world) && rico__bit(c->masks.rebound, i) &&
           block_known(c, i) == RICO__SURE &&
           !(c->streams.age[i] + ahead > c->streams.until[i]);
}

/* A plane that was found before the particle came to a cell without a record goes on into that
 * cell for a short way, in metres. Farther on, the particle would bounce in mid-air. A particle
 * that may not ask has nothing better than its plane. */
#define OLD_PLANE_WAY 0.15f

/* The way counts up to the beginning of this step. How far the plane is believed then shows
 * within this step. */
static bool is_from_elsewhere(const rico__block_context *c, uint32_t i, rico_vec3 v)
{
    const float age = float_max(c->streams.age[i] - c->step.dt, 0.0f);
    return !rico__is_blind(&c->recipe->def, c->effect) &&
           rico__waited_way(block_known(c, i), age, v) > OLD_PLANE_WAY;
}

/* Names the owner of the own plane for a contact with it, if the plane is not just believed. On
 * the host's rays the number of the surface is not known here, so recipes that multiply by
 * surface do not take it from here. */
static void name_owner(const rico__block_context *c, uint32_t i, rico__contact *contact)
{
    if (c->recipe->def.by_surface)
        return;
    rico__owner owner = block_plane_owner(c, i);
    contact->collider = owner.collider;
    contact->triangle = owner.triangle;
    contact->surface = 0;
}

/* m/s; and what falling adds in this many steps. A faster particle bounces. */
#define HELD_SPEED 0.001f
#define HELD_STEPS 2.0f

/* If a particle is pressed into a crevice, the response to each surface leads into the other
 * one, until all contacts are used up without any progress. This leaves it the part of its
 * velocity that goes along both. False: it is not pressed by these two. */
static bool slide_along_both(rico_vec3 *v, rico_vec3 n, rico_vec3 m, const rico__step *step)
{
    float into = -vec3_dot(*v, m);
    return into > 0.0f && into <= HELD_SPEED + HELD_STEPS * step->fall * step->kick &&
           rico__along_both(v, n, m);
}

/* After the last allowed contact, `met`. If the particle would meet another surface, it goes on
 * along both (in a V, along its bottom), up to a third surface. */
static rico_vec3 slip_on(rico__block_context *c, rico_vec3 p, rico_vec3 v, float left,
                         rico_plane own, const rico__contact *met)
{
    rico__contact next;
    if (!next_contact(c, p, v, left, own, &next))
        return vec3_mad(p, v, left);
    v = rico__way_between(v, met->normal, next.normal);
    return next_contact(c, p, v, left, own, &next)
               ? rico__contact_place(p, v, left, &next, c->step.radius)
               : vec3_mad(p, v, left);
}

/* Makes the step, contact by contact. Returns whether the particle rests afterwards or is dead.
 * *met: whether there was any contact. */
static bool step_with_contacts(rico__block_context *c, uint32_t i, bool *met)
{
    rico_vec3 p = block_position(c, i);
    rico_vec3 v = rico__accelerate(block_velocity(c, i), &c->step);
    rico_plane own = block_plane(c, i);
    float left = c->step.dt;
    bool rests = false, sure = is_sure(c, i), pressed = false;
    *met = false;
    rico_vec3 last = {0.0f, 0.0f, 0.0f};
    const bool by_host = rico__has_caster(c->world) && !rico__waits(block_known(c, i));
    if (is_from_elsewhere(c, i, v))
        own = no_plane();
    for (uint32_t n = 0; (n < most_contacts(c) || pressed) && !rests; ++n) {
        rico__contact contact;
        if (!(sure && rico__plane_contact(own, p, v, left, &c->step, &contact)) &&
            !next_contact(c, p, v, left, own, &contact)) {
            p = vec3_mad(p, v, left);
            break;
        }
        bool guessed = !sure && contact.collider == 0 && !rico__has_caster(c->world);
        if (by_host || (sure && contact.collider == 0))
            name_owner(c, i, &contact);
        sure = false;
        p = rico__contact_place(p, v, left, &contact, c->step.radius);
        left *= 1.0f - contact.time;
        contact.when = c->step.dt - left;
        rests = rico__meet(c, i, p, &v, &contact, guessed);
        *met = true;
        if (!rests && !guessed && is_propped(c, p, v, &contact)) {
            v = vec3(0.0f, 0.0f, 0.0f);
            rests = true;
        }
        pressed = n + 1 == RICO__CONTACTS_PER_STEP && !rests &&
                  slide_along_both(&v, contact.normal, last, &c->step);
        last = contact.normal;
        if (!rests && !pressed && n + 1 >= RICO__CONTACTS_PER_STEP)
            p = slip_on(c, p, v, left, own, &contact);
    }
    if (*met && !rests && slides_by_query(c, i, 0.0f))
        p = vec3_mad(p, v, left);
    block_set_position(c, i, p);
    block_set_velocity(c, i, v);
    rico__bit_set(c->block->asleep, i, rests);
    return rests;
}

static void fetch_cell(rico__block_context *c, uint32_t i, rico__hit_cell *hit)
{
    rico__cell *cell = &hit->cell;
    *cell = (rico__cell){.state = CELL_EMPTY, .at = {INT32_MAX}, .key = RICO_NO_KEY};
    hit->empty = !rico__record_finest(block_position(c, i), c->cells.rate, hit->finest) ||
                 rico__cell_find_empty(&c->cells, hit->finest, cell);
    if (!hit->empty)
        rico__cell_fetch(&c->cells, hit->finest, cell);
}

static void fetch_record(rico__block_context *c, rico__hit_cell *hit)
{
    if (hit->empty)
        return;
    rico__cell_locate(&c->cells, hit->finest, &hit->cell);
    if (hit->cell.state == CELL_UNKNOWN)
        rico__record_fetch_first(hit->cell.record);
}

void rico__cached_fetch(rico__block_context *c, bool records)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.hit[w]; bits != 0 && n < RICO__HIT_CELLS;
             bits &= bits - 1, ++n) {
            if (records)
                fetch_record(c, &c->hit_cells[n]);
            else
                fetch_cell(c, w * 64 + bits_lowest64(bits), &c->hit_cells[n]);
        }
}

/* Restores the state as if the cell had just been found. */
static void remember_cell(rico__block_context *c, const rico__hit_cell *hit)
{
    c->cells.found = hit->cell;
    if (!hit->empty)
        rico__cell_open(&c->cells, &c->cells.found);
}

/* For a step in which all particles were searched for contacts: whether this one moved as
 * foreseen, and its path stays known. */
static bool keeps_path(const rico__block_context *c, uint32_t i, bool met)
{
    return c->step.chord && !met && !(c->streams.age[i] + c->step.ahead > c->streams.until[i]);
}

void rico__cached_contacts(rico__block_context *c)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        for (uint64_t bits = c->masks.hit[w]; bits != 0; bits &= bits - 1, ++n) {
            uint32_t i = w * 64 + bits_lowest64(bits);
            if (n < RICO__HIT_CELLS)
                remember_cell(c, &c->hit_cells[n]);
            bool met, over = step_with_contacts(c, i, &met);
            rico__bit_set(c->masks.look, i,
                          !over && !keeps_path(c, i, met) &&
                              !slides_by_query(c, i, c->step.ahead));
        }
    }
}
