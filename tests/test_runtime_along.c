/* Births at events of effects that are prewarmed or that seek. */
#include "runtime_firework.h"

#include "state.h"

#define DT (1.0f / 60.0f)
#define MOST 8192u

static born one[MOST], two[MOST];

static void check_same(const born *a, const born *b)
{
    CHECK(a->alive && b->alive && a->age == b->age && a->life == b->life);
    for (int k = 0; k < 3; ++k)
        CHECK(a->p[k] == b->p[k] && a->v[k] == b->v[k]);
}

TEST(along, prewarmed_parents_leave_the_children_that_stepping_leaves)
{
    for (uint32_t workers = 1; workers <= 2; ++workers)
        for (int seconds = 1; seconds <= 8; /* in the last rounds only children are left */
             seconds += (int)test_few_rounds(1, 3)) {
            rico_world *stepped = small_world(1, true), *warm = small_world(workers, true);
            rico_recipe_id ids[4];
            add_firework(stepped, ids, 0.0f);
            run_steps(stepped, 60 * seconds);
            rico_effect_id shells = add_firework(warm, ids, (float)seconds);
            CHECK_EQ(rico_effect_is_alive(warm, shells), seconds < 6);
            for (int k = 1; k < 4; ++k)
                CHECK(seconds > 5 || rico_effect_particle_count(
                                         warm, rico_world_sub_effect(warm, ids[k])) > 20);
            CHECK(rico_world_hash(warm) == rico_world_hash(stepped));
            run_steps(stepped, 40);
            run_steps(warm, 40);
            CHECK(rico_world_hash(warm) == rico_world_hash(stepped));
            rico_world_destroy(stepped);
            rico_world_destroy(warm);
        }
}

/* Parents that each have three children at their death. With still_recipe the children stay
 * alive to the end. */
typedef struct pair {
    rico_world *world;
    rico_recipe_id child, parent;
    rico_effect_id children;
} pair;

static pair make_pair(const rico_recipe *child, float prewarm)
{
    pair p = {.world = small_world(1, false)};
    p.child = rico_world_add_recipe(p.world, child);
    rico_recipe parent = parent_recipe(0);
    parent.rate = 120.0f;
    parent.prewarm = prewarm;
    parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, p.child, 3, 1.0f);
    p.parent = rico_world_add_recipe(p.world, &parent);
    p.children = rico_world_sub_effect(p.world, p.child);
    CHECK(p.children.index1 != 0);
    return p;
}

static rico_effect_id spawn_parent(const pair *p, uint64_t seed)
{
    rico_effect_def def = rico_effect_def_default();
    def.transform = at(0.0f, 0.0f, 1.0f);
    def.seed = seed;
    rico_effect_id id = rico_effect_spawn_def(p->world, p->parent, &def);
    CHECK(id.index1 != 0);
    return id;
}

static uint32_t count_children(const pair *p)
{
    return rico_effect_particle_count(p->world, p->children);
}

/* A parent is prewarmed in a world where other parents already have children. Those children
 * must not move meanwhile. Births that already wait for the next step must be born in that
 * step, together with the births of the prewarm's last step. */
