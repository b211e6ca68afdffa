/* Calls without memory say so, and say what they leave out. */
#include "runtime_terrain.h"

/* Makes the call until it succeeds, each time with another allocation that fails; each failure
 * must be refused and logged under the call's name. Counts the failures. */
#define EVERY_FAILURE(call, refused)                                                           \
    for (int n_ = 0;; ++n_) {                                                                  \
        log = (kept_log){.text = ""};                                                          \
        memory.fail_at = memory.calls + n_;                                                    \
        call;                                                                                  \
        memory.fail_at = -1;                                                                   \
        if (!(refused))                                                                        \
            break;                                                                             \
        CHECK_EQ(rico_world_last_result(world), RICO_OUT_OF_MEMORY);                           \
        CHECK_MSG(log.errors > 0 && strstr(log.text, "no memory") != NULL, "%s: '%s'", #call,  \
                  log.text);                                                                   \
        ++failures;                                                                            \
    }

TEST(no_memory, is_said_on_the_log_by_edits_of_colliders_and_of_births)
{
    counting_allocator memory;
    kept_log log;
    rico_world_def def = counted_def(&memory, &log);
    rico_world *world;
    int failures = 0;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    rico_shape_def box = rico_shape_def_default();
    box.kind = RICO_SHAPE_BOX;
    box.half_size = (rico_vec3){1.0f, 1.0f, 1.0f};
    rico_collider_def def_of = rico_collider_def_default();
    CHECK_EQ(rico_world_add_shape(world, &box, NULL, &def_of.shape), RICO_OK);
    rico_collider_id ids[9];
    rico_motion motions[9];
    EVERY_FAILURE(ids[0] = rico_world_add_collider(world, &def_of), ids[0].index1 == 0);
    for (int i = 0; i < 9; ++i) {
        ids[i] = rico_world_add_collider(world, &def_of);
        motions[i] = (rico_motion){.transform = RICO_TRANSFORM_IDENTITY};
    }
    rico_result result;
    EVERY_FAILURE(result = rico_world_move_colliders(world, ids, motions, 9),
                  result != RICO_OK);
    rico_recipe r = rico_recipe_default();
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    const rico_birth birth = {.transform = RICO_TRANSFORM_IDENTITY, .count = 1};
    EVERY_FAILURE(result = rico_world_emit(world, id, &birth, 1), result != RICO_OK);
    CHECK(failures >= 5);
    rico_world_destroy(world);
    CHECK_EQ(memory.live_blocks, 0);
}

/* The message must say how much memory the world wants, and name the limits that decide this. */
TEST(no_memory, for_a_world_names_what_was_wanted_and_the_bounds_that_say_so)
{
    counting_allocator memory;
    kept_log log;
    rico_world_def def = counted_def(&memory, &log);
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    const long calls = memory.calls;
    rico_world_destroy(world);
    for (long at = 0; at < calls; ++at) {
        memory.calls = 0;
        memory.fail_at = at;
        log.text[0] = '\0';
        CHECK_EQ(rico_world_create(&def, &world), RICO_OUT_OF_MEMORY);
        unsigned long long wanted = 0, has = 0;
        CHECK_MSG(
            sscanf(log.text,
                   at == 0 ? "rico_world_create: no memory for %llu bytes"
                           : "rico_world_create: no memory for %llu bytes in addition to %llu",
                   &wanted, &has) == (at == 0 ? 1 : 2),
            "'%s'", log.text);
        CHECK(wanted > 0 && (at == 0 || has > 4096));
        CHECK(at == 0 || strstr(log.text, "cache_bytes is 65536") != NULL);
        CHECK_EQ(memory.live_bytes, 0);
    }
}

/* A world on terrain, whose allocator has not failed yet. */
static rico_world *world_on_terrain(rico_world_def *def, counting_allocator *memory)
{
    static terrain t;
    rico_world *world;
    terrain_build(&t);
    def->allocator = counting_hooks(memory);
    CHECK_EQ(rico_world_create(def, &world), RICO_OK);
    rico_world_add_mesh(world, &t.mesh, RICO_TRANSFORM_IDENTITY);
    return world;
}

/* The scene has already been shifted, so the call must succeed. The records are discarded with
 * a warning, and gathered again later. */
TEST(no_memory, for_records_that_go_with_the_origin_is_a_warning)
{
    counting_allocator memory;
    kept_log log;
    rico_world_def def = counted_def(&memory, &log);
    int lost = 0;
    for (int n = 0;; ++n) {
        rico_world *world = world_on_terrain(&def, &memory);
        CHECK_EQ(rico_world_bake(world, NULL, NULL), RICO_OK);
        const uint64_t records = rico_world_get_stats(world).cache_records;
        log = (kept_log){.text = ""};
        memory.fail_at = memory.calls + n;
        const rico_result result =
            rico_world_shift_origin(world, (rico_vec3){4.0f, 0.0f, 0.0f});
        const bool failed = memory.calls > memory.fail_at;
        const bool forgot = rico_world_get_stats(world).cache_records == 0;
        CHECK(records > 0 && forgot == (failed && result == RICO_OK));
        CHECK(log.warnings == forgot);
        lost += forgot;
        rico_world_destroy(world);
        if (!failed)
            break;
    }
    CHECK_EQ(lost, 1);
}

/* A far collider makes coverage grow. Without memory to keep what is known of cells the
 * collider must still be added, with a warning. */
TEST(no_memory, to_keep_what_is_known_of_cells_is_a_warning)
{
    counting_allocator memory;
    kept_log log;
    rico_world_def def = counted_def(&memory, &log);
    int lost = 0;
    for (int n = 0;; ++n) {
        rico_world *world = world_on_terrain(&def, &memory);
        rico_shape_def box = rico_shape_def_default();
        box.kind = RICO_SHAPE_BOX;
        box.half_size = (rico_vec3){1.0f, 1.0f, 1.0f};
        rico_collider_def far = rico_collider_def_default();
        CHECK_EQ(rico_world_add_shape(world, &box, NULL, &far.shape), RICO_OK);
        run_steps(world, 1);
        far.motion.transform = at(60.0f, 0.0f, 0.0f);
        log = (kept_log){.text = ""};
        memory.fail_at = memory.calls + n;
        const bool added = rico_world_add_collider(world, &far).index1 != 0;
        const bool failed = memory.calls > memory.fail_at;
        CHECK_EQ(log.errors, !added);
        CHECK(log.warnings == 0 || (added && failed));
        if (log.warnings > 0)
            CHECK_MSG(strstr(log.text, "rico_world_add_collider: no memory to keep") != NULL,
                      "'%s'", log.text);
        lost += log.warnings;
        memory.fail_at = -1;
        run_steps(world, 1);
        rico_world_destroy(world);
        if (!failed)
            break;
    }
    CHECK_EQ(lost, 1);
    CHECK_EQ(memory.live_blocks, 0);
}
