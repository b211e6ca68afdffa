#include "forecast.h"

#include "cell_bits.h"
#include "contact.h"
#include "grazes.h"
#include "pace.h"
#include "preparation.h"
#include "response.h"
#include "space.h"
#include "waiting.h"

#include "bits.h"

/* What flights of one block share. */
typedef struct origin {
    rico__block *block;
    const rico__recipe *recipe;
    float *numbers; /* in the first stream */
    rico__step step;
    float path_dt;
    uint32_t most_lacks;
    bool again;          /* taken off at the start of a step */
    uint32_t first_born; /* lane */
    bool pushed, exact;  /* exact: steps lead along paths */
    bool leads_off;      /* the steps to come do not follow the path: pace.h */
    bool rides;          /* in local space: was carried along, and will be */
} origin;

/* --- Following ---------------------------------------------------------------------------- */

/* Takes a column out of a set that is not empty. */
static uint32_t take_column(uint64_t *set)
{
    uint32_t column = bits_lowest64(*set);
    *set &= *set - 1;
    return column;
}

static rico__flight *flight_of(rico__wave *w, uint32_t column)
{
    return &w->flights[w->flight[column]];
}

static void set_column(float field[3][RICO__FLIGHT_COLUMNS], uint32_t column, rico_vec3 v)
{
    field[0][column] = v.x;
    field[1][column] = v.y;
    field[2][column] = v.z;
}

/* The flight's path from here on, relative to the centre of its cell. */
static void set_path(rico__wave *w, uint32_t column, float radius)
{
    const rico__flights *paths = &w->paths;
    rico__path *path = &w->path[column];
    for (int k = 0; k < 3; ++k) {
        path->p[k] = paths->at[k][column] - paths->center[k][column];
        path->v[k] = paths->velocity[k][column];
        path->accel[k] = paths->accel[k][column];
    }
    path->radius = radius;
}

/* True when the path meets surfaces of the record of its cell. */
static bool search(rico__wave *w, uint32_t column)
{
    const rico__flight *f = flight_of(w, column);
    set_path(w, column, f->radius);
    float end = float_min(w->paths.end[column], rico__believed(f));
    float horizon = float_min(end - w->paths.time[column], w->paths.stretch[column]);
    const rico__unseen unseen = {w->cells.world->scene, f->unseen};
    w->found[column] = rico__record_search(w->cells.world->kernels, &w->cell[column],
                                           f->unseen != 0 ? &unseen : NULL, &w->path[column],
                                           horizon, w->found_time[column]);
    return w->found[column] != 0;
}

static void choose(rico__wave *w, uint32_t column)
{
    rico__flight *f = flight_of(w, column);
    const rico_vec3 pull = {w->paths.push[0][column], w->paths.push[1][column],
                            w->paths.push[2][column]};
    f->choice = rico__record_choose_in_steps(
        w->cells.world->kernels, &w->cell[column], &w->path[column], w->found[column],
        w->found_time[column], f->pushed ? NULL : &pull, f->dt, RICO__LATE_STEPS);
    if (f->names)
        f->owner = rico__record_owner(w->cell[column].record, f->choice.surface);
    if (f->pushed)
        f->grazes = rico__grazes_by(&w->path[column], &f->choice);
}

static void finest_at(const rico__wave *w, uint32_t column, int32_t finest[3])
{
    for (int a = 0; a < 3; ++a)
        finest[a] = w->paths.finest[a][column];
}

/* Three steps to the surfaces of a path's cell. Each fetches what the next one reads. */
static void ask_for_cell(rico__wave *w, uint32_t column)
{
    rico__cell *cell = &w->cell[column];
    int32_t finest[3];
    finest_at(w, column, finest);
    cell->level = rico__coverage_level(&w->cells.world->coverage,
                                       (uint32_t)w->paths.covered[column], finest);
    rico__cell_fetch(&w->cells, finest, cell);
}

static void locate_cell(rico__wave *w, uint32_t column)
{
    rico__cell *cell = &w->cell[column];
    int32_t finest[3];
    finest_at(w, column, finest);
    rico__cell_locate(&w->cells, finest, cell);
    if (cell->state == CELL_UNKNOWN)
        rico__record_fetch_first(cell->record);
}

