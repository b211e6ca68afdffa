/* Removing recipes: recipes in use stay, and removed ones leave nothing behind. */
#include "runtime_terrain.h"

typedef struct stage {
    kept_log log;
    rico_world *world;
} stage;

static void open_stage(stage *s, uint32_t workers)
{
    rico_world_def def = rico_world_def_default();
    memset(s, 0, sizeof *s);
    def.max_particles = 8192;
    def.max_effects = 16;
    def.max_recipes = 3;
    def.cache_bytes = def.classic_cache_bytes = 1 << 20;
    def.worker_count = workers;
    def.log = kept_log_hook(&s->log);
    CHECK_EQ(rico_world_create(&def, &s->world), RICO_OK);
}

static rico_recipe sparks(void)
{
    rico_recipe r = rico_recipe_default();
    r.mode = RICO_COLLIDE_NONE;
    r.rate = 600.0f;
    r.lifetime = (rico_range){0.2f, 0.4f};
    return r;
}

/* A recipe with births at deaths. */
static rico_recipe sparks_that_leave(rico_recipe_id child)
{
    rico_recipe r = sparks();
    r.sub_emitters[0] = (rico_sub_emitter){
        .on = RICO_EVENT_BIT_DEATH, .recipe = child, .count = 2, .probability = 1.0f};
    return r;
}

static void refuse(stage *s, rico_recipe_id id, rico_result expected, const char *why)
{
    uint64_t hash = rico_world_hash(s->world);
    s->log.text[0] = '\0';
    CHECK_EQ(rico_world_recipe_in_use(s->world, id), expected == RICO_IN_USE);
    CHECK(s->log.text[0] == '\0'); /* a question logs nothing */
    CHECK_EQ(rico_world_remove_recipe(s->world, id), expected);
    CHECK_EQ(rico_world_last_result(s->world), expected);
    CHECK_MSG(strstr(s->log.text, why) != NULL, "%s", s->log.text);
    CHECK(rico_world_hash(s->world) == hash);
}

TEST(removal, makes_room_and_old_ids_are_stale)
{
    stage s;
    open_stage(&s, 1);
    rico_recipe r = sparks();
    rico_recipe_id id[3], gone;
    for (int i = 0; i < 3; ++i)
        id[i] = rico_world_add_recipe(s.world, &r);
    CHECK_EQ(rico_world_add_recipe(s.world, &r).index1, 0);
    CHECK_EQ(rico_world_last_result(s.world), RICO_FULL);
    gone = id[1];
    CHECK_EQ(rico_world_remove_recipe(s.world, gone), RICO_OK);
    for (int again = 0; again < 2; ++again) {
        refuse(&s, gone, RICO_STALE_ID, "stale");
        CHECK_EQ(rico_effect_spawn(s.world, gone, at(0, 0, 0)).index1, 0);
        CHECK_EQ(rico_world_last_result(s.world), RICO_STALE_ID);
        CHECK_EQ(rico_world_change_recipe(s.world, gone, &r), RICO_STALE_ID);
        CHECK_EQ(rico_world_sub_effect(s.world, gone).index1, 0);
        rico_recipe names = sparks_that_leave(gone);
        CHECK_EQ(rico_world_change_recipe(s.world, id[0], &names), RICO_STALE_ID);
        if (again == 0)
            id[1] = rico_world_add_recipe(s.world, &r); /* in the same slot */
    }
    CHECK_EQ(id[1].index1, gone.index1);
    CHECK(id[1].generation != gone.generation);
    CHECK_EQ(rico_world_change_recipe(s.world, id[1], &r), RICO_OK);
    refuse(&s, (rico_recipe_id){0}, RICO_STALE_ID, "null");
    refuse(&s, (rico_recipe_id){9, 1}, RICO_STALE_ID, "not of this world");
    rico_world_destroy(s.world);
}

