#include "effect_check.h"

#include "plain_locale.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The library's messages in the words of files -------------------------------------------- */

/* Members in C that are array elements in files. */
static bool element_of(const char *member, size_t length, size_t *index)
{
    static const char *const members[] = {"x", "y", "z", "lo", "hi"};
    static const size_t indices[] = {0, 1, 2, 0, 1};
    for (size_t i = 0; i < 5; ++i)
        if (strlen(members[i]) == length && strncmp(members[i], member, length) == 0) {
            *index = indices[i];
            return true;
        }
    return false;
}

/* The name that files use for a member of C. NULL = files have no such step, and it is left out. */
static const char *member_named(const char *member, size_t length)
{
    static const char *const members[] = {"at",
                                          "value",
                                          "slope_in",
                                          "slope_out",
                                          "rgba",
                                          "time",
                                          "count",
                                          "cycles",
                                          "interval",
                                          "probability",
                                          "normal",
                                          "offset",
                                          "positions",
                                          "indices",
                                          "on",
                                          "inherit_velocity",
                                          "kind",
                                          "strength",
                                          "position",
                                          "axis",
                                          "speed",
                                          "reach",
                                          "scale",
                                          "scroll",
                                          "min_impact_speed"};
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i)
        if (strlen(members[i]) == length && strncmp(members[i], member, length) == 0)
            return members[i];
    bool triangles = length == strlen("triangle_count") && member[0] == 't';
    return triangles ? "indices" : NULL;
}

static bool has_keys(const rio_field *field)
{
    return field->kind == RIO_FIELD_CURVE || field->kind == RIO_FIELD_GRADIENT;
}

/* Enters the steps of the library's "bursts[1].count". Returns the rest of the message. */
static const char *enter_field(rio_reader *r, const char *text)
{
    size_t length = strcspn(text, ".[ ");
    const rio_field *field = rio_recipe_field(text, length);
    if (length == strlen("plane_count") && strncmp(text, "plane_count", length) == 0)
        field = rio_recipe_field("planes", 6);
    if (field == NULL)
        return text;
    rio_reader_enter(r, field->name);
    text += length;
    while ((*text == '.' || *text == '[') && r->steps < RIO_MOST_STEPS) {
        size_t index;
        if (*text == '[') {
            rio_reader_enter_index(r, strtoul(text + 1, NULL, 10));
            text += strcspn(text, "]") + 1;
            continue;
        }
        length = strcspn(++text, ".[ ");
        if (element_of(text, length, &index))
            rio_reader_enter_index(r, index);
        else if (member_named(text, length) != NULL)
            rio_reader_enter(r, member_named(text, length));
        text += length;
    }
    /* In C a key is an element of each of the arrays; in files it is an element of one array. */
    if (has_keys(field) && r->steps >= 3) {
        rio_json_step member = r->way[1];
        r->way[1] = r->way[2];
        r->way[2] = member;
    }
    return text;
}

/* A number or colour that stands for a range, a curve or a gradient has no elements to enter. */
static void leave_constants(rio_reader *r, const json_t *root)
{
    const json_t *value = r->steps > 1 ? json_object_get(root, r->way[0].key) : NULL;
    if (json_is_number(value))
        r->steps = 1;
    if (r->steps == 4 && json_is_number(json_array_get(value, 0))) {
        r->way[1] = r->way[3]; /* the element of rgba */
        r->steps = 2;
    }
}

/* Where a file gives an interpolation beside its keys, the keys are elements of a member "keys". */
static void enter_keys(rio_reader *r, const json_t *root)
{
    const char *name = r->steps >= 3 ? r->way[0].key : NULL;
    const rio_field *field = name != NULL ? rio_recipe_field(name, strlen(name)) : NULL;
    if (field == NULL || !has_keys(field) || r->steps >= RIO_MOST_STEPS ||
        !json_is_object(json_object_get(root, name)))
        return;
    memmove(&r->way[2], &r->way[1], (r->steps - 1) * sizeof r->way[0]);
    r->way[1] = (rio_json_step){.key = "keys"};
    r->steps += 1;
}

/* The file's value at the reader's place; NULL = none. */
static const json_t *value_at(const rio_reader *r, const json_t *root)
{
    for (size_t i = 0; i < r->steps && root != NULL; ++i)
        root = r->way[i].key != NULL ? json_object_get(root, r->way[i].key)
                                     : json_array_get(root, r->way[i].index);
    return root;
}

/* Returns " is 1e+07, expected ..." with the number as the file has it. It may not fit a float
 * or a count. */
static const char *with_own_value(const rio_reader *r, const json_t *root, const char *what,
                                  char *text, size_t bytes)
{
    char own[64];
    const json_t *value = value_at(r, root);
    const char *is = strstr(what, " is "), *rest = is != NULL ? strchr(is, ',') : NULL;
    if (rest == NULL || !json_is_number(value))
        return what;
    snprintf(text, bytes, "%.*s is %s%s", (int)(is - what), what,
             rio_reader_number(r, value, own, sizeof own), rest);
    return text;
}

