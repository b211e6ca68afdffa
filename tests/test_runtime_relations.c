/* Random recipes with combinations of all features: what should not matter to an effect must
 * not change a bit of it. */
#include "runtime_fuzz.h"
#include "runtime_terrain.h"

#include "hash.h"

#include <ricochet/world_detail.h>

#define DT (1.0f / 64.0f)

enum { STEPS = 32, SOUGHT = 12 };

typedef enum relation {
    OTHERS_BESIDE,    /* in slots before it */
    RECORDS_BESIDE,   /* unused, of mode cached: changes the order of blocks */
    STEPS_OF_NO_TIME, /* between a request and its step */
    PLACES_KEPT,      /* interpolate */
    GIVEN_BACK,       /* the recipe as the world returns it */
    SCALE_DOUBLED,    /* and halves what it multiplies */
    SOUGHT_FOR,       /* instead of stepped to */
    RELATION_COUNT
} relation;

static void say_nothing(void *user, rico_log_level level, const char *message)
{
    (void)user, (void)level, (void)message;
}

static rico_recipe random_recipe(source *s, const rico_emitter_mesh *mesh)
{
    rico_recipe r = fuzz_recipe(s, NULL, 0, mesh);
    r.particle_ids = true;
    if (r.hidden == RICO_HIDDEN_RUNS_SLOWLY)
        r.hidden = RICO_HIDDEN_FREEZES; /* its turn depends on its slot */
    return r;
}

static rico_recipe smaller(rico_recipe r)
{
    r.size = (rico_vec3){0.5f * r.size.x, 0.5f * r.size.y, 0.5f * r.size.z};
    for (uint32_t k = 0; k < RICO_MAX_FORCES; ++k)
        if (!r.forces[k].world_space) {
            r.forces[k].position.x *= 0.5f;
            r.forces[k].position.y *= 0.5f;
            r.forces[k].position.z *= 0.5f;
            r.forces[k].reach *= 0.5f;
        }
    return r;
}

/* While an effect seeks it counts as seen, and it begins without a prewarm. */
static bool is_seen_otherwise(const rico_recipe *r)
{
    return r->cull_distance > 0.0f || r->lod_distance > 0.0f || r->prewarm > 0.0f;
}

static uint64_t bits_of_effect(const rico_world *world, rico_effect_id effect)
{
    rico__hash h;
    rico__hash_init(&h, 0);
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            const float numbers[] = {
                v.px[i],  v.py[i],       v.pz[i],
                v.vx[i],  v.vy[i],       v.vz[i],
                v.age[i], v.lifetime[i], v.size != NULL ? v.size[i] : v.constant_size};
            rico__hash_floats(&h, numbers, sizeof numbers / sizeof numbers[0]);
            rico__hash_u64(&h, (uint64_t)v.id[i] << 32 | (v.color != NULL ? v.color[i] : 0));
        }
    return rico__hash_value(&h);
}

/* Makes the same calls at the same steps, after the time that may be sought. */
static void call(rico_world *world, rico_effect_id e, rico_transform place, int step)
{
    if (step < SOUGHT || !rico_effect_is_alive(world, e))
        return;
    place.position.x += 0.1f * (float)step;
    if (step % 5 == 1)
        rico_effect_move(world, e, place);
    if (step == 20)
        rico_effect_teleport(world, e, place);
    if (step % 7 == 3)
        rico_effect_emit(world, e, 5);
    if (step == 24)
        rico_effect_set_time_scale(world, e, 0.5f);
}

/* Makes one run and hashes the particles after each step. which = RELATION_COUNT: as it is.
 * False if something is refused. */
