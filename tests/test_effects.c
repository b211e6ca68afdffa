/* Effect files: what is read, what is refused, and what is written. */
#include "effects_fixture.h"

#include <stddef.h>
#include <unistd.h>

static void keep(void *user, rico_log_level level, const char *text)
{
    (void)level;
    snprintf(user, 200, "%s", text);
}

TEST(effects, read_every_field_by_the_name_it_has_in_c)
{
    rio_effect e =
        load_text(FORMAT_LINE ", \"comment\": \"says \\\"so\\\"\", \"shape\": \"ring\","
                              "\"size\": [1, 0.25, 0], \"surface\": true, \"spread\": 0.5,"
                              "\"burst_count\": 7.0, \"speed\": 2, \"lifetime\": [1.5, 4],"
                              "\"particle_size\": [{\"at\": 0, \"value\": 0.5},"
                              " {\"at\": 1, \"value\": 2}], \"color\": [0.5, 1, 0.25, 1],"
                              "\"bursts\": [{\"count\": 3}, {\"count\": 4, \"time\": 2,"
                              " \"cycles\": 0, \"interval\": 0.5, \"probability\": 0.25}],"
                              "\"mode\": \"fixed\", \"planes\": [{\"normal\": [0, 0, 1],"
                              " \"offset\": -2}], \"events\": [\"death\"],"
                              "\"particle_ids\": true}");
    const rico_recipe *r = &e.recipe;
    CHECK(strcmp(e.comment, "says \"so\"") == 0);
    CHECK(r->shape == RICO_EMIT_RING && r->size.y == 0.25f && r->surface && r->spread == 0.5f);
    CHECK(r->burst_count == 7 && r->speed.lo == 2.0f && r->speed.hi == 2.0f);
    CHECK(r->lifetime.lo == 1.5f && r->lifetime.hi == 4.0f && r->particle_size.key_count == 2);
    CHECK(r->particle_size.at[1] == 1.0f && r->particle_size.value[1] == 2.0f);
    CHECK(r->color.key_count == 1 && r->color.rgba[0][2] == 0.25f);
    CHECK(r->bursts[0].count == 3 && r->bursts[0].cycles == 1 &&
          r->bursts[0].probability == 1.0f);
    CHECK(r->bursts[1].time == 2.0f && r->bursts[1].cycles == 0 &&
          r->bursts[1].interval == 0.5f && r->bursts[1].probability == 0.25f);
    CHECK(r->mode == RICO_COLLIDE_FIXED && r->plane_count == 1 && r->planes[0].offset == -2.0f);
    CHECK(r->events == RICO_EVENT_BIT_DEATH && r->particle_ids);
    CHECK(r->rate == 50.0f && r->gravity.z == -9.81f); /* left out: defaults */
    rio_effect_free(&e);
}

