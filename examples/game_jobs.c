/* game_jobs - the game's own jobs on all workers while the world is stepped, with one pool for
 * both.
 *
 * In each frame the step begins, the game moves its walkers by jobs, and the step is ended. A
 * walker sends commands to the world: its torch moves with it, and its steps raise dust. Its job
 * writes them into the list of the worker on which it happens to run, so no lock is needed.
 * Commands are carried out in the order of walkers' numbers. So the particles are the same in
 * every run and for any number of workers, which this program checks. */
#include <math.h>
#include <ricochet/ricochet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WALKERS 300u
#define FRAMES 180u
#define DT (1.0f / 60.0f)

typedef struct walker {
    float angle, radius, speed;
    rico_effect_id torch;
    rico_command *asked; /* receives the answer to the walker's command; NULL = no command */
} walker;

/* At most two commands per walker and frame, all on one worker at worst. */
typedef struct desk {
    rico_command commands[2 * WALKERS];
    uint32_t count;
} desk;

typedef struct game {
    rico_jobs *jobs;
    rico_world *world;
    rico_recipe_id torch, dust;
    walker walkers[WALKERS];
    desk *desks; /* one per worker */
    uint32_t frame;
} game;

static rico_transform place_of(const walker *w, float height)
{
    rico_transform place = RICO_TRANSFORM_IDENTITY;
    place.position =
        (rico_vec3){w->radius * cosf(w->angle), w->radius * sinf(w->angle), height};
    return place;
}

static rico_command *ask(desk *d, uint32_t number, rico_command_kind kind)
{
    rico_command *c = &d->commands[d->count++];
    *c = (rico_command){.order = number, .kind = kind};
    return c;
}

static void move_walkers(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    game *g = context;
    desk *d = &g->desks[rico_worker_index(worker)];
    for (uint32_t i = begin; i < end; ++i) {
        walker *w = &g->walkers[i];
        w->angle += w->speed * DT;
        w->asked = NULL;
        if (w->torch.index1 == 0) {
            w->asked = ask(d, i, RICO_COMMAND_SPAWN);
            w->asked->recipe = g->torch;
            w->asked->spawn = rico_effect_def_default();
            w->asked->spawn.transform = place_of(w, 1.8f);
        } else {
            rico_command *c = ask(d, i, RICO_COMMAND_MOVE);
            c->effect = w->torch;
            c->transform = place_of(w, 1.8f);
        }
        if ((g->frame + i) % 30 == 0) { /* a foot touches the ground */
            rico_command *c = ask(d, i, RICO_COMMAND_BIRTH);
            c->recipe = g->dust;
            c->birth = (rico_birth){.transform = place_of(w, 0.1f), .count = 4};
        }
    }
}

/* Called between steps. */
static bool carry_out(game *g)
{
    rico_command_list lists[RICO_JOBS_MAX_WORKERS];
    uint32_t count = rico_jobs_worker_count(g->jobs);
    for (uint32_t k = 0; k < count; ++k)
        lists[k] = (rico_command_list){g->desks[k].commands, g->desks[k].count};
    bool ok = rico_world_apply(g->world, lists, count) == RICO_OK;
    for (uint32_t i = 0; i < WALKERS; ++i)
        if (g->walkers[i].asked != NULL)
            g->walkers[i].torch = g->walkers[i].asked->spawned;
    for (uint32_t k = 0; k < count; ++k)
        g->desks[k].count = 0;
    return ok;
}

static bool open_game(game *g, uint32_t workers)
{
    static const float corners[] = {-99, -99, 0, 99, -99, 0, 99, 99, 0, -99, 99, 0};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    rico_mesh ground = {
        .positions = corners, .vertex_count = 4, .indices = triangles, .triangle_count = 2};
    rico_jobs_def jobs = rico_jobs_def_default();
    rico_world_def def = rico_world_def_default();
    memset(g, 0, sizeof *g);
    jobs.worker_count = workers;
    if (rico_jobs_create(&jobs, &g->jobs) != RICO_OK)
        return false;
    g->desks = calloc(rico_jobs_worker_count(g->jobs), sizeof *g->desks);
    def.jobs = g->jobs;
    if (g->desks == NULL || rico_world_create(&def, &g->world) != RICO_OK)
        return false;
    rico_world_add_mesh(g->world, &ground, RICO_TRANSFORM_IDENTITY);
    rico_recipe recipe = rico_recipe_default();
    recipe.rate = 60;
    recipe.lifetime = (rico_range){0.5f, 1.0f};
    g->torch = rico_world_add_recipe(g->world, &recipe);
    recipe.rate = 0;
    recipe.speed = (rico_range){0.2f, 0.8f};
    g->dust = rico_world_add_recipe(g->world, &recipe);
    for (uint32_t i = 0; i < WALKERS; ++i)
        g->walkers[i] = (walker){.angle = 0.1f * (float)i,
                                 .radius = 5.0f + 0.2f * (float)i,
                                 .speed = 0.05f + 0.001f * (float)(i % 50)};
    return g->torch.index1 != 0 && g->dust.index1 != 0;
}

static void close_game(game *g)
{
    rico_world_destroy(g->world);
    rico_jobs_destroy(g->jobs);
    free(g->desks);
}

/* Returns the hash of the final world; 0 = a command was refused. */
static uint64_t play(uint32_t workers)
{
    static game g;
    bool ok = open_game(&g, workers);
    for (g.frame = 0; ok && g.frame < FRAMES; ++g.frame) {
        rico_world_step_begin(g.world, DT);
        rico_jobs_for(g.jobs, 0, WALKERS, 16, move_walkers, &g);
        rico_world_step_end(g.world);
        ok = carry_out(&g);
    }
    uint64_t hash = ok ? rico_world_hash(g.world) : 0;
    if (ok)
        printf("%u workers: %llu particles, hash %016llx\n", workers,
               (unsigned long long)rico_world_get_stats(g.world).particles,
               (unsigned long long)hash);
    close_game(&g);
    return hash;
}

int main(void)
{
    uint64_t alone = play(1);
    return alone != 0 && play(2) == alone && play(4) == alone ? EXIT_SUCCESS : EXIT_FAILURE;
}
