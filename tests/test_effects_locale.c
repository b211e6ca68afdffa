/* Effect files in programs whose locale has a comma in numbers. */
#include "effects_fixture.h"

#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

/* The part of a locale that glibc reads for LC_NUMERIC, with a decimal comma, so that no locale
 * need be installed. Magic number, six offsets, then ",", ".", the grouping, both as wide
 * characters, and the encoding. */
static const unsigned char numeric[54] = {
    0x14, 0x11, 0x03, 0x20, 6,   0, 0,    0, 0x20, 0, 0,    0, 0x22, 0,   0,   0,   0x24, 0,
    0,    0,    0x28, 0,    0,   0, 0x2c, 0, 0,    0, 0x30, 0, 0,    0,   ',', 0,   '.',  0,
    3,    3,    0,    0,    ',', 0, 0,    0, '.',  0, 0,    0, 'U',  'T', 'F', '-', '8',  0};

/* Owner: the test. */
typedef struct comma {
    char directory[64], name[80], file[100];
} comma;

static bool prints_commas(void)
{
    char text[8];
    snprintf(text, sizeof text, "%.1f", 1.5);
    return strcmp(text, "1,5") == 0;
}

static bool set_any(const char *const *names)
{
    bool set = false;
    for (; *names != NULL && !set; ++names)
        set = setlocale(LC_NUMERIC, *names) != NULL && prints_commas();
    return set;
}

static void write_numeric(const comma *c)
{
    CHECK(mkdir(c->directory, 0777) == 0 && mkdir(c->name, 0777) == 0);
    FILE *file = fopen(c->file, "wb");
    CHECK(file != NULL && fwrite(numeric, sizeof numeric, 1, file) == 1);
    fclose(file);
}

static void remove_numeric(const comma *c)
{
    remove(c->file);
    CHECK(rmdir(c->name) == 0 && rmdir(c->directory) == 0);
}

/* Returns false where this C library has no such locale: then the test proves nothing. */
static bool enter_comma(comma *c)
{
    static const char *const names[] = {
        "rio_comma", "de_DE.UTF-8", "fr_FR.UTF-8", "pl_PL.UTF-8", "German", "de-DE", NULL};
    snprintf(c->directory, sizeof c->directory, "effects_locale_%ld", (long)getpid());
    snprintf(c->name, sizeof c->name, "%s/rio_comma", c->directory);
    snprintf(c->file, sizeof c->file, "%s/LC_NUMERIC", c->name);
    write_numeric(c);
    setenv("LOCPATH", c->directory, 1);
    bool set = set_any(names);
    unsetenv("LOCPATH");
    remove_numeric(c);
    return set;
}

static void leave_comma(void)
{
    CHECK(prints_commas()); /* after each call, the locale is the host's again */
    setlocale(LC_NUMERIC, "C");
}

static void keep(void *user, rico_log_level level, const char *text)
{
    CHECK(prints_commas()); /* the host's function of this name */
    (void)level;
    snprintf(user, 200, "%s", text);
}

TEST(effects, are_written_and_read_with_points_in_a_locale_with_commas)
{
    comma c;
    char message[200] = "";
    const rico_log log = {keep, message};
    rico_recipe r = rico_recipe_default();
    r.rate = 1.5f;
    r.gravity.z = -1.0e-7f;
    r.speed = (rico_range){0.25f, 1.0e-3f + 1.0f};
    if (!enter_comma(&c))
        return;
    char *text = rio_effect_text(&r, NULL, &log);
    CHECK(text != NULL && strstr(text, "\"rate\": 1.5,") != NULL);
    rio_effect e = load_text(text);
    CHECK(first_difference(&r, &e.recipe) == NULL);
    r.rate = -1.5f;
    CHECK(rio_effect_text(&r, NULL, &log) == NULL);
    CHECK_MSG(strstr(message, "recipe.rate is -1.5, expected 0 to 1e+07") != NULL, "%s",
              message);
    rio_effect_free(&e);
    rio_effect_text_free(text);
    leave_comma();
}

TEST(effects, are_refused_with_points_in_a_locale_with_commas)
{
    comma c;
    if (!enter_comma(&c))
        return;
    check_refused(FORMAT_LINE ",\n\"rate\": -1.5}", "f:2:9: rate is -1.5, expected 0 to 1e+07");
    check_refused(FORMAT_LINE ",\n\"spread\": 3.5}",
                  "f:2:11: spread is 3.5, expected 0 to 3.14159");
    check_refused(FORMAT_LINE ",\n\"speed\": [5.5, 1.25]}",
                  "f:2:11: speed[0] is 5.5, expected at most speed[1], which is 1.25");
    check_refused(FORMAT_LINE ",\n\"max_particles\": 2.5}",
                  "f:2:18: max_particles: found 2.5, expected a whole number");
    leave_comma();
}
