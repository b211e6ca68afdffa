#include "forecast.h"

#include "contact.h"
#include "preparation.h"

#include "bits.h"

/* Paths are not followed further: seconds, cells. */
#define HORIZON 4.0f
#define MOST_CELLS 48u

/* Paths are followed, and taken for parabolas, for as long as they are nearer than this to the
 * true ones. Metres. */
#define MOST_DRIFT 0.01f

/* Steps after the expected impact in which it may still come. More than what must be known ahead
 * (rico__step), or each impact would be looked at twice. */
#define LATE_STEPS 1.5f

/* A path through a crowded cell is asked of the scene in so many chords of so many seconds: a
 * particle of a few m/s has then left the cell, and the chord is within 1.3 cm of the arc. */
#define CHORDS 4u
#define CHORD_SECONDS 0.1f

/* What flights of one block share. */
typedef struct origin {
    rico__block *block;
    const rico__recipe *recipe;
    float *numbers; /* first stream */
    rico__step step;
    float path_dt;
} origin;

/* Drag changes the acceleration by `jerk` m/s^3 at first. A parabola leaves that out: it is off by
 * jerk t^3 / 6. x^(3/8) is near the cube root, and less for x < 1. */
static float parabola_time(float jerk)
{
    if (!(jerk * HORIZON * HORIZON * HORIZON > 6.0f * MOST_DRIFT))
        return HORIZON;
    float root = __builtin_sqrtf(__builtin_sqrtf(6.0f * MOST_DRIFT / jerk));
    return float_min(root * __builtin_sqrtf(root), HORIZON);
}

/* The series of the whole path leaves out no more than jerk drag^2 t^5 / 120. x^(3/16) is near
 * the fifth root. */
static float series_time(float jerk, float drag)
{
    float rest = jerk * drag * drag;
    if (!(rest * HORIZON * HORIZON * HORIZON * HORIZON * HORIZON > 120.0f * MOST_DRIFT))
        return HORIZON;
    float root = __builtin_sqrtf(__builtin_sqrtf(__builtin_sqrtf(120.0f * MOST_DRIFT / rest)));
    return float_min(root * __builtin_sqrtf(root), HORIZON);
}

/* --- Following ---------------------------------------------------------------------------- */

static rico__flight *flight_of(rico__wave *w, uint32_t column)
{
    return &w->flights[w->flight[column]];
}

static rico_vec3 column_vec(float field[3][RICO__FLIGHT_COLUMNS], uint32_t column)
{
    return vec3(field[0][column], field[1][column], field[2][column]);
}

static void set_column(float field[3][RICO__FLIGHT_COLUMNS], uint32_t column, rico_vec3 v)
{
    field[0][column] = v.x;
    field[1][column] = v.y;
    field[2][column] = v.z;
}

static void copy_column(rico__flights *paths, uint32_t to, uint32_t from)
{
    for (int k = 0; k < 3; ++k) {
        paths->p[k][to] = paths->p[k][from];
        paths->v[k][to] = paths->v[k][from];
        paths->a[k][to] = paths->a[k][from];
        paths->at[k][to] = paths->at[k][from];
        paths->velocity[k][to] = paths->velocity[k][from];
        paths->accel[k][to] = paths->accel[k][from];
        paths->finest[k][to] = paths->finest[k][from];
        paths->center[k][to] = paths->center[k][from];
    }
    paths->time[to] = paths->time[from];
    paths->end[to] = paths->end[from];
    paths->drag[to] = paths->drag[from];
    paths->stretch[to] = paths->stretch[from];
    paths->half[to] = paths->half[from];
}

static void move_column(rico__wave *w, uint32_t to, uint32_t from)
{
    w->flight[to] = w->flight[from];
    copy_column(&w->paths, to, from);
}

/* Takes out the columns whose bits are set; all are among the first *part columns, which stay the
 * first. */
static void drop_columns(rico__wave *w, uint64_t finished, uint32_t *part)
{
    for (; finished != 0; finished &= ~((uint64_t)1 << bits_highest64(finished))) {
        uint32_t column = bits_highest64(finished);
        flight_of(w, column)->time = w->paths.time[column];
        uint32_t last = --*part;
        if (column != last)
            move_column(w, column, last);
        if (part != &w->columns && last != --w->columns)
            move_column(w, last, w->columns);
    }
}

/* Puts a column behind the first *part of them. The column after the last is spare. */
static void set_aside(rico__wave *w, uint32_t column, uint32_t *part)
{
    uint32_t last = --*part;
    if (column == last)
        return;
    move_column(w, RICO__MAX_FLIGHTS, column);
    move_column(w, column, last);
    move_column(w, last, RICO__MAX_FLIGHTS);
}