TEST(along, children_of_others_stand_still_meanwhile)
{
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), early = parent_recipe(0);
    child.speed = (rico_range){0.5f, 1.0f};
    pair lone = make_pair(&child, 2.0f), both = make_pair(&child, 2.0f);
    early.rate = 200.0f;
    early.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, both.child, 1, 0.0f);
    begin_effect(both.world, &early, at(50.0f, 0.0f, 1.0f));
    for (int i = 0; i < 90 || rico_world_get_stats(both.world).deaths == 0; ++i)
        run_steps(both.world, 1);
    const uint32_t due = rico_world_get_stats(both.world).deaths;
    const uint32_t old = collect_born(both.world, both.children, one, MOST);
    CHECK(old > 50 && due > 0);
    spawn_parent(&lone, 7);
    spawn_parent(&both, 7);
    const uint32_t more = count_children(&lone);
    CHECK(more > 300);
    CHECK_EQ(count_children(&both), old + more);
    CHECK_EQ(rico_world_get_stats(both.world).particles,
             rico_world_get_stats(lone.world).particles + old +
                 rico_effect_particle_count(both.world, (rico_effect_id){2, 1}));
    collect_born(both.world, both.children, two, MOST);
    for (uint32_t n = 0; n < old; ++n)
        check_same(&one[n], &two[n]);
    collect_born(lone.world, lone.children, one, MOST);
    for (uint32_t n = 0; n < more; ++n) {
        CHECK(one[n].alive && two[old + n].alive && one[n].age == two[old + n].age);
    }
    run_steps(lone.world, 1);
    run_steps(both.world, 1);
    CHECK(count_children(&lone) > more);
    const uint32_t all = collect_born(both.world, both.children, two, MOST);
    CHECK_EQ(all, old + due + count_children(&lone));
    uint32_t there = 0;
    for (uint32_t n = 0; n < all; ++n)
        there += two[n].p[0] > 25.0;
    CHECK_EQ(there, old + due);
    const uint32_t now = collect_born(lone.world, lone.children, one, MOST);
    CHECK(now >= more + 6);               /* children of two deaths at least */
    for (uint32_t n = more; n < now; ++n) /* the ids differ, so the directions differ */
        for (int k = 0; k < 3; ++k)
            CHECK(fabs(two[old + due + n].p[k] - one[n].p[k]) < 0.04);
    rico_world_destroy(lone.world);
    rico_world_destroy(both.world);
}

TEST(along, are_no_more_than_the_recipe_lets_be_alive)
{
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE);
    child.max_particles = 500;
    pair p = make_pair(&child, 1.0f);
    for (uint32_t n = 0; n < 4; ++n) {
        spawn_parent(&p, 11);
        run_steps(p.world, 3);
        CHECK(count_children(&p) > (n + 1) * 100 && count_children(&p) <= 500);
    }
    CHECK_EQ(count_children(&p), 500);
    rico_world_destroy(p.world);
}

/* The move of a local-space sub-effect waits for the world's next step. Children that a prewarm
 * adds before that step must be moved along with the older ones. */
TEST(along, go_where_their_effect_was_moved_to_before)
{
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE);
    child.space = RICO_SPACE_LOCAL;
    pair p = make_pair(&child, 1.0f);
    spawn_parent(&p, 3);
    CHECK_EQ(rico_effect_move(p.world, p.children, at(10.0f, 0.0f, 0.0f)), RICO_OK);
    uint32_t old = collect_born(p.world, p.children, one, MOST);
    spawn_parent(&p, 5);
    uint32_t all = collect_born(p.world, p.children, one, MOST);
    CHECK(old > 100 && all > old + 100);
    run_steps(p.world, 1);
    collect_born(p.world, p.children, two, MOST);
    for (uint32_t n = 0; n < all; ++n)
        CHECK(two[n].alive && fabs(two[n].p[0] - one[n].p[0] - 10.0) < 0.3);
    rico_world_destroy(p.world);
}

/* The prewarm's steps are DT. Where the world's steps are longer, the children's paths no
 * longer hold and they must look ahead again. */
TEST(along, forget_paths_of_other_steps)
{
    for (int longer = 0; longer <= 1; ++longer) {
        rico_recipe child = still_recipe(RICO_COLLIDE_CACHED);
        child.gravity.z = -9.81f;
        pair p = make_pair(&child, 1.0f);
        const float step = longer ? 0.05f : DT;
        spawn_parent(&p, 3);
        for (int i = 0; i < 100; ++i)
            rico_world_step(p.world, step);
        spawn_parent(&p, 5);
        CHECK_EQ(p.world->effects[p.children.index1 - 1].missed_edits, longer);
        CHECK(p.world->effects[p.children.index1 - 1].path_dt == step);
        rico_world_destroy(p.world);
    }
}