TEST(effects, say_where_and_what_when_a_field_is_refused)
{
    check_refused("", "f:1:1: ");
    check_refused("[]", "f:1:1: found an array, expected an object");
    check_refused("{}", "f:1:1: format: found nothing, expected \"ricochet effect 1\"");
    check_refused("{\"format\": \"ricochet effect 2\"}", "f:1:12: format: found \"ricochet ef");
    check_refused(FORMAT_LINE ",\n  \"lifetme\": 2}",
                  "f:2:3: lifetme: no such field: did you mean \"lifetime\"?");
    check_refused(FORMAT_LINE ",\n\n \"rate\":\n   -5}",
                  "f:4:4: rate is -5, expected 0 to 1e+07");
    check_refused(FORMAT_LINE ",\n\"rate\": \"many\"}",
                  "f:2:9: rate: found \"many\", expected a number");
    check_refused(FORMAT_LINE ",\n\"speed\": [1, 5000]}",
                  "f:2:14: speed[1] is 5000, expected -1000 to 1000");
    check_refused(FORMAT_LINE ",\n\"gravity\": [0, 0]}",
                  "f:2:12: gravity: found 2 values, expected [x, y, z]");
    check_refused(FORMAT_LINE ",\n\"gravity\": [0, 0, -1e5]}", "f:2:19: gravity[2] is -100000");
    check_refused(FORMAT_LINE ",\n\"color\": [0, 0, 2, 1]}",
                  "f:2:17: color[2] is 2, expected 0 to 1");
    check_refused(FORMAT_LINE ",\n\"color\": [{\"at\": 0, \"rgba\": [0, 0, 1, 1]},\n"
                              "{\"rgba\": [0, 0, \"1\", 1], \"at\": 1}]}",
                  "f:3:17: color[1].rgba[2]: found \"1\", expected a number");
    check_refused(FORMAT_LINE ",\n\"color\": [{\"at\": 0, \"rgba\": [0, 0, 1, 1]},\n"
                              "{\"rgba\": [0, 0, 9, 1], \"at\": 1}]}",
                  "f:3:17: color[1].rgba[2] is 9, expected 0 to 1");
    check_refused(FORMAT_LINE ",\n\"particle_size\": [{\"at\": 1, \"value\": 0},"
                              "{\"at\": 0.5, \"value\": 0}]}",
                  "f:2:48: particle_size[1].at is 0.5, expected 0 to 1, not below the last");
    check_refused(FORMAT_LINE ",\n\"particle_size\": [{\"at\": 1, \"size\": 0}]}",
                  "f:2:29: particle_size[0].size: no such field, expected one of at, value");
    check_refused(FORMAT_LINE ",\n\"particle_size\": []}",
                  "f:2:18: particle_size: found 0 val");
    check_refused(FORMAT_LINE ",\n\"bursts\": [{\"count\": 1, \"probability\": 2}]}",
                  "f:2:40: bursts[0].probability is 2");
    check_refused(FORMAT_LINE ",\n\"bursts\": [{\"cont\": 1}]}",
                  "f:2:13: bursts[0].cont: no such field, expected one of time, count, ");
    check_refused(FORMAT_LINE ",\n\"forces\": [{\"kind\": \"vortx\"}]}",
                  "f:2:21: forces[0].kind: found \"vortx\", expected one of none, direction, ");
    check_refused(FORMAT_LINE ",\n\"forces\": [{\"kind\": \"drag\", \"strength\": -1}]}",
                  "f:2:41: forces[0].strength is -1, expected 0 to 1000");
    check_refused(FORMAT_LINE ",\n\"forces\": [{\"kind\": \"vortex\", \"axis\": [0, 0, 2]}]}",
                  "f:2:46: forces[0].axis[2] is 2");
    check_refused(
        FORMAT_LINE ",\n\"shape\": \"discus\"}",
        "f:2:10: shape: found \"discus\", expected one of point, sphere, box, cone, disc, "
        "line, ring, mesh: did you mean \"disc\"?");
    check_refused(
        FORMAT_LINE ",\n\"events\": [\"deaths\"]}",
        "f:2:12: events[0]: found \"deaths\", expected one of collision, death, birth: did you "
        "mean \"death\"?");
    check_refused(FORMAT_LINE ",\n\"max_particles\": 2.5}",
                  "f:2:18: max_particles: found 2.5, expected a whole number");
    check_refused(FORMAT_LINE ",\n\"max_particles\": -1}",
                  "f:2:18: max_particles is -1, expected 1 to 16777216");
    check_refused(FORMAT_LINE ",\n\"max_particles\": 2e7}",
                  "f:2:18: max_particles is 2e+07, expected 1 to 16777216");
    check_refused(FORMAT_LINE ",\n\"max_particles\": 1e300}",
                  "f:2:18: max_particles is 1e+300, expected 1 to 16777216");
    check_refused(FORMAT_LINE ",\n\"comment\": 5}", "f:2:12: comment: found 5, expected text");
    check_refused(FORMAT_LINE ",\n\"speed_over_duration\": [{\"at\": 0, \"value\": 1},"
                              "{\"at\": 1, \"value\": 1}]}",
                  "f:2:24: speed_over_duration has 2 keys, but duration is 0, expected 1 key,");
    check_refused(FORMAT_LINE ",\n\"loops\": -1, \"rate\": -1}",
                  "f:2:10: loops is -1, expected 0 to 4294967295");
    check_refused(FORMAT_LINE ",\n\"rate\": 10000001}",
                  "f:2:9: rate is 10000001, expected 0 to 1e+07");
    check_refused(FORMAT_LINE ",\n\"surface\": 1}", "f:2:12: surface: found 1, expected true");
    check_refused(FORMAT_LINE ",\n\"rate\": 1, \"rate\": 2}", "f:2:");
    check_refused(FORMAT_LINE ",\n\"rate\": NaN}", "f:2:");
    check_refused(FORMAT_LINE ",\n\"rate\": 1e400}", "f:2:");
    check_refused(FORMAT_LINE ",\n\"rate\": 1e39}",
                  "f:2:9: rate is 1e+39, expected 0 to 1e+07");
    check_refused(FORMAT_LINE ",\n\"rate\": null}", "f:2:9: rate: found null");
    check_refused(FORMAT_LINE ", \"loops\": 3}",
                  "f:1:42: loops is 3, but there is no duration: expected 0.01 to 1e+06");
    check_refused(FORMAT_LINE ", \"loops\": 3, \"duration\": 0.001}",
                  "f:1:57: duration is 0.001, expected 0.01 to 1e+06, because loops is 3");
}

