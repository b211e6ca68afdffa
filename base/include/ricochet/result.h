/* result.h - result codes.
 *
 * A function that can fail because of the host's data or a capacity returns a rico_result,
 * unless its header says otherwise (rico_cache_deposit returns a bool).
 * Misuse by the programmer is an assert (hooks.h). rico_world_step cannot fail.
 *
 * Codes and texts come from the one list below. Add a code there and nowhere else.
 *
 * Threads: any; everything here is a constant or a pure function.
 */
#ifndef RICOCHET_RESULT_H
#define RICOCHET_RESULT_H

#include <ricochet/export.h>

/*      name                       text */
#define RICO_RESULT_LIST(X)                                                                    \
    X(RICO_OK, "ok")                                                                           \
    X(RICO_OUT_OF_MEMORY, "the allocator returned no memory")                                  \
    X(RICO_UNINITIALIZED_DEF, "the definition was not made by its ..._default() function")     \
    X(RICO_OUT_OF_RANGE, "a field is outside its valid range")                                 \
    X(RICO_NOT_FINITE, "a value is NaN or infinite")                                           \
    X(RICO_STALE_ID, "the id is null or names something that was destroyed")                   \
    X(RICO_FULL, "a capacity that was set at creation is used up")                             \
    X(RICO_EMPTY_MESH, "the mesh has no valid triangle")                                       \
    X(RICO_BUSY, "the call is not allowed while a step, or another call on the object, runs")  \
    X(RICO_IN_USE, "something still refers to it")                                             \
    X(RICO_NOT_FOUND, "the file does not exist or cannot be opened")                           \
    X(RICO_BAD_FILE, "the file's content is not of the expected kind")                         \
    X(RICO_NOT_WRITTEN, "the file could not be written")                                       \
    X(RICO_NO_SCENE, "the world uses the host's ray caster and has no scene of its own")

typedef enum rico_result {
#define RICO_RESULT_ENUM(name, text) name,
    RICO_RESULT_LIST(RICO_RESULT_ENUM)
#undef RICO_RESULT_ENUM
        RICO_RESULT_COUNT
} rico_result;

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the name of a code, for example "RICO_FULL"; "unknown result" for any other value.
 * Lifetime: a constant; never free it. */
RICO_API const char *rico_result_name(rico_result result);

/* Returns the text of a code; "unknown result" for any other value.
 * Lifetime: a constant; never free it. */
RICO_API const char *rico_result_text(rico_result result);

#ifdef __cplusplus
}
#endif
#endif
