/* say.h - what the program says on standard error. */
#ifndef RICOCHET_SAY_H
#define RICOCHET_SAY_H

#if defined(__GNUC__)
#define SAY_PRINTF __attribute__((format(printf, 1, 2)))
#else
#define SAY_PRINTF
#endif

/* One line, whatever names of files and options have in them. Longer ones than any path are cut. */
void say(const char *format, ...) SAY_PRINTF;

/* Control characters become spaces: they could end a line, or tell a terminal what to do. In place. */
void say_flatten(char *text);

#endif
