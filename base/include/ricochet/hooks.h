/* hooks.h - what the host may put in the place of libc: allocator, log, assert.
 *
 * Allocator and log are given to each object at its creation and live with it; there is no
 * global state but the assert handler (an assert can fire where no object is at hand).
 *
 * Allocator and log are called in the middle of what the object does: they may not change, step or destroy it. A world
 * refuses that (RICO_BUSY, see world.h); with a scene, cache or pool of the host's own it is undefined, and so is any
 * call to an object that is being destroyed.
 */
#ifndef RICOCHET_HOOKS_H
#define RICOCHET_HOOKS_H

#include <ricochet/export.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory for one object and all it owns.
 *   allocate: size > 0 bytes, alignment a power of two from 1 to 4096; NULL when there is none.
 *   release:  a pointer that allocate gave, with the same size and alignment; never NULL.
 * Threads: called by the thread that creates, edits or destroys the object; never during a
 * step. Both members NULL = libc. */
typedef struct rico_allocator {
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    void (*release)(void *user, void *memory, size_t bytes, size_t alignment);
    void *user;
} rico_allocator;

typedef enum rico_log_level {
    RICO_LOG_ERROR,   /* the call failed; the text names what was wrong and what was expected */
    RICO_LOG_WARNING, /* the call did less than asked */
    RICO_LOG_INFO
} rico_log_level;

/* One message, one line, no newline at its end. The default (write == NULL) prints errors and
 * warnings on standard error. Threads: as the call that causes the message. */
typedef struct rico_log {
    void (*write)(void *user, rico_log_level level, const char *text);
    void *user;
} rico_log;

/* Called when an assert fails; the default prints and aborts. If the handler returns, public
 * functions do nothing and return their failure value. Pass NULL for the default.
 * Threads: any; takes effect at once for the whole process. */
typedef void rico_assert_handler(const char *expression, const char *file, int line);
RICO_API void rico_assert_set_handler(rico_assert_handler *handler);

#ifdef __cplusplus
}
#endif
#endif
