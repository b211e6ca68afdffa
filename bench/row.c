#include "row.h"

#include "machine.h"
#include "output.h"
#include <stdlib.h>
#include <string.h>

static bool set_quick(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)value, (void)error, (void)error_bytes;
    ((bench *)settings)->quick = true;
    return true;
}

static bool set_threads(void *settings, const char *value, char *error, size_t error_bytes)
{
    uint64_t threads;
    if (!options_integer(value, 1, 256, &threads, error, error_bytes))
        return false;
    ((bench *)settings)->threads = (uint32_t)threads;
    return true;
}

static bool set_json(void *settings, const char *value, char *error, size_t error_bytes)
{
    output_file file;
    ((bench *)settings)->json = value;
    return strcmp(value, "-") == 0 || output_probe(value, true, &file, error, error_bytes);
}

static bool set_case(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)error, (void)error_bytes;
    ((bench *)settings)->only = value;
    return true;
}

/* Only notes --help: bench_begin finds no name then. */
static bool set_help(void *settings, const char *value, char *error, size_t error_bytes)
{
    (void)value, (void)error, (void)error_bytes;
    ((bench *)settings)->name = NULL;
    return true;
}

static const option_spec specs[] = {
    {"quick", NULL, "run every case with fewer repeats", set_quick},
    {"threads", "N", "worker threads, 1 to 256 [1]", set_threads},
    {"json", "FILE", "write the rows as JSON Lines; - = to standard output, without the table",
     set_json},
    {"help", NULL, "print this text", set_help},
};

#define SPEC_COUNT (sizeof specs / sizeof *specs)

static const option_spec case_spec = {
    "case", "NAME", "run only this case, or the cases whose names begin with NAME", set_case};

static bool json_on_stdout(const bench *b)
{
    return b->json && strcmp(b->json, "-") == 0;
}

/* The benchmark's own options, then those that all benchmarks have. */
static size_t list_options(const bench_about *about, option_spec out[OPTIONS_MAX])
{
    size_t count = 0;
    if (about->name_case)
        out[count++] = case_spec;
    for (size_t i = 0; i < about->more_count && count + SPEC_COUNT < OPTIONS_MAX; ++i)
        out[count++] = about->more[i];
    memcpy(out + count, specs, sizeof specs);
    return count + SPEC_COUNT;
}

static void refuse_case(const bench *b)
{
    fprintf(stderr, "bench_%s: there is no case '%.80s'; there are:\n", b->name, b->only);
    case_list_print(stderr, b->about->name_case, b);
}

static void print_help(const bench *b, const option_spec *all, size_t count)
{
    const bench_about *about = b->about;
    printf("usage: bench_%s [options]\n\n%s\n\n", about->name, about->text);
    options_print(all, count);
    if (!about->name_case)
        return;
    printf("\ncases:\n");
    case_list_print(stdout, about->name_case, b);
}

bool bench_files_are_apart(const bench *b, const file_list *read, const char *what,
                           const char *path, char *error, size_t error_bytes)
{
    const char *json = json_on_stdout(b) ? NULL : b->json;
    if (json != NULL && path != NULL && output_is_same(json, path)) {
        snprintf(error, error_bytes, "%s and --json are the same file: %s", what, path);
        return false;
    }
    return (json == NULL || file_list_is_apart(read, "--json", json, error, error_bytes)) &&
           (path == NULL || file_list_is_apart(read, what, path, error, error_bytes));
}

int bench_begin(bench *b, const bench_about *about, int argc, char **argv)
{
    char error[OPTIONS_ERROR_BYTES + OUTPUT_PATH_BYTES];
    option_spec all[OPTIONS_MAX];
    size_t count = list_options(about, all);
    memset(b, 0, sizeof *b);
    b->about = about;
    b->name = about->name;
    b->threads = 1;
    if (!options_parse(all, count, argc, argv, b, error, sizeof error)) {
        fprintf(stderr, "bench_%s: %s\n", about->name, error);
        return 2;
    }
    if (!b->name) {
        print_help(b, all, count);
        return 0;
    }
    if (b->only && !case_list_has(about->name_case, b, b->only)) {
        refuse_case(b);
        return 2;
    }
    if (about->open_files != NULL && !about->open_files(b, error, sizeof error)) {
        fprintf(stderr, "bench_%s: %s\n", about->name, error);
        return 2;
    }
    machine_name(b->machine, sizeof b->machine);
    if (!json_on_stdout(b)) {
        printf("bench_%s: %s; %s; %u thread%s%s\n\n", b->name, b->machine, machine_compiler(),
               b->threads, b->threads == 1 ? "" : "s", b->quick ? "; quick" : "");
        printf("%-22s %-20s %11s %-9s %-13s %11s %7s\n", "case", "metric", "value", "unit",
               "peer", "peer value", "ratio");
    }
    return -1;
}

