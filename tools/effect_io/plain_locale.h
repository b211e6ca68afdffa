/* plain_locale.h - numbers as in JSON, whatever locale the host has set (private to effect
 * files). */
#ifndef RIO_PLAIN_LOCALE_H
#define RIO_PLAIN_LOCALE_H

#include <locale.h>
#include <stdbool.h>

/* Owner: the function that enters it. */
typedef struct rio_plain_locale {
#if defined(_WIN32)
    char unused;
#else
    locale_t own, before;
#endif
} rio_plain_locale;

/* From here until rio_plain_locale_leave, this thread prints and reads numbers with a decimal
 * point. Other threads keep their locale. False: no memory, and nothing to leave. Call the
 * host's functions only outside of it. On Windows it changes nothing: see rio_plain_points. */
bool rio_plain_locale_enter(rio_plain_locale *l);
void rio_plain_locale_leave(const rio_plain_locale *l);

/* Puts decimal points into a text that printf has just made, inside of rio_plain_locale_enter.
 * They are there already, except on Windows, where threads have no locale of their own. There
 * it takes each point of the locale that is between two digits for one, so texts of the host's
 * must not be in it. */
void rio_plain_points(char *text);

#endif
