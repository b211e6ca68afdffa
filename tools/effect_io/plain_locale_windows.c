#include "plain_locale.h"

#include <string.h>

/* The C library that MinGW links with has one locale for all threads. It must not be changed while
 * other threads use it. So it stays, and jansson, which knows of it, reads numbers all the same. */
bool rio_plain_locale_enter(rio_plain_locale *l)
{
    l->unused = 0;
    return true;
}

void rio_plain_locale_leave(const rio_plain_locale *l)
{
    (void)l;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void rio_plain_points(char *text)
{
    const char *point = localeconv()->decimal_point;
    const size_t length = strlen(point);
    if (length == 0 || strcmp(point, ".") == 0)
        return;
    for (char *at = text; (at = strstr(at, point)) != NULL; ++at)
        if (at > text && is_digit(at[-1]) && is_digit(at[length])) {
            *at = '.';
            memmove(at + 1, at + length, strlen(at + length) + 1);
        }
}
