/* effect_idle.h - fields of a file that have no effect (private to effect files). */
#ifndef RIO_EFFECT_IDLE_H
#define RIO_EFFECT_IDLE_H

#include "effect_reader.h"

/* Writes the message into out->idle. The reader has read the whole file and is at the root. */
void rio_find_idle(const rio_reader *r, const json_t *root);

#endif
