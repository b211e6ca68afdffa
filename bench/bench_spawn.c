/* bench_spawn - the cost of the frame in which a host starts 1,000 effects, or has 1,000
 * impacts, at once.
 *
 * The courtyard with its 2,000 effects runs in its steady state. Then 1,000 more are started,
 * and the next step is timed, starts included, against the median of the frames before. This is
 * repeated several times, with the new effects destroyed in between; medians are reported.
 * Impacts: ten sparks each at 1,000 places, by one call, against an effect for each place, in
 * turns.
 */
#include "courtyard.h"
#include "median.h"
#include "row.h"
#include "show.h"

#include <ricochet/world.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DT (1.0f / 60.0f)
#define NEWCOMERS 1000u
#define EFFECTS 2000u
#define PARTICLES 300000u
#define FRAMES 30u
#define SPARKS 10u /* per impact */
#define MAX_ROUNDS 25u

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1.0e3 + (double)t.tv_nsec * 1.0e-6;
}

/* The show in the courtyard, with room for the new effects; false when it cannot be made. */
static bool open_world(uint32_t threads, rico_world **world, show *s)
{
    rio_mesh mesh;
    if (rio_courtyard_create(1, &mesh) != RICO_OK)
        return false;
    show_cast cast;
    char error[RIO_EFFECT_ERROR_BYTES];
    if (show_cast_load(&cast, error, sizeof error) != RICO_OK) {
        fprintf(stderr, "bench_spawn: %s\n", error);
        rio_mesh_free(&mesh);
        return false;
    }
    show_def def = {.effects = EFFECTS,
                    .particles = PARTICLES,
                    .seed = 1,
                    .courtyard = true,
                    .bounds = rio_mesh_bounds(&mesh),
                    .cast = &cast};
    show_plan plan = show_plan_make(&def);
    rico_world_def world_def = rico_world_def_default();
    world_def.max_particles = plan.max_particles * 2;
    world_def.max_effects = EFFECTS + NEWCOMERS + 1;
    world_def.worker_count = threads;
    world_def.prefault = true;
    rico_mesh view = rio_mesh_view(&mesh);
    error[0] = '\0';
    bool ok = rico_world_create(&world_def, world) == RICO_OK &&
              rico_world_add_mesh(*world, &view, RICO_TRANSFORM_IDENTITY).index1 != 0 &&
              show_create(&def, *world, NULL, s, error, sizeof error) == RICO_OK;
    if (!ok && error[0] != '\0')
        fprintf(stderr, "bench_spawn: %s\n", error);
    rio_mesh_free(&mesh);
    show_cast_free(&cast);
    return ok;
}

static double step_ms(rico_world *world)
{
    double start = now_ms();
    rico_world_step(world, DT);
    return now_ms() - start;
}

/* Times the frame with the starts. The new effects are placed and mixed like the running ones. */
static double spawn_ms(rico_world *world, const show *s, rico_effect_id *ids)
{
    double start = now_ms();
    for (uint32_t i = 0; i < NEWCOMERS; ++i) {
        const show_effect *like = &s->effects[i * 2 % s->effect_count];
        ids[i] =
            rico_effect_spawn(world, s->groups[like->kind].items[0].recipe, like->transform);
    }
    rico_world_step(world, DT);
    return now_ms() - start;
}

static void measure(bench *b, rico_world *world, const show *s)
{
    static rico_effect_id ids[NEWCOMERS];
    double usual[MAX_ROUNDS], spawn[MAX_ROUNDS], frames[FRAMES];
    uint32_t rounds = b->quick ? 9u : MAX_ROUNDS;
    for (uint32_t r = 0; r < rounds; ++r) {
        for (uint32_t f = 0; f < FRAMES; ++f)
            frames[f] = step_ms(world);
        usual[r] = median(frames, FRAMES);
        spawn[r] = spawn_ms(world, s, ids);
        for (uint32_t i = 0; i < NEWCOMERS; ++i)
            rico_effect_destroy(world, ids[i]);
    }
    bench_add(b, (bench_row){.name = "spawn/1000",
                             .metric = "frame_ms",
                             .value = median(spawn, rounds),
                             .unit = "ms",
                             .peer = "usual_frame",
                             .peer_value = median(usual, rounds)});
}

/* The effects that the host starts, and the recipes for that. */
typedef struct impacts {
    rico_recipe_id one, all; /* one: of an impact's effect, with a burst */
    rico_effect_id ids[NEWCOMERS];
    rico_birth births[NEWCOMERS];
} impacts;

