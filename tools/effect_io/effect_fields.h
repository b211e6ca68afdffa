/* effect_fields.h - the fields of an effect file: one table for reading, writing and checking. */
#ifndef RIO_EFFECT_FIELDS_H
#define RIO_EFFECT_FIELDS_H

#include <ricochet/recipe.h>
#include <stdbool.h>
#include <stddef.h>

#define RIO_EFFECT_FORMAT "ricochet effect 1"

typedef enum rio_field_kind {
    RIO_FIELD_NUMBER,   /* float */
    RIO_FIELD_COUNT,    /* uint32_t */
    RIO_FIELD_FLAG,     /* bool */
    RIO_FIELD_VECTOR,   /* rico_vec3: [x, y, z] */
    RIO_FIELD_RANGE,    /* rico_range: [lo, hi], or a number that is both */
    RIO_FIELD_CURVE,    /* rico_curve: a number, keys, or {interpolation, keys} */
    RIO_FIELD_GRADIENT, /* rico_gradient: [r, g, b, a], keys, or {interpolation, keys} */
    RIO_FIELD_SHAPE,    /* rico_emitter_shape, by name */
    RIO_FIELD_MODE,     /* rico_collision_mode, by name */
    RIO_FIELD_EVENTS,   /* bits, by a list of names */
    RIO_FIELD_EVENT,    /* one bit, by name */
    RIO_FIELD_RESPONSE, /* rico_on_collision, by name */
    RIO_FIELD_HIDDEN,   /* rico_hidden, by name */
    RIO_FIELD_SPACE,    /* rico_space, by name */
    RIO_FIELD_ORIENTATION, /* rico_orientation, by name */
    RIO_FIELD_EFFECT,   /* rico_recipe_id, by the name of another file */
    RIO_FIELD_FILE,     /* rio_with.effect: the name of another file */
    RIO_FIELD_ROTATION, /* rico_quat: [x, y, z, w] */
    RIO_FIELD_SUB_EMITTERS,
    RIO_FIELD_KIND, /* rico_force_kind, by name */
    RIO_FIELD_FORCES,
    RIO_FIELD_BURSTS,
    RIO_FIELD_PLANES,
    RIO_FIELD_MESH
} rio_field_kind;

typedef struct rio_field {
    const char *name; /* the member's name in C */
    rio_field_kind kind;
    size_t offset; /* in rico_recipe, or in the struct of the part */
} rio_field;

typedef struct rio_fields {
    const rio_field *items;
    size_t count;
} rio_fields;

#define RIO_MOST_FIELDS 96u /* of a recipe */
rio_fields rio_recipe_fields(void);
/* The field whose name is the first `length` characters; NULL = none. */
const rio_field *rio_recipe_field(const char *name, size_t length);
rio_fields rio_burst_fields(void); /* of rico_burst */
rio_fields rio_plane_fields(void); /* of rico_plane */
rio_fields rio_sub_emitter_fields(void);
rio_fields rio_with_fields(void);  /* of rio_with */
rio_fields rio_force_fields(void); /* of rico_force */

/* Names in the order of their values, `count` of them: of rico_emitter_shape,
 * rico_collision_mode and rico_force_kind, and of event bits from the lowest. */
typedef struct rio_names {
    const char *const *items;
    size_t count;
} rio_names;

rio_names rio_shape_names(void);
rio_names rio_mode_names(void);
rio_names rio_event_names(void);
rio_names rio_response_names(void);
rio_names rio_kind_names(void);
rio_names rio_hidden_names(void);
rio_names rio_space_names(void);
rio_names rio_orientation_names(void);
/* The names of interpolation for a RIO_FIELD_CURVE or a RIO_FIELD_GRADIENT. */
rio_names rio_interpolation_names(rio_field_kind kind);

/* Counts the characters of a text in UTF-8. */
size_t rio_count_characters(const char *text);

/* Whether a sub-emitter may name a file by this text: it must be a bare name, which cannot leave
 * the directory. */
bool rio_is_sub_name(const char *text);

/* A burst as it is when its file gives no values: once, with certainty. */
rico_burst rio_burst_default(void);
/* A sub-emitter as it is when its file gives no values: one birth, with certainty. */
rico_sub_emitter rio_sub_emitter_default(void);

#endif
