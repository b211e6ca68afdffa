/* effect_follow.h - changes of the files that a source's file names (private to effect files).
 *
 * Files are numbered as in source->links; the source's own is RIO_OWN_FILE. Sets of files are
 * bits.
 */
#ifndef RIO_EFFECT_FOLLOW_H
#define RIO_EFFECT_FOLLOW_H

#include "effect_linker.h"
#include "effect_source.h"

#define RIO_OWN_FILE RIO_MOST_LINKS
#define RIO_FOLLOWED (RIO_MOST_LINKS + 1u)

/* The files that have to be read now: files that have changed, files whose obstacle has changed,
 * and files that need wait no longer. Each is returned once, because the call records that it
 * was. */
uint32_t rio_follow_due(rio_effect_source *s, const rico_world *world);

/* Writes the line about a file whose change waits for particles of the files that it names. */
void rio_say_who_waits(const char *path, char *error, size_t error_bytes);

/* Whether one of the file's recipes has no particles any more, so that it can be changed freely. */
bool rio_follow_has_idle(const rio_effect_source *s, const rico_world *world);

/* The files that were refused because of others. */
uint32_t rio_follow_blocked(const rio_effect_source *s);

/* Reads file i of the links again, and changes its recipe. */
rio_source_news rio_follow_link(rio_effect_source *s, rico_world *world, uint32_t i,
                                char *error, size_t error_bytes);

/* Writes the line about RIO_SOURCE_ADDED: the file, and the field for which its running effects
 * have no memory. */
void rio_tell_added(char *error, size_t error_bytes, const char *path, const char *field);

/* Marks the files that the source's file, as it is now, no longer leads to. They are not
 * followed any more, and are read anew when they are named again. */
void rio_follow_mark(rio_effect_source *s, const rico_world *world);

/* Removes marked files from the world when no recipe names them and no particle uses them.
 * Returns whether any was removed. */
bool rio_follow_prune(rio_effect_source *s, rico_world *world);

#endif
