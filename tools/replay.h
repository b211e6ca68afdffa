/* replay.h - `ricochet replay FILE`: captured rays asked again, as a test. */
#ifndef RICOCHET_REPLAY_H
#define RICOCHET_REPLAY_H

/* Asks each ray of the file again, of the triangles that it met: alone and in a batch, on every
 * instruction set that this CPU has, in cells of the captured size and of the chosen one. All bits
 * must be those of brute force, and of the captured answer where it agreed with brute force.
 * Names what fails; the last line is "N passed, N failed".
 * Exit status: 0 = all passed, 1 = some failed, 2 = bad input. */
int replay_main(int argc, char **argv);
void replay_help(void);

#endif