static void open_cell(rico__wave *w, uint32_t column)
{
    rico__cell *cell = &w->cell[column];
    rico__cell_open(&w->cells, cell);
    set_column(w->paths.center, column, cell->center);
    w->paths.half[column] = cell->half;
}

/* Notes that the path's cell has no record. True: the path can note no more of them. */
static bool note_lack(rico__wave *w, uint32_t column)
{
    rico__flight *f = flight_of(w, column);
    int32_t finest[3];
    finest_at(w, column, finest);
    if (f->lacks == 0)
        f->lack_time = w->paths.time[column];
    w->lack[w->flight[column]][f->lacks++] =
        (rico__lack){w->cell[column].key, rico__record_key(finest, RICO__RECORD_LEVELS - 1)};
    return f->lacks == f->most_lacks;
}

static bool is_blind(const rico_world *world, const rico__block *block)
{
    return rico__is_blind(&world->recipes[block->recipe].def, &world->effects[block->effect]);
}

/* Particles do not wait for records that are made again after an edit. Where the path comes within
 * two steps, the scene is asked now, by one chord; for the rest, when the particle is there. */
#define STEPS_BY_RAYS 2.0f

static bool is_asked_for(const rico__wave *w, uint32_t column)
{
    const rico_world *world = w->cells.world;
    return world->edits.waits &&
           rico__cell_bit(world->cell_bits, (size_t)w->paths.covered[column]);
}

/* All records are lost, or the particle was carried off its path, or it is too fast to wait. What
 * it asks the scene for now, it asks for as a record, too. */
static rico__meeting meet_unforeseen(rico__wave *w, uint32_t column, bool soon)
{
    rico__flight *f = flight_of(w, column);
    const bool full = f->lacks == f->most_lacks || note_lack(w, column);
    if (!soon)
        return full || f->looked ? MEETS_END : MEETS_NOTHING;
    f->looked = true;
    return rico__meet_by_rays(w, column, RICO__CHORDS);
}

static rico__meeting meet_unknown(rico__wave *w, uint32_t column)
{
    const rico__flight *f = flight_of(w, column);
    const bool hurries = rico__hurries(w->paths.speed[column], f->dt, w->cells.rate);
    const bool unforeseen = w->cells.world->edits.lost > 0 || f->rides || hurries;
    const bool asked = is_asked_for(w, column);
    const bool soon =
        w->paths.time[column] <= STEPS_BY_RAYS * f->dt && (f->lacks == 0 || f->looked);
    if ((!unforeseen && !asked) || is_blind(w->cells.world, f->block))
        return note_lack(w, column) ? MEETS_END : MEETS_NOTHING;
    if (!asked)
        return meet_unforeseen(w, column, soon);
    return soon ? rico__meet_by_rays(w, column, 1) : MEETS_END;
}

static rico__meeting meet_in_cell(rico__wave *w, uint32_t column)
{
    rico__flight *f = flight_of(w, column);
    if (w->paths.time[column] > rico__believed(f) && w->cell[column].state != CELL_MISSING)
        return MEETS_END;
    switch (w->cell[column].state) {
    case CELL_RECORDED:
        return search(w, column) ? MEETS_SURFACES : MEETS_NOTHING;
    case CELL_MISSING:
        return meet_unknown(w, column);
    case CELL_CROWDED:
        if (is_blind(w->cells.world, f->block))
            return note_lack(w, column) ? MEETS_END : MEETS_NOTHING;
        return rico__meet_by_rays(w, column, RICO__CHORDS);
    default:
        return MEETS_NOTHING;
    }
}

/* This many paths are between one of the three steps and the next. */
#define LAG 4u

