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

/* --- What is known of a cell ---------------------------------------------------------------
 *
 * Each worker remembers the cells it met: neighbours in a block share cells, most cells that
 * particles enter are empty, and the table of records is too large to be asked without waiting
 * for memory. What is remembered is a fact of the frame, so it makes no difference which worker
 * remembers it. */

static rico__known_cell *known_slot(rico__block_context *c, rico_cache_key key)
{
    uint64_t spread = key * 0x9e3779b97f4a7c15ULL;
    return &c->scratch->known[spread >> (64 - RICO__KNOWN_CELL_BITS)];
}

static bool is_known(const rico__block_context *c, const rico__known_cell *known,
                     rico_cache_key key)
{
    /* That a record was used must be noted in each frame: only what needs none is known longer. */
    bool for_good = known->state == CELL_EMPTY && known->record == NULL;
    return known->key == key && (known->frame == c->world->frame || for_good);
}

/* Every record in the table is of the scene as it is now: edits make the cache forget. */
static void ask_cache(rico__block_context *c, rico__known_cell *known, rico_cache_key key,
                      uint32_t level)
{
    rico_world *world = c->world;
    *known = (rico__known_cell){.key = key, .frame = world->frame, .state = CELL_UNKNOWN};
    known->record = rico_cache_find(world->records, key, c->worker, NULL);
    if (known->record != NULL)
        return;
    if (level + 1 < RICO__RECORD_LEVELS &&
        rico_cache_find(world->records, rico__record_divided_key(key, level), c->worker,
                        NULL)) {
        known->state = CELL_DIVIDED;
        return;
    }
    rico__cell cell = rico__record_cell(key, world->def.cell_size);
    rico_box box = rico__record_box(&cell);
    known->state = rico_scene_occupied(world->scene, &box) ? CELL_MISSING : CELL_EMPTY;
}

static void look_up(rico__block_context *c, rico__cell *cell)
{
    rico__known_cell *known = known_slot(c, cell->key);
    if (!is_known(c, known, cell->key))
        ask_cache(c, known, cell->key, cell->level);
    if (known->state == CELL_UNKNOWN) {
        known->state = CELL_RECORDED;
        if (known->record->crowded != 0)
            known->state = CELL_CROWDED;
        else if (known->record->count == 0)
            known->state = CELL_EMPTY;
    }
    cell->state = (rico__cell_state)known->state;
    cell->record = known->record;
    c->scratch->tally.lookups += cell->state != CELL_EMPTY;
    c->scratch->tally.lookup_hits += cell->state != CELL_EMPTY && cell->state != CELL_MISSING;
}

static void fetch_bytes(const rico__record *record, size_t from, size_t to)
{
    for (size_t offset = from; offset < to; offset += RICO_CACHE_LINE)
        __builtin_prefetch((const char *)record + offset);
}

static uint64_t needs_cell(const rico__block_context *c, uint32_t w)
{
    return c->masks.hit[w] | c->masks.moved[w] | c->masks.choose[w];
}

static void set_level(rico__block *block, uint32_t i, uint32_t level)
{
    rico__bit_set(block->level[0], i, (level & 1) != 0);
    rico__bit_set(block->level[1], i, (level & 2) != 0);
}

static uint32_t get_level(const rico__block *block, uint32_t i)
{
    return (uint32_t)rico__bit(block->level[0], i) +
           2 * (uint32_t)rico__bit(block->level[1], i);
}

/* The particle is in the cell now, and watches the plane. */
static void settle(rico__block_context *c, uint32_t i, const rico__cell *cell,
                   const rico__choice *choice)
{
    block_set_plane(c, i, choice->plane);
    c->streams.clearance[i] = choice->clearance;
    rico__bit_set(c->block->attention, i, cell->state == CELL_MISSING);
    rico__bit_set(c->block->rebound, i, false);
    set_level(c->block, i, cell->level);
}

/* A step from one cell of level 0 into the next, which is empty: nothing to look up. A step over
 * an edge or corner passes through other cells, too, and is not for here. */