TEST(removal, is_refused_while_effects_run)
{
    stage s;
    open_stage(&s, 1);
    rico_recipe r = sparks();
    r.duration = 0.1f;
    rico_recipe_id id = rico_world_add_recipe(s.world, &r);
    rico_effect_id first = rico_effect_spawn(s.world, id, at(0, 0, 0));
    refuse(&s, id, RICO_IN_USE, "effect 1 uses recipe 1");
    rico_effect_id second = rico_effect_spawn(s.world, id, at(0, 0, 0));
    run_steps(s.world, 5);
    CHECK_EQ(rico_effect_destroy(s.world, first), RICO_OK);
    refuse(&s, id, RICO_IN_USE, "effect 2 uses recipe 1");
    run_steps(s.world, 60); /* it has ended by itself */
    CHECK(!rico_effect_is_alive(s.world, second));
    CHECK_EQ(rico_world_remove_recipe(s.world, id), RICO_OK);
    run_steps(s.world, 2);
    rico_world_destroy(s.world);
}

TEST(removal, of_what_sub_emitters_name_comes_after_them_and_their_births)
{
    stage s;
    open_stage(&s, 2);
    rico_recipe plain = sparks();
    plain.lifetime = (rico_range){0.3f, 0.3f};
    rico_recipe_id child = rico_world_add_recipe(s.world, &plain);
    rico_recipe r = sparks_that_leave(child);
    rico_recipe_id parent = rico_world_add_recipe(s.world, &r);
    rico_effect_id births = rico_world_sub_effect(s.world, child);
    CHECK(rico_effect_is_alive(s.world, births));
    refuse(&s, child, RICO_IN_USE, "recipe 2 names recipe 1");
    rico_effect_id e = rico_effect_spawn(s.world, parent, at(0, 0, 0));
    while (rico_world_get_stats(s.world).deaths == 0)
        run_steps(s.world, 1);
    CHECK_EQ(rico_effect_destroy(s.world, e), RICO_OK);
    CHECK_EQ(rico_world_remove_recipe(s.world, parent), RICO_OK);
    CHECK_EQ(rico_effect_particle_count(s.world, births), 0);
    refuse(&s, child, RICO_IN_USE, "are to be born");
    run_steps(s.world, 1);
    CHECK(rico_effect_particle_count(s.world, births) > 0);
    refuse(&s, child, RICO_IN_USE, "particles of recipe 1 from sub-emitters");
    run_steps(s.world, 30);
    CHECK_EQ(rico_effect_particle_count(s.world, births), 0);
    CHECK_EQ(rico_world_remove_recipe(s.world, child), RICO_OK);
    CHECK(!rico_effect_is_alive(s.world, births));
    CHECK_EQ(rico_world_get_stats(s.world).effects, 0);
    run_steps(s.world, 2);
    rico_world_destroy(s.world);
}

/* Returns the hash of a world where recipes came and went, or never existed. */
static uint64_t hash_of(uint32_t workers, bool others)
{
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t indices[3] = {0, 1, 2};
    stage s;
    open_stage(&s, workers);
    uint64_t bytes = rico_world_get_stats(s.world).bytes;
    if (others) {
        rico_recipe mesh = sparks();
        mesh.shape = RICO_EMIT_MESH;
        mesh.mesh = (rico_emitter_mesh){corners, 3, indices, 1};
        rico_recipe_id id = rico_world_add_recipe(s.world, &mesh);
        CHECK(rico_world_get_stats(s.world).bytes > bytes);
        CHECK_EQ(rico_world_remove_recipe(s.world, id), RICO_OK);
        CHECK_EQ(rico_world_get_stats(s.world).bytes, bytes);
    }
    rico_recipe plain = sparks();
    rico_recipe_id child = rico_world_add_recipe(s.world, &plain);
    rico_recipe r = sparks_that_leave(child);
    rico_recipe_id parent = rico_world_add_recipe(s.world, &r);
    rico_effect_def def = rico_effect_def_default();
    def.seed = 7;
    rico_effect_spawn_def(s.world, parent, &def);
    for (int i = 0; i < 60; ++i) {
        rico_recipe_id more = {0};
        if (others)
            more = rico_world_add_recipe(s.world, &plain);
        run_steps(s.world, 1);
        if (others)
            CHECK_EQ(rico_world_remove_recipe(s.world, more), RICO_OK);
    }
    uint64_t hash = rico_world_hash(s.world);
    rico_world_destroy(s.world);
    return hash;
}

TEST(removal, leaves_nothing_behind)
{
    uint64_t hash = hash_of(1, false);
    CHECK(hash_of(1, true) == hash);
    CHECK(hash_of(2, true) == hash);
}