/* --- Messages -------------------------------------------------------------------------------- */

/* Refuses a range whose ends are in the wrong order. The reader is at its lower end. */
static bool refuse_order(rio_reader *r)
{
    const rio_field *field = rio_recipe_field(r->way[0].key, strlen(r->way[0].key));
    rico_range range;
    memcpy(&range, (const char *)&r->out->recipe + field->offset, sizeof range);
    char what[160];
    snprintf(what, sizeof what, " is %g, expected at most %s[1], which is %g", (double)range.lo,
             field->name, (double)range.hi);
    rio_plain_points(what);
    return rio_reader_fail(r, "%s", what);
}

/* Loops need a duration, and cycles need an interval. When one is missing, the message names the
 * field that needs it and points at that field. */
static bool refuse_repeat(rio_reader *r, const json_t *owner, const char *asks, uint32_t count,
                          const char *what)
{
    const char *asked = r->way[r->steps - 1].key;
    const char *expected = strstr(what, "expected "), *because = strstr(what, ", because ");
    if (json_object_get(owner, asked) != NULL || expected == NULL || because == NULL)
        return rio_reader_fail(r, "%s", what);
    rio_reader_leave(r);
    rio_reader_enter(r, asks);
    return rio_reader_fail(r, " is %u, but there is no %s: %.*s", count, asked,
                           (int)(because - expected), expected);
}

static bool at_field(const rio_reader *r, size_t steps, const char *name)
{
    const char *key = r->steps == steps ? r->way[steps - 1].key : NULL;
    return key != NULL && strcmp(key, name) == 0;
}

static bool refuse(rio_reader *r, const json_t *root, const char *said)
{
    char text[320];
    const char *what = with_own_value(r, root, said, text, sizeof text);
    const rico_recipe *recipe = &r->out->recipe;
    if (r->steps == 2 && strstr(what, ", expected at most its hi of ") != NULL)
        return refuse_order(r);
    if (at_field(r, 1, "duration") && recipe->loops != 1)
        return refuse_repeat(r, root, "loops", recipe->loops, what);
    if (at_field(r, 3, "interval") && strcmp(r->way[0].key, "bursts") == 0) {
        size_t i = r->way[1].index;
        const json_t *burst = json_array_get(json_object_get(root, "bursts"), i);
        if (recipe->bursts[i].cycles != 1)
            return refuse_repeat(r, burst, "cycles", recipe->bursts[i].cycles, what);
    }
    if (strstr(what, "but duration is 0") != NULL)
        return rio_reader_fail(r, "%s, expected 1 key, or a duration above 0", what);
    if (strstr(what, " vertices") != NULL)
        return rio_reader_fail(r, "%s, expected 0 to %u", what, recipe->mesh.vertex_count - 1u);
    return rio_reader_fail(r, "%s%s", what, at_field(r, 1, "spread") ? " radians" : "");
}

static bool same_way(const rio_json_step *a, const rio_json_step *b, size_t steps)
{
    for (size_t i = 0; i < steps; ++i) {
        bool keys = a[i].key != NULL && b[i].key != NULL;
        if (keys ? strcmp(a[i].key, b[i].key) != 0 : a[i].index != b[i].index)
            return false;
    }
    return true;
}

/* For a number beyond a count or a float. If the library has refused the same field, its
 * narrower range is reported; otherwise the range of the type. The library's message about
 * another field may be caused by the replaced count. Returns false when the number was refused. */
static bool refuse_overflow(rio_reader *r, bool refused)
{
    char found[64];
    if (r->overflow == NULL || (refused && !r->overflow_is_count))
        return true;
    if (r->steps == r->overflow_steps && same_way(r->way, r->overflow_way, r->steps))
        return true;
    memcpy(r->way, r->overflow_way, sizeof r->way);
    r->steps = r->overflow_steps;
    return rio_reader_fail(r, " is %s, expected %s",
                           rio_reader_number(r, r->overflow, found, sizeof found),
                           r->overflow_is_count ? "0 to 4294967295" : "-3.4e+38 to 3.4e+38");
}

/* The last message of the log. */
typedef struct kept {
    char text[256];
} kept;

static void keep(void *user, rico_log_level level, const char *text)
{
    kept *k = user;
    if (level != RICO_LOG_ERROR)
        return;
    snprintf(k->text, sizeof k->text, "%s", text);
    rio_plain_points(k->text);
}

/* The library alone knows the ranges. It skips bursts of no births and forces of no kind, but
 * values given in a file are checked all the same. */
