/* own_thread - a world that steps on a thread of its own, while the main thread draws.
 *
 * A world is used by one thread at a time. So the stepping thread owns it. After each step it
 * copies the data to draw into one of three frames, and the main thread reads the newest
 * complete one. Neither waits for the other: the main thread draws the last frame while the next
 * is made. Commands go the other way, through a value that the stepping thread reads. "Drawing"
 * here prints how many sparks there are, and the lowest. */
#include <pthread.h>
#include <ricochet/ricochet.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 4096u
#define STEPS 300u

/* The data needed to draw a frame. */
typedef struct picture {
    uint32_t step, count;
    float x[MOST], y[MOST], z[MOST];
} picture;

/* One picture is being drawn, one is being written, one is the newest. The lock protects only
 * which picture is which. */
typedef struct exchange {
    pthread_mutex_t lock;
    picture *drawn, *newest, *written;
    float emitter_x; /* the main thread's command */
    bool over;
} exchange;

/* --- The stepping thread ------------------------------------------------------------------ */

static rico_world *create_world(rico_effect_id *effect)
{
    static const float corners[] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    rico_mesh ground = {
        .positions = corners, .vertex_count = 4, .indices = triangles, .triangle_count = 2};
    rico_world_def def = rico_world_def_default();
    rico_recipe sparks = rico_recipe_default();
    rico_world *world;
    def.worker_count = 1; /* plus as many as the host can spare */
    if (rico_world_create(&def, &world) != RICO_OK)
        exit(EXIT_FAILURE);
    sparks.rate = 500;
    rico_world_add_mesh(world, &ground, RICO_TRANSFORM_IDENTITY);
    *effect = rico_effect_spawn(world, rico_world_add_recipe(world, &sparks),
                                RICO_TRANSFORM_IDENTITY);
    return world;
}

/* A view is valid until the world changes, so later drawing needs a copy. */
static void copy_particles(const rico_world *world, rico_effect_id effect, picture *out)
{
    rico_view view = rico_effect_view(world, effect);
    out->count = 0;
    while (rico_view_next(&view))
        for (uint32_t i = 0; i < view.count && out->count < MOST; ++i) {
            out->x[out->count] = view.px[i];
            out->y[out->count] = view.py[i];
            out->z[out->count++] = view.pz[i];
        }
}

static float publish(exchange *e, bool over)
{
    pthread_mutex_lock(&e->lock);
    picture *stale = e->newest;
    e->newest = e->written;
    e->written = stale;
    e->over = over;
    float x = e->emitter_x;
    pthread_mutex_unlock(&e->lock);
    return x;
}

static void *step_world(void *context)
{
    exchange *e = context;
    rico_effect_id effect;
    rico_world *world = create_world(&effect);
    rico_transform place = RICO_TRANSFORM_IDENTITY;
    place.position.z = 1.5f;
    for (uint32_t step = 1; step <= STEPS; ++step) {
        rico_effect_move(world, effect, place);
        rico_world_step(world, 1.0f / 60.0f);
        copy_particles(world, effect, e->written);
        e->written->step = step;
        place.position.x = publish(e, step == STEPS);
    }
    rico_world_destroy(world);
    return NULL;
}

/* --- The main thread ---------------------------------------------------------------------- */

/* Takes the newest picture; the picture drawn before becomes free. False: the last one has been
 * taken. */
static bool take_newest(exchange *e, float emitter_x)
{
    pthread_mutex_lock(&e->lock);
    bool is_new = e->newest->step > e->drawn->step;
    if (is_new) {
        picture *old = e->drawn;
        e->drawn = e->newest;
        e->newest = old;
    }
    e->emitter_x = emitter_x;
    bool more = is_new || !e->over;
    pthread_mutex_unlock(&e->lock);
    return more;
}

static float lowest(const picture *p)
{
    float z = p->count > 0 ? p->z[0] : 0.0f;
    for (uint32_t i = 0; i < p->count; ++i)
        z = p->z[i] < z ? p->z[i] : z;
    return z;
}

int main(void)
{
    static picture pictures[3];
    static exchange e = {.lock = PTHREAD_MUTEX_INITIALIZER,
                         .drawn = &pictures[0],
                         .newest = &pictures[1],
                         .written = &pictures[2]};
    pthread_t thread;
    if (pthread_create(&thread, NULL, step_world, &e) != 0)
        return EXIT_FAILURE;
    unsigned long drawn = 0;
    bool torn = false;
    float below = 0.0f;
    while (take_newest(&e, 0.01f * (float)(drawn % 100))) {
        uint32_t step = e.drawn->step; /* of this frame, until the next one is taken */
        float z = lowest(e.drawn);
        below = z < below ? z : below;
        torn = torn || step != e.drawn->step;
        ++drawn;
    }
    pthread_join(thread, NULL);
    printf("drew %lu times, up to step %u: %u sparks, none below %.3f m\n", drawn,
           e.drawn->step, e.drawn->count, (double)below);
    bool ok = !torn && e.drawn->step == STEPS && e.drawn->count > 500 && below > -0.05f;
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
