/* Births at events that inherit size and colour of the parent, compared with a slow reference. */
#include "runtime_looks.h"
#include "runtime_room.h"

/* What was drawn at birth, computed from what is seen. */
static drawn without_curves(drawn d, const rico_recipe *r, double u)
{
    const drawn curve = at_share(r, u);
    d.size /= curve.size;
    for (int k = 0; k < 4; ++k)
        d.rgba[k] *= 255.0 / curve.rgba[k];
    return d;
}

static double share(double age, double life)
{
    return fmin(fmax(age / life, 0.0), 1.0);
}

/* Parents by id, after the step before and after this one. */
static born before[MOST], after[MOST];
static uint32_t contacts[MOST]; /* of each parent in this step */

/* The look that births inherit of a parent, if it can be known. A parent that is never seen has
 * only the draws that all have in common. */
static drawn parent_look(const setup *s, const rico_recipe *r, const rico_event *e, double dt)
{
    const born *was = &before[e->particle], *is = &after[e->particle];
    drawn own = {.size = 1.5, .rgba = {255.0, 0.9 * 255.0, 255.0, 255.0}, .known = !s->draws};
    double age = 0.0, life = is->alive ? is->life : was->life;
    if (s->draws && was->alive)
        own = without_curves(seen(was), r, share(was->age, was->life));
    else if (s->draws && is->alive)
        own = without_curves(seen(is), r, share(is->age, is->life));
    if (e->type == RICO_EVENT_BIRTH)
        return times(at_share(r, 0.0), own);
    if (is->alive || was->alive)
        age = (is->alive ? is->age : was->age + dt) - (dt - (double)e->time);
    else
        own.known &= e->type == RICO_EVENT_DEATH && !s->dies; /* its age is its lifetime */
    if (s->loses && e->type == RICO_EVENT_COLLISION)
        own.known &= is->alive && contacts[e->particle] == 1;
    if (s->loses && e->type == RICO_EVENT_DEATH)
        own.known &= contacts[e->particle] == 0;
    return times(at_share(r, is->alive || was->alive ? share(age, life) : 1.0), own);
}

static void count_contacts(const rico_event *e, uint32_t count)
{
    memset(contacts, 0, sizeof contacts);
    for (uint32_t n = 0; n < count; ++n)
        contacts[e[n].particle] += e[n].type == RICO_EVENT_COLLISION;
}

static void check_children(const rico_world *world, rico_effect_id id, const rico_recipe *child,
                           const setup *s, const drawn *expected, uint32_t count)
{
    static born children[MOST];
    drawn own = {.size = 1.0, .rgba = {255, 255, 255, 255}, .known = true};
    if (s->child_draws)
        own = (drawn){0.5, {0.9 * 255, 0.8 * 255, 255, 0.9 * 255}, true};
    CHECK_EQ(collect_born(world, id, children, MOST), count);
    for (uint32_t n = 0; n < count; ++n)
        if (expected[n].known) {
            const drawn curve = at_share(child, share(children[n].age, children[n].life));
            check_drawn(seen(&children[n]), times(times(curve, own), expected[n]),
                        s->draws ? 5.0 : 4.0, "child", n);
        }
}

static void follow(setup s)
{
    static drawn expected[MOST];
    const drawn tint = {1.0, {0.5 * 255.0, 255.0, 0.75 * 255.0, 255.0}, true};
    rico_world *world = roomy_world(1, 16384);
    rico_recipe child = child_of(&s);
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    rico_recipe parent = parent_of(&s, id);
    const rico_collider_id slab = add_slab(world, -0.5f, 0.5f, 0);
    rico_effect_id e = begin_effect(world, &parent, at(0.0f, 0.0f, 0.7f));
    rico_effect_id children = rico_world_sub_effect(world, id);
    CHECK_EQ(rico_effect_set_tint(world, e, (rico_color){0.5f, 1.0f, 0.75f, 1.0f}), RICO_OK);
    uint32_t count = 0, known = 0, due = 0;
    memset(after, 0, sizeof after);
    for (int i = 0; i < 50; ++i) {
        const float dt = i % 3 == 0 ? 2.0f * DT : DT;
        memcpy(before, after, sizeof before);
        const rico_motion rise = {.transform = at(0.0f, 0.0f, -0.5f + 0.002f * (float)i)};
        if (s.floor_moves)
            CHECK_EQ(rico_world_move_colliders(world, &slab, &rise, 1), RICO_OK);
        rico_world_step(world, dt);
        collect_born(world, e, after, MOST);
        check_children(world, children, &child, &s, expected, count);
        const rico_event *v = rico_world_events(world, &due);
        count_contacts(v, due);
        for (uint32_t n = 0; n < due; ++n) {
            if ((s.on >> (v[n].type - 1) & 1u) == 0)
                continue;
            const drawn look = times(parent_look(&s, &parent, &v[n], (double)dt), tint);
            known += look.known;
            for (uint32_t k = 0; k < s.births; ++k)
                expected[count++] = look;
            CHECK(count + s.births < MOST);
        }
    }
    CHECK_MSG(known > 25 && known * s.births > count / 2, "%u of %u", known, count);
    CHECK_EQ(rico_world_get_stats(world).events_dropped, 0);
    rico_world_destroy(world);
}

