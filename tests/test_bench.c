/* test_bench.c - shared code of the benchmarks: cases chosen by --case, and the files that may
 * be written. */
#include "case_list.h"
#include "row.h"
#include "testing.h"

#include <stdlib.h>
#include <string.h>

static bool name_case(const void *settings, size_t index, char *out, size_t bytes)
{
    static const char *const names[] = {"plane/10000", "plane/100000", "none/10000", "sponza/"};
    (void)settings;
    if (index < 4)
        snprintf(out, bytes, "%s", names[index]);
    return index < 4;
}

TEST(bench, a_case_is_named_by_how_it_begins)
{
    CHECK(case_is_named("plane/10000", NULL));
    CHECK(case_is_named("plane/10000", "plane"));
    CHECK(case_is_named("plane/10000", "plane/10000"));
    CHECK(case_is_named("sponza/a_avx2", "sponza/a"));
    CHECK(case_is_named("sponza/cached/0.25/cold", "sponza/cached/0"));
    CHECK(!case_is_named("plane/10000", "lane"));
    CHECK(!case_is_named("plane", "plane/10000"));
}

TEST(bench, a_number_in_a_case_is_not_cut)
{
    CHECK(!case_is_named("plane/100000", "plane/10000"));
    CHECK(!case_is_named("10000x1000000", "1000"));
    CHECK(case_is_named("1000x100000", "1000"));
    CHECK(case_is_named("stage_20us", "stage_20"));
}

TEST(bench, a_list_has_what_is_named_or_may_be_in_a_group)
{
    CHECK(case_list_has(name_case, NULL, "none"));
    CHECK(case_list_has(name_case, NULL, "plane/100000"));
    CHECK(case_list_has(name_case, NULL, "sponza/cached/1"));
    CHECK(!case_list_has(name_case, NULL, "plane/1000"));
    CHECK(!case_list_has(name_case, NULL, "plane/10000/more"));
    CHECK(!case_list_has(name_case, NULL, "forest/a"));
    CHECK(!case_may_be_named("sponza", "sponza/cached/1"));
}

static bool name_many(const void *settings, size_t index, char *out, size_t bytes)
{
    (void)settings;
    snprintf(out, bytes, "case_%zu", index);
    return index < 60;
}

TEST(bench, a_list_is_printed_on_lines_that_fit)
{
    char text[2048] = "", *line;
    FILE *file = tmpfile();
    CHECK(file != NULL);
    if (!file)
        return;
    case_list_print(file, name_many, NULL);
    rewind(file);
    size_t read = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    CHECK(read > 0 && strstr(text, "case_0,") && strstr(text, " case_59\n"));
    for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        CHECK(strlen(line) <= 78 && strncmp(line, "  case_", 7) == 0);
}

TEST(bench, writes_no_file_twice_and_none_that_it_reads)
{
    char error[512] = "";
    file_list read = {.items = NULL};
    bench b = {.json = "rows.jsonl"};
    file_list_add(&read, "--world", "world.obj");
    CHECK(bench_files_are_apart(&b, &read, "--frames-file", "frames.csv", error, sizeof error));
    CHECK(bench_files_are_apart(&b, &read, "--frames-file", NULL, error, sizeof error));
    CHECK(!bench_files_are_apart(&b, &read, "--frames-file", "./rows.jsonl", error,
                                 sizeof error));
    CHECK(strstr(error, "--frames-file and --json are the same file") != NULL);
    CHECK(
        !bench_files_are_apart(&b, &read, "--frames-file", "./world.obj", error, sizeof error));
    CHECK(strstr(error, "--frames-file and --world are the same file") != NULL);
    b.json = "world.obj";
    CHECK(!bench_files_are_apart(&b, &read, "--frames-file", NULL, error, sizeof error));
    CHECK(strstr(error, "--json and --world are the same file") != NULL);
    b.json = "-";
    CHECK(bench_files_are_apart(&b, &read, "--frames-file", "-", error, sizeof error));
    b.json = NULL;
    CHECK(bench_files_are_apart(&b, &read, "--frames-file", "rows.jsonl", error, sizeof error));
    file_list_free(&read);
}

TEST(bench, fails_where_the_case_that_was_asked_for_is_left_out)
{
    bench all = {.name = "rays"}, one = {.name = "rays", .only = "sponza/a"};
    bench_leave_out(&all, "sponza", "a test");
    bench_leave_out(&one, "sponza", "a test");
    CHECK(bench_end(&all) == 0);
    CHECK(one.any && bench_end(&one) == 1);
}
