#include "faulty_file.h"

#include "stress_random.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_text(const faulty_file *file, const char *text, size_t bytes)
{
    FILE *out = fopen(file->draft, "wb");
    bool ok = out != NULL && fwrite(text, 1, bytes, out) == bytes;
    ok = out != NULL && fclose(out) == 0 && ok;
    return ok && rename(file->draft, file->path) == 0;
}

bool faulty_file_open(faulty_file *file, rico_world *world, const rico_recipe *recipe)
{
    const char *place = getenv("TMPDIR");
    char error[RIO_EFFECT_ERROR_BYTES];
    rico_log log = {0};
    memset(file, 0, sizeof *file);
    if (snprintf(file->directory, sizeof file->directory, "%s/rico-faults-XXXXXX",
                 place != NULL ? place : "/tmp") >= (int)sizeof file->directory ||
        mkdtemp(file->directory) == NULL)
        return false;
    snprintf(file->path, sizeof file->path, "%s/effect.json", file->directory);
    snprintf(file->draft, sizeof file->draft, "%s/draft.json", file->directory);
    file->open = true;
    file->text = rio_effect_text(recipe, "Written again and again.", &log);
    file->bytes = file->text != NULL ? strlen(file->text) : 0;
    if (file->text != NULL && write_text(file, file->text, file->bytes) &&
        rio_effect_source_open(file->path, world, &file->source, error, sizeof error) ==
            RICO_OK)
        return true;
    faulty_file_close(file);
    return false;
}

void faulty_file_close(faulty_file *file)
{
    if (!file->open)
        return;
    rio_effect_text_free(file->text);
    unlink(file->path);
    unlink(file->draft);
    rmdir(file->directory);
    file->open = false;
}

/* Damages the text. Returns its new length in bytes. out has room for twice the text. */
static size_t damage(const faulty_file *file, uint64_t *random, char *out)
{
    static const char *const words[] = {"NaN",      "1e999", "-0.0", "\"", "\\u0000",
                                        "[[[[[[[[", "}",     "null", ",",  "\xff",
                                        "1e-400",   "\n",    "true", "{"};
    size_t bytes = file->bytes, at = stress_random_below(random, (uint32_t)bytes);
    memcpy(out, file->text, bytes);
    switch (stress_random_below(random, 5)) {
    case 0:
        return at; /* cut short, perhaps to nothing */
    case 1:
        out[at] = (char)stress_random(random);
        return bytes;
    case 2:
        out[at] = (char)(' ' + stress_random_below(random, 95));
        return bytes;
    case 3: { /* one piece twice */
        memcpy(out + bytes, file->text + at, bytes - at);
        return 2 * bytes - at;
    }
    default:
        break;
    }
    const char *word = words[stress_random_below(random, sizeof words / sizeof *words)];
    size_t length = strlen(word), rest = bytes - at;
    memmove(out + at + length, out + at, rest);
    memcpy(out + at, word, length);
    return bytes + length;
}

bool faulty_file_write(faulty_file *file, rico_world *world, uint64_t *random, bool scarce)
{
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    bool sound = stress_random_below(random, 4) == 0;
    char *text = malloc(2 * file->bytes + 64);
    if (text == NULL)
        return true; /* a failure of the machine */
    size_t bytes = file->bytes;
    memcpy(text, file->text, bytes);
    if (!sound)
        bytes = damage(file, random, text);
    bool written = write_text(file, text, bytes);
    free(text);
    if (!written)
        return true;
    rio_source_news news = rio_effect_source_poll(&file->source, world, error, sizeof error);
    if (news != RIO_SOURCE_REFUSED) {
        file->followed += news != RIO_SOURCE_SAME;
        return true;
    }
    file->refused += 1;
    return (!sound || scarce) && error[0] != '\0' && strchr(error, '\n') == NULL;
}
