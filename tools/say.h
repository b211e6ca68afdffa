/* say.h - the program's messages on standard error. */
#ifndef RICOCHET_SAY_H
#define RICOCHET_SAY_H

#if defined(__GNUC__)
#define SAY_PRINTF __attribute__((format(printf, 1, 2)))
#else
#define SAY_PRINTF
#endif

/* Prints one line, even if names of files and options contain line ends. Messages longer than
 * any path are cut. */
void say(const char *format, ...) SAY_PRINTF;

/* Replaces control characters by spaces, in place: they could end a line or control a terminal. */
void say_flatten(char *text);

#endif