TEST(effects, say_where_and_what_when_a_field_does_not_fit_another)
{
    check_refused(FORMAT_LINE ", \"bursts\": [{\"count\": 0}, {\"count\": 1, \"cycles\": 0}]}",
                  "f:1:81: bursts[1].cycles is 0, but there is no interval: expected 0.001 to");
    check_refused(
        FORMAT_LINE ", \"bursts\": [{\"interval\": 0, \"cycles\": 2, \"count\": 0}]}",
        "f:1:57: bursts[0].interval is 0, expected 0.001 to 1e+06, because cycles is 2");
    check_refused(FORMAT_LINE ", \"bursts\": [{\"time\": -1, \"count\": 0}]}",
                  "f:1:53: bursts[0].time is -1");
    check_refused(FORMAT_LINE ", \"forces\": [{\"scale\": 0, \"kind\": \"none\"}]}",
                  "f:1:54: forces[0].scale is 0");
    check_refused(FORMAT_LINE ", \"shape\": \"ring\", \"size\": [1, 2, 0]}",
                  "f:1:62: size[1] (of a ring) is 2, expected 0 to 1");
    check_refused(FORMAT_LINE ", \"mode\": \"fixed\", \"planes\": [{\"normal\": [0, 0, 2]}]}",
                  "f:1:72: planes[0].normal has length 2, expected 1");
    check_refused(FORMAT_LINE ",\n\"on_collision\": \"stik\"}",
                  "f:2:17: on_collision: found \"stik\", expected one of bounce, stop, ");
    check_refused(FORMAT_LINE ",\n\"kill_above\": -1}", "f:2:15: kill_above is -1, expected 0");
}

TEST(effects, say_where_and_what_when_a_curve_is_refused_that_is_not_linear)
{
    check_refused(
        FORMAT_LINE ",\n\"particle_size\": {\"interpolation\": \"smoth\","
                    "\"keys\": [{\"at\": 1, \"value\": 0}]}}",
        "f:2:36: particle_size.interpolation: found \"smoth\", expected one of linear, smooth, "
        "cubic: did you mean \"smooth\"?");
    check_refused(
        FORMAT_LINE ",\n\"color\": {\"interpolation\": \"cubic\","
                    "\"keys\": [{\"at\": 1, \"rgba\": [0, 0, 0, 0]}]}}",
        "f:2:28: color.interpolation: found \"cubic\", expected one of linear, smooth");
    check_refused(
        FORMAT_LINE ",\n\"particle_size\": {\"interpolation\": \"smooth\","
                    "\"keys\": [{\"at\": 1, \"value\": 0, \"slope_in\": 1}]}}",
        "f:2:76: particle_size.keys[0].slope_in: expected none, because interpolation "
        "is not \"cubic\"");
    check_refused(FORMAT_LINE ",\n\"particle_size\": {\"interpolation\": \"cubic\","
                              "\"keys\": [{\"at\": 1, \"value\": 0, \"slope_in\": 1e7}]}}",
                  "f:2:87: particle_size.keys[0].slope_in is 1e+07, expected -1e+06 to 1e+06");
    check_refused(FORMAT_LINE
                  ",\n\"particle_size\": {\"interpolation\": \"smooth\","
                  "\"keys\": [{\"at\": 0, \"value\": 0}, {\"at\": 1, \"value\": -1}]}}",
                  "f:2:96: particle_size.keys[1].value is -1, expected 0 to 1000");
    check_refused(FORMAT_LINE ",\n\"color\": {\"interpolation\": \"smooth\","
                              "\"keys\": [{\"at\": 1, \"rgba\": [0, 0, 3, 0]}]}}",
                  "f:2:71: color.keys[0].rgba[2] is 3, expected 0 to 1");
    check_refused(
        FORMAT_LINE ",\n\"particle_size\": {\"keys\": [{\"at\": 1, \"value\": 0}]}}",
        "f:2:18: particle_size.interpolation: found nothing, expected a name such as");
    check_refused(FORMAT_LINE ",\n\"particle_size\": {\"interpolation\": \"smooth\"}}",
                  "f:2:18: particle_size.keys: found nothing, expected ");
    check_refused(FORMAT_LINE ",\n\"particle_size\": {\"interpolatoin\": \"smooth\"}}",
                  "f:2:19: particle_size.interpolatoin: no such field, expected one of "
                  "interpolation, keys: did you mean \"interpolation\"?");
}

