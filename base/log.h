/* log.h - formatted messages to the host's log hook. */
#ifndef RICO_LOG_H
#define RICO_LOG_H

#include <ricochet/hooks.h>
#include <ricochet/result.h>

#define RICO_LOG_TEXT_BYTES 256

/* With a NULL log, or one without `write`, errors and warnings go to standard error. Texts of
 * more than RICO_LOG_TEXT_BYTES - 1 bytes are cut. */
void rico__log(const rico_log *log, rico_log_level level, const char *format, ...)
    RICO_PRINTF(3, 4);

/* Logs "<call>: <formatted text>" as an error and returns result, so that a validation reads
 * `return rico__fail(&log, RICO_OUT_OF_RANGE, "rico_world_create", "def.x is %g, ...", x);` */
rico_result rico__fail(const rico_log *log, rico_result result, const char *call,
                       const char *format, ...) RICO_PRINTF(4, 5);

#endif
