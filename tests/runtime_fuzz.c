#include "runtime_fuzz.h"

#include "hash.h"
#include "runtime_terrain.h"

#include <ricochet/output.h>
#include <ricochet/world_cache.h>
#include <ricochet/world_commands.h>
#include <ricochet/world_detail.h>
#include <ricochet/world_fields.h>
#include <ricochet/world_step.h>

enum {
    WORLDS = 2,
    EFFECTS = 20,
    RECIPES = 6,
    COLLIDERS = 10,
    SHAPES = 6,
    FIELDS = 3,
    TRIANGLES = 24,
    RECORDS = 600,
    ACTIONS = 48,
    SAVED = 1 << 20
};

/* Two worlds in which everything happens twice; an id means the same in both. Old ids stay, to
 * be stale. */
typedef struct fuzz {
    rico_world *world[WORLDS];
    counting_allocator memory[WORLDS];
    kept_log log[WORLDS];
    rico_output *output[WORLDS];
    _Alignas(64) rico_instance records[WORLDS][2][RECORDS];
    rico_effect_id effects[EFFECTS];
    rico_recipe_id recipes[RECIPES];
    rico_collider_id colliders[COLLIDERS];
    rico_shape_id shapes[SHAPES];
    rico_field_id fields[FIELDS];
    float corners[9 * TRIANGLES];
    uint32_t indices[3 * TRIANGLES];
    _Alignas(64) uint8_t saved[WORLDS][SAVED];
    size_t saved_bytes[WORLDS];
    rico__hash bits; /* hash of all that is compared between the worlds, to compare machines */
} fuzz;

