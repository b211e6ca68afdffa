/* replay.h - `ricochet replay FILE`: casts captured rays again, as a test. */
#ifndef RICOCHET_REPLAY_H
#define RICOCHET_REPLAY_H

/* Casts each ray of the file again at the triangles that it met. Each is cast alone and in a
 * batch, on every instruction set of this CPU, in cells of the captured size and of the chosen
 * one. All bits must be those of brute force. They must also be those of the captured answer, if
 * that agreed with brute force. Prints what fails; the last line is "N passed, N failed".
 * Exit status: 0 = all passed, 1 = some failed, 2 = bad input. */
int replay_main(int argc, char **argv);
void replay_help(void);

#endif
