/* effect_idle.h - what a file says that does nothing (private to effect files). */
#ifndef RIO_EFFECT_IDLE_H
#define RIO_EFFECT_IDLE_H

#include "effect_reader.h"

/* Into out->idle. The reader has read all, and is at the root. */
void rio_find_idle(const rio_reader *r, const json_t *root);

#endif
