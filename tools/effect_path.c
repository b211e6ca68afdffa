#include "effect_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef RIO_EFFECTS_SOURCE
#define RIO_EFFECTS_SOURCE "examples/effects"
#endif
#ifndef RIO_EFFECTS_INSTALLED
#define RIO_EFFECTS_INSTALLED "/usr/local/share/ricochet/effects"
#endif

/* PREFIX/bin/ricochet has its effects in PREFIX/share: an installed tree can be moved. Where there is
 * no /proc, what follows has to do. */
static bool beside_program(char *place, size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", place, bytes - 1);
    if (length <= 0)
        return false;
    place[length] = '\0';
    for (int up = 0; up < 2; ++up) {
        char *slash = strrchr(place, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
    }
    size_t used = strlen(place);
    return (size_t)snprintf(place + used, bytes - used, "/share/ricochet/effects") <
           bytes - used;
}

const char *rio_effect_path(const char *name, char *path, size_t path_bytes)
{
    char program[4096];
    const char *chosen = getenv("RICO_EFFECTS");
    if (chosen != NULL && chosen[0] != '\0') {
        snprintf(path, path_bytes, "%s/%s.json", chosen, name);
        return path;
    }
    const char *places[] = {beside_program(program, sizeof program) ? program : NULL,
                            RIO_EFFECTS_SOURCE, RIO_EFFECTS_INSTALLED};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        if (places[i] == NULL)
            continue;
        snprintf(path, path_bytes, "%s/%s.json", places[i], name);
        if (access(path, F_OK) == 0)
            break;
    }
    return path;
}
