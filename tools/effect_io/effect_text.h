/* effect_text.h - the contents of an effect file, as text (private to effect files). */
#ifndef RIO_EFFECT_TEXT_H
#define RIO_EFFECT_TEXT_H

#include "effect_fields.h"
#include "effect_file.h"

typedef struct rio_content {
    const rico_recipe *recipe;
    const rio_sub_names *subs; /* NULL: it has no sub-emitters */
    const rio_with *with;
    uint32_t with_count;
    const char *comment;       /* NULL or "": none */
    const char *schema;        /* NULL or "": the one that comes with the examples */
    const char *host;          /* NULL: none */
} rio_content;

/* Whether the field would be written as in the default recipe. */
bool rio_field_is_default(const rio_field *field, const rico_recipe *recipe);

/* The text that rio_effect_text writes, with all of these contents. */
char *rio_content_text(const rio_content *c, const rico_log *log);

#endif