TEST(effects, say_both_ends_of_a_range_that_is_the_wrong_way_round)
{
    static const char *const names[] = {"speed", "lifetime",    "start_rotation",
                                        "spin",  "start_frame", "start_size"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char text[200], expected[200];
        snprintf(text, sizeof text, FORMAT_LINE ",\n\"%s\": [5, 1]}", names[i]);
        snprintf(expected, sizeof expected,
                 "f:2:%zu: %s[0] is 5, expected at most %s[1], which is 1",
                 strlen(names[i]) + 6, names[i], names[i]);
        check_refused(text, expected);
    }
}

TEST(effects, may_begin_with_a_byte_order_mark_that_is_no_column)
{
    rio_effect e = load_text("\xef\xbb\xbf" FORMAT_LINE ", \"rate\": 5}");
    CHECK(e.recipe.rate == 5.0f);
    rio_effect_free(&e);
    check_refused("\xef\xbb\xbf" FORMAT_LINE ", \"rate\": -5}",
                  "f:1:41: rate is -5, expected 0 to 1e+07");
    check_refused("\xef\xbb\xbf" FORMAT_LINE ", \"rate\" 5}", "f:1:40: ");
    check_refused("\xef\xbb\xbf", "f:1:1: ");
    /* Columns count bytes, not characters. */
    check_refused("{\"comment\": \"\xc3\xa9\xc3\xa9\", \"rate\" 5}", "f:1:28: ':' expected");
    check_refused("\n{\"format\": 1, \"comment\": \"\xc3\xa9\", \"rate\" 5}",
                  "f:2:39: ':' expected");
}

TEST(effects, name_the_files_of_their_sub_emitters)
{
    rio_effect e = load_text(
        FORMAT_LINE ", \"sub_emitters\": [{\"on\": \"birth\", \"effect\": \"smoke-2\"},"
                    "{\"effect\": \"Sparks_1\", \"on\": \"collision\", \"count\": 7,"
                    " \"probability\": 0.5, \"inherit_velocity\": -1}]}");
    const rico_sub_emitter *s = e.recipe.sub_emitters;
    CHECK(s[0].on == RICO_EVENT_BIT_BIRTH && s[0].count == 1 && s[0].probability == 1.0f);
    CHECK(s[1].on == RICO_EVENT_BIT_COLLISION && s[1].count == 7 && s[1].probability == 0.5f &&
          s[1].inherit_velocity == -1.0f && s[2].on == 0);
    CHECK(strcmp(e.subs.items[0], "smoke-2") == 0 && strcmp(e.subs.items[1], "Sparks_1") == 0);
    char message[200] = "";
    rico_log log = {keep, message};
    CHECK(rio_effect_text(&e.recipe, NULL, &log) == NULL); /* the call has no names */
    CHECK(strstr(message, "sub_emitters") != NULL);
    char *text = rio_effect_text_with(&e.recipe, &e.subs, NULL, NULL);
    rio_effect again = load_text(text);
    CHECK(first_difference(&e.recipe, &again.recipe) == NULL);
    CHECK(memcmp(&e.subs, &again.subs, sizeof e.subs) == 0);
    rio_effect_free(&e);
    rio_effect_free(&again);
    rio_effect_text_free(text);
    check_refused(FORMAT_LINE ",\n\"sub_emitters\": [{\"on\": \"death\"}]}",
                  "f:2:18: sub_emitters[0]: found no \"effect\", expected one");
    check_refused(FORMAT_LINE ",\n\"sub_emitters\": [{\"effect\": \"a\"}]}",
                  "f:2:18: sub_emitters[0]: found no \"on\", expected one");
    check_refused(
        FORMAT_LINE ",\n\"sub_emitters\": [{\"effect\": \"../a\", \"on\": \"death\"}]}",
        "f:2:29: sub_emitters[0].effect: found \"../a\", expected the name of a file");
    check_refused(FORMAT_LINE ",\n\"sub_emitters\": [{\"effect\": \"a\", \"on\": \"dead\"}]}",
                  "f:2:40: sub_emitters[0].on: found \"dead\", expected one of ");
    check_refused(FORMAT_LINE ",\n\"sub_emitters\": [{\"effect\": \"a\", \"on\": \"death\","
                              " \"count\": 0}]}",
                  "f:2:58: sub_emitters[0].count is 0, expected 1 to 1000");
    check_refused(FORMAT_LINE ",\n\"sub_emitters\": [{\"effect\": \"a\", \"on\": \"death\","
                              " \"inherit_velocity\": 11}]}",
                  "f:2:69: sub_emitters[0].inherit_velocity is 11, expected -10 to 10");
}

