/* run.h - `ricochet run`: a world, thousands of effects, and their cost. */
#ifndef RICOCHET_RUN_H
#define RICOCHET_RUN_H

/* argv[0] is "run". Returns the exit status: 0, or 2 with one line on standard error. */
int run_main(int argc, char **argv);

#endif
