/* hooks.h - replaces parts of libc by the host's own: allocator, log, assert handler.
 *
 * Allocator and log are given to each object when it is created, and must live as long as it
 * does. The only global state is the assert handler, because an assert can fail where no object
 * is at hand.
 *
 * An object calls its allocator and log in the middle of its work. They must not change, step
 * or destroy the object. A world refuses calls that would (RICO_BUSY, see world.h). With a
 * scene, cache or pool of the host's own they have undefined behaviour. So has any call to an
 * object that is being destroyed.
 */
#ifndef RICOCHET_HOOKS_H
#define RICOCHET_HOOKS_H

#include <ricochet/export.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The memory for one object and all that it owns. Give both functions, or neither: both NULL =
 * libc.
 *
 * Threads: the thread that creates, edits or destroys the object; never during a step. */
typedef struct rico_allocator {
    /* Returns `bytes` bytes, more than 0, at a multiple of `alignment`, which is a power of two
     * from 1 to 4096. Returns NULL if there is no memory. */
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    /* Releases memory that `allocate` returned; never NULL. bytes and alignment are the same as
     * then. */
    void (*release)(void *user, void *memory, size_t bytes, size_t alignment);
    void *user; /* the host's; passed to both */
} rico_allocator;

typedef enum rico_log_level {
    RICO_LOG_ERROR,   /* the call failed; the text says what was wrong and what was expected */
    RICO_LOG_WARNING, /* the call did less than it was asked to */
    RICO_LOG_INFO
} rico_log_level;

/* Takes messages. A message is one line, without a newline at its end. With write NULL, errors
 * and warnings are printed on standard error.
 *
 * Threads: as the call that causes the message. */
typedef struct rico_log {
    void (*write)(void *user, rico_log_level level, const char *text);
    void *user;
} rico_log;

/* Called when an assert fails. If it returns, public functions do nothing and return their
 * failure value. */
typedef void rico_assert_handler(const char *expression, const char *file, int line);

/* Sets the assert handler, at once and for the whole process. NULL = the default, which prints
 * a message and aborts.
 *
 * Threads: any. */
RICO_API void rico_assert_set_handler(rico_assert_handler *handler);

#ifdef __cplusplus
}
#endif
#endif