/* Returns the mean height of 30 children half a second after a prewarm. The world's last step
 * before the prewarm lasts last_step seconds. */
static double height_of_prewarmed(rico_collision_mode mode, float last_step)
{
    rico_recipe child = still_recipe(mode), early = parent_recipe(0);
    child.gravity.z = -9.81f;
    pair p = make_pair(&child, 2.0f);
    early.rate = 20.0f;
    early.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, p.child, 1, 0.0f);
    begin_effect(p.world, &early, at(50.0f, 0.0f, 1.0f));
    for (int i = 0; i < 90 || count_children(&p) == 0; ++i)
        run_steps(p.world, 1);
    rico_world_step(p.world, last_step);
    const uint32_t before = collect_born(p.world, p.children, one, MOST);
    spawn_parent(&p, 7);
    const uint32_t there = collect_born(p.world, p.children, one, MOST);
    CHECK(before > 0 && there > before + 30);
    run_steps(p.world, 30);
    collect_born(p.world, p.children, two, MOST);
    double height = 0.0;
    for (uint32_t n = 0, k = 0; n < MOST; ++n)
        if (one[n].alive && one[n].p[0] < 25.0 && k++ < 30)
            height += two[n].p[2] / 30.0;
    rico_world_destroy(p.world);
    return height;
}

/* Velocities are kept at half a step's distance in time: those of the new children by the
 * prewarm's step, those of the others by the world's last step. A stall or a brief step before
 * the prewarm must not shift the new children. */
TEST(along, fly_on_as_they_would_whatever_the_world_s_last_step_was)
{
    for (rico_collision_mode mode = RICO_COLLIDE_NONE; mode <= RICO_COLLIDE_EXACT; ++mode) {
        const double usual = height_of_prewarmed(mode, DT);
        const double stall = height_of_prewarmed(mode, 0.3f);
        const double brief = height_of_prewarmed(mode, 0.004f);
        CHECK_MSG(fabs(stall - usual) < 0.01 && fabs(brief - usual) < 0.01,
                  "mode %d: %g m and %g m, not %g", (int)mode, stall, brief, usual);
    }
}

/* One effect alone has these children, so a seek lets them begin anew. They must be the same
 * each time, and the same as by stepping. */
TEST(along, sought_parents_leave_the_children_that_stepping_leaves)
{
    rico_world *stepped = small_world(1, false), *sought = small_world(1, false);
    rico_recipe_id ids[4];
    add_firework(stepped, ids, 0.0f);
    rico_effect_id shells = add_firework(sought, ids, 0.0f);
    for (int turn = 0; turn < 3; ++turn) {
        run_steps(sought, 33);
        CHECK_EQ(rico_effect_seek(sought, shells, 1.0f, DT), RICO_OK);
        run_steps(sought, 1);
        if (turn == 0)
            run_steps(stepped, 61);
        for (int k = 1; k < 3; ++k) {
            uint32_t count =
                rico_effect_particle_count(stepped, rico_world_sub_effect(stepped, ids[k]));
            rico_view a = rico_effect_view(stepped, rico_world_sub_effect(stepped, ids[k]));
            rico_view b = rico_effect_view(sought, rico_world_sub_effect(sought, ids[k]));
            CHECK(count > 100 && rico_view_next(&a) && rico_view_next(&b));
            CHECK_EQ(rico_effect_particle_count(sought, rico_world_sub_effect(sought, ids[k])),
                     count);
            CHECK_EQ(a.count, b.count);
            CHECK(memcmp(a.px, b.px, a.count * sizeof(float)) == 0);
            CHECK(memcmp(a.vz, b.vz, a.count * sizeof(float)) == 0);
        }
    }
    rico_world_destroy(stepped);
    rico_world_destroy(sought);
}

/* Two parents share a recipe of children, so it is unknown which child belongs to which parent.
 * When one parent seeks, the shared children and all that they feed in turn must stay as they
 * are, and no more are born. */
