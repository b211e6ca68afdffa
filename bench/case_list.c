#include "case_list.h"

#include <ctype.h>
#include <string.h>

#define LINE_COLUMNS 78u

bool case_is_named(const char *name, const char *only)
{
    if (!only)
        return true;
    size_t length = strlen(only);
    if (strncmp(name, only, length) != 0)
        return false;
    bool cut = length > 0 && isdigit((unsigned char)only[length - 1]) &&
               isdigit((unsigned char)name[length]);
    return !cut;
}

bool case_may_be_named(const char *name, const char *only)
{
    size_t length = strlen(name);
    bool beginning = length > 0 && name[length - 1] == '/';
    return case_is_named(name, only) || (beginning && strncmp(only, name, length) == 0);
}

bool case_list_has(case_namer *namer, const void *bench, const char *only)
{
    char name[CASE_NAME_BYTES];
    for (size_t i = 0; namer(bench, i, name, sizeof name); ++i)
        if (case_may_be_named(name, only))
            return true;
    return false;
}

void case_list_print(FILE *out, case_namer *namer, const void *bench)
{
    char name[CASE_NAME_BYTES];
    size_t column = 0;
    for (size_t i = 0; namer(bench, i, name, sizeof name); ++i) {
        size_t length = strlen(name) + 3u; /* ", " before it, "," behind it */
        bool wraps = column + length > LINE_COLUMNS;
        fprintf(out, "%s%s", i == 0 ? "  " : wraps ? ",\n  " : ", ", name);
        column = wraps ? length : column + length - 1u;
    }
    fputc('\n', out);
}
