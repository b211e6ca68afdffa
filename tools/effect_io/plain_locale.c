#include "plain_locale.h"

/* That of the thread, as setlocale is for all of them. The C library has this one ready: it takes no memory. */
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
