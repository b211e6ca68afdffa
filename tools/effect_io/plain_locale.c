#include "plain_locale.h"

/* Sets the thread's locale, because setlocale changes that of all threads. The C library has the
 * C locale ready, so it takes no memory. */
bool rio_plain_locale_enter(rio_plain_locale *l)
{
    l->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    l->before = l->own != (locale_t)0 ? uselocale(l->own) : (locale_t)0;
    return l->own != (locale_t)0;
}

void rio_plain_locale_leave(const rio_plain_locale *l)
{
    uselocale(l->before);
    freelocale(l->own);
}

void rio_plain_points(char *text)
{
    (void)text;
}
