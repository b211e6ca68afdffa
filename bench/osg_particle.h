/* osg_particle.h - a peer: osgParticle, the particle system of OpenSceneGraph, as its users set
 * it up.
 *
 * The fountain of aos_loop.h in osgParticle's own parts: a particle system, emitters with a
 * steady rate, and a program of its operators for gravity, drag and a ground plane. It differs
 * from ours:
 *   - There is one plane for all, where each of our particles has its own. Contact is at the
 *     centre and in the step before; with ours it is 1 cm away and at the time of impact.
 *   - A particle system has one life per emitter: eight emitters share 2..4 s evenly.
 *   - It also interpolates size, alpha and colour over life (both ends equal here), keeps the
 *     last position, and computes bounds. That cannot be switched off, and its users pay for it,
 *     too.
 * Drag is its DampingOperator, which is cheaper than its FluidFrictionOperator and acts as ours.
 * One thread, because it supports no more.
 */
#ifndef RICO_BENCH_OSG_PARTICLE_H
#define RICO_BENCH_OSG_PARTICLE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct osg_particle osg_particle;

/* Makes a system with that many particles alive in the steady state, which it has reached on
 * return. */
osg_particle *osg_particle_create(uint32_t particles); /* NULL: no memory */
void osg_particle_destroy(osg_particle *o);

/* Runs one frame: emitters, program, update. */
void osg_particle_step(osg_particle *o, float dt);

uint32_t osg_particle_alive(const osg_particle *o);

/* The work of one step, to prove the steady state: it steps and compares with the state before. */
typedef struct osg_particle_work {
    uint32_t births, deaths, bounces, below; /* below: particles under the plane */
} osg_particle_work;
osg_particle_work osg_particle_watch(osg_particle *o, float dt);

#ifdef __cplusplus
}
#endif
#endif