TEST(looks, of_children_are_their_own_times_those_of_parents_at_births)
{
    follow((setup){RICO_COLLIDE_NONE, RICO_EVENT_BIT_BIRTH, 1, .child_grows = true});
    follow((setup){RICO_COLLIDE_NONE, RICO_EVENT_BIT_BIRTH, 6, .draws = true});
}

TEST(looks, of_children_are_their_own_times_those_of_parents_at_deaths)
{
    const uint32_t on = RICO_EVENT_BIT_DEATH;
    follow((setup){RICO_COLLIDE_NONE, on, 6, .child_grows = true});
    follow((setup){RICO_COLLIDE_FIXED, on, 2, .child_draws = true, .draws = true});
    follow((setup){RICO_COLLIDE_FIXED, on, 5, .child_grows = true, .dies = true});
    follow((setup){RICO_COLLIDE_EXACT, on, 2, .dies = true, .draws = true});
    follow((setup){RICO_COLLIDE_CACHED, on, 2, .dies = true, .constant = true, .draws = true});
}

TEST(looks, of_children_are_their_own_times_those_of_parents_at_collisions)
{
    const uint32_t on = RICO_EVENT_BIT_COLLISION;
    follow((setup){RICO_COLLIDE_FIXED, on, 1, .child_grows = true, .child_draws = true});
    follow((setup){RICO_COLLIDE_FIXED, on, 6, .loses = true});
    follow((setup){RICO_COLLIDE_CACHED, on, 4, .child_grows = true, .draws = true});
    follow((setup){RICO_COLLIDE_EXACT, on, 2, .loses = true, .draws = true});
    follow((setup){RICO_COLLIDE_EXACT, on, 2, .dies = true});
    follow((setup){RICO_COLLIDE_EXACT, on, 2, .floor_moves = true});
    follow((setup){RICO_COLLIDE_CACHED, on, 2, .floor_moves = true, .draws = true});
    follow((setup){RICO_COLLIDE_CLASSIC, on, 2, .constant = true, .draws = true});
}

/* Grandchildren inherit what children look like, and so on down, together with each effect's
 * tint. */
TEST(looks, go_on_from_one_to_the_next)
{
    static born seen_last[MOST];
    rico_world *world = roomy_world(1, 4096);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    rico_recipe_id ids[RICO_MAX_SUB_DEPTH + 1];
    drawn expected = {1.0, {255, 255, 255, 255}, true};
    const uint32_t last = RICO_MAX_SUB_DEPTH;
    r.start_size = (rico_range){0.5f, 0.5f};
    r.particle_size = line(1.0f, 3.0f);
    r.color = shade(1.0f, 0.9f, 0.8f, 1.0f, 0.8f);
    for (uint32_t level = 0; level <= last; ++level) { /* from the deepest level up */
        r.lifetime.lo = r.lifetime.hi = level == 0 ? 1000.0f : 0.06f;
        if (level > 0) {
            const uint32_t on = level % 2 == 0 ? RICO_EVENT_BIT_DEATH : RICO_EVENT_BIT_BIRTH;
            r.sub_emitters[0] = sub_of(on, ids[level - 1], 1 + 3 * (level % 2), 0.0f);
            r.sub_emitters[0].inherit_size = r.sub_emitters[0].inherit_color = true;
            expected = times(expected, at_share(&r, level % 2 == 0 ? 1.0 : 0.0));
            expected.size *= 0.5;
        }
        r.burst_count = level == last ? 3 : 0;
        ids[level] = rico_world_add_recipe(world, &r);
        if (level > 0 && level < last) { /* its effect exists when the next recipe names it */
            expected = times(expected, (drawn){1.0, {255, 0.9 * 255, 255, 255}, true});
        }
    }
    for (uint32_t level = 1; level < last; ++level)
        CHECK_EQ(rico_effect_set_tint(world, rico_world_sub_effect(world, ids[level]),
                                      (rico_color){1.0f, 0.9f, 1.0f, 1.0f}),
                 RICO_OK);
    rico_effect_spawn(world, ids[last], at(0.0f, 0.0f, 0.0f));
    run_steps(world, 30);
    CHECK_EQ(collect_born(world, rico_world_sub_effect(world, ids[0]), seen_last, MOST), 48);
    expected.size *= 0.5;
    for (uint32_t n = 0; n < 48; ++n)
        check_drawn(seen(&seen_last[n]),
                    times(at_share(&r, seen_last[n].age / seen_last[n].life), expected), 5.0,
                    "child", n);
    rico_world_destroy(world);
}

