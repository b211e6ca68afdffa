/* Commands do what the calls do that they stand for, in the host's order, on whichever thread
 * they were recorded. */
#include "runtime_refused.h"

#include <ricochet/world_commands.h>
#include <ricochet/world_step.h>

enum { ENTITIES = 24, BODIES = 4, FIELDS = 1, FRAMES = 30, LISTS = 5, MOST = 256 };

/* A small game: effects that belong to entities, and bodies. */
typedef struct game {
    rico_world *world;
    rico_recipe_id recipe, fed;
    rico_effect_id effects[ENTITIES];
    rico_collider_id bodies[BODIES];
    rico_field_id field;
} game;

static void open_game(game *g, uint32_t workers)
{
    memset(g, 0, sizeof *g);
    g->world = small_world(workers, true);
    rico_recipe recipe = rico_recipe_default();
    recipe.mode = RICO_COLLIDE_CACHED;
    recipe.rate = 40.0f;
    recipe.spread = 1.0f;
    g->recipe = rico_world_add_recipe(g->world, &recipe);
    recipe.mode = RICO_COLLIDE_EXACT;
    recipe.rate = 0.0f;
    g->fed = rico_world_add_recipe(g->world, &recipe);
    CHECK(g->recipe.index1 != 0 && g->fed.index1 != 0);
    rico_shape_def shape = rico_shape_def_default();
    shape.kind = RICO_SHAPE_SPHERE;
    shape.radius = 0.5f;
    rico_collider_def def = rico_collider_def_default();
    CHECK_EQ(rico_world_add_shape(g->world, &shape, NULL, &def.shape), RICO_OK);
    for (int b = 0; b < BODIES; ++b) {
        def.motion.transform = at((float)b * 2.0f - 3.0f, 0.0f, 1.0f);
        g->bodies[b] = rico_world_add_collider(g->world, &def);
        CHECK(g->bodies[b].index1 != 0);
    }
    rico_field_def pull = rico_field_def_default();
    pull.force.kind = RICO_FORCE_ATTRACTOR;
    pull.force.strength = 8.0f;
    pull.size = (rico_vec3){2.0f, 2.0f, 4.0f};
    g->field = rico_world_add_field(g->world, &pull);
    CHECK(g->field.index1 != 0);
}

static uint32_t number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* What entity e wants in this frame. It follows from the entity's own numbers, so it does not
 * matter when it is asked. */
static uint32_t wishes(const game *g, uint32_t e, uint32_t frame, rico_command out[2])
{
    uint32_t s = e * 7919u + frame * 104729u + 1u;
    rico_command c = {.order = (uint64_t)(e * 2654435761u), .effect = g->effects[e]};
    const rico_transform to = at((float)(e % 6) - 3.0f + 0.02f * (float)frame,
                                 (float)(e / 6) - 2.0f, 1.5f + 0.1f * (float)(number(&s) % 5));
    if (e < BODIES) {
        c.kind = number(&s) % 8 == 0 ? RICO_COMMAND_PLACE_COLLIDER : RICO_COMMAND_MOVE_COLLIDER;
        c.collider = g->bodies[e];
        c.motion = (rico_motion){.transform = to};
    } else if (e < BODIES + FIELDS) {
        c.kind = RICO_COMMAND_MOVE_FIELD;
        c.field = g->field;
        c.transform = to;
    } else if (c.effect.index1 == 0) {
        c.kind = RICO_COMMAND_SPAWN;
        c.recipe = g->recipe;
        c.spawn = rico_effect_def_default();
        c.spawn.transform = to;
    } else {
        static const rico_command_kind kinds[] = {
            RICO_COMMAND_MOVE,       RICO_COMMAND_MOVE,       RICO_COMMAND_TELEPORT,
            RICO_COMMAND_EMIT,       RICO_COMMAND_TIME_SCALE, RICO_COMMAND_RATE_SCALE,
            RICO_COMMAND_TINT,       RICO_COMMAND_BIRTH,      RICO_COMMAND_DESTROY,
            RICO_COMMAND_RATE_SCALE, RICO_COMMAND_STOP,
        };
        c.kind = kinds[number(&s) % (sizeof kinds / sizeof *kinds)];
        if (c.kind == RICO_COMMAND_MOVE || c.kind == RICO_COMMAND_TELEPORT)
            c.transform = to;
        else if (c.kind == RICO_COMMAND_EMIT)
            c.count = 1 + number(&s) % 9;
        else if (c.kind == RICO_COMMAND_TINT)
            c.tint = (rico_color){0.5f, 1.0f, 0.25f, 1.0f};
        else if (c.kind == RICO_COMMAND_BIRTH) {
            c.recipe = g->fed;
            c.birth = (rico_birth){.transform = to, .count = 3};
        } else
            c.scale = 0.5f + 0.25f * (float)(number(&s) % 4);
    }
    out[0] = out[1] = c;
    out[1].kind = RICO_COMMAND_RATE_SCALE; /* at times of a stale effect */
    out[1].scale = 2.0f;
    return e >= BODIES + FIELDS && c.effect.index1 != 0 && e % 3 == 0 ? 2 : 1;
}

