/* Paths of effect files on every system, and what Windows has of its own. */
#include "effects_set.h"

#include <sys/stat.h>
#include <unistd.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif

/* "fire", in German and in Japanese. */
#define UMLAUT "f\xc3\xbcr"
#define KANJI "\xe7\x81\xab"

#define NAMES_SPARKS                                                                           \
    FORMAT_LINE ",\n\"sub_emitters\": [{\"on\": \"death\", \"effect\": \"sparks\"}]}"
#define NAMES_OTHER_CAPITALS                                                                   \
    FORMAT_LINE ",\n\"sub_emitters\": [{\"on\": \"death\", \"effect\": \"Sparks\"}]}"

static void save_rate(const char *path, float rate)
{
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    rico_recipe r = rico_recipe_default();
    r.rate = rate;
    rico_result result = rio_effect_save(path, &r, NULL, error, sizeof error);
    CHECK_MSG(result == RICO_OK, "%s", error);
}

static float rate_in(const char *path)
{
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    rio_effect e;
    rico_result result = rio_effect_load(path, &e, error, sizeof error);
    CHECK_MSG(result == RICO_OK, "%s", error);
    const float rate = e.recipe.rate;
    rio_effect_free(&e);
    return rate;
}

TEST(effects, may_have_paths_in_any_script)
{
    set s;
    char path[128];
    open_set(&s, "script", 4);
    snprintf(path, sizeof path, "%s/" UMLAUT "-" KANJI ".json", s.directory);
    save_rate(path, 3.0f);
    CHECK_EQ(rate_in(path), 3);
#if defined(_WIN32)
    wchar_t wide[128];
    swprintf(wide, 128, L"%hs/f\u00fcr-\u706b.json", s.directory);
    CHECK(GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES);
    CHECK(DeleteFileW(wide));
#else
    CHECK_EQ(unlink(path), 0);
#endif
    close_set(&s);
}

TEST(effects, are_named_with_the_capitals_that_their_files_have)
{
    set s;
    char path[128];
    rio_effect_source source;
    open_set(&s, "capitals", 4);
    write_file(&s, "sparks", FORMAT_LINE "}");
    write_file(&s, "fire", NAMES_OTHER_CAPITALS);
    path_of(&s, "fire", path);
    CHECK_EQ(rio_effect_source_open(path, s.world, &source, s.error, sizeof s.error),
             RICO_NOT_FOUND);
    CHECK_MSG(strstr(s.error, "fire.json:2:44: sub_emitters[0].effect: found \"Sparks\"") !=
                      NULL &&
                  strstr(s.error, "Sparks.json: No such file or directory, expected an effect "
                                  "file: did you mean \"sparks.json\"?") != NULL,
              "%s", s.error);
    write_file(&s, "fire", NAMES_SPARKS);
    CHECK_MSG(rio_effect_source_open(path, s.world, &source, s.error, sizeof s.error) ==
                  RICO_OK,
              "%s", s.error);
    close_set(&s);
}

TEST(effects, with_line_ends_of_windows_have_the_lines_that_editors_show)
{
    rio_effect e = load_text(FORMAT_LINE ",\r\n\"rate\": 2,\r\n\"host\": {\r\n}}\r\n");
    CHECK(e.recipe.rate == 2.0f && strcmp(e.host, "{\r\n}") == 0);
    rio_effect_free(&e);
    check_refused(FORMAT_LINE ",\r\n\"drag\": 1,\r\n  \"rate\": -2}",
                  "f:3:11: rate is -2, expected 0 to");
    check_refused(FORMAT_LINE ",\r\n\"rate\":: 2}\r\n", "f:2:8: ");
}

TEST(effects, are_saved_with_the_same_bytes_on_every_system)
{
    set s;
    char path[128];
    open_set(&s, "bytes", 4);
    write_file(&s, "a", FORMAT_LINE "}");
    path_of(&s, "a", path);
    save_rate(path, 5.0f);
    char *text = read_text(path);
    CHECK(strchr(text, '\n') != NULL && strchr(text, '\r') == NULL);
    free(text);
    close_set(&s);
}

#if defined(_WIN32)

/* Loads dir\fire.json, which names a file beside itself, by a path of that form. */
static void check_directory(set *s, const char *path, const char *directory)
{
    rio_effect e;
    rio_links links = {.count = 0};
    rico_result result = rio_effect_load(path, &e, s->error, sizeof s->error);
    CHECK_MSG(result == RICO_OK, "%s", s->error);
    CHECK_MSG(strcmp(e.directory, directory) == 0, "'%s', expected '%s'", e.directory,
              directory);
    result = rio_effect_link(s->world, &e, &links, &e.recipe, s->error, sizeof s->error);
    CHECK_MSG(result == RICO_OK, "%s: %s", path, s->error);
    CHECK_EQ(rio_links_remove(s->world, &links), RICO_OK);
    rio_effect_free(&e);
}