/* Children are born in vectors, and one by one with interpolation. Both must look the same. */
TEST(looks, are_the_same_for_births_in_vectors_and_one_by_one)
{
    static born a[MOST], b[MOST];
    for (int grows = 0; grows < 2; ++grows)
        for (int mode = RICO_COLLIDE_NONE; mode <= RICO_COLLIDE_CACHED; ++mode) {
            born *found[2] = {a, b};
            for (int alone = 0; alone < 2; ++alone) {
                const setup s = {RICO_COLLIDE_FIXED, RICO_EVENT_BIT_DEATH, 7,
                                 .child_grows = grows != 0};
                rico_world *world = roomy_world(1, 4096);
                rico_recipe child = child_of(&s);
                child.mode = (rico_collision_mode)mode;
                child.plane_count = 1;
                child.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
                child.interpolate = alone != 0;
                rico_recipe_id id = rico_world_add_recipe(world, &child);
                rico_recipe parent = parent_of(&s, id);
                begin_effect(world, &parent, at(0.0f, 0.0f, 0.7f));
                run_steps(world, 40);
                CHECK(collect_born(world, rico_world_sub_effect(world, id), found[alone],
                                   MOST) > 100);
                rico_world_destroy(world);
            }
            for (uint32_t n = 0; n < MOST; ++n)
                CHECK(a[n].alive == b[n].alive &&
                      (!a[n].alive || (a[n].size == b[n].size && a[n].color == b[n].color)));
        }
}

/* Some births inherit only size or only colour, or nothing; the host's births and those of
 * effects inherit nothing. */
TEST(looks, are_their_own_where_nothing_is_handed_on)
{
    static born b[MOST];
    const setup s = {RICO_COLLIDE_NONE, RICO_EVENT_BIT_BIRTH, 4, .child_draws = true};
    rico_world *world = roomy_world(1, 4096);
    rico_recipe child = child_of(&s);
    rico_recipe_id id = rico_world_add_recipe(world, &child);
    rico_recipe parent = parent_of(&s, id);
    const rico_birth birth = {.transform = at(0.0f, 0.0f, 2.0f), .count = 5};
    parent.rate = 0.0f;
    parent.burst_count = 1;
    rico_sub_emitter sub = parent.sub_emitters[1];
    for (uint32_t k = 0; k < 4; ++k) {
        sub.inherit_size = (k & 1u) != 0;
        sub.inherit_color = (k & 2u) != 0;
        parent.sub_emitters[k] = sub;
    }
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK); /* before any parent exists */
    rico_effect_id e = begin_effect(world, &parent, at(0.0f, 0.0f, 0.0f));
    rico_effect_id children = rico_world_sub_effect(world, id);
    rico_world_step(world, DT);
    CHECK_EQ(rico_world_emit(world, id, &birth, 1), RICO_OK);
    CHECK_EQ(rico_world_get_stats(world).events, 1);
    rico_world_step(world, DT);
    CHECK_EQ(collect_born(world, children, b, MOST), 5 + 16 + 5);
    const drawn draws = {0.5, {0.9 * 255, 0.8 * 255, 255, 0.9 * 255}, true};
    const drawn own = times(at_share(&child, 0.0), draws);
    const drawn drawn_1 = {1.5, {255, 0.9 * 255, 255, 255}, true};
    for (uint32_t n = 0; n < 26; ++n) {
        const uint32_t k = n < 5 || n >= 21 ? 0 : (n - 5) / 4;
        drawn from = times(at_share(&parent, 0.0), drawn_1);
        if ((k & 1u) == 0)
            from.size = 1.0;
        for (int c = 0; c < 4 && (k & 2u) == 0; ++c)
            from.rgba[c] = 255.0;
        check_drawn(seen(&b[n]), times(own, from), 2.5, "child", n);
    }
    child.burst_count = 9; /* an effect of the same recipe */
    CHECK_EQ(rico_effect_destroy(world, children), RICO_OK);
    CHECK_EQ(rico_effect_destroy(world, e), RICO_OK);
    CHECK_EQ(rico_world_change_recipe(world, id, &child), RICO_OK);
    e = rico_effect_spawn(world, id, at(0.0f, 0.0f, 0.0f));
    rico_world_step(world, DT);
    CHECK_EQ(collect_born(world, e, b, MOST), 9);
    for (uint32_t n = 0; n < 9; ++n)
        check_drawn(seen(&b[n]), own, 1.0, "particle", n);
    rico_world_destroy(world);
}
