/* Mode cached: a particle watches the plane that its path meets first among the surfaces of its
 * cell; when the guard pass says that it would cross that plane, the record decides whether
 * there is a surface at that place. No plane means no test; no record means a request. */
#include "contact.h"

#include "bits.h"

/* A path through a crowded cell is asked of the scene in so many chords of so many seconds: a
 * particle of a few m/s has then left the cell, and the chord is within 1.3 cm of the arc. */
#define CHORDS 4u
#define CHORD_SECONDS 0.1f

static bool box_contains(const rico_box *box, rico_vec3 p)
{
    return p.x >= box->lo.x && p.x <= box->hi.x && p.y >= box->lo.y && p.y <= box->hi.y &&
           p.z >= box->lo.z && p.z <= box->hi.z;
}

static bool box_of_path_is_free(const rico_scene *scene, rico_vec3 from, rico_vec3 to,
                                float radius)
{
    rico_vec3 reach = {radius, radius, radius};
    rico_box box = {vec3_sub(vec3_min(from, to), reach), vec3_add(vec3_max(from, to), reach)};
    return !rico_scene_occupied(scene, &box);
}

/* The worker's memory of cells that the scene says are empty: most cells that particles enter
 * are, and this is cheaper than asking again. What it remembers is a fact of the scene, so it
 * makes no difference which worker does. */
static rico_cache_key *empty_cell_slot(rico__block_context *c, rico_cache_key key)
{
    uint64_t spread = key * 0x9e3779b97f4a7c15ULL;
    return &c->scratch->empty_cells[spread >> (64 - RICO__EMPTY_CELL_BITS)];
}

static rico__cell_state look_up(rico__block_context *c, rico_cache_key key,
                                const rico__record **record)
{
    rico_world *world = c->world;
    rico_cache_key *empty = empty_cell_slot(c, key);
    if (key == RICO_NO_KEY || *empty == key)
        return CELL_EMPTY;
    rico_cache_info info;
    *record = rico_cache_find(world->records, key, c->worker, &info);
    c->scratch->tally.lookups += 1;
    if (*record != NULL && info.version == world->scene_version) {
        c->scratch->tally.lookup_hits += 1;
        if ((*record)->crowded != 0)
            return CELL_CROWDED;
        return (*record)->count > 0 ? CELL_RECORDED : CELL_EMPTY;
    }
    rico_box box = rico__record_box(world->records, key);
    if (rico_scene_occupied(world->scene, &box))
        return CELL_MISSING;
    *empty = key;
    return CELL_EMPTY;
}

/* What is known of the cell at p. */
static const rico__cell *find_cell(rico__block_context *c, rico_vec3 p)
{
    rico_cache_key key = rico_cache_key_at(c->world->records, p, RICO_WHOLE_CELL);
    if (c->cell.state != CELL_UNKNOWN && c->cell.key == key)
        return &c->cell;
    c->cell.key = key;
    c->cell.state = look_up(c, key, &c->cell.record);
    if (c->cell.state == CELL_RECORDED) {
        rico_box box = rico__record_box(c->world->records, key);
        c->cell.center = vec3_scale(vec3_add(box.lo, box.hi), 0.5f);
        c->cell.half = 0.5f * (box.hi.x - box.lo.x);
    }
    return &c->cell;
}

static void request(rico__block_context *c, rico_cache_key key)
{
    rico__block *block = c->block;
    c->scratch->tally.requests += 1;
    for (uint32_t i = 0; i < block->request_count; ++i) {
        if (block->requests[i].key == key) {
            block->requests[i].wanted += 1;
            return;
        }
    }
    if (block->request_count < RICO__BLOCK_REQUESTS)
        block->requests[block->request_count++] = (rico__request){key, 1};
}

/* In a crowded cell: the plane that the ballistic path meets first, asked of the scene in chords
 * until the path leaves what the record would have covered. */