TEST(along, children_with_several_parents_stay_as_they_are_when_one_is_sought)
{
    for (int shared = 1; shared < 4; ++shared) {
        rico_world *world = small_world(1, true);
        rico_recipe_id ids[4];
        rico_effect_id shells = add_firework(world, ids, 0.0f);
        rico_recipe other = still_recipe(RICO_COLLIDE_NONE);
        other.sub_emitters[3] = sub_of(RICO_EVENT_BIT_DEATH, ids[shared], 1, 0.0f);
        rico_effect_id second = begin_effect(world, &other, at(0.0f, 0.0f, 1.0f));
        uint32_t before[4], waiting[4] = {0};
        for (int n = 0; n < 150 && (n < 60 || waiting[shared] == 0); ++n) {
            run_steps(world, 1);
            for (int k = 1; k < 4; ++k)
                waiting[k] = world->recipes[ids[k].index1 - 1].feed.births;
        }
        CHECK(waiting[shared] > 0);
        for (int k = 1; k < 4; ++k)
            before[k] = rico_effect_particle_count(world, rico_world_sub_effect(world, ids[k]));
        CHECK_EQ(rico_effect_seek(world, shells, 2.0f, DT), RICO_OK);
        for (int k = 1; k < 4; ++k) {
            uint32_t now =
                rico_effect_particle_count(world, rico_world_sub_effect(world, ids[k]));
            CHECK((now == before[k]) == (k >= shared));
            CHECK(k < shared || world->recipes[ids[k].index1 - 1].feed.births == waiting[k]);
        }
        CHECK_EQ(rico_effect_destroy(world, second), RICO_OK);
        CHECK_EQ(rico_effect_seek(world, shells, 0.0f, DT), RICO_OK);
        for (int k = 1; k < 4; ++k)
            CHECK_EQ(rico_effect_particle_count(world, rico_world_sub_effect(world, ids[k])),
                     0);
        rico_world_destroy(world);
    }
}

/* Prewarmed children share their effect with children of others. Both must feel the same gusts
 * at the same time, and the others must not move. */
static void compare_gusts(float time_scale)
{
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), early = parent_recipe(40);
    child.forces[0] = rico_force_default();
    child.forces[0].kind = RICO_FORCE_TURBULENCE;
    child.forces[0].strength = 6.0f;
    child.forces[0].scroll = (rico_vec3){3.0f, 0.0f, 0.0f};
    child.interpolate = true;
    pair stepped = make_pair(&child, 0.0f), warm = make_pair(&child, 1.0f);
    for (int k = 0; k < 2; ++k) {
        pair *p = k == 0 ? &stepped : &warm;
        early.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, p->child, 1, 0.0f);
        begin_effect(p->world, &early, at(5.0f, 0.0f, 1.0f));
        run_steps(p->world, 60);
        CHECK_EQ(count_children(p), 40);
        CHECK_EQ(rico_effect_set_time_scale(p->world, p->children, time_scale), RICO_OK);
    }
    spawn_parent(&stepped, 3);
    run_steps(stepped.world, 60);
    run_steps(warm.world, 60);
    collect_born(warm.world, warm.children, one, MOST);
    spawn_parent(&warm, 3);
    const uint32_t all = collect_born(warm.world, warm.children, two, MOST);
    for (uint32_t n = 0; n < 40; ++n)
        check_same(&one[n], &two[n]);
    CHECK(warm.world->effects[warm.children.index1 - 1].ways == RICO__MOVED);
    for (int turn = 0; turn < 2; ++turn) { /* at once, and a second later */
        const uint32_t count = collect_born(stepped.world, stepped.children, one, MOST);
        CHECK(count > 100 && (turn == 1 || count == all));
        collect_born(warm.world, warm.children, two, MOST);
        for (uint32_t n = 0; n < count; ++n)
            for (int k = 0; k < 3; ++k)
                CHECK(one[n].alive && two[n].alive && fabs(one[n].p[k] - two[n].p[k]) < 1e-3);
        run_steps(stepped.world, 60);
        run_steps(warm.world, 60);
    }
    rico_world_destroy(stepped.world);
    rico_world_destroy(warm.world);
}

