#include "foreign_name.h"

#include <stdbool.h>
#include <string.h>

/* Without underscores. A name that means something else in different lists is there twice. */
static const struct {
    const char *theirs, *ours;
} pairs[] = {
    /* of an effect */
    {"bounce", "restitution"},
    {"bounciness", "restitution"},
    {"elasticity", "restitution"},
    {"velocity", "speed"},
    {"initialvelocity", "speed"},
    {"startvelocity", "speed"},
    {"angle", "spread"},
    {"coneangle", "spread"},
    {"emission", "rate"},
    {"amount", "max_particles"},
    {"capacity", "max_particles"},
    {"ttl", "lifetime"},
    {"acceleration", "gravity"},
    {"damping", "drag"},
    {"noise", "forces"},
    {"turbulence", "forces"},
    {"vortex", "forces"},
    {"opacity", "alpha_over_life"},
    {"fade", "alpha_over_life"},
    {"angularvelocity", "spin"},
    {"rotationspeed", "spin"},
    {"collides", "mode"},
    {"localspace", "space"},
    {"simulationspace", "space"},
    {"children", "with"},
    {"emitters", "with"},
    {"name", "comment"},
    {"description", "comment"},
    /* of the renderer */
    {"texture", "host"},
    {"material", "host"},
    {"shader", "host"},
    {"sprite", "host"},
    {"image", "host"},
    {"blend", "host"},
    {"blendmode", "host"},
    {"sound", "host"},
    /* of the lists in it */
    {"time", "at"},
    {"color", "rgba"},
    {"type", "kind"},
    {"direction", "axis"},
    {"radius", "reach"},
    {"frequency", "scale"},
    {"event", "on"},
    {"trigger", "on"},
    {"type", "on"},
    {"file", "effect"},
    {"name", "effect"},
    {"repeat", "cycles"},
    {"chance", "probability"},
    {"offset", "position"},
    /* values */
    {"circle", "disc"},
    {"cube", "box"},
    {"edge", "line"},
    {"torus", "ring"},
    {"kill", "die"},
    {"destroy", "die"},
    {"hit", "collision"},
    {"die", "death"},
    {"spawn", "birth"},
    {"global", "world"},
    {"raycast", "exact"},
    {"noise", "turbulence"},
    {"wind", "drag"},
};

/* Whether they are the same but for capitals and underscores. plain has neither. */
static bool is_same(const char *name, const char *plain)
{
    for (; *name != '\0'; ++name) {
        const char letter = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
        if (letter == '_')
            continue;
        if (letter != *plain++)
            return false;
    }
    return *plain == '\0';
}

const char *rio_foreign_name(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
        for (size_t k = 0; k < count && is_same(name, pairs[i].theirs); ++k)
            if (strcmp(names[k], pairs[i].ours) == 0)
                return names[k];
    return NULL;
}