/* Makes the call that the command stands for. */
static rico_result call(game *g, rico_command *c)
{
    switch ((int)c->kind) {
    case RICO_COMMAND_SPAWN:
        c->spawned = rico_effect_spawn_def(g->world, c->recipe, &c->spawn);
        return c->spawned.index1 != 0 ? RICO_OK : rico_world_last_result(g->world);
    case RICO_COMMAND_BIRTH:
        return rico_world_emit(g->world, c->recipe, &c->birth, 1);
    case RICO_COMMAND_MOVE:
        return rico_effect_move(g->world, c->effect, c->transform);
    case RICO_COMMAND_TELEPORT:
        return rico_effect_teleport(g->world, c->effect, c->transform);
    case RICO_COMMAND_EMIT:
        return rico_effect_emit(g->world, c->effect, c->count);
    case RICO_COMMAND_TIME_SCALE:
        return rico_effect_set_time_scale(g->world, c->effect, c->scale);
    case RICO_COMMAND_RATE_SCALE:
        return rico_effect_set_rate_scale(g->world, c->effect, c->scale);
    case RICO_COMMAND_TINT:
        return rico_effect_set_tint(g->world, c->effect, c->tint);
    case RICO_COMMAND_STOP:
        return rico_effect_stop(g->world, c->effect);
    case RICO_COMMAND_DESTROY:
        return rico_effect_destroy(g->world, c->effect);
    case RICO_COMMAND_MOVE_COLLIDER:
        return rico_world_move_colliders(g->world, &c->collider, &c->motion, 1);
    case RICO_COMMAND_MOVE_FIELD:
        return rico_world_move_field(g->world, c->field, c->transform);
    default:
        return rico_world_place_colliders(g->world, &c->collider, &c->motion, 1);
    }
}

/* Tells an entity what became of its effect. */
static void hear(game *g, uint32_t e, const rico_command *c)
{
    if (c->kind == RICO_COMMAND_SPAWN)
        g->effects[e] = c->spawned;
    else if (c->kind == RICO_COMMAND_DESTROY || c->result == RICO_STALE_ID)
        g->effects[e] = (rico_effect_id){0};
}

static uint64_t step(game *g, uint64_t hash)
{
    rico_world_step(g->world, 1.0f / 60.0f);
    return hash * 31 + rico_world_hash(g->world);
}

/* Takes entities in order of their keys and makes one call after the other: slow, but easy to
 * follow. */
