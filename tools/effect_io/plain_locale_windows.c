#include "plain_locale.h"

#include <stdlib.h>
#include <string.h>

/* The thread gets a locale of its own for the time: setlocale then leaves that of the others. */
bool rio_plain_locale_enter(rio_plain_locale *l)
{
    const char *name = setlocale(LC_NUMERIC, NULL);
    l->before = name != NULL ? _strdup(name) : NULL;
    if (l->before == NULL)
        return false;
    l->mode = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    if (l->mode != -1 && setlocale(LC_NUMERIC, "C") != NULL)
        return true;
    rio_plain_locale_leave(l);
    return false;
}

void rio_plain_locale_leave(const rio_plain_locale *l)
{
    if (l->mode != -1) {
        setlocale(LC_NUMERIC, l->before);
        _configthreadlocale(l->mode);
    }
    free(l->before);
}
