/* stress_ground.h - a small world for tests of stressed worlds. */
#ifndef RICO_STRESS_GROUND_H
#define RICO_STRESS_GROUND_H

#include "mesh_file.h"

/* 12 m of bumpy ground. It is small, so that every edit of a world of it is cheap. Not to be
 * freed. */
const rio_mesh *stress_ground(void);

#endif