/* Returns the paths of the set that meet something in their cells, which were asked for. */
static uint64_t meet(rico__wave *w, uint64_t set)
{
    uint64_t found = 0, met = 0;
    uint8_t column[RICO__FLIGHT_COLUMNS], count = 0;
    while (set != 0)
        column[count++] = (uint8_t)take_column(&set);
    for (uint32_t i = 0; i < count + 2 * LAG; ++i) {
        if (i < count)
            locate_cell(w, column[i]);
        if (i >= LAG && i - LAG < count)
            open_cell(w, column[i - LAG]);
        if (i < 2 * LAG)
            continue;
        uint32_t k = column[i - 2 * LAG];
        rico__meeting m = meet_in_cell(w, k);
        found |= (uint64_t)(m == MEETS_SURFACES) << k;
        met |= (uint64_t)(m != MEETS_NOTHING) << k;
    }
    while (found != 0)
        choose(w, take_column(&found));
    return met;
}

/* --- Before and after --------------------------------------------------------------------- */

/* The particle's number in a stream. The streams of mode cached lie in the order of the fields. */
static float *number(const rico__flight *f, rico__field field)
{
    return f->numbers + (size_t)field * f->stride;
}

static rico_vec3 load(const rico__flight *f, rico__field x)
{
    return vec3(*number(f, x), *number(f, x + 1), *number(f, x + 2));
}

/* In free flight the path is known up to `until`, so only what comes after is looked at. While the
 * particle waits for a record, nothing is known: `until` only says when it looks again. Neither if
 * the path was not exact: by then the new one may be behind a surface. */
static float known_time(const rico__flight *f, bool exact)
{
    if (!exact || rico__bit(f->block->rebound, f->lane) ||
        *number(f, FIELD_ND) != RICO_NO_PLANE_OFFSET ||
        rico__waits(rico__known(f->numbers, f->stride)))
        return 0.0f;
    return float_max(*number(f, FIELD_UNTIL) - f->age, 0.0f);
}

/* Seconds. A particle that looks again after a few steps still asks for records this early. */
#define ASK_AHEAD 0.15f

/* Forces count as constant from the path's start on, for as long as that is true enough. */
static void push_flight(rico__wave *w, rico__flight *f, uint32_t column, const rico__aim *aim)
{
    rico__flights *paths = &w->paths;
    f->aim = *aim;
    f->fall += w->aims.most;
    paths->drag[column] = aim->drag;
    paths->push[0][column] += aim->kick.x;
    paths->push[1][column] += aim->kick.y;
    paths->push[2][column] += aim->kick.z;
    paths->life_left[column] = float_min(f->life_left, float_max(aim->trust, ASK_AHEAD));
}

static void take_off(rico__wave *w, const origin *from, uint32_t lane, uint32_t n)
{
    uint32_t k = bits_lowest64(~w->flying),
             number_in_ring = (w->first + w->count++) % RICO__FLIGHTS;
    w->flying |= (uint64_t)1 << k;
    w->starting |= (uint64_t)1 << k;
    w->flight[k] = (uint16_t)number_in_ring;
    rico__flight *f = &w->flights[number_in_ring];
    f->block = from->block;
    f->numbers = from->numbers + lane;
    f->stride = from->recipe->stream_floats;
    f->lane = lane;
    f->radius = from->step.radius;
    f->fall = from->step.fall;
    f->dt = from->path_dt;
    f->age = *number(f, FIELD_AGE);
    f->done = false;
    f->again = from->again;
    f->newborn = lane >= from->first_born;
    /* A newborn's age is that of the step's end, but its path begins where it was born. */
    f->life_left = *number(f, FIELD_LIFE) - (f->newborn ? 0.0f : f->age);
    /* Its death is reported at its place at the end of that step, which may be a long one. */
    f->mourned = (from->recipe->event_bits & RICO_EVENT_BIT_DEATH) != 0;
    if (f->mourned)
        f->life_left += from->step.ahead;
    f->lacks = 0;
    f->looked = false;
    f->most_lacks = (uint8_t)from->most_lacks;
    f->choice.time = RICO__NEVER;
    f->grazes = 1.0f;
    f->owner = rico__nobody();
    f->names = rico__names_owners(from->recipe);
    f->unseen = from->recipe->def.ignored_layers;
    f->coarse = rico__is_coarse(load(f, FIELD_PX), f->radius);
    if (f->coarse && !from->pushed)
        rico__keep_to_places(f, &from->step);
    f->adrift = f->coarse && from->step.fall == 0.0f && from->step.drag_factor == 1.0f;
    rico__flights *paths = &w->paths;
    set_column(paths->p, k, load(f, FIELD_PX));
    set_column(paths->v, k, load(f, FIELD_VX));
    set_column(paths->push, k, vec3(from->step.gx, from->step.gy, from->step.gz));
    paths->factor[k] = from->step.drag_factor;
    paths->dt[k] = from->step.dt;
    paths->drag[k] = from->recipe->drag;
    paths->life_left[k] = f->life_left;
    paths->reach[k] = f->radius + RICO__PASSING_ROOM;
    paths->drift[k] = rico__most_drift(f->radius);
    paths->time[k] = known_time(f, from->exact);
    f->pushed = from->pushed;
    f->rides = from->rides;
    if (f->pushed)
        push_flight(w, f, k, &w->aims.aim[n]);
    if (from->leads_off)
        paths->life_left[k] = float_min(paths->life_left[k], from->step.ahead);
    if (from->rides)
        paths->life_left[k] =
            float_min(paths->life_left[k], float_max(ASK_AHEAD, 2.0f * from->step.ahead));
}