static bool run(rico_world *world, rico_recipe r, const rico_effect_def *def, int which,
                uint64_t bits[STEPS])
{
    rico_effect_def spawned = *def;
    const int from = which == SOUGHT_FOR ? SOUGHT : 0;
    if (which == SCALE_DOUBLED) {
        r = smaller(r);
        spawned.transform.scale *= 2.0f;
    }
    r.interpolate = which == PLACES_KEPT;
    rico_recipe other = rico_recipe_default();
    other.mode = which == RECORDS_BESIDE ? RICO_COLLIDE_CACHED : RICO_COLLIDE_NONE;
    rico_recipe_id others = rico_world_add_recipe(world, &other);
    rico_effect_id beside = {0, 0};
    if (which == OTHERS_BESIDE)
        beside = rico_effect_spawn(world, others, def->transform);
    rico_recipe_id id = rico_world_add_recipe(world, &r);
    if (which == GIVEN_BACK && id.index1 != 0) {
        const rico_emitter_mesh mesh = r.mesh;
        CHECK(rico_world_get_recipe(world, id, &r));
        r.mesh = mesh;
        CHECK_EQ(rico_world_remove_recipe(world, id), RICO_OK);
        id = rico_world_add_recipe(world, &r);
    }
    rico_effect_id e = rico_effect_spawn_def(world, id, &spawned);
    if (which == SOUGHT_FOR)
        rico_effect_seek(world, e, DT * (float)SOUGHT, DT);
    for (int i = from; i < STEPS; ++i) {
        call(world, e, spawned.transform, i);
        if (which == STEPS_OF_NO_TIME && i % 3 == 0)
            rico_world_step(world, 0.0f);
        rico_world_step(world, DT);
        bits[i] = bits_of_effect(world, e);
    }
    if (rico_effect_is_alive(world, e))
        rico_effect_destroy(world, e);
    if (beside.index1 != 0)
        rico_effect_destroy(world, beside);
    rico_world_remove_recipe(world, others);
    return id.index1 == 0 || rico_world_remove_recipe(world, id) == RICO_OK;
}

TEST(relations, that_are_nothing_to_an_effect_change_no_bit_of_it)
{
    static const float corners[] = {-0.3f, -0.3f, 0.0f, 0.3f, -0.3f, 0.1f, 0.0f, 0.3f, 0.0f};
    static const uint32_t indices[] = {0, 1, 2};
    const rico_emitter_mesh mesh = {corners, 3, indices, 1};
    const rico_log quiet = {say_nothing, NULL};
    const rico_vec3 viewer = {4.0f, 0.0f, 0.0f};
    rico_world *world = small_world(1, false);
    CHECK_EQ(rico_world_set_viewers(world, &viewer, 1), RICO_OK);
    uint64_t state = 7, different = 0;
    for (uint32_t round = 0; round < test_rounds(500); ++round) {
        uint8_t bytes[400];
        for (size_t k = 0; k < sizeof bytes; ++k) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[k] = (uint8_t)(state >> 56);
        }
        source s = {bytes, sizeof bytes};
        const rico_recipe r = random_recipe(&s, &mesh);
        rico_effect_def def = rico_effect_def_default();
        def.transform = at(0.3f, 0.2f, 0.1f);
        def.transform.rotation = (rico_quat){0.48f, 0.6f, 0.0f, 0.64f};
        def.seed = 1 + round;
        uint64_t as_it_is[STEPS], other[STEPS];
        const rico_recipe half = smaller(r);
        if (rico_recipe_check(&r, &quiet) != RICO_OK ||
            rico_recipe_check(&half, &quiet) != RICO_OK)
            continue;
        CHECK(run(world, r, &def, RELATION_COUNT, as_it_is));
        different += as_it_is[STEPS - 1] != as_it_is[0];
        for (int which = 0; which < RELATION_COUNT; ++which) {
            if ((which == SCALE_DOUBLED && r.shape == RICO_EMIT_MESH) ||
                (which == SOUGHT_FOR && is_seen_otherwise(&r)))
                continue;
            CHECK(run(world, r, &def, which, other));
            for (int i = which == SOUGHT_FOR ? SOUGHT : 0; i < STEPS; ++i)
                CHECK_MSG(other[i] == as_it_is[i], "recipe %u, relation %d, step %d", round,
                          which, i);
        }
    }
    CHECK_MSG(different * 5 > test_rounds(500), "%u", (unsigned)different);
    rico_world_destroy(world);
}
