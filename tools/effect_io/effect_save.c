/* Saves effects: the text goes to a new file beside the old one, which then takes its place. */
#include "disk.h"
#include "effect_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep(void *user, rico_log_level level, const char *message)
{
    (void)level;
    snprintf(user, RIO_EFFECT_ERROR_BYTES, "%s", message);
}

/* Keeps the parts of an existing effect file that are for editors and hosts. From malloc. */
static char *renew_text(const char *path, const rico_recipe *recipe, const char *comment,
                        const rico_log *log)
{
    rio_effect old;
    rio_effect_load(path, &old, NULL, 0); /* loads nothing when it is no effect */
    char *content = rio_content_text(&(rio_content){.recipe = recipe,
                                                    .with = old.with,
                                                    .with_count = old.with_count,
                                                    .comment = comment,
                                                    .schema = old.schema,
                                                    .host = old.host},
                                     log);
    rio_effect_free(&old);
    return content;
}

static rico_result write_content(const char *path, const char *content, char *error,
                                 size_t error_bytes)
{
    const char *why;
    bool written = rio_disk_replace(path, content, &why);
    if (!written)
        snprintf(error, error_bytes, "%s: cannot be written: %s", path, why);
    return written ? RICO_OK : RICO_NOT_WRITTEN;
}

rico_result rio_effect_save(const char *path, const rico_recipe *recipe, const char *comment,
                            char *error, size_t error_bytes)
{
    char message[RIO_EFFECT_ERROR_BYTES] = "out of memory";
    const rico_log log = {keep, message};
    error_bytes = error != NULL ? error_bytes : 0;
    if (path == NULL) {
        snprintf(error, error_bytes, "no path, expected the path of an effect file");
        return RICO_NOT_WRITTEN;
    }
    char *content = renew_text(path, recipe, comment, &log);
    if (content == NULL) {
        snprintf(error, error_bytes, "%s: %s", path, message);
        return RICO_BAD_FILE;
    }
    rico_result result = write_content(path, content, error, error_bytes);
    free(content);
    return result;
}
