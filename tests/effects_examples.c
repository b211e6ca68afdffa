#include "effects_fixture.h"

#if defined(_WIN32)
#include <sys/utime.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#endif

const char *const example_names[] = {"casings",
                                     "confetti",
                                     "dust",
                                     "embers",
                                     "explosion",
                                     "fire",
                                     "gravel",
                                     "grinder",
                                     "leaves",
                                     "rain",
                                     "magic_ring",
                                     "smoke",
                                     "snow",
                                     "sparks",
                                     "rain_splash",
                                     "waterfall",
                                     "smoke_column",
                                     "spell_trail",
                                     "firework",
                                     "firework_star",
                                     "firework_glitter",
                                     "hail",
                                     "ice_chips",
                                     "marbles",
                                     "paint",
                                     "pucks",
                                     "whirl",
                                     "windy_fountain",
                                     "wisps",
                                     "explosion_debris",
                                     "explosion_sparks",
                                     "explosion_smoke",
                                     "campfire",
                                     "campfire_embers",
                                     "campfire_smoke",
                                     "bubbles",
                                     "shield",
                                     "meteors",
                                     "meteor_rocks",
                                     "meteor_dust",
                                     NULL};

const char *example_path(const char *name, char *path, size_t bytes)
{
    snprintf(path, bytes, TEST_EFFECTS "/%s.json", name);
    return path;
}

char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK_MSG(file != NULL, "%s", path);
    char *text = calloc(1, 1 << 16);
    CHECK(text != NULL && fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

void set_time_of(const char *path, long seconds)
{
#if defined(_WIN32)
    CHECK_EQ(_utime(path, &(struct _utimbuf){seconds, seconds}), 0);
#else
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    CHECK_EQ(utimensat(AT_FDCWD, path, times, 0), 0);
#endif
}

rio_effect load_text(const char *text)
{
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    rio_effect effect;
    rico_result result =
        rio_effect_parse("text", text, strlen(text), &effect, error, sizeof error);
    CHECK_MSG(result == RICO_OK, "%s of: %.200s", error, text);
    return effect;
}

void check_refused_as(const char *text, const char *error)
{
    char found[RIO_EFFECT_ERROR_BYTES] = "";
    rio_effect effect;
    CHECK_EQ(rio_effect_parse("f", text, strlen(text), &effect, found, sizeof found),
             RICO_BAD_FILE);
    CHECK_MSG(strcmp(found, error) == 0, "'%s', expected '%s'", found, error);
}

void check_refused(const char *text, const char *error)
{
    char found[RIO_EFFECT_ERROR_BYTES] = "";
    rio_effect effect;
    rico_result result =
        rio_effect_parse("f", text, strlen(text), &effect, found, sizeof found);
    CHECK_MSG(result == RICO_BAD_FILE, "accepted: %.300s", text);
    CHECK_MSG(strncmp(found, error, strlen(error)) == 0, "'%s', expected '%s'", found, error);
    CHECK(effect.recipe.cookie == 0 && effect.positions == NULL);
}

static bool same_keys(const uint32_t *count_a, const float *a, const uint32_t *count_b,
                      const float *b, size_t numbers)
{
    return *count_a == *count_b && memcmp(a, b, *count_a * sizeof *a) == 0 &&
           memcmp(a + RICO_MAX_KEYS, b + RICO_MAX_KEYS, *count_a * numbers * sizeof *a) == 0;
}

/* Slopes are compared for cubic curves only; those of other kinds are not saved. */
static bool same_slopes(const rico_curve *a, const rico_curve *b)
{
    return a->interpolation != RICO_CUBIC ||
           (memcmp(a->slope_in, b->slope_in, a->key_count * 4) == 0 &&
            memcmp(a->slope_out, b->slope_out, a->key_count * 4) == 0);
}

static bool same_mesh(const rico_recipe *a, const rico_recipe *b)
{
    if (a->shape != RICO_EMIT_MESH)
        return true;
    return a->mesh.vertex_count == b->mesh.vertex_count &&
           a->mesh.triangle_count == b->mesh.triangle_count &&
           memcmp(a->mesh.positions, b->mesh.positions, a->mesh.vertex_count * 12) == 0 &&
           memcmp(a->mesh.indices, b->mesh.indices, a->mesh.triangle_count * 12) == 0;
}

static bool same_planes(const rico_recipe *a, const rico_recipe *b)
{
    return a->plane_count == b->plane_count &&
           memcmp(a->planes, b->planes, a->plane_count * sizeof a->planes[0]) == 0;
}

static bool same_bursts(const rico_burst *a, const rico_burst *b)
{
    for (int i = 0; i < (int)RICO_MAX_BURSTS; ++i)
        if (a[i].count != b[i].count ||
            (a[i].count > 0 && memcmp(&a[i], &b[i], sizeof a[i]) != 0))
            return false;
    return true;
}

static bool same(const rio_field *field, const rico_recipe *a, const rico_recipe *b);

static bool same_forces(const rico_force *a, const rico_force *b)
{
    rio_fields fields = rio_force_fields();
    for (int i = 0; i < (int)RICO_MAX_FORCES; ++i)
        for (size_t f = 0; f < fields.count; ++f) {
            bool none = a[i].kind == RICO_FORCE_NONE && b[i].kind == RICO_FORCE_NONE;
            if (!none && !same(&fields.items[f], (const void *)&a[i], (const void *)&b[i]))
                return false;
        }
    return true;
}

static bool same(const rio_field *field, const rico_recipe *a, const rico_recipe *b)
{
    const void *x = (const char *)a + field->offset, *y = (const char *)b + field->offset;
    const rico_curve *cx = x, *cy = y;
    const rico_gradient *gx = x, *gy = y;
    switch (field->kind) {
    case RIO_FIELD_CURVE:
        return same_keys(&cx->key_count, cx->at, &cy->key_count, cy->at, 1) &&
               cx->interpolation == cy->interpolation && same_slopes(cx, cy);
    case RIO_FIELD_GRADIENT:
        return same_keys(&gx->key_count, gx->at, &gy->key_count, gy->at, 4) &&
               gx->interpolation == gy->interpolation;
    case RIO_FIELD_MESH:
        return same_mesh(a, b);
    case RIO_FIELD_PLANES:
        return same_planes(a, b);
    case RIO_FIELD_BURSTS:
        return same_bursts(x, y);
    case RIO_FIELD_SUB_EMITTERS:
        return memcmp(x, y, sizeof a->sub_emitters) == 0;
    case RIO_FIELD_FORCES:
        return same_forces(x, y);
    case RIO_FIELD_FLAG:
        return *(const bool *)x == *(const bool *)y;
    case RIO_FIELD_VECTOR:
        return memcmp(x, y, 12) == 0;
    case RIO_FIELD_RANGE:
        return memcmp(x, y, 8) == 0;
    default:
        return memcmp(x, y, 4) == 0;
    }
}

const char *first_difference(const rico_recipe *a, const rico_recipe *b)
{
    rio_fields fields = rio_recipe_fields();
    for (size_t i = 0; i < fields.count; ++i)
        if (!same(&fields.items[i], a, b))
            return fields.items[i].name;
    return NULL;
}
