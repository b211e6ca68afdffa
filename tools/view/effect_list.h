/* effect_list.h - the effects that the user can choose: the files beside the program's own. */
#ifndef RICOCHET_EFFECT_LIST_H
#define RICOCHET_EFFECT_LIST_H

#include <stdint.h>

#define EFFECT_LIST_MAX 256u

/* Owner: the caller; effect_list_free. Sorted by name. */
typedef struct effect_list {
    char *paths[EFFECT_LIST_MAX];
    uint32_t count;
} effect_list;

/* Reads the directory in which rio_effect_path finds the program's effects. The list is empty if
 * that fails. */
void effect_list_read(effect_list *out);
void effect_list_free(effect_list *list);

#endif
