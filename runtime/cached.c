/* Mode cached: a particle watches the plane that its path meets first among the surfaces of its
 * cell; when the guard pass says that it would cross that plane, the record decides whether
 * there is a surface at that place. No plane means no test; no record means a request. */
#include "contact.h"

#include "bits.h"

static bool box_of_path_is_free(const rico_scene *scene, rico_vec3 from, rico_vec3 to,
                                float radius)
{
    rico_vec3 reach = {radius, radius, radius};
    rico_box box = {vec3_sub(vec3_min(from, to), reach), vec3_add(vec3_max(from, to), reach)};
    return !rico_scene_occupied(scene, &box);
}

/* What is known of the cell at p; occupancy first, because most cells are empty and its memory
 * is small. */
static const rico__cell *find_cell(rico__block_context *c, rico_vec3 p)
{
    rico_world *world = c->world;
    rico_cache_key key = rico_cache_key_at(world->records, p, RICO_WHOLE_CELL);
    if (c->cell.state != CELL_UNKNOWN && c->cell.key == key)
        return &c->cell;
    c->cell = (rico__cell){.state = CELL_EMPTY, .key = key};
    if (key == RICO_NO_KEY)
        return &c->cell;
    rico_box box = rico__record_box(world->records, key);
    if (!rico_scene_occupied(world->scene, &box))
        return &c->cell;
    rico_cache_info info;
    const rico__record *record = rico_cache_find(world->records, key, c->worker, &info);
    c->scratch->tally.lookups += 1;
    c->cell.center = vec3_scale(vec3_add(box.lo, box.hi), 0.5f);
    if (record == NULL || info.version != world->scene_version) {
        c->cell.state = CELL_MISSING;
        return &c->cell;
    }
    c->scratch->tally.lookup_hits += 1;
    c->cell.record = record;
    c->cell.state = record->crowded != 0 ? CELL_CROWDED : CELL_RECORDED;
    if (c->cell.state == CELL_RECORDED && record->count == 0)
        c->cell.state = CELL_EMPTY;
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

void rico__cached_enter(rico__block_context *c, uint32_t i)
{
    rico_vec3 p = block_position(c, i);
    const rico__cell *cell = find_cell(c, p);
    bool attention = false;
    switch (cell->state) {
    case CELL_RECORDED:
        block_set_plane(c, i,
                        rico__record_choose(cell, p, block_velocity(c, i),
                                            c->recipe->def.gravity, c->step.radius));
        break;
    case CELL_MISSING:
        /* The old plane stays: mostly it is the floor, which goes on into this cell. */
        request(c, cell->key);
        attention = true;
        break;
    case CELL_CROWDED:
        attention = true;
        break;
    default:
        block_set_plane(c, i, no_plane());
        break;
    }
    rico__bit_set(c->block->attention, i, attention);
}

void rico__cached_prepare(rico__block_context *c)
{
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        c->masks.force[w] = 0;
        for (uint64_t bits = c->block->attention[w] & ~c->block->asleep[w]; bits != 0;
             bits &= bits - 1) {
            uint32_t i = w * 64 + bits_lowest64(bits);
            rico__cached_enter(c, i);
            if (c->cell.state == CELL_CROWDED)
                rico__bit_set(c->masks.force, i, true);
        }
    }
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
        return rico__record_contact(cell, p, v, dt, c->step.radius, contact);
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