TEST(effects, find_places_behind_escapes_and_nested_values)
{
    check_refused("{\"comment\": \"}]\\\"{\\u0022\\\\\", \"format\": \"ricochet effect 1\",\n"
                  "\"bursts\": [{\"count\": 1}, {\"count\": 2, \"time\": -1}],\n\"drag\": 0}",
                  "f:2:47: bursts[1].time is -1");
    check_refused(FORMAT_LINE ",\n\"dr\\u0061g\": -1}", "f:2:14: drag is -1");
}

TEST(effects, read_meshes_to_be_born_on)
{
    rio_effect e = load_text(FORMAT_LINE ", \"shape\": \"mesh\", \"mesh\": {\"positions\": "
                                         "[0,0,0, 1,0,0, 0,1,0.5], \"indices\": [0, 1, 2]}}");
    CHECK(e.recipe.mesh.vertex_count == 3 && e.recipe.mesh.triangle_count == 1);
    CHECK(e.recipe.mesh.positions[8] == 0.5f && e.recipe.mesh.indices[2] == 2);
    char *text = rio_effect_text(&e.recipe, NULL, NULL);
    rio_effect again = load_text(text);
    CHECK(first_difference(&e.recipe, &again.recipe) == NULL);
    rio_effect_free(&e);
    rio_effect_free(&again);
    rio_effect_text_free(text);
    check_refused(FORMAT_LINE ", \"shape\": \"mesh\"}",
                  "f:1:42: shape: found \"mesh\", but there is no field");
    check_refused(FORMAT_LINE ", \"mesh\": {\"positions\": [0,0,0], \"indices\": [0,0,0]}}",
                  "f:1:41: mesh: found one, but shape is not");
    check_refused(FORMAT_LINE
                  ", \"shape\": \"mesh\", \"mesh\": {\"positions\": [0,0], \"indices\""
                  ": [0]}}",
                  "f:1:72: mesh.positions: found 2 values, expected x, y, z");
    check_refused(FORMAT_LINE ", \"shape\": \"mesh\",\n\"mesh\": {\"positions\": [0,0,0],"
                              " \"indices\": [0,0,7]}}",
                  "f:2:48: mesh.indices[2] is 7, but there are 1 vertices, expected 0 to 0");
    check_refused(FORMAT_LINE ", \"shape\": \"mesh\",\n\"mesh\": {\"indices\": [0,0,0],"
                              " \"positions\": [0,0,1e7]}}",
                  "f:2:48: mesh.positions[2] is 1e+07");
    check_refused(FORMAT_LINE ", \"shape\": \"mesh\",\n\"mesh\": {\"indices\": [0,1,2, 0,0,1],"
                              " \"positions\": [0,0,0, 1,0,0, 2,0,0]}}",
                  "f:2:21: mesh.indices: found no triangle with an area among 2, expected at");
}

/* A random number with bits in all places. */
static float random_float(uint64_t *state, float lo, float hi)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * ((float)(*state >> 40) / 16777216.0f);
}

static rico_curve random_curve(uint64_t *state)
{
    rico_curve c = rico_curve_constant(random_float(state, 0.0f, 10.0f));
    c.key_count = 1 + (uint32_t)random_float(state, 0.0f, 7.9f);
    for (uint32_t i = 0; i < c.key_count; ++i) {
        c.at[i] =
            i == 0 ? random_float(state, 0.0f, 0.1f) : random_float(state, c.at[i - 1], 1.0f);
        c.value[i] = random_float(state, 0.0f, 10.0f);
        c.slope_in[i] = random_float(state, -1.0e6f, 1.0e6f);
        c.slope_out[i] = random_float(state, -1.0f, 1.0f);
    }
    c.interpolation = (rico_interpolation)random_float(state, 0.0f, 2.9f);
    if (random_float(state, 0.0f, 1.0f) < 0.2f) { /* as a constant, but of that kind */
        c.key_count = 1;
        c.at[0] = 0.0f;
    }
    return c;
}