TEST(effects, have_directories_and_drives_as_windows_writes_them)
{
    set s;
    rio_effect_source source;
    char path[400], directory[400], here[200];
    open_set(&s, "slashes", 4);
    write_file(&s, "sparks", FORMAT_LINE "}");
    write_file(&s, "fire", NAMES_SPARKS);
    CHECK(_getcwd(here, sizeof here) != NULL && here[1] == ':');
    snprintf(directory, sizeof directory, "%s\\%s\\", here, s.directory);
    snprintf(path, sizeof path, "%sfire.json", directory);
    check_directory(&s, path, directory);
    snprintf(directory, sizeof directory, "%c:%s\\", here[0], s.directory);
    snprintf(path, sizeof path, "%sfire.json", directory);
    check_directory(&s, path, directory);
    snprintf(directory, sizeof directory, ".\\%s/", s.directory);
    snprintf(path, sizeof path, "%sfire.json", directory);
    check_directory(&s, path, directory);
    CHECK_EQ(rio_effect_source_open(path, s.world, &source, s.error, sizeof s.error), RICO_OK);
    write_file(&s, "sparks", FORMAT_LINE ", \"rate\": -1}");
    CHECK_EQ(rio_effect_source_poll(&source, s.world, s.error, sizeof s.error),
             RIO_SOURCE_REFUSED);
    CHECK_EQ(_chdir(s.directory), 0); /* a drive alone: its working directory */
    snprintf(path, sizeof path, "%c:fire.json", here[0]);
    snprintf(directory, sizeof directory, "%c:", here[0]);
    CHECK_EQ(_unlink("sparks.json"), 0);
    FILE *file = fopen("sparks.json", "wb");
    CHECK(file != NULL && fputs(FORMAT_LINE "}", file) >= 0);
    fclose(file);
    check_directory(&s, path, directory);
    CHECK_EQ(_chdir(".."), 0);
    close_set(&s);
}

static HANDLE lock(const char *path)
{
    HANDLE file = CreateFileA(path, GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    CHECK(file != INVALID_HANDLE_VALUE);
    return file;
}

TEST(effects, that_another_program_has_locked_are_read_when_it_is_done)
{
    set s;
    rio_effect_source source;
    char path[128];
    open_set(&s, "locked", 4);
    write_file(&s, "a", FORMAT_LINE ", \"rate\": 1}");
    path_of(&s, "a", path);
    CHECK_EQ(rio_effect_source_open(path, s.world, &source, s.error, sizeof s.error), RICO_OK);
    write_file(&s, "a", FORMAT_LINE ", \"rate\": 2}");
    HANDLE file = lock(path);
    CHECK_EQ(rio_effect_source_poll(&source, s.world, s.error, sizeof s.error),
             RIO_SOURCE_REFUSED);
    CHECK_MSG(strstr(s.error, "a.json: another program has it open, expected") != NULL, "%s",
              s.error);
    CHECK_EQ(rio_effect_source_poll(&source, s.world, s.error, sizeof s.error),
             RIO_SOURCE_SAME);
    CloseHandle(file);
    CHECK_EQ(rio_effect_source_poll(&source, s.world, s.error, sizeof s.error),
             RIO_SOURCE_CHANGED);
    CHECK_EQ(rio_effect_source_poll(&source, s.world, s.error, sizeof s.error),
             RIO_SOURCE_SAME);
    close_set(&s);
}

static void check_not_saved(const char *path, const char *why)
{
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    const rico_recipe r = rico_recipe_default();
    CHECK_EQ(rio_effect_save(path, &r, NULL, error, sizeof error), RICO_NOT_WRITTEN);
    CHECK_MSG(strncmp(error, path, strlen(path)) == 0 && strstr(error, why) != NULL,
              "'%s', expected '%s'", error, why);
}

TEST(effects, that_cannot_be_saved_on_windows_stay_as_they_are)
{
    set s;
    char path[128], other[128];
    open_set(&s, "kept", 4);
    write_file(&s, "a", FORMAT_LINE ", \"rate\": 1}");
    path_of(&s, "a", path);
    CHECK(SetFileAttributesA(path, FILE_ATTRIBUTE_READONLY));
    check_not_saved(path, "cannot be written: Permission denied");
    CHECK(SetFileAttributesA(path, FILE_ATTRIBUTE_HIDDEN));
    CHECK_EQ(rate_in(path), 1);
    HANDLE file = lock(path);
    check_not_saved(path, "another program has it open");
    CloseHandle(file);
    CHECK_EQ(rate_in(path), 1);
    check_not_saved(s.directory, "it is a directory");
    check_not_saved("NUL", "it is not a regular file");
    snprintf(other, sizeof other, "%s/none/a.json", s.directory);
    check_not_saved(other, "No such file or directory");
    check_not_saved("caf\xe9.json", "the path is not in UTF-8");
    close_set(&s); /* finds nothing else in the directory */
}

TEST(effects, that_are_saved_on_windows_keep_whether_they_are_hidden)
{
    set s;
    char path[128];
    open_set(&s, "hidden", 4);
    write_file(&s, "a", FORMAT_LINE ", \"rate\": 1}");
    path_of(&s, "a", path);
    CHECK(SetFileAttributesA(path, FILE_ATTRIBUTE_HIDDEN));
    save_rate(path, 9.0f);
    CHECK_EQ(rate_in(path), 9);
    CHECK((GetFileAttributesA(path) & FILE_ATTRIBUTE_HIDDEN) != 0);
    close_set(&s);
}

TEST(effects, are_not_loaded_from_devices_of_windows)
{
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    rio_effect e;
    CHECK_EQ(rio_effect_load("NUL", &e, error, sizeof error), RICO_NOT_FOUND);
    CHECK_MSG(strstr(error, "NUL: not a regular file, expected an effect file") != NULL, "%s",
              error);
    CHECK_EQ(rio_effect_load("caf\xe9.json", &e, error, sizeof error), RICO_NOT_FOUND);
    CHECK_MSG(strstr(error, "the path is not in UTF-8") != NULL, "%s", error);
}

#endif
