#include "waiting.h"

#include "bits.h"
#include "contact.h"
#include "forces.h"
#include "preparation.h"
#include "stages.h"

#define SHORT_RAY 0.5f /* metres; RICO__RAYS_PER_UNIT of these rays make a unit */

/* In so many seconds an arc leaves its chord by 1.2 cm at most. A chord that only covers what
 * must be known ahead may be longer than a short ray, and then costs more. */
#define CHORD_SECONDS 0.1f

static void add_block(rico_world *world, uint32_t slot, uint32_t index, uint32_t end)
{
    const rico__block *block = &world->blocks[index];
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = block->waits[w] & ~block->asleep[w];
             bits != 0 && world->query_count < end; bits &= bits - 1)
            world->queries[world->query_count++] =
                (rico__query){.kind = QUERY_CHORD,
                              .effect = slot,
                              .block = index,
                              .lane = w * 64 + bits_lowest64(bits)};
}

static void add_effect(rico_world *world, uint32_t slot, uint32_t end)
{
    const rico__account *account = &world->accounts[slot];
    if (!account->shares || account->wanted == 0)
        return;
    for (uint32_t b = world->effects[slot].first_block; b != RICO__NO_BLOCK;
         b = world->blocks[b].next)
        add_block(world, slot, b, end);
}

static void add_effects(rico_world *world, uint32_t slot, uint32_t slots, uint32_t end)
{
    while (slot < slots && world->query_count < end) {
        bool whole = slot % RICO__EFFECT_GRAIN == 0;
        if (whole && world->sums[slot / RICO__EFFECT_GRAIN].wanted == 0)
            slot += RICO__EFFECT_GRAIN;
        else
            add_effect(world, slot++, end);
    }
}

/* Starts at another effect in each frame, so that no effect starves for ever. */
void rico__waiting_choose(rico_world *world, uint32_t units)
{
    uint32_t room = world->def.queries_per_frame - world->query_count;
    uint32_t end =
        world->query_count + uint_min(room, uint_min(units, room) * RICO__RAYS_PER_UNIT);
    uint32_t first = world->lived * 7919u % world->effect_high_water;
    add_effects(world, first, world->effect_high_water, end);
    add_effects(world, 0, first, end);
}

/* Where the particle's steps lead in so many seconds, as a ray. */
static rico_ray chord_of(rico_vec3 p, rico_vec3 v, const rico__step *step, float seconds)
{
    /* The parabola through the places of steps, as paths are followed. */
    rico_vec3 next = rico__accelerate(v, step);
    rico_vec3 accel = vec3_scale(vec3_sub(next, v), 1.0f / step->dt);
    rico_vec3 mean = vec3_mad(v, accel, 0.5f * (step->dt + seconds));
    return rico__contact_ray(p, mean, seconds, step->radius);
}

static float seconds_of(rico_vec3 v, const rico__step *step)
{
    float speed = vec3_length(v) + step->fall * CHORD_SECONDS;
    float seconds = float_min(CHORD_SECONDS, SHORT_RAY / float_max(speed, 1.0f));
    return float_max(seconds, 2.0f * step->ahead);
}

/* What the chord's ray meets is where the centre goes. A ball that goes nearly along the ground
 * touches it long before that, and might sink into it until it looks again. So a ray straight
 * down asks for ground, as far as the chord sinks. True: there is a contact, and it is earlier
 * than the one that is known. */
static bool meets_ground(const rico_world *world, const rico__recipe *recipe,
                         const rico__step *step, const rico_ray *chord, rico__contact *contact)
{
    const rico_vec3 up = vec3(step->hold_x, step->hold_y, step->hold_z), way = chord->direction;
    const float sinks = float_max(-vec3_dot(up, way), 0.0f);
    const rico_ray down = {
        .origin = chord->origin, .t_max = step->radius + sinks, .direction = vec3_neg(up)};
    const rico_hit hit =
        rico_scene_raycast(world->scene, rico__recipe_filter(world, recipe), &down);
    rico__contact ground;
    if (!rico__hit_contact(&hit, &down, way, step->radius, &ground) ||
        !(ground.time < contact->time))
        return false;
    *contact = ground;
    return true;
}

/* Takes forces to stay as they are; returns for how many of the seconds that is good. */
static float aim(const rico_world *world, const rico__effect *effect, const rico__pushed *who,
                 float seconds, rico__step *step)
{
    rico__aim aim;
    rico__step_at(step, &world->recipes[effect->recipe], who->age, who->life);
    rico__forces_aim_one(world, effect, step, who, &aim);
    step->gx += aim.kick.x;
    step->gy += aim.kick.y;
    step->gz += aim.kick.z;
    return float_min(seconds, float_max(aim.trust, 2.0f * step->ahead));
}

