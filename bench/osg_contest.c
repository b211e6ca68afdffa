#include "osg_contest.h"

#include "machine.h"
#include "median.h"
#include "osg_particle.h"
#include "update_case.h"
#include <stdio.h>

#define DT (1.0f / 60.0f)
#define MAX_SAMPLES 2048u

/* Each side runs a few frames in its turn, so that its data is in cache as it would be alone.
 * The first frame, which loads the cache, does not count. */
typedef struct contest {
    update_case *ours;
    osg_particle *peer;
    uint32_t particles, count; /* samples of each */
    double ours_ns[MAX_SAMPLES], peer_ns[MAX_SAMPLES];
} contest;

static void run_round(contest *c)
{
    uint32_t first = c->count, frames = 200000u / c->particles + 1u;
    uint64_t steps;
    update_case_run(c->ours, 1, &steps);
    for (uint32_t i = first; i < first + frames && i < MAX_SAMPLES; ++i) {
        double ns = update_case_run(c->ours, 1, &steps);
        c->ours_ns[i] = steps > 0 ? ns / (double)steps : 0.0;
        c->count = i + 1;
    }
    osg_particle_step(c->peer, DT);
    for (uint32_t i = first; i < c->count; ++i) {
        uint64_t begin = machine_clock_ns();
        osg_particle_step(c->peer, DT);
        c->peer_ns[i] =
            (double)(machine_clock_ns() - begin) / (double)osg_particle_alive(c->peer);
    }
}

/* Checks the peer as update_case_is_steady checks ours. */
static const char *check_peer(osg_particle *peer, uint32_t particles)
{
    double wanted = (double)particles, alive = (double)osg_particle_alive(peer);
    double born = wanted / 3.0 * (double)DT;
    osg_particle_work sum = {0};
    for (int i = 0; i < 4; ++i) {
        osg_particle_work work = osg_particle_watch(peer, DT);
        sum.births += work.births;
        sum.deaths += work.deaths;
        sum.bounces += work.bounces;
        sum.below += work.below;
    }
    if (alive < 0.97 * wanted || alive > 1.03 * wanted)
        return "osgparticle: the number of living particles is not the expected one";
    if (sum.births < 3.0 * born || sum.births > 5.0 * born)
        return "osgparticle: the number of births does not fit the lifetimes";
    if (sum.deaths < 0.8 * (double)sum.births)
        return "osgparticle: the number of deaths does not fit the births";
    if (sum.bounces < 0.5 * (double)sum.deaths)
        return "osgparticle: there was less than one bounce per two particles";
    /* Its bounce now and then loses one particle in a million. */
    if (sum.below > 4.0e-5 * alive)
        return "osgparticle: particles are below the ground";
    return NULL;
}

static void report(bench *b, contest *c)
{
    char name[64];
    const char *why;
    snprintf(name, sizeof name, "plane/%u", c->particles);
    if (!update_case_is_steady(c->ours, &why))
        bench_fail(b, why);
    why = check_peer(c->peer, c->particles);
    if (why)
        bench_fail(b, why);
    bench_add(b, (bench_row){.name = name,
                             .metric = "ns_per_particle",
                             .value = median(c->ours_ns, c->count),
                             .unit = "ns",
                             .peer = "osgparticle",
                             .peer_value = median(c->peer_ns, c->count)});
}

void osg_contest_run(bench *b, uint32_t particles)
{
    contest c = {.particles = particles};
    c.ours = update_case_create(UPDATE_PLANE, particles, 1, b->threads);
    c.peer = osg_particle_create(particles);
    if (!c.ours || !c.peer) {
        bench_fail(b, "osgparticle could not be set up");
    } else {
        for (uint32_t i = 0; i < (b->quick ? 8u : 30u); ++i)
            run_round(&c);
        report(b, &c);
    }
    update_case_destroy(c.ours);
    osg_particle_destroy(c.peer);
}
