/* How far fields act: on particles in a field that has moved away, and on births in a field far
 * from the emitter. */
#include "runtime_births.h"

static rico_recipe feeling(rico_collision_mode mode)
{
    rico_recipe r = still_recipe(mode);
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){1.0f, 1.0f, 1.0f};
    r.field_layers = 1;
    return r;
}

static rico_field_id add_field(rico_world *world, rico_vec3 axis, float strength,
                               rico_transform where, rico_vec3 size)
{
    rico_field_def def = rico_field_def_default();
    def.force.kind = RICO_FORCE_DIRECTION;
    def.force.axis = axis;
    def.force.strength = strength;
    def.transform = where;
    def.size = size;
    def.falloff = 0.0f;
    rico_field_id id = rico_world_add_field(world, &def);
    CHECK(id.index1 != 0);
    return id;
}

/* A field holds particles up, and their paths are known to meet nothing. When it moves away,
 * they must fall and land. */
TEST(fields, that_are_moved_away_end_the_paths_through_where_they_were)
{
    rico_world *world = small_world(1, true);
    rico_recipe r = feeling(RICO_COLLIDE_CACHED);
    r.gravity.z = -9.81f;
    r.burst_count = 50;
    r.size.z = 0.2f;
    r.queries_per_frame = 50.0f;
    rico_effect_id e = begin_effect(world, &r, at(3.0f, 3.0f, 1.0f));
    rico_field_id field = add_field(world, (rico_vec3){0.0f, 0.0f, 1.0f}, 9.81f,
                                    at(0.0f, 0.0f, 0.0f), (rico_vec3){90.0f, 90.0f, 90.0f});
    run_steps(world, 60);
    CHECK_EQ(rico_world_move_field(world, field, at(200.0f, 0.0f, 0.0f)), RICO_OK);
    run_steps(world, 120);
    uint32_t low = 0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            float height = v.pz[i] - terrain_height(v.px[i], v.py[i]);
            CHECK_MSG(height > -0.05f, "%g m", (double)height);
            low += height < 0.3f;
        }
    CHECK_MSG(low > 45, "%u", low);
    rico_world_destroy(world);
}

/* An emitter changes its scale within a step. Returns how many births of that step a distant
 * field pushes. */
static uint32_t count_pushed(float from, float to)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = feeling(RICO_COLLIDE_NONE);
    r.rate = 6000.0f;
    rico_transform where = at(0.0f, 0.0f, 0.0f);
    where.scale = from;
    rico_effect_id e = begin_effect(world, &r, where);
    run_steps(world, 1);
    uint32_t old = rico_effect_particle_count(world, e), pushed = 0;
    add_field(world, (rico_vec3){1.0f, 0.0f, 0.0f}, 100.0f, at(7.0f, 0.0f, 0.0f),
              (rico_vec3){2.0f, 20.0f, 20.0f});
    where.scale = to;
    CHECK_EQ(rico_effect_move(world, e, where), RICO_OK);
    run_steps(world, 1);
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            pushed += v.id[i] >= old && v.vx[i] > 0.0f;
    rico_world_destroy(world);
    return pushed;
}

TEST(fields, push_who_is_born_in_them_while_the_emitter_shrinks_or_grows)
{
    uint32_t shrinks = count_pushed(10.0f, 0.1f), grows = count_pushed(0.1f, 10.0f);
    CHECK_MSG(shrinks > 5 && grows > 5, "%u, %u", shrinks, grows);
}