static bool box_contains(const rico_box *box, rico_vec3 p)
{
    return p.x >= box->lo.x && p.x <= box->hi.x && p.y >= box->lo.y && p.y <= box->hi.y &&
           p.z >= box->lo.z && p.z <= box->hi.z;
}

/* In a crowded cell: the first surface of the scene that the path meets, asked in chords until it
 * leaves what the record would have covered. */
static rico__choice choose_by_rays(rico__wave *w, uint32_t column)
{
    const rico__flight *f = flight_of(w, column);
    rico_box box = rico__record_box(&f->cell);
    rico_vec3 p = column_vec(w->paths.at, column), v = column_vec(w->paths.velocity, column);
    rico_vec3 a = column_vec(w->paths.accel, column);
    for (uint32_t n = 0; n < CHORDS && box_contains(&box, p); ++n) {
        rico_vec3 mean = vec3_mad(v, a, 0.5f * CHORD_SECONDS);
        rico_ray ray = rico__contact_ray(p, mean, CHORD_SECONDS, f->radius);
        rico_hit hit = rico_scene_raycast(w->cells.world->scene, NULL, &ray);
        w->cells.scratch->tally.contact_rays += 1;
        if (hit.collider != 0) {
            rico_vec3 point = vec3_mad(ray.origin, ray.direction, hit.t);
            return (rico__choice){{hit.normal, vec3_dot(hit.normal, point)},
                                  CHORD_SECONDS * ((float)n + float_min(hit.t, 1.0f)),
                                  0.0f};
        }
        p = vec3_mad(p, mean, CHORD_SECONDS);
        v = vec3_mad(v, a, CHORD_SECONDS);
    }
    return (rico__choice){.time = RICO__NEVER};
}

/* Its path on from here, relative to the cell's centre. */
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

/* What the path meets in its cell. */
static uint32_t search(rico__wave *w, uint32_t column)
{
    const rico__flight *f = flight_of(w, column);
    if (f->cell.state != CELL_RECORDED)
        return 0;
    set_path(w, column, f->radius);
    float horizon =
        float_min(w->paths.end[column] - w->paths.time[column], w->paths.stretch[column]);
    return rico__record_search(w->cells.world->kernels, &f->cell, &w->path[column], horizon,
                               w->found_time[column]);
}

/* True when the path need not be followed further. */
static bool choose(rico__wave *w, uint32_t column)
{
    rico__flight *f = flight_of(w, column);
    if (f->cell.state == CELL_EMPTY ||
        (f->cell.state == CELL_RECORDED && w->found[column] == 0))
        return false;
    f->missing = f->cell.state == CELL_MISSING;
    if (f->cell.state == CELL_CROWDED) {
        f->choice = choose_by_rays(w, column);
    } else if (!f->missing) {
        f->choice = rico__record_choose(w->cells.world->kernels, &f->cell, &w->path[column],
                                        w->found[column], w->found_time[column]);
    }
    return f->missing || f->choice.time < RICO__NEVER;
}

static void enter_cell(rico__wave *w, uint32_t column)
{
    const rico__cell *cell = &flight_of(w, column)->cell;
    set_column(w->paths.center, column, cell->center);
    w->paths.half[column] = cell->half;
}

static void finest_at(const rico__wave *w, uint32_t column, int32_t finest[3])
{
    for (int a = 0; a < 3; ++a)
        finest[a] = w->paths.finest[a][column];
}

static float finest_rate(const rico__wave *w)
{
    return w->cells.rate * (float)(1u << (RICO__RECORD_LEVELS - 1));
}

/* All paths to the next cell that is not known to be empty. */
static void cross_empty_cells(rico__wave *w)
{
    const rico__kernels *kernels = w->cells.world->kernels;
    uint32_t part = w->columns;
    for (uint32_t n = 0; n < MOST_CELLS && part > 0; ++n) {
        for (uint32_t k = part; k-- > 0;) {
            int32_t finest[3];
            finest_at(w, k, finest);
            if (rico__cell_find_empty(&w->cells, finest, &flight_of(w, k)->cell))
                enter_cell(w, k);
            else
                set_aside(w, k, &part);
        }
        drop_columns(w, kernels->leave_cells(&w->paths, part, finest_rate(w)), &part);
    }
}

/* Finds the cell of every path, in steps that overlap their waits. */
static void open_cells(rico__wave *w)
{
    int32_t finest[RICO__MAX_FLIGHTS][3];
    for (uint32_t k = 0; k < w->columns; ++k) {
        finest_at(w, k, finest[k]);
        rico__cell_fetch(&w->cells, finest[k], flight_of(w, k)->cell.level);
    }
    for (uint32_t k = 0; k < w->columns; ++k)
        rico__cell_locate(&w->cells, finest[k], &flight_of(w, k)->cell);
    for (uint32_t k = 0; k < w->columns; ++k) {
        rico__cell_open(&w->cells, &flight_of(w, k)->cell);
        enter_cell(w, k);
    }
}

