#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LONG 256 /* above the code of any letter */

/* Fills getopt_long's table. Each option has a value of its own. getopt_long takes options with
 * equal values for the same one, and an abbreviation of several would mean the first. */
static void fill_long_options(const option_spec *specs, size_t count, struct option *out)
{
    memset(out, 0, (count + 1) * sizeof *out);
    for (size_t i = 0; i < count; ++i) {
        out[i].name = specs[i].name;
        out[i].has_arg = specs[i].argument ? required_argument : no_argument;
        out[i].val = FIRST_LONG + (int)i;
    }
}

/* Writes "option --s: expected one of --scale --seed --scenes". Returns false when no name
 * begins with the word. */
static bool describe_choice(const option_spec *specs, size_t count, const char *word,
                            char *error, size_t error_bytes)
{
    size_t length = strcspn(word, "=") - 2, found = 0;
    int used = snprintf(error, error_bytes, "option %.80s is ambiguous: expected one of", word);
    for (size_t i = 0; i < count; ++i) {
        if (strncmp(specs[i].name, word + 2, length) != 0)
            continue;
        ++found;
        if (used >= 0 && (size_t)used < error_bytes)
            used += snprintf(error + used, error_bytes - (size_t)used, " --%s", specs[i].name);
    }
    return found > 0;
}

/* Describes why getopt_long stopped. optind is past the word, except inside "-abc". */
static void describe_stop(int stop, const option_spec *specs, size_t count, char **argv,
                          char *error, size_t error_bytes)
{
    const char *word = argv[optind - 1];
    if (stop == ':')
        snprintf(error, error_bytes, "option %s needs a value", word);
    else if (optopt >= FIRST_LONG)
        snprintf(error, error_bytes, "option %s takes no value", word);
    else if (optopt != 0)
        snprintf(error, error_bytes, "unknown option -%c: --help lists the options", optopt);
    else if (!describe_choice(specs, count, word, error, error_bytes))
        snprintf(error, error_bytes, "unknown option %s: --help lists the options", word);
}

static bool apply(const option_spec *spec, void *settings, char *error, size_t error_bytes)
{
    char reason[OPTIONS_ERROR_BYTES] = "";
    if (spec->handler(settings, optarg, reason, sizeof reason))
        return true;
    snprintf(error, error_bytes, "--%s: %s", spec->name, reason);
    return false;
}

bool options_parse(const option_spec *specs, size_t count, int argc, char **argv,
                   void *settings, char *error, size_t error_bytes)
{
    struct option table[OPTIONS_MAX + 1];
    if (count > OPTIONS_MAX) {
        snprintf(error, error_bytes, "too many options in the table");
        return false;
    }
    fill_long_options(specs, count, table);
    optind = 1;
    opterr = 0;
    for (;;) {
        int index = 0;
        int got = getopt_long(argc, argv, "+:", table, &index);
        if (got == -1)
            break;
        if (got < FIRST_LONG) {
            describe_stop(got, specs, count, argv, error, error_bytes);
            return false;
        }
        if (!apply(&specs[index], settings, error, error_bytes))
            return false;
    }
    if (optind < argc) {
        snprintf(error, error_bytes, "unexpected argument '%s': options start with --",
                 argv[optind]);
        return false;
    }
    return true;
}

void options_print(const option_spec *specs, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        char head[64];
        const char *argument = specs[i].argument;
        snprintf(head, sizeof head, "--%s%s%s", specs[i].name, argument ? " " : "",
                 argument ? argument : "");
        printf("  %-19s", head);
        for (const char *c = specs[i].help; *c; ++c) {
            putchar(*c);
            if (*c == '\n')
                printf("  %-19s", "");
        }
        putchar('\n');
    }
    puts("\nOption names may be shortened as long as they are unambiguous.");
}

bool options_integer(const char *text, uint64_t lo, uint64_t hi, uint64_t *out, char *error,
                     size_t error_bytes)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    bool whole = isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0;
    if (whole && value >= lo && value <= hi) {
        *out = value;
        return true;
    }
    snprintf(error, error_bytes, "'%.80s' is not an integer from %llu to %llu", text,
             (unsigned long long)lo, (unsigned long long)hi);
    return false;
}

bool options_number(const char *text, double above, double hi, double *out, char *error,
                    size_t error_bytes)
{
    char *end = NULL;
    double value = strtod(text, &end);
    bool whole = text[0] != '\0' && !isspace((unsigned char)text[0]) && *end == '\0';
    if (whole && isfinite(value) && value > above && value <= hi) {
        *out = value;
        return true;
    }
    snprintf(error, error_bytes, "'%.80s' is not a number above %g and up to %g", text, above,
             hi);
    return false;
}

bool options_floats(const char *text, float *out, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        char *end = NULL;
        out[i] = strtof(text, &end);
        if (end == text || *end != (i + 1 < count ? ',' : '\0') || !isfinite(out[i]))
            return false;
        text = end + 1;
    }
    return true;
}

bool options_file(const char *text, char *error, size_t error_bytes)
{
    const bool dash = strcmp(text, "-") == 0;
    snprintf(error, error_bytes, "expected a file name%s",
             dash ? "; only --json takes - for standard output, and a file of that name is ./-"
                  : "");
    return text[0] != '\0' && !dash;
}