/* Settles the particle with the plane that it has. */
static void settle_as_it_is(const rico__flight *f, rico__owner owner, uint32_t known,
                            float until)
{
    if (f->names)
        rico__set_plane_owner(f->numbers, f->stride, owner);
    rico__set_known(f->numbers, f->stride, known);
    *number(f, FIELD_UNTIL) = until;
    rico__bit_set(f->block->rebound, f->lane, false);
}

static void settle(const rico__flight *f, rico_plane plane, float clearance, float until)
{
    bool sure = clearance == RICO__SURE_CONTACT;
    rico__watch(f->numbers, f->stride, plane, 0);
    settle_as_it_is(f, f->owner, sure ? RICO__SURE : rico__known_clearance(clearance), until);
}

/* It touches this surface already, and nothing else within `clearance`: as after a bounce. */
static void settle_touching(const rico__flight *f)
{
    float clearance = f->choice.clearance, speed = f->speed + 0.5f * f->fall * f->dt;
    float root = __builtin_sqrtf(speed * speed + 2.0f * f->fall * clearance);
    float rate = float_max(0.5f * (speed + root), RICO__LEAST_RATE);
    settle(f, f->choice.plane, rate, f->age + clearance / rate);
    rico__bit_set(f->block->rebound, f->lane, true);
}

/* The impact is off by the drift, but less than this does not matter for its place. Metres. */
#define SMALL_DRIFT 0.004f

static float less_drift(float clearance, float drift)
{
    if (clearance > drift)
        return clearance - drift;
    return clearance != 0.0f && drift < SMALL_DRIFT ? RICO__SURE_CONTACT : 0.0f;
}

/* The particle may miss this plane and meet another, so it watches it only up to the impact. A step
 * in which that may happen is searched, because the plane counts as touched in it. */
static void settle_graze(const rico__flight *f, float time)
{
    rico_plane plane = f->choice.plane;
    if (time < f->dt && !f->newborn)
        plane = rico__graze_plane(f, load(f, FIELD_PX), load(f, FIELD_VX));
    settle(f, plane, 0.0f, f->age + time);
}

static void settle_impact(const rico__flight *f, const rico__recipe *recipe)
{
    float time = f->time + f->choice.time, part = f->choice.time;
    float drift = f->jerk * part * part * part * (1.0f / 6.0f);
    if (f->time > 0.0f)
        drift += 0.2f * RICO__MOST_DRIFT;
    if (f->pushed)
        drift += rico__graze_drift(f, time);
    float clearance = less_drift(f->choice.clearance, drift);
    if (f->pushed && drift > float_max(f->choice.clearance, SMALL_DRIFT)) {
        settle_graze(f, time);
        return;
    }
    if (!recipe->plain_response || f->adrift)
        clearance = rico__response_clearance(&recipe->def, clearance);
    else if (!(time > 0.0f) && f->choice.clearance > 0.0f) {
        settle_touching(f);
        return;
    }
    settle(f, f->choice.plane, clearance, f->age + time + RICO__LATE_STEPS * f->dt);
    if (f->coarse && !f->newborn)
        rico__touch_coarsely(f);
}

