#include <ricochet/result.h>

#define NAME(name, text) #name,
#define TEXT(name, text) text,

const char *rico_result_name(rico_result result)
{
    static const char *const names[] = {RICO_RESULT_LIST(NAME)};
    return (unsigned)result < RICO_RESULT_COUNT ? names[result] : "unknown result";
}

const char *rico_result_text(rico_result result)
{
    static const char *const texts[] = {RICO_RESULT_LIST(TEXT)};
    return (unsigned)result < RICO_RESULT_COUNT ? texts[result] : "unknown result";
}