static uint64_t by_calls(void)
{
    game g;
    uint64_t hash = 0;
    open_game(&g, 1);
    for (uint32_t frame = 0; frame < FRAMES; ++frame) {
        uint64_t last = 0;
        for (uint32_t n = 0; n < ENTITIES; ++n) {
            uint32_t next = ENTITIES;
            for (uint32_t e = 0; e < ENTITIES; ++e) {
                uint64_t order = (uint64_t)(e * 2654435761u);
                bool later = n == 0 || order > last;
                if (later && (next == ENTITIES || order < (uint64_t)(next * 2654435761u)))
                    next = e;
            }
            last = (uint64_t)(next * 2654435761u);
            rico_command c[2];
            uint32_t count = wishes(&g, next, frame, c);
            for (uint32_t k = 0; k < count; ++k)
                c[k].result = call(&g, &c[k]);
            for (uint32_t k = 0; k < count; ++k)
                hear(&g, next, &c[k]);
        }
        hash = step(&g, hash);
    }
    CHECK(rico_world_get_stats(g.world).particles > 200);
    rico_world_destroy(g.world);
    return hash;
}

/* --- Recorded by jobs, while the world is stepped ------------------------------------------- */

typedef struct desk {
    game *g;
    uint32_t frame, lists, salt;
    rico_command commands[LISTS][MOST];
    uint32_t entity[LISTS][MOST], counts[LISTS];
} desk;

/* Which list an entity's commands go to, and in which order, depends on the salt. */
static void record(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    desk *d = context;
    (void)worker;
    for (uint32_t l = begin; l < end; ++l)
        for (uint32_t n = 0; n < ENTITIES; ++n) {
            const uint32_t e = (n * 5 + d->salt) % ENTITIES;
            uint32_t s = e * 31u + d->salt + d->frame;
            if (number(&s) % d->lists != l)
                continue;
            const uint32_t first = d->counts[l];
            d->counts[l] += wishes(d->g, e, d->frame, d->commands[l] + first);
            for (uint32_t i = first; i < d->counts[l]; ++i)
                d->entity[l][i] = e;
        }
}

static void take_answers(desk *d)
{
    for (uint32_t l = 0; l < d->lists; ++l)
        for (uint32_t i = 0; i < d->counts[l]; ++i)
            hear(d->g, d->entity[l][i], &d->commands[l][i]);
}

static uint64_t by_commands(uint32_t workers, uint32_t lists, uint32_t salt)
{
    game g;
    uint64_t hash = 0;
    desk *d = calloc(1, sizeof *d);
    rico_jobs_def def = rico_jobs_def_default();
    rico_jobs *jobs;
    def.worker_count = 3;
    CHECK_EQ(rico_jobs_create(&def, &jobs), RICO_OK);
    open_game(&g, workers);
    for (uint32_t frame = 0; frame < FRAMES; ++frame) {
        rico_command_list all[LISTS];
        memset(d->counts, 0, sizeof d->counts);
        d->g = &g;
        d->frame = frame;
        d->lists = lists;
        d->salt = salt;
        if (frame > 0)
            rico_world_step_begin(g.world, 1.0f / 60.0f);
        rico_jobs_for(jobs, 0, lists, 1, record, d);
        if (frame > 0) {
            rico_world_step_end(g.world);
            hash = hash * 31 + rico_world_hash(g.world);
        }
        for (uint32_t l = 0; l < lists; ++l)
            all[l] = (rico_command_list){d->commands[l], d->counts[l]};
        rico_world_apply(g.world, all, lists);
        take_answers(d);
    }
    hash = step(&g, hash);
    rico_world_destroy(g.world);
    rico_jobs_destroy(jobs);
    free(d);
    return hash;
}

TEST(commands, are_the_calls_in_the_order_of_their_keys_whoever_recorded_them)
{
    const uint64_t expected = by_calls();
    for (uint32_t lists = 1; lists <= LISTS; lists += test_few_rounds(2, 4))
        for (uint32_t salt = 0; salt < 2; ++salt)
            CHECK_MSG(by_commands(1 + salt, lists, salt * 11) == expected,
                      "differs with %u lists and salt %u", lists, salt * 11);
}

/* --- What they answer ----------------------------------------------------------------------- */

static rico_command of(uint64_t order, rico_command_kind kind, rico_effect_id effect)
{
    return (rico_command){.order = order, .kind = kind, .effect = effect};
}

static float rate_scale_of(const rico_world *world, rico_effect_id id)
{
    rico_effect_info info;
    CHECK(rico_effect_get(world, id, &info));
    return info.rate_scale;
}