bool bench_wants(bench *b, const char *name)
{
    b->any = b->any || case_is_named(name, b->only);
    return case_may_be_named(name, b->only);
}

/* Names and texts here are plain ASCII without control characters, but a machine's name may not
 * be. */
static void escape(const char *text, char *out, size_t bytes)
{
    size_t at = 0;
    for (; *text && at + 3 < bytes; ++text) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            out[at++] = '\\';
        out[at++] = c < 32 || c > 126 ? '?' : (char)c;
    }
    out[at] = '\0';
}

static void keep_line(bench *b, const char *line)
{
    size_t length = strlen(line);
    if (b->bytes + length + 1 > b->capacity) {
        size_t capacity = 2 * b->capacity + length + 1024;
        char *lines = realloc(b->lines, capacity);
        if (!lines) {
            bench_fail(b, "out of memory");
            return;
        }
        b->lines = lines;
        b->capacity = capacity;
    }
    memcpy(b->lines + b->bytes, line, length + 1);
    b->bytes += length;
}

static void add_json(bench *b, const bench_row *row, double ratio)
{
    char machine[300], value[100], peer[200] = "", line[1200];
    escape(b->machine, machine, sizeof machine);
    if (row->text)
        snprintf(value, sizeof value, "\"%s\"", row->text);
    else
        snprintf(value, sizeof value, "%.9g", row->value);
    if (row->peer)
        snprintf(peer, sizeof peer, "\"peer\": \"%s\", \"peer_value\": %.9g, \"ratio\": %.9g, ",
                 row->peer, row->peer_value, ratio);
    snprintf(
        line, sizeof line,
        "{\"bench\": \"%s\", \"case\": \"%s\", \"metric\": \"%s\", \"value\": %s, "
        "\"unit\": \"%s\", \"threads\": %u, %s\"machine\": \"%s\", \"compiler\": \"%s\"}\n",
        b->name, row->name, row->metric, value, row->unit, b->threads, peer, machine,
        machine_compiler());
    if (json_on_stdout(b))
        fputs(line, stdout);
    else
        keep_line(b, line);
}

void bench_add(bench *b, bench_row row)
{
    double better = row.more_is_better ? row.value : row.peer_value;
    double worse = row.more_is_better ? row.peer_value : row.value;
    double ratio = row.peer && worse > 0.0 ? better / worse : 0.0;
    if (b->json)
        add_json(b, &row, ratio);
    if (!json_on_stdout(b)) {
        if (row.text)
            printf("%-22s %-20s %11s %-9s", row.name, row.metric, row.text, row.unit);
        else
            printf("%-22s %-20s %11.3f %-9s", row.name, row.metric, row.value, row.unit);
        if (row.peer)
            printf(" %-13s %11.3f %7.2f", row.peer, row.peer_value, ratio);
        putchar('\n');
    }
    fflush(stdout);
}

void bench_fail(bench *b, const char *what)
{
    fprintf(stderr, "bench_%s: %s\n", b->name, what);
    b->failed = true;
}

void bench_leave_out(bench *b, const char *name, const char *why)
{
    fprintf(stderr, "bench_%s: %s is left out: %s\n", b->name, name, why);
    if (b->only)
        b->any = b->failed = true;
}

int bench_end(bench *b)
{
    char error[OPTIONS_ERROR_BYTES + OUTPUT_PATH_BYTES];
    output_file file;
    if (b->only && !b->any) {
        refuse_case(b);
        b->failed = true;
    }
    if (b->json && !json_on_stdout(b) &&
        (!output_probe(b->json, true, &file, error, sizeof error) ||
         !output_write(&file, b->lines ? b->lines : "", b->bytes, error, sizeof error)))
        bench_fail(b, error);
    if (fflush(stdout) != 0 || ferror(stdout))
        bench_fail(b, "cannot write to standard output");
    free(b->lines);
    return b->failed ? 1 : 0;
}
