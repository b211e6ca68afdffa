#include "say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#define LINE_BYTES 8192

/* U+0080 to U+009F: some terminals obey these, too. */
static bool is_control_pair(const char *text)
{
    return (unsigned char)text[0] == 0xc2u && ((unsigned char)text[1] & 0xe0u) == 0x80u;
}

void say_flatten(char *text)
{
    for (; *text != '\0'; ++text) {
        if ((unsigned char)*text < ' ' || *text == '\x7f')
            *text = ' ';
        if (is_control_pair(text))
            text[0] = text[1] = ' ';
    }
}

void say(const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    say_flatten(line);
    fprintf(stderr, "%s\n", line);
}