static rico_recipe random_recipe(uint64_t *state)
{
    rico_recipe r = rico_recipe_default();
    r.shape = (rico_emitter_shape)random_float(state, 0.0f, 6.9f);
    r.size = (rico_vec3){random_float(state, 1.0f, 2.0f), random_float(state, 0.0f, 1.0f), 0};
    r.surface = random_float(state, 0, 1) < 0.5f;
    r.rate = random_float(state, 0.0f, 1.0e6f);
    r.loops = (uint32_t)random_float(state, 0.0f, 5.0f);
    r.duration = random_float(state, 0.1f, 5.0f);
    r.speed = (rico_range){random_float(state, -9.0f, 0.0f), random_float(state, 0.0f, 9.0f)};
    r.gravity = (rico_vec3){random_float(state, -1.0f, 1.0f), -0.0f, 1.0e-42f};
    r.drag = random_float(state, 0.0f, 1.0e-6f);
    r.wind = (rico_vec3){random_float(state, -9.0f, 9.0f), 0.0f, 1.0f};
    r.field_layers = (uint32_t)random_float(state, 0.0f, 9.0f);
    r.forces[1].kind = (rico_force_kind)random_float(state, 0.0f, 6.9f);
    r.forces[1].strength = random_float(state, 0.0f, 9.0f);
    r.forces[1].axis = (rico_vec3){0.6f, 0.0f, -0.8f};
    r.forces[1].scroll.y = random_float(state, -9.0f, 9.0f);
    r.forces[1].world_space = random_float(state, 0, 1) < 0.5f;
    r.bursts[1] = (rico_burst){random_float(state, 0, 9), 5, 0, 0.3f, 0.1f};
    r.speed_over_duration = random_curve(state);
    r.particle_size = random_curve(state);
    r.sprite_frame = random_curve(state);
    r.drag_over_life = random_curve(state);
    r.start_frame = (rico_range){random_float(state, 0.0f, 3.0f), 65535.0f};
    rico_curve c = random_curve(state);
    r.color.key_count = c.key_count;
    memcpy(r.color.at, c.at, sizeof c.at);
    r.color.interpolation = (rico_interpolation)random_float(state, 0.0f, 1.9f);
    r.rotation_over_life = random_curve(state);
    r.alpha_over_life = random_curve(state);
    for (int i = 0; i < 8; ++i)
        r.alpha_over_life.value[i] *= 0.1f;
    for (int i = 0; i < 32; ++i)
        r.color.rgba[i / 4][i % 4] = random_float(state, 0.0f, 1.0f);
    r.mode = (rico_collision_mode)random_float(state, 0.0f, 4.9f);
    if (r.mode != RICO_COLLIDE_CLASSIC)
        r.ignored_layers = 2u * (uint32_t)random_float(state, 0.0f, 9.0f);
    r.events = (uint32_t)random_float(state, 0.0f, 3.9f);
    r.space = (rico_space)random_float(state, 0.0f, 1.9f);
    r.hidden = (rico_hidden)random_float(state, 0.0f, 3.9f);
    r.hidden_steps = (uint32_t)random_float(state, 2.0f, 16.9f);
    r.cull_distance = random_float(state, 0.0f, 1.0e6f);
    r.lod_distance = random_float(state, 0.0f, 90.0f);
    r.lod_below = random_float(state, 0.0f, 1.0f);
    r.lod_births = random_float(state, 0.0f, 1.0f);
    r.plane_count = 1;
    r.planes[0] = (rico_plane){{0.6f, 0.0f, 0.8f}, random_float(state, -9.0f, 9.0f)};
    return r;
}

TEST(effects, give_back_what_was_saved_bit_for_bit)
{
    uint64_t state = 1;
    for (uint32_t n = 0; n < test_rounds(2000); ++n) {
        rico_recipe r = random_recipe(&state);
        char *text = rio_effect_text(&r, "of a test: \"\\\t", NULL);
        CHECK(text != NULL);
        rio_effect e = load_text(text);
        const char *field = first_difference(&r, &e.recipe);
        CHECK_MSG(field == NULL, "%s differs in:\n%s", field, text);
        CHECK(strcmp(e.comment, "of a test: \"\\\t") == 0);
        rio_effect_free(&e);
        rio_effect_text_free(text);
    }
}

TEST(effects, are_not_saved_when_they_could_not_be_loaded)
{
    char message[200] = "", error[RIO_EFFECT_ERROR_BYTES];
    rico_log log = {keep, message};
    rico_recipe r = rico_recipe_default();
    r.color.rgba[0][1] = NAN;
    CHECK(rio_effect_text(&r, NULL, &log) == NULL);
    CHECK(strstr(message, "recipe.color.rgba[0][1] is nan, expected") != NULL);
    CHECK_EQ(rio_effect_save("nan.json", &r, NULL, error, sizeof error), RICO_BAD_FILE);
    CHECK(access("nan.json", F_OK) != 0);
    r = rico_recipe_default();
    CHECK_EQ(rio_effect_save("no/such/place.json", &r, NULL, error, sizeof error),
             RICO_NOT_WRITTEN);
    CHECK(strstr(error, "no/such/place.json: ") == error);
}

TEST(effects, that_cannot_be_opened_are_named)
{
    char error[RIO_EFFECT_ERROR_BYTES];
    rio_effect e;
    CHECK_EQ(rio_effect_load("nowhere.json", &e, error, sizeof error), RICO_NOT_FOUND);
    CHECK(strstr(error, "nowhere.json: ") == error);
    CHECK_EQ(rio_effect_load(TEST_EFFECTS, &e, error, sizeof error), RICO_NOT_FOUND);
    CHECK(strstr(error, "a directory") != NULL);
}

