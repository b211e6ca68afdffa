/* osg_contest.h - the cases plane/<n> against osgParticle, in turns. */
#ifndef RICO_BENCH_OSG_CONTEST_H
#define RICO_BENCH_OSG_CONTEST_H

#include "row.h"

/* Adds the row of a case with its peer osgparticle. Fails the benchmark if that is impossible. */
void osg_contest_run(bench *b, uint32_t particles);

#endif