static rico_plane choose_by_rays(rico__block_context *c, rico_vec3 p, rico_vec3 v)
{
    rico_box box = rico__record_box(c->world->records, c->cell.key);
    rico_vec3 gravity = c->recipe->def.gravity;
    for (uint32_t n = 0; n < CHORDS && box_contains(&box, p); ++n) {
        rico_vec3 mean = vec3_mad(v, gravity, 0.5f * CHORD_SECONDS);
        rico_ray ray = rico__contact_ray(p, mean, CHORD_SECONDS, c->step.radius);
        rico_hit hit = rico_scene_raycast(c->world->scene, &ray);
        c->scratch->tally.contact_rays += 1;
        if (hit.collider != 0) {
            rico_vec3 point = vec3_mad(ray.origin, ray.direction, hit.t);
            return (rico_plane){hit.normal, vec3_dot(hit.normal, point)};
        }
        p = vec3_mad(p, mean, CHORD_SECONDS);
        v = vec3_mad(v, gravity, CHORD_SECONDS);
    }
    return no_plane();
}

void rico__cached_enter(rico__block_context *c, uint32_t i)
{
    rico_vec3 p = block_position(c, i);
    const rico__cell *cell = find_cell(c, p);
    bool attention = false;
    switch (cell->state) {
    case CELL_RECORDED:
        block_set_plane(c, i,
                        rico__record_choose(c->world->kernels, cell, p, block_velocity(c, i),
                                            c->recipe->def.gravity, c->step.radius));
        break;
    case CELL_MISSING:
        /* The old plane stays: mostly it is the floor, which goes on into this cell. */
        request(c, cell->key);
        attention = true;
        break;
    case CELL_CROWDED:
        block_set_plane(c, i, choose_by_rays(c, p, block_velocity(c, i)));
        break;
    default:
        block_set_plane(c, i, no_plane());
        break;
    }
    rico__bit_set(c->block->attention, i, attention);
}

void rico__cached_prepare(rico__block_context *c)
{
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->block->attention[w] & ~c->block->asleep[w]; bits != 0;
             bits &= bits - 1)
            rico__cached_enter(c, w * 64 + bits_lowest64(bits));
}

/* The first contact of the rest of the step. */
static bool next_contact(rico__block_context *c, rico_vec3 p, rico_vec3 v, float dt,
                         rico_plane own, rico__contact *contact)
{
    const rico__cell *cell = find_cell(c, p);
    rico_vec3 path = vec3_scale(v, dt);
    bool beyond = vec3_dot(path, path) > c->step.fast_step2;
    if (cell->state == CELL_CROWDED || beyond) {
        if (box_of_path_is_free(c->world->scene, p, vec3_add(p, path), c->step.radius))
            return false;
        return rico__ray_contact(c, p, v, dt, contact);
    }
    if (cell->state == CELL_RECORDED)
        return rico__record_contact(c->world->kernels, cell, p, v, dt, c->step.radius,
                                    contact);
    return rico__plane_contact(own, p, v, dt, &c->step, contact);
}

/* The step of one particle that may touch something, contact by contact. What is left of the
 * step after the last allowed contact is not moved: better late than through. */
static void step_with_contacts(rico__block_context *c, uint32_t i)
{
    rico_vec3 p = block_position(c, i);
    rico_vec3 v = rico__accelerate(block_velocity(c, i), &c->step);
    rico_plane own = block_plane(c, i);
    float left = c->step.dt;
    bool rests = false;
    for (uint32_t n = 0; n < RICO__CONTACTS_PER_STEP && !rests; ++n) {
        rico__contact contact;
        if (!next_contact(c, p, v, left, own, &contact)) {
            p = vec3_mad(p, v, left);
            break;
        }
        p = vec3_mad(p, v, left * contact.time);
        left *= 1.0f - contact.time;
        rico_vec3 before = v;
        rests = rico__respond(&v, &contact, &c->step);
        rico__record_bounce(c, i, p, before, &contact);
    }
    block_set_position(c, i, p);
    block_set_velocity(c, i, v);
    rico__bit_set(c->block->asleep, i, rests);
    if (!rests)
        rico__cached_enter(c, i);
}

void rico__cached_finish(rico__block_context *c)
{
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.hit[w]; bits != 0; bits &= bits - 1)
            step_with_contacts(c, w * 64 + bits_lowest64(bits));
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.moved[w]; bits != 0; bits &= bits - 1)
            rico__cached_enter(c, w * 64 + bits_lowest64(bits));
}