/* --- The examples ------------------------------------------------------------------------- */

TEST(effects, of_the_examples_survive_saving_bit_for_bit)
{
    for (int i = 0; example_names[i] != NULL; ++i) {
        char path[4096];
        char *text = read_text(example_path(example_names[i], path, sizeof path));
        rio_effect e = load_text(text);
        char *saved = rio_effect_text_of(&e, NULL);
        rio_effect again = load_text(saved);
        CHECK_MSG(first_difference(&e.recipe, &again.recipe) == NULL, "%s", path);
        CHECK(strcmp(e.comment, again.comment) == 0 && e.comment[0] != '\0');
        CHECK(memcmp(&e.subs, &again.subs, sizeof e.subs) == 0);
        CHECK(memcmp(e.with, again.with, sizeof e.with) == 0);
        rio_effect_free(&e);
        rio_effect_free(&again);
        free(text);
        rio_effect_text_free(saved);
    }
}

/* Runs six seconds over a floor, with a moving emitter. Checks births, and that none starved. */
static void run_example(const char *name, rio_effect *example)
{
    static const float floor[12] = {-30, -30, 0, 30, -30, 0, 30, 30, 0, -30, 30, 0};
    static const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    const rico_mesh mesh = {
        .positions = floor, .vertex_count = 4, .indices = indices, .triangle_count = 2};
    rico_world_def def = rico_world_def_default();
    def.max_particles = 16384;
    def.worker_count = 1;
    def.cache_bytes = 4 << 20;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    rio_links links = {.count = 0};
    CHECK_MSG(rio_effect_link(world, example, &links, &example->recipe, error, sizeof error) ==
                  RICO_OK,
              "%s", error);
    rico_recipe_id id = rico_world_add_recipe(world, &example->recipe);
    CHECK(id.index1 != 0);
    rico_transform where = RICO_TRANSFORM_IDENTITY;
    where.position.z = 3.0f;
    const rio_group group = rio_effect_group(example, &links, id);
    rico_effect_id ids[RIO_MOST_GROUP];
    CHECK_EQ(rio_group_spawn(world, &group, NULL, ids, RIO_MOST_GROUP), RICO_OK);
    uint32_t births = 0, starved = 0, alive[RIO_MOST_LINKS] = {0};
    for (int i = 0; i < 360; ++i) {
        where.position.x += 0.05f;
        for (uint32_t k = 0; k < group.count; ++k)
            rico_effect_move(world, ids[k], rio_group_place(&group, k, where));
        rico_world_step(world, 1.0f / 60.0f);
        births += rico_world_get_stats(world).births;
        starved += rico_world_get_stats(world).births_starved;
        for (uint32_t k = 0; k < links.count; ++k) {
            const rico_recipe_id recipe = links.items[k].recipe;
            alive[k] += rico_effect_particle_count(world, rico_world_sub_effect(world, recipe));
            for (uint32_t m = 1; m < group.count; ++m)
                if (group.items[m].recipe.index1 == recipe.index1)
                    alive[k] += rico_effect_particle_count(world, ids[m]);
        }
    }
    const rico_recipe *r = &example->recipe; /* without these, it is for sub-emitters only */
    bool emits = r->rate > 0.0f || r->rate_per_metre > 0.0f || r->burst_count > 0 ||
                 r->bursts[0].count > 0;
    CHECK_MSG(births >= 10 || !emits, "%s: %u births", name, births);
    for (uint32_t i = 0; i < links.count; ++i) /* each of the files took part */
        CHECK_MSG(alive[i] > 0 || !emits, "%s: no %s", name, links.items[i].name);
    CHECK_MSG(starved == 0, "%s: %u births starved: raise max_particles", name, starved);
    rico_world_destroy(world);
}

TEST(effects, of_the_examples_run_within_their_max_particles)
{
    for (int i = 0; example_names[i] != NULL; ++i) {
        char path[4096], error[RIO_EFFECT_ERROR_BYTES];
        rio_effect e;
        example_path(example_names[i], path, sizeof path);
        CHECK_MSG(rio_effect_load(path, &e, error, sizeof error) == RICO_OK, "%s", error);
        run_example(path, &e);
        rio_effect_free(&e);
    }
}

/* --- Broken files ------------------------------------------------------------------------- */

/* Whatever the text, a recipe that is returned passes the library's check, and an error is one
 * line that begins with the file's name. */