/* Makes the call in both worlds (w; number k) and requires the same result. */
#define SAME(f, call)                                                                          \
    do {                                                                                       \
        rico_result results_[WORLDS];                                                          \
        for (int k = 0; k < WORLDS; ++k) {                                                     \
            rico_world *w = (f)->world[k];                                                     \
            (void)w;                                                                           \
            results_[k] = (call);                                                              \
        }                                                                                      \
        REQUIRE(results_[0] == results_[1], "%s and %s: %s", rico_result_name(results_[0]),    \
                rico_result_name(results_[1]), #call);                                         \
    } while (0)

/* The same for calls that return an id. A null id is not kept. */
#define SAME_ID(f, type, place, call)                                                          \
    do {                                                                                       \
        type ids_[WORLDS];                                                                     \
        for (int k = 0; k < WORLDS; ++k) {                                                     \
            rico_world *w = (f)->world[k];                                                     \
            ids_[k] = (call);                                                                  \
        }                                                                                      \
        REQUIRE(ids_[0].index1 == ids_[1].index1 && ids_[0].generation == ids_[1].generation,  \
                "%u.%u and %u.%u: %s", ids_[0].index1, ids_[0].generation, ids_[1].index1,     \
                ids_[1].generation, #call);                                                    \
        if (ids_[0].index1 != 0)                                                               \
            (place) = ids_[0];                                                                 \
    } while (0)

/* --- What holds ----------------------------------------------------------------------------- */

static void check_views(const fuzz *f)
{
    uint32_t sum = 0;
    for (int i = 0; i < EFFECTS + RECIPES; ++i) {
        rico_effect_id id = i < EFFECTS
                                ? f->effects[i]
                                : rico_world_sub_effect(f->world[0], f->recipes[i - EFFECTS]);
        sum += fuzz_check_view(f->world[0], id);
    }
    REQUIRE(sum <= rico_world_get_stats(f->world[0]).particles, "%u", sum);
}

/* Compares the statistics, except times, memory and numbers of workers. */
static void check_stats(const fuzz *f)
{
    rico_world_stats a = rico_world_get_stats(f->world[0]);
    rico_world_stats b = rico_world_get_stats(f->world[1]);
#define EQUAL(field)                                                                           \
    REQUIRE(a.field == b.field, "%u and %u", (unsigned)a.field, (unsigned)b.field)
    EQUAL(frame);
    EQUAL(effects);
    EQUAL(particles);
    EQUAL(births);
    EQUAL(deaths);
    EQUAL(births_starved);
    EQUAL(bounces);
    EQUAL(sleeping);
    EQUAL(query_units);
    EQUAL(events);
    EQUAL(events_dropped);
    EQUAL(cache_records);
    EQUAL(plane_records);
    EQUAL(cache_evicted);
    EQUAL(cache_dropped);
#undef EQUAL
}

/* The same call may be a command in one world, which then also names the command. */
static void keep_reason(void *user, rico_log_level level, const char *text)
{
    if (strstr(text, ": this was lists[") == NULL)
        kept_log_write(user, level, text);
}

static void check_same(fuzz *f)
{
    uint64_t hash = rico_world_hash(f->world[0]);
    REQUIRE(hash == rico_world_hash(f->world[1]), "after frame %u",
            rico_world_get_stats(f->world[0]).frame);
    REQUIRE(strcmp(f->log[0].text, f->log[1].text) == 0, "'%s' and '%s'", f->log[0].text,
            f->log[1].text);
    rico__hash_u64(&f->bits, hash);
    check_stats(f);
}

/* --- Calls ---------------------------------------------------------------------------------- */

/* Picks one of `count` ids of any kind (two numbers each), mostly one that was given out. */
static uint32_t pick(source *s, const void *ids, uint32_t count)
{
    const uint32_t *pairs = ids;
    uint32_t first = take_below(s, 16 * count), i = first % count;
    for (uint32_t n = 0; first >= count && n < count && pairs[2 * i] == 0; ++n)
        i = (i + 1) % count;
    return i;
}

#define PICK(f, s, list, count) (&(f)->list[pick(s, (f)->list, count)])

/* Steps one world; the second world is stepped in halves. */
static void step_one(rico_world *world, float dt, bool halves)
{
    if (halves) {
        rico_world_step_begin(world, dt);
        rico_world_step_end(world);
        REQUIRE(rico_world_step_is_over(world), "a step goes on after its end");
    } else {
        rico_world_step(world, dt);
    }
}

static void step(fuzz *f, source *s)
{
    static const float dts[] = {1.0f / 60.0f, 1.0f / 60.0f, 1.0f / 60.0f, 1.0f / 240.0f,
                                1.0f / 30.0f, 0.1f,         0.0f,         1.0f};
    float dt = dts[take_below(s, 8)];
    for (uint32_t n = 1 + take_below(s, 4); n > 0; --n) {
        for (int k = 0; k < WORLDS; ++k) {
            const rico_world_stats before = rico_world_get_stats(f->world[k]);
            step_one(f->world[k], dt, k > 0);
            fuzz_check_step(f->world[k], &before);
        }
        check_same(f);
    }
    check_views(f);
}

static void spawn(fuzz *f, source *s)
{
    rico_effect_def def = rico_effect_def_default();
    rico_effect_id *place = &f->effects[take_below(s, EFFECTS)];
    rico_recipe_id recipe = *PICK(f, s, recipes, RECIPES);
    def.transform = fuzz_place(s);
    def.time_scale = take_below(s, 8) == 7 ? take_float(s) : 1.0f;
    SAME_ID(f, rico_effect_id, *place, rico_effect_spawn_def(w, recipe, &def));
}

/* Spawns all or none; when none is spawned the world must be unchanged. */
static void spawn_several(fuzz *f, source *s)
{
    enum { MOST = 4 };
    rico_recipe_id recipes[MOST];
    rico_effect_def defs[MOST];
    rico_effect_id ids[WORLDS][MOST];
    const uint32_t count = 1 + take_below(s, MOST), first = take_below(s, EFFECTS - MOST);
    for (uint32_t i = 0; i < count; ++i) {
        recipes[i] = *PICK(f, s, recipes, RECIPES);
        defs[i] = rico_effect_def_default();
        defs[i].transform = fuzz_place(s);
    }
    const uint64_t before = rico_world_hash(f->world[0]);
    SAME(f, rico_effect_spawn_all(w, recipes, defs, count, ids[k]));
    REQUIRE(memcmp(ids[0], ids[1], count * sizeof ids[0][0]) == 0, "ids of several");
    if (ids[0][0].index1 == 0)
        REQUIRE(rico_world_hash(f->world[0]) == before, "none of several, but a change");
    for (uint32_t i = 0; i < count && ids[0][0].index1 != 0; ++i)
        f->effects[first + i] = ids[0][i];
}

/* The first world gets a call, the second the same as a command: both must do the same.
 * Commands are sorted in memory, whose allocation does not fail here. */
static rico_result by_command(fuzz *f, rico_command c)
{
    const rico_command_list list = {&c, 1};
    f->memory[1].fail_at += f->memory[1].fail_at >= f->memory[1].calls;
    const rico_result result = rico_world_apply(f->world[1], &list, 1);
    REQUIRE(c.result == result, "%s of %s", rico_result_name(c.result),
            rico_result_name(result));
    return result;
}

#define COMMAND(call, kind_, who, what)                                                        \
    (k == 0 ? (call) : by_command(f, (rico_command){.kind = RICO_COMMAND_##kind_, who, what}))

static void move_effect(fuzz *f, source *s)
{
    rico_effect_id id = *PICK(f, s, effects, EFFECTS);
    rico_transform to = fuzz_place(s);
    if (take_below(s, 2) == 0)
        SAME(f, COMMAND(rico_effect_move(w, id, to), MOVE, .effect = id, .transform = to));
    else
        SAME(f,
             COMMAND(rico_effect_teleport(w, id, to), TELEPORT, .effect = id, .transform = to));
}

static void direct_effect(fuzz *f, source *s)
{
    rico_effect_id id = *PICK(f, s, effects, EFFECTS);
    uint32_t count = take(s, 1);
    float scale = take_below(s, 4) == 3 ? take_float(s) : fuzz_between(s, 0.0f, 2.0f);
    switch (take_below(s, 6)) {
    case 0:
        SAME(f, COMMAND(rico_effect_emit(w, id, count), EMIT, .effect = id, .count = count));
        break;
    case 5:
        SAME(f, COMMAND(rico_effect_set_rate_scale(w, id, scale), RATE_SCALE, .effect = id,
                        .scale = scale));
        break;
    case 1:
        SAME(f, COMMAND(rico_effect_set_time_scale(w, id, scale), TIME_SCALE, .effect = id,
                        .scale = scale));
        break;
    case 2:
        SAME(f, COMMAND(rico_effect_stop(w, id), STOP, .effect = id, .count = 0));
        break;
    case 3:
        SAME(f, COMMAND(rico_effect_destroy(w, id), DESTROY, .effect = id, .count = 0));
        break;
    default:
        SAME(f, rico_effect_seek(w, id, fabsf(scale) < 2.0f ? scale : 2.0f,
                                 count < 128 ? 1.0f / 60.0f : 0.3f));
    }
}

static void emit_births(fuzz *f, source *s)
{
    rico_birth births[3];
    const rico_recipe_id id = *PICK(f, s, recipes, RECIPES);
    uint32_t count = take_below(s, 4);
    for (uint32_t i = 0; i < count; ++i) {
        births[i].transform = fuzz_place(s);
        births[i].velocity = take_vec3(s);
        births[i].count = take(s, 1) % 80;
    }
    SAME(f, rico_world_emit(w, id, births, count));
}

/* Changes a recipe to what it already is in each world. */
static void repeat_recipe(fuzz *f, source *s)
{
    const rico_recipe_id id = *PICK(f, s, recipes, RECIPES);
    rico_recipe r;
    SAME(f, rico_world_get_recipe(w, id, &r) ? rico_world_change_recipe(w, id, &r)
                                             : RICO_STALE_ID);
}

static void edit_recipe(fuzz *f, source *s)
{
    const rico_emitter_mesh mesh = {f->corners, 3 * TRIANGLES, f->indices, TRIANGLES};
    rico_recipe_id *place = &f->recipes[take_below(s, RECIPES)];
    const rico_recipe_id *old = PICK(f, s, recipes, RECIPES);
    rico_recipe r = fuzz_recipe(s, f->recipes, RECIPES, &mesh);
    switch (take_below(s, 4)) {
    case 0:
        SAME(f, rico_world_change_recipe(w, *old, &r));
        break;
    case 1:
        SAME(f, rico_world_remove_recipe(w, *old));
        break;
    default:
        SAME_ID(f, rico_recipe_id, *place, rico_world_add_recipe(w, &r));
    }
}

static void scatter(fuzz *f, source *s)
{
    for (uint32_t i = 0; i < 9 * TRIANGLES; ++i)
        f->corners[i] = fuzz_between(s, -5.0f, 5.0f);
    if (take_below(s, 8) == 7) { /* corners that are far away make each edit slow */
        uint32_t far = take_below(s, 9 * TRIANGLES);
        f->corners[far] = take_float(s);
    }
}

static void add_collider(fuzz *f, source *s)
{
    rico_collider_id *place = &f->colliders[take_below(s, COLLIDERS)];
    rico_mesh mesh = {.positions = f->corners,
                      .vertex_count = 3 * TRIANGLES,
                      .indices = f->indices,
                      .triangle_count = 1 + take_below(s, TRIANGLES)};
    rico_transform at = fuzz_place(s);
    if (take_below(s, 3) == 0) {
        SAME_ID(f, rico_collider_id, *place, rico_world_add_mesh(w, &mesh, at));
        return;
    }
    rico_collider_def def = rico_collider_def_default();
    def.layers = take(s, 1) & 7u;
    def.shape = *PICK(f, s, shapes, SHAPES);
    def.motion.transform = at;
    SAME_ID(f, rico_collider_id, *place, rico_world_add_collider(w, &def));
}

static void edit_shape(fuzz *f, source *s)
{
    static const rico_shape_kind kinds[] = {RICO_SHAPE_MESH,   RICO_SHAPE_BOX,
                                            RICO_SHAPE_SPHERE, RICO_SHAPE_CAPSULE,
                                            RICO_SHAPE_PLANE,  RICO_SHAPE_HULL};
    rico_shape_id *place = &f->shapes[take_below(s, SHAPES)], made[WORLDS] = {{0, 0}, {0, 0}};
    if (take_below(s, 4) == 0) {
        const rico_shape_id *old = PICK(f, s, shapes, SHAPES);
        SAME(f, rico_world_remove_shape(w, *old));
        return;
    }
    rico_shape_def def = rico_shape_def_default();
    def.kind = kinds[take_below(s, 6)];
    def.mesh = (rico_mesh){.positions = f->corners,
                           .vertex_count = 3 * TRIANGLES,
                           .indices = f->indices,
                           .triangle_count = 1 + take_below(s, TRIANGLES)};
    def.hull = (rico_hull){.points = f->corners, .point_count = 4 + take_below(s, 20)};
    def.half_size = (rico_vec3){0.5f, fuzz_between(s, 0.01f, 3.0f), 0.3f};
    def.radius = take_below(s, 8) == 7 ? take_float(s) : fuzz_between(s, 0.05f, 2.0f);
    def.half_length = fuzz_between(s, 0.0f, 2.0f);
    def.surface = (uint16_t)take_below(s, 4);
    SAME(f, rico_world_add_shape(w, &def, NULL, &made[k]));
    if (made[0].index1 != 0)
        *place = made[0];
}

static void move_colliders(fuzz *f, source *s)
{
    rico_collider_id ids[3];
    rico_motion motions[3];
    uint32_t count = take_below(s, 4), how = take_below(s, 5);
    memset(motions, 0, sizeof motions);
    for (uint32_t i = 0; i < count; ++i) {
        ids[i] = *PICK(f, s, colliders, COLLIDERS);
        motions[i].transform = fuzz_place(s);
    }
    if (how == 0)
        SAME(f, rico_world_place_colliders(w, ids, motions, count));
    else if (how == 1 && count > 0)
        SAME(f, rico_world_remove_collider(w, ids[0]));
    else if (how == 2 && count > 0)
        SAME(f, rico_world_set_layers(w, ids[0], count | 4u));
    else
        SAME(f, rico_world_move_colliders(w, ids, motions, count));
}

static void edit_field(fuzz *f, source *s)
{
    rico_field_id *place = &f->fields[take_below(s, FIELDS)];
    const rico_field_id *old = PICK(f, s, fields, FIELDS);
    rico_field_def def = rico_field_def_default();
    def.transform = fuzz_place(s);
    def.shape = take_below(s, 2) == 0 ? RICO_FIELD_BOX : RICO_FIELD_SPHERE;
    def.size = (rico_vec3){fuzz_between(s, 0.1f, 6.0f), 2.0f, 3.0f};
    def.force.kind = (rico_force_kind)take_below(s, RICO_FORCE_KIND_COUNT);
    def.force.strength = take_below(s, 8) == 7 ? take_float(s) : fuzz_between(s, 0.0f, 50.0f);
    def.layers = take(s, 1);
    switch (take_below(s, 4)) {
    case 0:
        SAME(f, rico_world_move_field(w, *old, def.transform));
        break;
    case 1:
        SAME(f, rico_world_change_field(w, *old, &def));
        break;
    case 2:
        SAME(f, rico_world_remove_field(w, *old));
        break;
    default:
        SAME_ID(f, rico_field_id, *place, rico_world_add_field(w, &def));
    }
}

static void edit_world(fuzz *f, source *s)
{
    rico_kill_volume volume = {.size = {0.0f, 1.0f, 2.0f}};
    volume.sphere = take_below(s, 2) == 0;
    volume.outside = take_below(s, 4) == 0;
    volume.size.x = fuzz_between(s, 0.0f, 4.0f);
    volume.transform = fuzz_place(s);
    rico_vec3 to = take_vec3(s), viewers[2] = {to, {0.0f, 0.0f, 0.0f}};
    uint32_t number = take_below(s, 18);
    float factor = take_float(s);
    switch (take_below(s, 5)) {
    case 0:
        SAME(f, rico_world_merge(w));
        break;
    case 1:
        SAME(f, rico_world_shift_origin(w, to));
        break;
    case 2:
        SAME(f, rico_world_set_surface(w, number, factor, 0.5f));
        break;
    case 3:
        SAME(f, rico_world_set_kill_volume(w, number, factor == 0.0f ? NULL : &volume));
        break;
    default:
        SAME(f, rico_world_set_viewers(w, viewers, number % 3));
    }
}

typedef struct saver {
    fuzz *f;
    int k;
    size_t room;
} saver;

static bool save(void *user, const void *data, size_t bytes)
{
    saver *to = user;
    size_t *used = &to->f->saved_bytes[to->k];
    if (bytes > to->room - *used)
        return false;
    memcpy(to->f->saved[to->k] + *used, data, bytes);
    *used += bytes;
    return true;
}

static rico_result save_cache(fuzz *f, int k, size_t room)
{
    saver to = {f, k, room};
    f->saved_bytes[k] = 0;
    return rico_world_save_cache(f->world[k], save, &to);
}

static void keep_records(fuzz *f, source *s)
{
    rico_effect_id id = *PICK(f, s, effects, EFFECTS);
    rico_vec3 lo = take_vec3(s), side = {2.0f, 3.0f, 2.0f};
    rico_box box = {lo, {lo.x + side.x, lo.y + side.y, lo.z + side.z}};
    rico_bake_report report[WORLDS];
    uint32_t how = take_below(s, 4), at = take(s, 3);
    float reach = fuzz_between(s, 0.0f, 3.0f);
    if (how == 0)
        SAME(f, rico_world_bake(w, &box, &report[k]));
    else if (how == 1)
        SAME(f, rico_effect_bake(w, id, reach, &report[k]));
    if (how < 2) {
        REQUIRE(report[0].cells == report[1].cells && report[0].dropped == report[1].dropped,
                "bakes differ");
        return;
    }
    SAME(f, save_cache(f, k, how == 2 ? SAVED : at % SAVED));
    REQUIRE(f->saved_bytes[0] == f->saved_bytes[1] &&
                memcmp(f->saved[0], f->saved[1], f->saved_bytes[0]) == 0,
            "saved caches differ");
    rico__hash_floats(&f->bits, (const float *)(const void *)f->saved[0],
                      f->saved_bytes[0] / sizeof(float));
    if (take_below(s, 2) == 0 && f->saved_bytes[0] > 0)
        for (int k = 0; k < WORLDS; ++k)
            f->saved[k][at % f->saved_bytes[k]] ^= (uint8_t)(1u << (at >> 21));
    SAME(f, rico_world_load_cache(w, f->saved[k], f->saved_bytes[k]));
}

static void write_output(fuzz *f, source *s)
{
    rico_output_def def = rico_output_def_default();
    rico_output_frame frame[WORLDS];
    rico_eye eye = {take_vec3(s), {0.0f, 1.0f, 0.0f}};
    def.kind = (rico_output_kind)take_below(s, RICO_OUTPUT_KIND_COUNT);
    def.sort = take_below(s, 2) == 0;
    def.trail_points = 2 + take_below(s, 3);
    def.max_effects = EFFECTS;
    size_t bytes = rico_output_record_bytes(&def);
    def.capacity = (uint32_t)(sizeof f->records[0][0] / (bytes > 0 ? bytes : 1));
    if (f->output[0] == NULL || take_below(s, 4) == 0) {
        for (int k = 0; k < WORLDS; ++k) {
            rico_output_destroy(f->output[k]);
            f->output[k] = NULL;
        }
        SAME(f, (def.memory[0] = f->records[k][0], def.memory[1] = f->records[k][1],
                 rico_output_create(w, &def, &f->output[k])));
    }
    if (f->output[0] == NULL)
        return;
    SAME(f, rico_output_write(f->output[k], f->effects, EFFECTS, &eye, &frame[k]));
    REQUIRE(frame[0].count == frame[1].count && frame[0].lost == frame[1].lost, "outputs");
    for (uint32_t i = 0; i < frame[0].part_count; ++i) {
        const rico_output_part *part = &frame[0].parts[i];
        REQUIRE(part->count + part->lost ==
                    rico_effect_particle_count(f->world[0], part->effect),
                "a part of %u and %u", part->count, part->lost);
    }
    REQUIRE(memcmp(f->records[0], f->records[1], sizeof f->records[0]) == 0, "records differ");
    rico__hash_floats(&f->bits, (const float *)(const void *)f->records[0],
                      sizeof f->records[0] / sizeof(float));
}

/* Lets a later call of the allocator fail, the same one in both worlds. */
static void starve(fuzz *f, source *s)
{
    long later = 1 + (long)take_below(s, 6);
    for (int k = 0; k < WORLDS; ++k)
        f->memory[k].fail_at = f->memory[k].calls + later;
}

typedef void action(fuzz *f, source *s);
static action *const actions[] = {
    step,         step,          step,           step,        step,           step,
    spawn,        spawn_several, move_effect,    edit_recipe, edit_recipe,    direct_effect,
    add_collider, edit_shape,    move_colliders, edit_field,  edit_world,     keep_records,
    write_output, direct_effect, move_effect,    scatter,     move_colliders, starve,
    emit_births,  emit_births,   repeat_recipe};

static void open_worlds(fuzz *f, source *s)
{
    static const float sizes[] = {1.0f, 1.0f, 1.0f, 0.5f, 0.5f, 2.0f, 0.77f, 0.25f};
    rico_world_def def = rico_world_def_default();
    def.max_particles = 400 + take(s, 2) % 3000;
    def.max_effects = EFFECTS / 2;
    def.max_recipes = RECIPES - 1;
    def.max_fields = FIELDS - 1;
    def.max_events = take_below(s, 2) == 0 ? 2000 : take_below(s, 40);
    def.queries_per_frame = take_below(s, 100);
    def.shared_queries_per_frame = def.queries_per_frame % 5 * 4;
    def.cache_bytes = (uint64_t)(64 + 4 * take_below(s, 100)) << 10;
    def.classic_cache_bytes = 64 << 10;
    def.cell_size = sizes[take_below(s, 8)];
    for (int k = 0; k < WORLDS; ++k) {
        def.worker_count = (uint32_t)k + 1;
        kept_log_hook(&f->log[k]);
        def.log = (rico_log){keep_reason, &f->log[k]};
        def.allocator = counting_hooks(&f->memory[k]);
        REQUIRE(rico_world_create(&def, &f->world[k]) == RICO_OK, "%s", f->log[k].text);
    }
}

/* Adds a few things at first, so that calls have something to work on. */
static void furnish(fuzz *f, source *s)
{
    scatter(f, s);
    for (int i = 0; i < 3; ++i) {
        edit_recipe(f, s);
        edit_shape(f, s);
        add_collider(f, s);
    }
    for (int i = 0; i < 4; ++i)
        spawn(f, s);
}

static void close_worlds(fuzz *f)
{
    for (int k = 0; k < WORLDS; ++k) {
        rico_output_destroy(f->output[k]);
        rico_world_destroy(f->world[k]);
        REQUIRE(f->memory[k].live_bytes == 0 && f->memory[k].live_blocks == 0, "%ld bytes stay",
                f->memory[k].live_bytes);
    }
}

uint64_t runtime_fuzz(const uint8_t *data, size_t size)
{
    enum { KINDS = sizeof actions / sizeof actions[0] };
    static fuzz f;
    source s = {data, size};
    memset(&f, 0, sizeof f);
    for (uint32_t i = 0; i < 3 * TRIANGLES; ++i)
        f.indices[i] = i;
    rico__hash_init(&f.bits, 0);
    open_worlds(&f, &s);
    furnish(&f, &s);
    for (uint32_t i = 0; i < ACTIONS && s.left > 0; ++i) {
        action *next = actions[take_below(&s, KINDS)];
        next(&f, &s);
        if (next != starve)
            f.memory[0].fail_at = f.memory[1].fail_at = -1;
        check_same(&f);
    }
    close_worlds(&f);
    return rico__hash_value(&f.bits);
}