static bool enter_empty_cell(rico__block_context *c, uint32_t i)
{
    int32_t to[3], from[3];
    rico_vec3 p = block_position(c, i), v = block_velocity(c, i);
    rico__cell cell = {.state = CELL_EMPTY};
    if (get_level(c->block, i) != 0 || !rico__record_coordinates(p, c->step.cell_rate, 0, to) ||
        !rico__coverage_is_empty(&c->world->coverage, to) ||
        !rico__record_coordinates(vec3_mad(p, v, -c->step.dt), c->step.cell_rate, 0, from) ||
        (to[0] != from[0]) + (to[1] != from[1]) + (to[2] != from[2]) != 1)
        return false;
    const rico__choice choice = {.plane = no_plane()};
    settle(c, i, &cell, &choice);
    return true;
}

static void enter_empty_cells(rico__block_context *c)
{
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.moved[w]; bits != 0; bits &= bits - 1)
            if (enter_empty_cell(c, w * 64 + bits_lowest64(bits)))
                c->masks.moved[w] &= ~(bits & (~bits + 1));
}

/* Most cells are of the first two levels. */
static void fetch_buckets(const rico__block_context *c, rico_vec3 p)
{
    for (uint32_t level = 0; level < 2; ++level)
        rico_cache_prefetch(c->world->records, rico__record_key(p, c->step.cell_rate, level));
}

/* The record of the undivided cell at p, its beginning on its way; NULL when there is none, or
 * it was fetched before. */
static const rico__record *fetch_cell(rico__block_context *c, rico_vec3 p)
{
    for (uint32_t level = 0; level < RICO__RECORD_LEVELS; ++level) {
        rico_cache_key key = rico__record_key(p, c->step.cell_rate, level);
        rico__known_cell *known = known_slot(c, key);
        bool fetched = is_known(c, known, key);
        if (!fetched)
            ask_cache(c, known, key, level);
        if (known->state == CELL_DIVIDED)
            continue;
        if (fetched || known->state != CELL_UNKNOWN)
            return NULL;
        fetch_bytes(known->record, 0, RICO__RECORD_FIRST_BYTES);
        return known->record;
    }
    return NULL;
}

/* Asks for the cells of all particles that will need theirs, in waves that overlap the waiting:
 * buckets, beginnings of records, their rest. */
static void fetch_cells(rico__block_context *c)
{
    uint16_t lane[RICO__MAX_BLOCK];
    const rico__record *records[RICO__MAX_BLOCK];
    uint32_t lane_count = 0, record_count = 0;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        for (uint64_t bits = needs_cell(c, w); bits != 0; bits &= bits - 1) {
            uint32_t i = w * 64 + bits_lowest64(bits);
            rico_vec3 p = block_position(c, i);
            int32_t at[3];
            if (!rico__record_coordinates(p, c->step.cell_rate, 0, at) ||
                rico__coverage_is_empty(&c->world->coverage, at))
                continue;
            fetch_buckets(c, p);
            lane[lane_count++] = (uint16_t)i;
        }
    }
    for (uint32_t k = 0; k < lane_count; ++k) {
        const rico__record *record = fetch_cell(c, block_position(c, lane[k]));
        if (record != NULL)
            records[record_count++] = record;
    }
    for (uint32_t k = 0; k < record_count; ++k)
        fetch_bytes(records[k], RICO__RECORD_FIRST_BYTES,
                    rico__record_searched_bytes(records[k]));
}

/* The cell of level 0 at p, when it is known to be empty, or so far out that nothing is. */
static bool find_empty_cell(const rico__block_context *c, rico_vec3 p, rico__cell *cell)
{
    int32_t at[3];
    if (!rico__record_coordinates(p, c->step.cell_rate, 0, at)) {
        *cell = (rico__cell){.center = p, .half = 1.0f, .at = {INT32_MAX}, .key = RICO_NO_KEY};
    } else {
        if (!rico__coverage_is_empty(&c->world->coverage, at))
            return false;
        *cell = rico__record_cell_at(at[0], at[1], at[2], 0, c->world->def.cell_size);
    }
    cell->state = CELL_EMPTY;
    return true;
}

/* By coordinates, not by bounds: a position on a border is in one cell only, whichever cell was
 * looked at before. */
static bool cell_contains(const rico__block_context *c, const rico__cell *cell, rico_vec3 p)
{
    int32_t at[3];
    return rico__record_coordinates(p, c->step.cell_rate, cell->level, at) &&
           at[0] == cell->at[0] && at[1] == cell->at[1] && at[2] == cell->at[2];
}

