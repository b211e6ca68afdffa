/* effect_list.h - the effects that one can choose from: the files beside the program's own. */
#ifndef RICOCHET_EFFECT_LIST_H
#define RICOCHET_EFFECT_LIST_H

#include <stdint.h>

#define EFFECT_LIST_MAX 256u

/* Owner: the caller; effect_list_free. In the order of their names. */
typedef struct effect_list {
    char *paths[EFFECT_LIST_MAX];
    uint32_t count;
} effect_list;

/* From where rio_effect_path finds the program's; none where that cannot be read. */
void effect_list_read(effect_list *out);
void effect_list_free(effect_list *list);

#endif