TEST(commands, of_equal_order_go_by_list_and_place)
{
    kept_log log;
    rico_world *world = heard_world(&log);
    rico_effect_id id = lone_effect(world, add_small_recipe(world));
    rico_command a[3], b[2];
    for (int i = 0; i < 3; ++i) {
        a[i] = of(7, RICO_COMMAND_RATE_SCALE, id);
        a[i].scale = 1.0f + (float)i;
    }
    for (int i = 0; i < 2; ++i) {
        b[i] = of(7, RICO_COMMAND_RATE_SCALE, id);
        b[i].scale = 10.0f + (float)i;
    }
    const rico_command_list ab[] = {{a, 3}, {NULL, 0}, {b, 2}}, ba[] = {{b, 2}, {a, 3}};
    CHECK_EQ(rico_world_apply(world, ab, 3), RICO_OK);
    CHECK(rate_scale_of(world, id) == 11.0f);
    CHECK_EQ(rico_world_apply(world, ba, 2), RICO_OK);
    CHECK(rate_scale_of(world, id) == 3.0f);
    a[1].order = 8;
    CHECK_EQ(rico_world_apply(world, ab, 3), RICO_OK);
    CHECK(rate_scale_of(world, id) == 2.0f);
    CHECK_EQ(rico_world_apply(world, NULL, 0), RICO_OK);
    rico_world_destroy(world);
}

/* A log that keeps the last two lines. */
typedef struct two_lines {
    kept_log before, last;
} two_lines;

static void keep_two(void *user, rico_log_level level, const char *text)
{
    two_lines *lines = user;
    lines->before = lines->last;
    kept_log_write(&lines->last, level, text);
}

TEST(commands, that_are_refused_say_why_and_stop_nobody)
{
    kept_log log;
    rico_world *world = heard_world(&log);
    rico_recipe_id recipe_id = add_small_recipe(world);
    rico_effect_id id = lone_effect(world, recipe_id);
    rico_command c[5];
    c[0] = of(3, RICO_COMMAND_RATE_SCALE, id);
    c[0].scale = -1.0f;
    c[1] = of(1, RICO_COMMAND_STOP, (rico_effect_id){9, 9});
    c[2] = of(2, (rico_command_kind)77, id);
    c[3] = of(0, RICO_COMMAND_SPAWN, id);
    c[3].recipe = recipe_id;
    c[3].spawn = rico_effect_def_default();
    c[4] = of(4, RICO_COMMAND_DESTROY, id);
    const rico_command_list lists[] = {{c, 2}, {c + 2, 3}};
    CHECK_EQ(rico_world_apply(world, lists, 2), RICO_STALE_ID); /* first by order */
    CHECK_EQ(c[0].result, RICO_OUT_OF_RANGE);
    CHECK_EQ(c[1].result, RICO_STALE_ID);
    CHECK_EQ(c[2].result, RICO_OUT_OF_RANGE);
    CHECK_EQ(c[3].result, RICO_OK);
    CHECK(rico_effect_is_alive(world, c[3].spawned));
    CHECK_EQ(c[4].result, RICO_OK);
    CHECK(!rico_effect_is_alive(world, id));
    rico_world_destroy(world);
}

TEST(commands, that_are_refused_are_named)
{
    two_lines lines = {.last.text = ""};
    rico_world *world = world_with_log((rico_log){keep_two, &lines});
    rico_effect_id id = lone_effect(world, add_small_recipe(world));
    rico_command c[3];
    c[0] = of(5, RICO_COMMAND_STOP, id);
    c[1] = of(UINT64_MAX, (rico_command_kind)77, id);
    c[2] = of(7, RICO_COMMAND_RATE_SCALE, id);
    c[2].scale = -1.0f;
    rico_command_list lists[] = {{c, 1}, {c + 1, 1}};
    CHECK_EQ(rico_world_apply(world, lists, 2), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_world_last_result(world), RICO_OUT_OF_RANGE);
    CHECK_EQ(c[1].spawned.index1, 0);
    CHECK_EQ(lines.last.errors, 2);
    CHECK(strcmp(lines.before.text, "rico_world_apply: kind is 77, expected 0 to 12") == 0);
    CHECK_MSG(strcmp(lines.last.text,
                     "rico_world_apply: this was lists[1].commands[0], of order "
                     "18446744073709551615") == 0,
              "'%s'", lines.last.text);
    lists[1] = (rico_command_list){c + 2, 1};
    CHECK_EQ(rico_world_apply(world, lists, 2), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(lines.before.text, "rico_effect_set_rate_scale: rate_scale is -1") != NULL,
              "'%s'", lines.before.text);
    CHECK(strstr(lines.last.text, "lists[1].commands[0], of order 7") != NULL);
    rico_world_destroy(world);
}