/* The cell at p: the first level on the way down that is not divided. */
static const rico__cell *find_cell(rico__block_context *c, rico_vec3 p)
{
    rico__cell *cell = &c->cell;
    if (cell->state != CELL_UNKNOWN && cell_contains(c, cell, p))
        return cell;
    if (find_empty_cell(c, p, cell))
        return cell;
    for (uint32_t level = 0; level < RICO__RECORD_LEVELS; ++level) {
        int32_t at[3];
        if (!rico__record_coordinates(p, c->step.cell_rate, level, at)) {
            cell->state = CELL_EMPTY; /* finer cells end nearer to the origin */
            break;
        }
        *cell = rico__record_cell_at(at[0], at[1], at[2], level, c->world->def.cell_size);
        cell->key = rico_cache_key_of_cell(at[0], at[1], at[2], RICO__KEY_OF_LEVEL(level));
        look_up(c, cell);
        if (cell->state != CELL_DIVIDED)
            break;
    }
    return cell;
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
    rico_box box = rico__record_box(&c->cell);
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

static rico__choice choose(const rico__block_context *c, const rico__cell *cell, rico_vec3 p,
                           rico_vec3 v)
{
    return rico__record_choose(c->world->kernels, cell, p, v, c->recipe->def.gravity,
                               c->step.radius);
}

void rico__cached_enter(rico__block_context *c, uint32_t i)
{
    rico_vec3 p = block_position(c, i), v = block_velocity(c, i);
    const rico__cell *cell = find_cell(c, p);
    rico__choice choice = {.plane = no_plane()};
    if (cell->state == CELL_RECORDED) {
        choice = choose(c, cell, p, v);
    } else if (cell->state == CELL_CROWDED) {
        choice.plane = choose_by_rays(c, p, v);
    } else if (cell->state == CELL_MISSING) {
        /* The old plane stays: mostly it is the floor, which goes on into this cell. */
        choice.plane = block_plane(c, i);
        request(c, cell->key);
    }
    settle(c, i, cell, &choice);
}

void rico__cached_prepare(rico__block_context *c)
{
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->block->attention[w] & ~c->block->asleep[w]; bits != 0;
             bits &= bits - 1)
            rico__cached_enter(c, w * 64 + bits_lowest64(bits));
}

/* When the path leaves the cell. */
static float exit_time(const rico__cell *cell, rico_vec3 p, rico_vec3 path)
{
    const float start[3] = {p.x, p.y, p.z}, along[3] = {path.x, path.y, path.z};
    const float center[3] = {cell->center.x, cell->center.y, cell->center.z};
    float time = 2.0f;
    for (int a = 0; a < 3; ++a) {
        if (along[a] == 0.0f)
            continue;
        float border = center[a] + (along[a] > 0.0f ? cell->half : -cell->half);
        time = float_min(time, (border - start[a]) / along[a]);
    }
    return time;
}

static bool ray_contact_near_geometry(rico__block_context *c, rico_vec3 p, rico_vec3 v,
                                      float dt, rico__contact *contact)
{
    if (box_of_path_is_free(c->world->scene, p, vec3_mad(p, v, dt), c->step.radius))
        return false;
    return rico__ray_contact(c, p, v, dt, contact);
}

/* A step shorter than a cell of level 0 passes through so many cells at most: two of the finest
 * per axis and edge, and some for corners. */
#define PATH_CELLS 16u

/* How far past a border the next cell is looked for; what lies in corners that are cut by this
 * is in the margins of the cells around. Metres. */
#define BORDER_NUDGE 0.002f

/* The first contact of the rest of the step, cell by cell. Where there is no record, the own
 * plane is believed. known_level: of the cell that the path starts in, when that is known to hold
 * none; else RICO__RECORD_LEVELS. */
