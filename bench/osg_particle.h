/* osg_particle.h - a peer: osgParticle, the particle system of OpenSceneGraph, as its users set it up.
 *
 * The fountain of aos_loop.h in osgParticle's own parts: a particle system, emitters with a steady
 * rate, and a program of its operators for gravity, drag and a ground plane. What differs from ours:
 *   - one plane for all, where each of our particles has its own; contact at the centre, and in the
 *     step before, where ours is 1 cm away, and at the time of impact;
 *   - a particle system has one life per emitter: eight emitters share 2..4 s evenly;
 *   - it also interpolates size, alpha and colour over life (both ends alike here), keeps the last
 *     position, and works out bounds. That cannot be switched off, and is part of what its users pay.
 * Drag is its DampingOperator, which is cheaper than its FluidFrictionOperator and the same as ours.
 * One thread, as it has no other way.
 */
#ifndef RICO_BENCH_OSG_PARTICLE_H
#define RICO_BENCH_OSG_PARTICLE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct osg_particle osg_particle;

/* So many particles alive in the steady state, which it is in when this returns. */
osg_particle *osg_particle_create(uint32_t particles); /* NULL: no memory */
void osg_particle_destroy(osg_particle *o);

/* One frame: emitters, program, update. */
void osg_particle_step(osg_particle *o, float dt);

uint32_t osg_particle_alive(const osg_particle *o);

/* What a step does, for proof that the steady state is one: steps, and compares with before. */
typedef struct osg_particle_work {
    uint32_t births, deaths, bounces, below; /* below: particles under the plane */
} osg_particle_work;
osg_particle_work osg_particle_watch(osg_particle *o, float dt);

#ifdef __cplusplus
}
#endif
#endif
