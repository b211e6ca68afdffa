/* plain_locale.h - numbers as JSON has them, whatever locale the host has set (private to effect files). */
#ifndef RIO_PLAIN_LOCALE_H
#define RIO_PLAIN_LOCALE_H

#include <locale.h>
#include <stdbool.h>

/* Owner: who enters it. */
typedef struct rio_plain_locale {
    locale_t own, before;
} rio_plain_locale;

/* Until it is left, this thread prints and reads numbers with a point; other threads keep what they have.
 * False: no memory, and nothing to leave. The host's functions are called outside of it. */
bool rio_plain_locale_enter(rio_plain_locale *l);
void rio_plain_locale_leave(const rio_plain_locale *l);

#endif