void rico__waiting_answer(rico_world *world, rico__query *query, rico__scratch *scratch)
{
    rico__block *block = &world->blocks[query->block];
    const rico__effect *effect = &world->effects[query->effect];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    rico__step step;
    rico__effect_step(&step, recipe, effect, world->def.cell_size);
    float *number = rico__block_data(world, block) + query->lane;
    size_t stride = recipe->stream_floats;
    rico_vec3 p = {number[FIELD_PX * stride], number[FIELD_PY * stride],
                   number[FIELD_PZ * stride]};
    rico_vec3 v = {number[FIELD_VX * stride], number[FIELD_VY * stride],
                   number[FIELD_VZ * stride]};
    float seconds = seconds_of(v, &step);
    const rico__pushed who = {p, v, number[FIELD_AGE * stride], number[FIELD_LIFE * stride]};
    if (recipe->pushed)
        seconds = aim(world, effect, &who, seconds, &step);
    rico_ray ray = chord_of(p, v, &step, seconds);
    rico_hit hit = rico_scene_raycast(world->scene, rico__recipe_filter(world, recipe), &ray);
    rico__query_note_ray(query, &ray, &hit);
    query->rays =
        1 + (uint32_t)float_min(vec3_length(ray.direction) * ray.t_max / SHORT_RAY, 100.0f);
    rico__contact contact;
    bool met = rico__hit_contact(&hit, &ray, ray.direction, step.radius, &contact);
    if (step.radius > RICO__LARGE_BALL && rico__may_graze(ray.direction, &step)) {
        if (!met)
            contact.time = 1.0f;
        met |= meets_ground(world, recipe, &step, &ray, &contact);
        query->rays += 1;
    }
    scratch->tally.contact_rays += query->rays;
    rico_plane plane = {{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET};
    float until = number[FIELD_AGE * stride] + seconds;
    if (met) {
        plane = (rico_plane){contact.normal, contact.offset};
        until += (contact.time - 1.0f) * seconds + RICO__LATE_STEPS * step.dt;
    }
    rico__watch(number, stride, plane, 0);
    number[FIELD_UNTIL * stride] = until;
    query->units = 0;
}

/* Within this time something may be met, before an answer comes that is not asked for now.
 * Seconds. */
#define SOON 0.1f

static rico_vec3 vector_of(const rico__flight *f, rico__field first)
{
    const float *x = f->numbers + (size_t)first * f->stride;
    return vec3(x[0], x[f->stride], x[2 * f->stride]);
}

static bool meets_soon(const rico_world *world, const rico__flight *f)
{
    rico_vec3 p = vector_of(f, FIELD_PX), v = vector_of(f, FIELD_VX);
    float reach = f->radius + 0.5f * f->fall * SOON * SOON;
    rico_box box = box_along(p, vec3_mad(p, v, SOON), reach);
    return rico__still_occupied(world, &box);
}

/* A particle that has come so far through unknown cells has mostly gone through what is in
 * them. Metres. */
#define LOST_WAY 0.3f

/* How much the particle wants the first cell that it lacks. Geometry in the particle's cell is
 * not necessarily near it. */
uint32_t rico__waiting_urgency(const rico_world *world, const rico__flight *f, bool here)
{
    if (!here)
        return f->lack_time < SOON ? 8 : 1;
    uint32_t known = rico__known(f->numbers, f->stride);
    bool lost = rico__waited_way(known, f->age, vector_of(f, FIELD_VX)) > LOST_WAY;
    return !lost && meets_soon(world, f) ? 16 : 2;
}

/* --- Requests ----------------------------------------------------------------------------- */

/* The block's request for the cell. If need be, a new one takes the place of one that is not
 * urgent. NULL: there is no room. */
static rico__request *request_for(const rico_world *world, rico__block *block,
                                  rico_cache_key key, bool here)
{
    rico__request *requests = rico__block_requests(world, block), *later = NULL;
    for (uint32_t i = 0; i < block->request_count; ++i) {
        if (requests[i].lack.key == key)
            return &requests[i];
        if (!requests[i].here)
            later = &requests[i];
    }
    if (block->request_count < world->recipes[block->recipe].request_capacity)
        later = &requests[block->request_count++];
    else if (!here || later == NULL)
        return NULL;
    *later = (rico__request){.here = false};
    return later;
}

void rico__request_cell(const rico_world *world, rico__block *block, const rico__lack *lack,
                        bool here, uint32_t weight)
{
    rico__request *r = request_for(world, block, lack->key, here);
    if (r == NULL)
        return;
    if (r->wanted == 0 || (here && !r->here))
        r->lack = *lack;
    r->wanted += weight;
    r->here |= here;
}
