#include "log.h"

#include <stdarg.h>
#include <stdio.h>

static void emit(const rico_log *log, rico_log_level level, const char *text)
{
    if (log != NULL && log->write != NULL)
        log->write(log->user, level, text);
    else if (level != RICO_LOG_INFO)
        fprintf(stderr, "ricochet: %s\n", text);
}

void rico__log(const rico_log *log, rico_log_level level, const char *format, ...)
{
    char text[RICO_LOG_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    emit(log, level, text);
}

rico_result rico__fail(const rico_log *log, rico_result result, const char *call,
                       const char *format, ...)
{
    char text[RICO_LOG_TEXT_BYTES];
    int used = snprintf(text, sizeof text, "%s: ", call);
    if (used < 0 || used >= (int)sizeof text)
        used = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    emit(log, RICO_LOG_ERROR, text);
    return result;
}