static void try_text(const char *text, size_t bytes)
{
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    rio_effect e;
    rico_result result = rio_effect_parse("f", text, bytes, &e, error, sizeof error);
    if (result == RICO_OK) {
        CHECK_EQ(rico_recipe_check(&e.recipe, NULL), RICO_OK);
        rio_effect_free(&e);
        return;
    }
    CHECK_EQ(result, RICO_BAD_FILE);
    CHECK_MSG(strncmp(error, "f:", 2) == 0 && strchr(error, '\n') == NULL, "'%s'", error);
}

static char *example_text(int i)
{
    char path[4096];
    return read_text(example_path(example_names[i], path, sizeof path));
}

TEST(effects, cut_off_at_any_byte_are_refused)
{
    for (int i = 0; example_names[i] != NULL; ++i) {
        char *text = example_text(i);
        size_t length = strlen(text), end = (size_t)(strrchr(text, '}') - text) + 1;
        for (size_t n = 0; n < length; ++n) {
            char *cut = malloc(n + 1); /* exact, so that a sanitizer sees reads beyond it */
            memcpy(cut, text, n);
            char error[RIO_EFFECT_ERROR_BYTES] = "";
            rio_effect e;
            rico_result result = rio_effect_parse("f", cut, n, &e, error, sizeof error);
            CHECK_MSG((result == RICO_OK) == (n >= end), "%s at %zu", example_names[i], n);
            if (result == RICO_OK)
                rio_effect_free(&e);
            free(cut);
        }
        free(text);
    }
}

static bool starts_number(const char *text, size_t at)
{
    char c = text[at], before = at > 0 ? text[at - 1] : ' ';
    bool inside = strchr("0123456789.-+eE\"_abcdefghijklmnopqrstuvwxyz", before) != NULL;
    return !inside && ((c >= '0' && c <= '9') || c == '-');
}

TEST(effects, with_any_number_replaced_never_get_what_is_no_number)
{
    static const char *const instead[] = {"NaN",  "Infinity", "-Infinity", "1e400", "-1e39",
                                          "null", "\"1\"",    "true",      "[]",    "{}"};
    for (int i = 0; example_names[i] != NULL; ++i) {
        char *text = example_text(i);
        for (size_t at = 0; text[at] != '\0'; ++at) {
            if (!starts_number(text, at))
                continue;
            size_t length = strspn(text + at, "-+0123456789.eE");
            for (size_t k = 0; k < sizeof instead / sizeof *instead; ++k) {
                size_t bytes = strlen(text) + 16;
                char *mutant = malloc(bytes), error[RIO_EFFECT_ERROR_BYTES] = "";
                rio_effect e;
                int used = snprintf(mutant, bytes, "%.*s%s%s", (int)at, text, instead[k],
                                    text + at + length);
                rico_result result =
                    rio_effect_parse("f", mutant, (size_t)used, &e, error, sizeof error);
                bool is_read = result == RICO_OK && strstr(e.comment, instead[k]) == NULL &&
                               (e.host == NULL || strstr(e.host, instead[k]) == NULL);
                CHECK_MSG(!is_read, "%s: %s at %zu", example_names[i], instead[k], at);
                rio_effect_free(&e);
                free(mutant);
            }
        }
        free(text);
    }
}

/* jansson skips a zero byte after a number. */
TEST(effects, with_a_zero_byte_behind_a_number_are_refused_at_the_right_place)
{
    static const char text[] =
        "{\"format\": \"ricochet effect 1\", \"size\": [1\0, 2, 3],\n \"nonsense\": 2}";
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    rio_effect e;
    CHECK_EQ(rio_effect_parse("f", text, sizeof text - 1, &e, error, sizeof error),
             RICO_BAD_FILE);
    CHECK_MSG(strncmp(error, "f:2:2:", 6) == 0, "'%s'", error);
    rio_effect_free(&e);
}

TEST(effects, with_any_bytes_changed_are_refused_or_valid)
{
    static const char bytes[] = "{}[]\",:0-e.\\u\n\0xNn19";
    uint64_t state = 7;
    for (uint32_t n = 0; n < test_rounds(60000); ++n) {
        int i = (int)random_float(&state, 0.0f, 25.9f);
        static char *texts[26];
        if (texts[i] == NULL)
            texts[i] = example_text(i);
        size_t length = strlen(texts[i]);
        char *mutant = malloc(length);
        memcpy(mutant, texts[i], length);
        for (int k = 0; k < 1 + (int)(n % 3); ++k)
            mutant[(size_t)random_float(&state, 0.0f, (float)length - 0.5f)] =
                bytes[(size_t)random_float(&state, 0.0f, sizeof bytes - 1.5f)];
        try_text(mutant, length);
        free(mutant);
    }
}