TEST(commands, wait_for_the_end_of_a_step)
{
    kept_log log;
    rico_world *world = heard_world(&log);
    rico_effect_id id = lone_effect(world, add_small_recipe(world));
    rico_command c = of(0, RICO_COMMAND_DESTROY, id);
    const rico_command_list list = {&c, 1};
    rico_world_step_begin(world, 1.0f / 60.0f);
    CHECK_EQ(rico_world_apply(world, &list, 1), RICO_BUSY);
    CHECK_EQ(c.result, RICO_BUSY);
    rico_world_step_end(world);
    CHECK(rico_effect_is_alive(world, id));
    const uint64_t bytes = rico_world_get_stats(world).bytes;
    CHECK_EQ(rico_world_apply(world, &list, 1), RICO_OK);
    CHECK(!rico_effect_is_alive(world, id));
    CHECK_EQ(rico_world_get_stats(world).bytes, bytes);
    rico_world_destroy(world);
}

TEST(commands, without_memory_are_left_undone)
{
    counting_allocator memory;
    kept_log log;
    rico_world_def def = counted_def(&memory, &log);
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_effect_id id = lone_effect(world, add_small_recipe(world));
    rico_command c[2] = {of(1, RICO_COMMAND_DESTROY, id), of(0, RICO_COMMAND_STOP, id)};
    const rico_command_list list = {c, 2};
    memory.fail_at = memory.calls;
    CHECK_EQ(rico_world_apply(world, &list, 1), RICO_OUT_OF_MEMORY);
    memory.fail_at = -1;
    CHECK_EQ(c[0].result, RICO_OUT_OF_MEMORY);
    CHECK_EQ(c[1].result, RICO_OUT_OF_MEMORY);
    CHECK(strstr(log.text, "rico_world_apply: no memory to sort 2 commands") != NULL);
    CHECK(rico_effect_is_alive(world, id));
    CHECK_EQ(rico_world_apply(world, &list, 1), RICO_OK);
    CHECK(!rico_effect_is_alive(world, id));
    rico_world_destroy(world);
    CHECK_EQ(memory.live_blocks, 0);
}

static char misused[160];

static void keep_expression(const char *expression, const char *file, int line)
{
    (void)file, (void)line;
    snprintf(misused, sizeof misused, "%s", expression);
}

TEST(commands, and_other_calls_with_lists_say_what_of_a_null_pointer_was_expected)
{
    rico_world *world = small_world(1, false);
    const rico_recipe_id id = add_small_recipe(world);
    rico_assert_set_handler(keep_expression);
    CHECK_EQ(rico_world_apply(world, NULL, 1), RICO_OUT_OF_RANGE);
    CHECK_MSG(strcmp(misused, "world != NULL && (list_count == 0 || lists != NULL)") == 0,
              "'%s'", misused);
    CHECK_EQ(rico_world_emit(world, id, NULL, 1), RICO_OUT_OF_RANGE);
    CHECK_MSG(strcmp(misused, "world != NULL && (count == 0 || births != NULL)") == 0, "'%s'",
              misused);
    CHECK_EQ(rico_effect_spawn_all(world, &id, NULL, 1, NULL), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(misused, "world != NULL && (count == 0 || (recipes != NULL") == misused,
              "'%s'", misused);
    rico_assert_set_handler(NULL);
    rico_world_destroy(world);
}
