/* How high particles bounce, and that hops end, for even steps of several lengths and impacts
 * anywhere within a step. */
#include "runtime_balls.h"
#include "runtime_births.h"

static const rico_collision_mode modes[] = {RICO_COLLIDE_FIXED, RICO_COLLIDE_CACHED,
                                            RICO_COLLIDE_EXACT};
static const float steps[] = {1.0f / 30.0f, 1.0f / 60.0f, 1.0f / 144.0f};

typedef struct bouncing {
    rico_world *world;
    rico_effect_id effect;
    float dt;
} bouncing;

static const float ground[12] = {-4, -4, 0, 4, -4, 0, 4, 4, 0, -4, 4, 0};

/* Balls that start at rest, their lowest points up to 1.2 m above the floor. */
static rico_recipe dropped(rico_collision_mode mode, float restitution)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 0.0f;
    r.burst_count = BALLS;
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){0.5f, 0.5f, 0.6f};
    r.particle_ids = true;
    r.speed = (rico_range){0.0f, 0.0f};
    r.lifetime = (rico_range){500.0f, 500.0f};
    r.restitution = restitution;
    r.queries_per_frame = 100.0f;
    r.plane_count = mode == RICO_COLLIDE_FIXED ? 1 : 0;
    r.planes[0] = (rico_plane){{0.0f, 0.0f, 1.0f}, 0.0f};
    return r;
}

static bouncing let_fall(const rico_recipe *r, float dt)
{
    bouncing b = {.world = small_world(1, false), .dt = dt};
    add_quad(b.world, ground);
    if (r->mode == RICO_COLLIDE_CACHED)
        CHECK_EQ(rico_world_bake(b.world, NULL, NULL), RICO_OK);
    b.effect = begin_effect(b.world, r, at(0.0f, 0.0f, r->size.z + r->radius));
    return b;
}

static void run_for(bouncing *b, float seconds, float top[BALLS])
{
    born s[BALLS];
    memset(top, 0, BALLS * sizeof *top);
    for (float t = 0.0f; t < seconds; t += b->dt) {
        rico_world_step(b->world, b->dt);
        CHECK_EQ(collect_born(b->world, b->effect, s, BALLS), BALLS);
        for (int i = 0; i < BALLS; ++i)
            top[i] = fmaxf(top[i], (float)s[i].p[2] - 0.01f);
    }
}

TEST(bounces, without_loss_come_back_as_high_after_forty_seconds)
{
    for (size_t m = 0; m < 3; ++m)
        for (size_t k = 0; k < 3; ++k) {
            rico_recipe r = dropped(modes[m], 1.0f);
            bouncing b = let_fall(&r, steps[k]);
            float first[BALLS], last[BALLS];
            run_for(&b, 1.2f, first);
            run_for(&b, 40.0f, last);
            run_for(&b, 1.2f, last);
            const float step_fall = 9.81f * steps[k] * steps[k];
            for (int i = 0; i < BALLS; ++i)
                CHECK_MSG(fabsf(last[i] - first[i]) < step_fall + 0.02f * first[i],
                          "mode %zu, dt %g: %g m, then %g", m, (double)steps[k],
                          (double)first[i], (double)last[i]);
            rico_world_destroy(b.world);
        }
}

TEST(bounces, hops_end_in_rest_for_short_and_long_steps)
{
    static const float restitution[] = {0.3f, 0.6f, 0.9f};
    for (size_t m = 0; m < 3; ++m)
        for (size_t k = 0; k < 3; ++k)
            for (size_t e = 0; e < 3; ++e) {
                rico_recipe r = dropped(modes[m], restitution[e]);
                bouncing b = let_fall(&r, steps[k]);
                float top[BALLS];
                run_for(&b, 12.0f, top);
                CHECK_MSG(rico_world_get_stats(b.world).sleeping == BALLS,
                          "mode %zu, dt %g, restitution %g: %u rest", m, (double)steps[k],
                          (double)r.restitution, rico_world_get_stats(b.world).sleeping);
                rico_world_destroy(b.world);
            }
}
