/* The eye may be anywhere, with a direction vector of any length: the order is that of depths. */
#include "runtime_births.h"

#include "state.h"

#include <ricochet/output.h>
#include <string.h>

#define CLOUD 200u

typedef struct cloud {
    rico_world *world;
    rico_effect_id effect;
    rico_output *output;
    kept_log log;
    _Alignas(64) rico_billboard records[CLOUD];
} cloud;

static void open_cloud(cloud *c)
{
    c->world = small_world(1, false);
    c->world->def.log = kept_log_hook(&c->log);
    rico_recipe r = still_recipe(RICO_COLLIDE_NONE);
    r.shape = RICO_EMIT_SPHERE;
    r.size.x = 3.0f;
    r.burst_count = CLOUD;
    c->effect = begin_effect(c->world, &r, at(1.0f, 2.0f, 3.0f));
    rico_world_step(c->world, 0.01f);
    rico_output_def def = rico_output_def_default();
    def.memory[0] = def.memory[1] = c->records;
    def.capacity = CLOUD;
    def.sort = true;
    CHECK_EQ(rico_output_create(c->world, &def, &c->output), RICO_OK);
}

static void close_cloud(cloud *c)
{
    rico_output_destroy(c->output);
    rico_world_destroy(c->world);
}

static rico_result look(cloud *c, rico_vec3 forward)
{
    const rico_eye eye = {{0.5f, -7.0f, 2.0f}, forward};
    rico_output_frame frame;
    rico_result result = rico_output_write(c->output, &c->effect, 1, &eye, &frame);
    CHECK_EQ(frame.count, result == RICO_OK ? CLOUD : 0);
    return result;
}

TEST(eye, sees_the_same_order_however_long_its_direction_is)
{
    static const rico_vec3 directions[] = {
        {1.0f, 0.5f, -0.25f}, {-0.25f, 1.0f, 1.0f}, {0.0f, 0.0f, -1.0f}};
    static const float lengths[] = {0x1p-10f,  0x1p10f,   0x1p-66f,
                                    0x1p-100f, 0x1p-147f, 0x1p127f};
    static rico_billboard expected[CLOUD];
    static cloud c;
    open_cloud(&c);
    for (int d = 0; d < 3; ++d) {
        const rico_vec3 f = directions[d];
        CHECK_EQ(look(&c, f), RICO_OK);
        memcpy(expected, c.records, sizeof expected);
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; ++k) {
            const float by = lengths[k];
            CHECK_EQ(look(&c, (rico_vec3){f.x * by, f.y * by, f.z * by}), RICO_OK);
            CHECK_MSG(memcmp(expected, c.records, sizeof expected) == 0, "%d, %g", d,
                      (double)by);
        }
    }
    close_cloud(&c);
}

TEST(eye, has_a_direction_if_any_component_is_not_zero)
{
    static cloud c;
    open_cloud(&c);
    CHECK_EQ(look(&c, (rico_vec3){0.0f, -1.0e-45f, 0.0f}), RICO_OK);
    CHECK_EQ(look(&c, (rico_vec3){3.4e38f, -3.4e38f, 3.4e38f}), RICO_OK);
    CHECK_EQ(look(&c, (rico_vec3){0.0f, -0.0f, 0.0f}), RICO_OUT_OF_RANGE);
    CHECK_MSG(strstr(c.log.text, "eye.forward is zero") != NULL, "%s", c.log.text);
    CHECK_EQ(look(&c, (rico_vec3){INFINITY, 0.0f, 0.0f}), RICO_NOT_FINITE);
    close_cloud(&c);
}
