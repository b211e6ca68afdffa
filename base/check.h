/* check.h - asserts, in three levels that are chosen at build time (-DRICO_ASSERT_LEVEL).
 *
 *   1 RICO_REQUIRE     misuse of the public API; on in every build
 *   2 RICO_ASSERT      an invariant that costs a compare; on in builds with sanitizers
 *   3 RICO_ASSERT_SLOW an invariant that walks a structure; on when asked for
 *
 * RICO_REQUIRE is an expression: `if (!RICO_REQUIRE(dt >= 0.0f)) return;`. So if the handler
 * returns, the call returns without having done anything.
 */
#ifndef RICO_CHECK_H
#define RICO_CHECK_H

#include <ricochet/hooks.h>
#include <stdbool.h>

#ifndef RICO_ASSERT_LEVEL
#define RICO_ASSERT_LEVEL 1
#endif

/* Calls the handler. Returns false when the handler returns. */
bool rico__assert_failed(const char *expression, const char *file, int line);

#define RICO_REQUIRE(expression)                                                               \
    ((expression) ? true : rico__assert_failed(#expression, __FILE__, __LINE__))

#if RICO_ASSERT_LEVEL >= 2
#define RICO_ASSERT(expression) ((void)RICO_REQUIRE(expression))
#else
#define RICO_ASSERT(expression) ((void)sizeof((expression) ? 1 : 0))
#endif

#if RICO_ASSERT_LEVEL >= 3
#define RICO_ASSERT_SLOW(expression) ((void)RICO_REQUIRE(expression))
#else
#define RICO_ASSERT_SLOW(expression) ((void)sizeof((expression) ? 1 : 0))
#endif

#endif
