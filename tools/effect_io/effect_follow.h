/* effect_follow.h - the files that a source's file names, and their changes (private to effect files).
 *
 * Files are numbered as in source->links; the source's own is RIO_OWN_FILE. Sets of them are bits.
 */
#ifndef RIO_EFFECT_FOLLOW_H
#define RIO_EFFECT_FOLLOW_H

#include "effect_linker.h"
#include "effect_source.h"

#define RIO_OWN_FILE RIO_MOST_LINKS
#define RIO_FOLLOWED (RIO_MOST_LINKS + 1u)

/* Those that are to be read: they have changed, or what they were refused for, or nothing keeps them waiting. Takes
 * note of it: they are said once. */
uint32_t rio_follow_due(rio_effect_source *s, const rico_world *world);

/* Of a file whose change waits for particles of those that it names. */
void rio_say_who_waits(const char *path, char *error, size_t error_bytes);

/* Whether a recipe that the file has been has no particles any more: it can become any other. */
bool rio_follow_has_idle(const rio_effect_source *s, const rico_world *world);

/* Those that were refused for the sake of others. */
uint32_t rio_follow_blocked(const rio_effect_source *s);

/* Reads file i of the links again, and changes its recipe. */
rio_source_news rio_follow_link(rio_effect_source *s, rico_world *world, uint32_t i,
                                char *error, size_t error_bytes);

/* The line about RIO_SOURCE_ADDED: the file, and the field that effects which run it have no memory for. */
void rio_tell_added(char *error, size_t error_bytes, const char *path, const char *field);

/* Finds out which files the source's, as it is now, no longer leads to. They are not followed, and read
 * anew when they are named again. */
void rio_follow_mark(rio_effect_source *s, const rico_world *world);

/* Takes those of them out of the world that no recipe names and no particle is of. Whether any has gone. */
bool rio_follow_prune(rio_effect_source *s, rico_world *world);

#endif