/* A particle that waits looks at the start of each step, so it does not at the step's end. */
static float next_look(const rico__flight *f)
{
    return f->again ? f->age + 2.0f * RICO__DT_TOLERANCE * f->dt : 0.0f;
}

static void request_lacks(rico__wave *w, const rico__flight *f, bool here)
{
    if (is_blind(w->cells.world, f->block))
        return;
    w->cells.scratch->tally.requests += 1;
    uint32_t first = rico__waiting_urgency(w->cells.world, f, here);
    for (uint32_t i = 0; i < f->lacks; ++i)
        rico__request_cell(w->cells.world, f->block, &w->lack[f - w->flights][i],
                           here && i == 0, i == 0 ? first : 1);
}

/* Geometry without a record: the old plane stays, mostly a floor that goes on into this cell. If
 * the particle is there already or by the next step, it looks again before; else there is time. */
static void settle_missing(rico__wave *w, const rico__flight *f)
{
    bool here = !(f->lack_time > 0.0f);
    uint32_t known = rico__known(f->numbers, f->stride);
    request_lacks(w, f, here);
    settle_as_it_is(f, rico__nobody(), here ? rico__known_wait_on(known, f->age) : 0,
                    here ? next_look(f) : f->age + float_min(f->lack_time, rico__believed(f)));
    if (here || f->lack_time < f->dt)
        rico__bit_set(f->block->waits, f->lane, true);
}

/* Of a flight that met nothing. */
static float known_until(const rico__flight *f)
{
    const float time =
        f->pushed ? float_max(float_min(f->time, f->aim.trust), f->aim.free) : f->time;
    return time < f->life_left || f->mourned ? f->age + time : RICO__NEVER;
}

/* The part of its path in the step of its birth is gone by the next step. */
static void land_newborn(const rico_world *world, const rico__flight *f)
{
    rico__birth_settle(world, &world->effects[f->block->effect], f->numbers,
                       f->pushed ? &f->aim.kick : NULL);
    if (f->pushed && *number(f, FIELD_UNTIL) < f->age + RICO__DT_TOLERANCE * f->dt)
        rico__bit_set(f->block->waits, f->lane, true);
}

static void land(rico__wave *w, const rico__flight *f)
{
    if (f->looked)
        request_lacks(w, f, true);
    if (f->lacks > 0 && !f->looked)
        settle_missing(w, f);
    else if (f->choice.time < RICO__NEVER)
        settle_impact(f, &w->cells.world->recipes[f->block->recipe]);
    else
        settle(f, no_plane(), 0.0f, known_until(f));
    if (f->newborn)
        land_newborn(w->cells.world, f);
}

/* Ends these paths. Their columns are free for others. */
static void end_paths(rico__wave *w, uint64_t ended)
{
    w->flying &= ~ended;
    while (ended != 0) {
        uint32_t k = take_column(&ended);
        rico__flight *f = flight_of(w, k);
        f->time = w->paths.time[k];
        f->speed = w->paths.speed[k];
        f->jerk = w->paths.jerk[k];
        f->middle = vec3(w->paths.v[0][k], w->paths.v[1][k], w->paths.v[2][k]);
        f->done = true;
        for (rico__field x = FIELD_NXY; x <= FIELD_UNTIL; ++x) /* for when it lands */
            __builtin_prefetch(number(f, x), 1);
    }
}

/* Moves all paths one cell further. */
static void fly_on(rico__wave *w)
{
    const rico_world *world = w->cells.world;
    rico__flown flown =
        world->kernels->fly(&w->paths, w->flying, w->starting, &world->coverage);
    w->starting = 0;
    end_paths(w, flown.finished);
    const uint64_t set = w->flying & ~flown.empty;
    for (uint64_t left = set; left != 0;)
        ask_for_cell(w, take_column(&left));
    /* While the memory for these cells comes. */
    for (; w->count > 0 && w->flights[w->first].done; --w->count) {
        land(w, &w->flights[w->first]);
        w->first = (w->first + 1) % RICO__FLIGHTS;
    }
    end_paths(w, meet(w, set));
}

