#include "replay.h"

#include "capture.h"
#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 64u
#define ERROR_BYTES 4608u

static const char *const isas[] = {"scalar", "sse2", "avx2", "avx512", "neon"};

#define ISA_COUNT (sizeof isas / sizeof *isas)

/* One query and the scenes and answers of its repetitions. */
typedef struct trial {
    const capture *all;
    const capture_query *query;
    uint32_t number;
    rico_hit brute;
    bool failed; /* the reason has been printed already */
} trial;

static void print_hit(const char *what, const rico_hit *hit)
{
    printf("  %-10s t %a, collider %u, triangle %u, %s, normal %a %a %a\n", what,
           (double)hit->t, hit->collider, hit->triangle, hit->back_face ? "back" : "front",
           (double)hit->normal.x, (double)hit->normal.y, (double)hit->normal.z);
}

/* Reports the first difference only. */
static void compare(trial *t, const char *how, const rico_hit *answer)
{
    bool wrong = !capture_same(answer, &t->brute);
    bool other =
        t->query->agrees && t->query->complete && !capture_same(answer, &t->query->hit);
    if (t->failed || !(wrong || other))
        return;
    t->failed = true;
    printf("FAILED queries[%u] (%s): %s: the answer differs from %s\n", t->number,
           t->query->why, how, wrong ? "that of brute force" : "the captured one");
    print_hit("answered", answer);
    print_hit("brute", &t->brute);
    print_hit("captured", &t->query->hit);
}

static void ask_scene(trial *t, const rico_scene *scene, const char *isa, const char *cells)
{
    char how[64];
    rico_ray rays[BATCH];
    rico_hit hits[BATCH];
    rico_filter filter = t->query->filter;
    filter.layers = RICO_LAYER_DEFAULT;
    filter.ignored_layers = 0;
    for (uint32_t i = 0; i < BATCH; ++i) {
        rays[i] = t->all->queries[(t->number + i) % t->all->count].ray;
        rays[i].ignore = 0;
    }
    rays[0] = rays[BATCH / 3] = rays[BATCH - 1] = capture_ray_for_scene(t->query);
    rico_hit hit = rico_scene_raycast(scene, &filter, &rays[0]);
    hit = capture_rename(t->query, &hit);
    snprintf(how, sizeof how, "%s, cells of the %s size, alone", isa, cells);
    compare(t, how, &hit);
    rico_scene_raycast_batch(scene, &filter, rays, hits, BATCH);
    snprintf(how, sizeof how, "%s, cells of the %s size, in a batch", isa, cells);
    const uint32_t places[] = {0, BATCH / 3, BATCH - 1};
    for (int i = 0; i < 3; ++i) {
        hit = capture_rename(t->query, &hits[places[i]]);
        compare(t, how, &hit);
    }
}

/* Returns false when memory ran out. */
static bool ask_everywhere(trial *t)
{
    float captured = t->all->cell_size;
    captured = captured >= 0.01f && captured <= 100.0f ? captured : 0.0f;
    for (size_t i = 0; i < ISA_COUNT; ++i) {
        setenv("RICO_ISA", isas[i], 1); /* read when a scene is created */
        for (int chosen = 0; chosen < 2; ++chosen) {
            rico_scene *scene = capture_scene(t->query, chosen ? 0.0f : captured);
            if (!scene)
                return false;
            ask_scene(t, scene, isas[i], chosen ? "default" : "captured");
            rico_scene_destroy(scene);
        }
    }
    return true;
}

static int replay(const capture *c)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        trial t = {.all = c, .query = &c->queries[i], .number = i};
        if (!capture_brute(t.query, &t.brute) || !ask_everywhere(&t)) {
            say("ricochet: out of memory");
            return 2;
        }
        failed += t.failed ? 1u : 0u;
    }
    printf("%u passed, %u failed\n", c->count - failed, failed);
    return failed > 0 ? 1 : 0;
}

void replay_help(void)
{
    puts(
        "usage: ricochet replay FILE\n\n"
        "Casts the rays of FILE again, which `ricochet run --capture FILE` wrote, against the\n"
        "triangles that they met: alone and in a batch, with every instruction set, and with\n"
        "two cell sizes. Every bit of an answer must equal that of brute force and that of\n"
        "the captured answer.\n\n"
        "Exit status: 0 when all passed, 1 when some failed, 2 for bad input.");
}

int replay_main(int argc, char **argv)
{
    char error[ERROR_BYTES];
    capture c;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        replay_help();
        return 0;
    }
    if (argc != 2) {
        say("ricochet: replay takes the name of one file, found %d arguments", argc - 1);
        return 2;
    }
    if (!capture_read(argv[1], &c, error, sizeof error)) {
        say("ricochet: %s", error);
        return 2;
    }
    if (c.count == 0) {
        say("ricochet: %s: queries: found none, expected at least one", argv[1]);
        capture_free(&c);
        return 2;
    }
    int status = replay(&c);
    capture_free(&c);
    return status;
}