/* All paths through the cell that each is in. */
static void fly_on(rico__wave *w)
{
    cross_empty_cells(w);
    open_cells(w);
    for (uint32_t k = 0; k < w->columns; ++k)
        w->found[k] = search(w, k);
    uint64_t met = 0;
    for (uint32_t k = 0; k < w->columns; ++k)
        met |= (uint64_t)choose(w, k) << k;
    drop_columns(w, met, &w->columns);
    uint64_t finished =
        w->cells.world->kernels->leave_cells(&w->paths, w->columns, finest_rate(w));
    drop_columns(w, finished, &w->columns);
}

/* --- Before and after --------------------------------------------------------------------- */

/* The particle's number in a stream. Streams that mode cached has lie one after the other, as the
 * fields do. */
static float *number(const rico__flight *f, rico__field field)
{
    return f->numbers + (size_t)field * f->stride;
}

static rico_vec3 load(const rico__flight *f, rico__field x)
{
    return vec3(*number(f, x), *number(f, x + 1), *number(f, x + 2));
}

/* In free flight the path is known up to `until`, so only what comes after is looked at. */
static float known_time(const rico__flight *f)
{
    if (rico__bit(f->block->rebound, f->lane) || *number(f, FIELD_ND) != RICO_NO_PLANE_OFFSET)
        return 0.0f;
    return float_max(*number(f, FIELD_UNTIL) - f->age, 0.0f);
}

static void take_off(rico__wave *w, const origin *from, uint32_t lane)
{
    uint32_t k = w->columns++;
    float drag = from->recipe->def.drag;
    rico__flight *f = &w->flights[w->count];
    w->flight[k] = (uint8_t)w->count++;
    f->block = from->block;
    f->numbers = from->numbers + lane;
    f->stride = from->recipe->stream_floats;
    f->lane = lane;
    f->radius = from->step.radius;
    f->fall = from->step.fall;
    f->dt = from->path_dt;
    f->age = *number(f, FIELD_AGE);
    f->life_left = *number(f, FIELD_LIFE) - f->age;
    f->missing = false;
    f->choice.time = RICO__NEVER;
    rico_vec3 v = load(f, FIELD_VX);
    rico_vec3 a =
        vec3_scale(vec3_sub(rico__accelerate(v, &from->step), v), 1.0f / from->step.dt);
    f->speed = vec3_length(v);
    f->jerk = drag * vec3_length(a);
    set_column(w->paths.p, k, load(f, FIELD_PX));
    /* Velocities change before places: the parabola is steeper by half a step. */
    set_column(w->paths.v, k, vec3_mad(v, a, 0.5f * from->step.dt));
    set_column(w->paths.a, k, a);
    w->paths.time[k] = known_time(f);
    w->paths.drag[k] = drag;
    w->paths.stretch[k] = parabola_time(f->jerk);
    w->paths.end[k] = float_min(series_time(f->jerk, drag), f->life_left);
}

static void settle(const rico__flight *f, rico_plane plane, float clearance, float until)
{
    *number(f, FIELD_NX) = plane.normal.x;
    *number(f, FIELD_NY) = plane.normal.y;
    *number(f, FIELD_NZ) = plane.normal.z;
    *number(f, FIELD_ND) = plane.offset;
    *number(f, FIELD_CLEARANCE) = clearance;
    *number(f, FIELD_UNTIL) = until;
    rico__bit_set(f->block->rebound, f->lane, false);
}

/* It touches the surface already, and nothing else for `clearance` around: as after a bounce. */
static void settle_touching(const rico__flight *f)
{
    float clearance = f->choice.clearance, speed = f->speed + 0.5f * f->fall * f->dt;
    float root = __builtin_sqrtf(speed * speed + 2.0f * f->fall * clearance);
    float rate = float_max(0.5f * (speed + root), RICO__LEAST_RATE);
    settle(f, f->choice.plane, rate, f->age + clearance / rate);
    rico__bit_set(f->block->rebound, f->lane, true);
}

/* The impact is off by the drift; less than this does not matter for where it is. */
#define SMALL_DRIFT 0.004f

static float less_drift(float clearance, float drift)
{
    if (clearance > drift)
        return clearance - drift;
    return clearance != 0.0f && drift < SMALL_DRIFT ? RICO__SURE_CONTACT : 0.0f;
}