TEST(along, beside_children_of_others_they_are_as_if_they_had_been_stepped)
{
    compare_gusts(1.0f);
    compare_gusts(0.5f);
}

/* All older children are at rest and their effect is asleep. A prewarm beside them must leave
 * the same bits as in a world where effects do not sleep. */
TEST(along, sleepers_stand_aside_with_their_ages)
{
    uint64_t hashes[2];
    for (int off = 0; off <= 1; ++off) {
        rico_world *world = small_world(1, true);
        world->sleep.off = off;
        rico_recipe child = still_recipe(RICO_COLLIDE_CACHED), parent = parent_recipe(9);
        child.gravity.z = -9.81f;
        parent.mode = RICO_COLLIDE_NONE;
        parent.plane_count = 0;
        parent.gravity.z = 0.0f;
        parent.speed.hi = 1.0f;
        rico_recipe_id id = rico_world_add_recipe(world, &child);
        parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, id, 1, 0.0f);
        begin_effect(world, &parent, at(0.0f, 0.0f, 2.5f));
        run_steps(world, 800);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 9);
        CHECK((rico_world_get_stats(world).sleeping_effects == 0) == off);
        parent.prewarm = 2.0f;
        begin_effect(world, &parent, at(0.5f, 0.0f, 2.5f));
        CHECK_EQ(rico_effect_particle_count(world, rico_world_sub_effect(world, id)), 18);
        run_steps(world, 100);
        hashes[off] = rico_world_hash(world);
        rico_world_destroy(world);
    }
    CHECK(hashes[0] == hashes[1]);
}

TEST(along, children_of_a_fresh_prewarm_are_drawn_where_they_are)
{
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE);
    child.interpolate = true;
    pair p = make_pair(&child, 1.0f);
    spawn_parent(&p, 3);
    CHECK(p.world->effects[p.children.index1 - 1].ways == RICO__STOOD);
    rico_world_destroy(p.world);
}

/* Seeds have room for 64 births at events; 50 already wait. A prewarm brings 50 more. The
 * waiting ones must be kept, and births without room must be counted as starved. */
TEST(along, seeds_past_their_room_are_counted)
{
    rico_world_def def = rico_world_def_default();
    def.max_events = 32; /* this makes room for 64 seeds */
    def.worker_count = 1;
    def.max_particles = 16384;
    pair p = {0};
    CHECK_EQ(rico_world_create(&def, &p.world), RICO_OK);
    rico_recipe child = still_recipe(RICO_COLLIDE_NONE), parent = parent_recipe(50);
    p.child = rico_world_add_recipe(p.world, &child);
    parent.lifetime = (rico_range){0.99f, 0.99f};
    parent.sub_emitters[0] = sub_of(RICO_EVENT_BIT_DEATH, p.child, 2, 0.0f);
    rico_recipe_id first = rico_world_add_recipe(p.world, &parent);
    parent.prewarm = 1.0f;
    p.parent = rico_world_add_recipe(p.world, &parent);
    p.children = rico_world_sub_effect(p.world, p.child);
    rico_effect_spawn(p.world, first, at(0.0f, 0.0f, 1.0f));
    for (int i = 0; i < 100 && rico_world_get_stats(p.world).deaths == 0; ++i)
        run_steps(p.world, 1);
    CHECK_EQ(rico_world_get_stats(p.world).births_starved, 0);
    spawn_parent(&p, 3);
    CHECK_EQ(rico_world_get_stats(p.world).births_starved, 2 * (50 - 14));
    run_steps(p.world, 1);
    CHECK_EQ(count_children(&p), 2 * 64);
    rico_world_destroy(p.world);
}