/* An effect that does not get what it asks for asks for one cell per path only. */
static uint32_t most_lacks(const rico_world *world, const rico__block *block)
{
    const rico__account *account = &world->accounts[block->effect];
    return account->granted < account->wanted ? 1 : RICO__MOST_LACKS;
}

static bool paths_are_exact(const rico__recipe *recipe, const rico__effect *effect)
{
    return !recipe->pushed && (effect->paths & RICO__PATHS_UNEVEN) == 0;
}

static origin origin_of(const rico_world *world, rico__block *block)
{
    const rico__effect *effect = &world->effects[block->effect];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    origin from = {.block = block,
                   .recipe = recipe,
                   .numbers = rico__block_data(world, block),
                   .path_dt = effect->path_dt,
                   .most_lacks = most_lacks(world, block),
                   .again = true,
                   .first_born = block->count,
                   .pushed = recipe->pushed,
                   .exact = paths_are_exact(recipe, effect),
                   .rides = rico__space_has_carried(recipe, effect)};
    rico__effect_step(&from.step, recipe, effect, world->def.cell_size);
    from.leads_off = rico__pace_path_step(&from.step, world, effect, true);
    from.step.ahead = float_max(from.step.ahead, effect->dt); /* of the step at hand, too */
    return from;
}

static void take_all_off(rico__wave *w, const origin *from, const uint64_t *lanes)
{
    const uint64_t all = ((uint64_t)1 << RICO__FLIGHT_COLUMNS) - 1;
    uint32_t n = 0;
    if (from->pushed)
        rico__forces_aim(w->cells.world, from->block, &from->step, lanes, &w->aims);
    for (uint32_t m = 0; m < RICO__MASK_WORDS; ++m)
        for (uint64_t bits = lanes[m]; bits != 0; bits &= bits - 1) {
            while (w->flying == all || w->count == RICO__FLIGHTS)
                fly_on(w);
            take_off(w, from, m * 64 + bits_lowest64(bits), n++);
        }
}

static rico__wave *wave_of(rico_world *world, uint32_t worker)
{
    rico__wave *w = &world->waves[worker];
    w->cells.world = world;
    w->cells.scratch = &world->scratch[worker];
    w->cells.worker = worker;
    w->cells.rate = 1.0f / world->def.cell_size;
    return w;
}

void rico__look_ahead(rico__block_context *c)
{
    const uint64_t *look = c->masks.look;
    if ((look[0] | look[1] | look[2] | look[3]) == 0)
        return;
    origin from = {.block = c->block,
                   .recipe = c->recipe,
                   .numbers = c->data,
                   .step = c->step,
                   .path_dt = c->effect->path_dt,
                   .most_lacks = most_lacks(c->world, c->block),
                   .first_born = c->first_born,
                   .pushed = c->recipe->pushed,
                   .exact = paths_are_exact(c->recipe, c->effect),
                   .rides = rico__space_has_carried(c->recipe, c->effect)};
    from.leads_off = rico__pace_path_step(&from.step, c->world, c->effect, false);
    take_all_off(wave_of(c->world, c->cells.worker), &from, look);
}

static bool anybody_waits(const rico__block *block)
{
    return (block->waits[0] | block->waits[1] | block->waits[2] | block->waits[3]) != 0;
}

void rico__look_again(rico_world *world, uint32_t worker, rico__block *block)
{
    const rico__effect *effect = &world->effects[block->effect];
    if (world->recipes[effect->recipe].def.mode != RICO_COLLIDE_CACHED)
        return;
    if (rico__pace_doubts(effect))
        rico__pace_doubt(world, effect, block);
    if (!anybody_waits(block))
        return;
    origin from = origin_of(world, block);
    uint64_t lanes[RICO__MASK_WORDS];
    for (uint32_t m = 0; m < RICO__MASK_WORDS; ++m) {
        lanes[m] = block->waits[m] & ~block->asleep[m];
        block->waits[m] = 0;
    }
    take_all_off(wave_of(world, worker), &from, lanes);
}

void rico__land_all(rico_world *world, uint32_t worker)
{
    while (world->waves[worker].count > 0)
        fly_on(&world->waves[worker]);
}