static void settle_impact(const rico__flight *f)
{
    float time = f->time + f->choice.time, part = f->choice.time;
    float drift = f->jerk * part * part * part * (1.0f / 6.0f);
    if (f->time > 0.0f)
        drift += 0.2f * MOST_DRIFT;
    if (!(time > 0.0f) && f->choice.clearance > 0.0f)
        settle_touching(f);
    else
        settle(f, f->choice.plane, less_drift(f->choice.clearance, drift),
               f->age + time + LATE_STEPS * f->dt);
}

static void request(rico__wave *w, rico__block *block, rico_cache_key key)
{
    w->cells.scratch->tally.requests += 1;
    for (uint32_t i = 0; i < block->request_count; ++i) {
        if (block->requests[i].key == key) {
            block->requests[i].wanted += 1;
            return;
        }
    }
    if (block->request_count < RICO__BLOCK_REQUESTS)
        block->requests[block->request_count++] = (rico__request){key, 1};
}

/* Geometry, but no record: the old plane stays, for mostly it is the floor, which goes on into
 * this cell. Ahead, there is time; here, it looks again before each step. */
static void settle_missing(rico__wave *w, const rico__flight *f)
{
    rico_plane own = {load(f, FIELD_NX), *number(f, FIELD_ND)};
    bool here = !(f->time > 0.0f);
    request(w, f->block, f->cell.key);
    settle(f, own, 0.0f, here ? 0.0f : f->age + f->time);
    if (here)
        rico__bit_set(f->block->waits, f->lane, true);
}

static void land(rico__wave *w, const rico__flight *f)
{
    static const rico_plane none = {{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET};
    if (f->missing)
        settle_missing(w, f);
    else if (f->choice.time < RICO__NEVER)
        settle_impact(f);
    else
        settle(f, none, 0.0f, f->time < f->life_left ? f->age + f->time : RICO__NEVER);
}

/* Follows the paths of the wave and empties it. Results are written in the order of particles,
 * whatever was found first: only so many cells can be asked for. */
static void fly(rico__wave *w)
{
    uint64_t lost =
        w->cells.world->kernels->start_flights(&w->paths, w->columns, finest_rate(w));
    drop_columns(w, lost, &w->columns);
    for (uint32_t n = 0; n < MOST_CELLS && w->columns > 0; ++n)
        fly_on(w);
    drop_columns(w, ((uint64_t)1 << w->columns) - 1, &w->columns);
    for (uint32_t k = 0; k < w->count; ++k)
        land(w, &w->flights[k]);
    w->count = 0;
}

static origin origin_of(const rico_world *world, rico__block *block)
{
    const rico__effect *effect = &world->effects[block->effect];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    return (origin){.block = block,
                    .recipe = recipe,
                    .numbers = rico__block_data(world, block),
                    .step = rico__recipe_step(recipe, effect, world->def.cell_size),
                    .path_dt = effect->path_dt};
}

static void take_all_off(rico__wave *w, const origin *from, const uint64_t *lanes)
{
    for (uint32_t m = 0; m < RICO__MASK_WORDS; ++m)
        for (uint64_t bits = lanes[m]; bits != 0; bits &= bits - 1) {
            if (w->count == RICO__MAX_FLIGHTS)
                fly(w);
            take_off(w, from, m * 64 + bits_lowest64(bits));
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
    const origin from = {.block = c->block,
                         .recipe = c->recipe,
                         .numbers = c->data,
                         .step = c->step,
                         .path_dt = c->effect->path_dt};
    take_all_off(wave_of(c->world, c->cells.worker), &from, look);
}

/* What was known of paths is not true any more. */
static void forget_paths(const origin *from)
{
    float *until = from->numbers + FIELD_UNTIL * from->recipe->stream_floats;
    for (uint32_t i = 0; i < from->block->count; ++i) {
        until[i] = 0.0f;
        rico__bit_set(from->block->waits, i, true);
    }
}

void rico__look_again(rico_world *world, uint32_t worker, rico__block *block)
{
    const rico__effect *effect = &world->effects[block->effect];
    if (world->recipes[effect->recipe].def.mode != RICO_COLLIDE_CACHED)
        return;
    bool forget = world->scene_changed || effect->path_dt_changed;
    if (!forget && (block->waits[0] | block->waits[1] | block->waits[2] | block->waits[3]) == 0)
        return;
    origin from = origin_of(world, block);
    if (forget)
        forget_paths(&from);
    uint64_t lanes[RICO__MASK_WORDS];
    for (uint32_t m = 0; m < RICO__MASK_WORDS; ++m) {
        lanes[m] = block->waits[m] & ~block->asleep[m];
        block->waits[m] = 0;
    }
    take_all_off(wave_of(world, worker), &from, lanes);
}

void rico__forecast(rico_world *world, uint32_t worker)
{
    if (world->waves[worker].count > 0)
        fly(&world->waves[worker]);
}