static bool check_ranges(rio_reader *r, const json_t *root)
{
    kept k = {""};
    rico_log log = {keep, &k};
    rico_recipe all = r->out->recipe;
    for (size_t i = 0; i < json_array_size(json_object_get(root, "bursts")); ++i)
        all.bursts[i].count += all.bursts[i].count == 0;
    for (size_t i = 0; i < json_array_size(json_object_get(root, "forces")); ++i)
        if (all.forces[i].kind == RICO_FORCE_NONE)
            all.forces[i].kind = RICO_FORCE_DIRECTION;
    if (rico_recipe_check(&all, &log) == RICO_OK)
        return refuse_overflow(r, false);
    const char *field = strstr(k.text, "recipe.");
    if (field == NULL)
        return rio_reader_fail(r, "%s", k.text);
    const char *what = enter_field(r, field + strlen("recipe."));
    leave_constants(r, root);
    enter_keys(r, root);
    return refuse_overflow(r, true) && refuse(r, root, what);
}

/* --- Places ------------------------------------------------------------------------------- */

#define MOST_COORDINATE 1.0e6f /* as for all transforms in a world */
#define MOST_SCALE 1.0e6f

static bool is_within(float value, float most)
{
    return value >= -most && value <= most;
}

/* The library has the same checks, but reports errors only when the effect is spawned. */
static bool check_place(const rico_transform *place, rio_place_fault *fault)
{
    const float position[3] = {place->position.x, place->position.y, place->position.z};
    const rico_quat q = place->rotation;
    for (int i = 0; i < 3; ++i)
        if (!is_within(position[i], MOST_COORDINATE)) {
            *fault = (rio_place_fault){"position", i, ""};
            snprintf(fault->what, sizeof fault->what, " is %g, expected %g to %g",
                     (double)position[i], -(double)MOST_COORDINATE, (double)MOST_COORDINATE);
            return false;
        }
    const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!(square > 0.998f && square < 1.002f)) {
        *fault = (rio_place_fault){"rotation", -1, ""};
        snprintf(fault->what, sizeof fault->what, " has length %g, expected 1",
                 (double)__builtin_sqrtf(square));
        return false;
    }
    if (place->scale > 0.0f && place->scale <= MOST_SCALE)
        return true;
    *fault = (rio_place_fault){"scale", -1, ""};
    snprintf(fault->what, sizeof fault->what, " is %g, expected more than 0 and at most %g",
             (double)place->scale, (double)MOST_SCALE);
    return false;
}

bool rio_check_place(const rico_transform *place, rio_place_fault *fault)
{
    const bool good = check_place(place, fault);
    if (!good)
        rio_plain_points(fault->what);
    return good;
}

static bool check_with(rio_reader *r, const json_t *root)
{
    rio_place_fault fault;
    char text[320];
    for (uint32_t k = 0; k < r->out->with_count; ++k) {
        if (rio_check_place(&r->out->with[k].place, &fault))
            continue;
        rio_reader_enter(r, "with");
        rio_reader_enter_index(r, k);
        rio_reader_enter(r, fault.member);
        if (fault.element >= 0)
            rio_reader_enter_index(r, (size_t)fault.element);
        return rio_reader_fail(r, "%s", with_own_value(r, root, fault.what, text, sizeof text));
    }
    return true;
}

/* --- Meshes ------------------------------------------------------------------------------- */

/* As rico_world_add_recipe has it: triangles without area are left out. */
static bool has_area(const rico_emitter_mesh *mesh, const uint32_t corners[3])
{
    const float *a = mesh->positions + 3 * (size_t)corners[0];
    const float *b = mesh->positions + 3 * (size_t)corners[1];
    const float *c = mesh->positions + 3 * (size_t)corners[2];
    float u[3], v[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
    }
    float x = u[1] * v[2] - u[2] * v[1];
    float y = u[2] * v[0] - u[0] * v[2];
    float z = u[0] * v[1] - u[1] * v[0];
    float square = x * x + y * y + z * z;
    return square > 1.0e-36f && isfinite(square);
}

bool rio_mesh_has_area(const rico_emitter_mesh *mesh)
{
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        if (has_area(mesh, mesh->indices + 3 * (size_t)t))
            return true;
    return false;
}

static bool check_area(rio_reader *r)
{
    const rico_recipe *recipe = &r->out->recipe;
    if (recipe->shape != RICO_EMIT_MESH || rio_mesh_has_area(&recipe->mesh))
        return true;
    rio_reader_enter(r, "mesh");
    rio_reader_enter(r, "indices");
    return rio_reader_fail(r, "found no triangle with an area among %u, expected at least one",
                           recipe->mesh.triangle_count);
}

static bool check_mesh(rio_reader *r)
{
    bool wanted = r->out->recipe.shape == RICO_EMIT_MESH;
    if (wanted == (r->out->recipe.mesh.positions != NULL))
        return true;
    rio_reader_enter(r, wanted ? "shape" : "mesh");
    return rio_reader_fail(r, wanted ? "found \"mesh\", but there is no field \"mesh\""
                                     : "found one, but shape is not \"mesh\"");
}

bool rio_check_recipe(rio_reader *r, const json_t *root)
{
    return check_mesh(r) && check_with(r, root) && check_ranges(r, root) && check_area(r);
}