static bool next_contact(rico__block_context *c, rico_vec3 p, rico_vec3 v, float dt,
                         rico_plane own, uint32_t known_level, rico__contact *contact)
{
    rico_vec3 path = vec3_scale(v, dt);
    float length = vec3_length(path);
    if (length * length > c->step.fast_step2)
        return ray_contact_near_geometry(c, p, v, dt, contact);
    float time = 0.0f;
    if (known_level < RICO__RECORD_LEVELS) {
        rico_cache_key key = rico__record_key(p, c->step.cell_rate, known_level);
        if (key == RICO_NO_KEY)
            return false;
        rico__cell cell = rico__record_cell(key, c->world->def.cell_size);
        time = exit_time(&cell, p, path) + BORDER_NUDGE / length;
    }
    for (uint32_t n = 0; n < PATH_CELLS; ++n) {
        const rico__cell *cell = find_cell(c, vec3_mad(p, path, time));
        if (cell->state == CELL_CROWDED)
            return ray_contact_near_geometry(c, p, v, dt, contact);
        if (cell->state == CELL_RECORDED &&
            rico__record_contact(c->world->kernels, cell, p, v, dt, c->step.radius, contact))
            return true;
        if (cell->state == CELL_MISSING) {
            request(c, cell->key);
            if (rico__plane_contact(own, p, v, dt, &c->step, contact))
                return true;
        }
        time = float_max(time, exit_time(cell, p, path)) + BORDER_NUDGE / length;
        if (!(time < 1.0f))
            return false;
    }
    return false;
}

/* The step from p, with velocity v after forces, contact by contact. What is left of the step
 * after the last allowed contact is not moved: better late than through. */
static void step_with_contacts(rico__block_context *c, uint32_t i, rico_vec3 p, rico_vec3 v)
{
    rico_plane own = block_plane(c, i);
    float left = c->step.dt;
    bool rests = false;
    for (uint32_t n = 0; n < RICO__CONTACTS_PER_STEP && !rests; ++n) {
        rico__contact contact;
        if (!next_contact(c, p, v, left, own, RICO__RECORD_LEVELS, &contact)) {
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

/* The common case of cross_cells, at the price of one search: the path goes straight from one
 * cell to the next, and meets nothing there for longer than the step. False = not so. */
static bool enter_next_cell(rico__block_context *c, uint32_t i, rico_vec3 from, rico_vec3 to,
                            rico_vec3 v)
{
    rico_vec3 path = vec3_sub(to, from);
    float length = vec3_length(path);
    rico_cache_key key = rico__record_key(from, c->step.cell_rate, get_level(c->block, i));
    if (key == RICO_NO_KEY || length * length > c->step.fast_step2)
        return false;
    rico__cell old = rico__record_cell(key, c->world->def.cell_size);
    float time = exit_time(&old, from, path) + BORDER_NUDGE / length;
    const rico__cell *cell = find_cell(c, vec3_mad(from, path, float_min(time, 1.0f)));
    if (!cell_contains(c, cell, to))
        return false;
    rico__choice choice = {.plane = no_plane()};
    if (cell->state == CELL_RECORDED) {
        choice = choose(c, cell, from, v);
        /* The step is straight where the choice's path is an arc: stay well clear of it. */
        if (choice.time < 2.0f * c->step.dt)
            return false;
    } else if (cell->state != CELL_EMPTY) {
        return false;
    }
    settle(c, i, cell, &choice);
    return true;
}

/* The guard pass moved the particle into another cell, whose surfaces it did not know: if it
 * went through one, the step is taken back and done with contacts. */
static void cross_cells(rico__block_context *c, uint32_t i)
{
    rico_vec3 v = block_velocity(c, i);
    rico_vec3 to = block_position(c, i);
    rico_vec3 from = vec3_mad(to, v, -c->step.dt);
    if (enter_next_cell(c, i, from, to, v))
        return;
    rico__contact contact;
    uint32_t level = get_level(c->block, i);
    if (next_contact(c, from, v, c->step.dt, block_plane(c, i), level, &contact))
        step_with_contacts(c, i, from, v);
    else
        rico__cached_enter(c, i);
}

void rico__cached_finish(rico__block_context *c)
{
    enter_empty_cells(c);
    fetch_cells(c);
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.hit[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = w * 64 + bits_lowest64(bits);
            step_with_contacts(c, i, block_position(c, i),
                               rico__accelerate(block_velocity(c, i), &c->step));
        }
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.moved[w]; bits != 0; bits &= bits - 1)
            cross_cells(c, w * 64 + bits_lowest64(bits));
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->masks.choose[w]; bits != 0; bits &= bits - 1)
            rico__cached_enter(c, w * 64 + bits_lowest64(bits));
}