static bool prepare_impacts(impacts *to, rico_world *world, const show *s)
{
    rico_recipe r;
    if (!rico_world_get_recipe(world, s->groups[SHOW_SPARKS].items[0].recipe, &r))
        return false;
    r.rate = 0.0f;
    r.burst_count = SPARKS;
    r.max_particles = SPARKS;
    to->one = rico_world_add_recipe(world, &r);
    r.burst_count = 0;
    r.max_particles = 4 * SPARKS * NEWCOMERS;
    to->all = rico_world_add_recipe(world, &r);
    for (uint32_t i = 0; i < NEWCOMERS; ++i) {
        const show_effect *like = &s->effects[i * 2 % s->effect_count];
        to->births[i] = (rico_birth){like->transform, {0.0f, 0.0f, 0.0f}, SPARKS};
    }
    return to->one.index1 != 0 && to->all.index1 != 0;
}

static double effects_ms(rico_world *world, impacts *of)
{
    double start = now_ms();
    for (uint32_t i = 0; i < NEWCOMERS; ++i)
        of->ids[i] = rico_effect_spawn(world, of->one, of->births[i].transform);
    rico_world_step(world, DT);
    return now_ms() - start;
}

static double emit_ms(rico_world *world, const impacts *of)
{
    double start = now_ms();
    rico_world_emit(world, of->all, of->births, NEWCOMERS);
    rico_world_step(world, DT);
    return now_ms() - start;
}

static void settle(rico_world *world)
{
    for (uint32_t f = 0; f < FRAMES; ++f)
        rico_world_step(world, DT);
}

/* A turn ends with all its effects and particles destroyed, and a world that has settled. */
static double effects_turn(rico_world *world, impacts *of, uint32_t *sparks)
{
    double ms = effects_ms(world, of);
    *sparks = 0;
    for (uint32_t i = 0; i < NEWCOMERS; ++i) {
        *sparks += rico_effect_particle_count(world, of->ids[i]);
        rico_effect_destroy(world, of->ids[i]);
    }
    settle(world);
    return ms;
}

static double emit_turn(rico_world *world, const impacts *of, uint32_t *sparks)
{
    double ms = emit_ms(world, of);
    const rico_effect_id emitted = rico_world_sub_effect(world, of->all);
    *sparks = rico_effect_particle_count(world, emitted);
    rico_effect_destroy(world, emitted); /* with its particles */
    settle(world);
    return ms;
}

/* The two take turns; each goes first in every second round. */
static void measure_impacts(bench *b, rico_world *world, const show *s)
{
    static impacts of;
    double effects[MAX_ROUNDS], emit[MAX_ROUNDS];
    uint32_t rounds = b->quick ? 9u : MAX_ROUNDS;
    if (!prepare_impacts(&of, world, s)) {
        bench_fail(b, "the recipes of impacts could not be added");
        return;
    }
    for (uint32_t r = 0; r < rounds; ++r) {
        uint32_t sparks = 0, emitted = 0;
        for (uint32_t turn = 0; turn < 2; ++turn)
            if ((turn + r) % 2 == 0)
                effects[r] = effects_turn(world, &of, &sparks);
            else
                emit[r] = emit_turn(world, &of, &emitted);
        if (sparks == 0 || emitted != sparks) {
            bench_fail(b, "effects and impacts have different numbers of sparks");
            return;
        }
    }
    bench_add(b, (bench_row){.name = "impacts/1000",
                             .metric = "frame_ms",
                             .value = median(emit, rounds),
                             .unit = "ms",
                             .peer = "effects",
                             .peer_value = median(effects, rounds)});
}

int main(int argc, char **argv)
{
    static const bench_about about = {
        .name = "spawn", .text = "Measures the frame in which 1,000 effects or impacts start."};
    bench b;
    int status = bench_begin(&b, &about, argc, argv);
    if (status >= 0)
        return status;
    rico_world *world = NULL;
    show s;
    memset(&s, 0, sizeof s);
    if (open_world(b.threads, &world, &s)) {
        for (uint32_t frame = 0; frame < SHOW_WARM_UP; ++frame) {
            show_start_effects(&s, world, frame);
            rico_world_step(world, DT);
        }
        measure(&b, world, &s);
        measure_impacts(&b, world, &s);
    } else {
        bench_fail(&b, "the courtyard's world could not be created");
    }
    show_free(&s);
    rico_world_destroy(world);
    return bench_end(&b);
}
