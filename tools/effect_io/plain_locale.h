/* plain_locale.h - numbers as in JSON, whatever locale the host has set (private to effect
 * files). */
#ifndef RIO_PLAIN_LOCALE_H
#define RIO_PLAIN_LOCALE_H

#include <locale.h>
#include <stdbool.h>

/* Owner: the function that enters it. */
typedef struct rio_plain_locale {
#if defined(_WIN32)
    char *before; /* the name of the thread's numeric locale, which other threads may share */
    int mode;     /* whether the thread had a locale of its own */
#else
    locale_t own, before;
#endif
} rio_plain_locale;

/* From here until rio_plain_locale_leave, this thread prints and reads numbers with a decimal
 * point. Other threads keep their locale. False: no memory, and nothing to leave. Call the
 * host's functions only outside of it. */
bool rio_plain_locale_enter(rio_plain_locale *l);
void rio_plain_locale_leave(const rio_plain_locale *l);

#endif
