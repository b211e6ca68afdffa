/* event_arena.h - the events of a step, while it runs.
 *
 * All events of a step have one order: blocks as they are in the list, and each block's events
 * as it reports them. The first `event_limit` in that order are kept, whichever worker was
 * there first. So each worker has an arena of its own, with room for that many and for what a
 * block may report beyond. When it is full, it keeps the first of its own, in the order of
 * blocks, and drops the others. None of the world's first events can be among those. So
 * together the arenas hold the world's first events.
 *
 * A block reports in two parts, with other blocks between them: while it is moved, and while it
 * is finished. The events of a part lie side by side. The block's header says where
 * (rico__block.events_at), and how many they are.
 */
#ifndef RICO_EVENT_ARENA_H
#define RICO_EVENT_ARENA_H

#include "seeds.h"

#include <ricochet/world.h>

struct rico__block;
struct rico__block_context;

typedef enum rico__event_part { EVENTS_OF_MOVE, EVENTS_OF_END, EVENT_PARTS } rico__event_part;

/* Owner: the world's scratch, one per worker; the memory is the world's. Threads: that worker
 * in simulate; the stepping thread before and after. Order: events and runs as they were
 * written, until the arena is cut. */
typedef struct rico__event_arena {
    rico_event *events; /* its part of the world's raw events */
    /* Beside the events: looks of those whose births inherit any. NULL: of no events (looks.h). */
    rico__look *looks;
    /* EVENT_PARTS * place in the list + part, for parts that are not empty. */
    uint32_t *runs;
    uint32_t first; /* number of its first event among the world's */
    uint32_t capacity;
    uint32_t used, run_count;
    /* Blocks from that place in the list on report in vain: enough events come before theirs. */
    uint32_t end;
    uint32_t raised;   /* events in this step, dropped ones included */
    bool open;         /* the block that reports now does not report in vain */
    rico_event unread; /* the last event that was reported in vain */
} rico__event_arena;

/* How many events are kept in a step, and how many an arena holds, by the definition. */
uint32_t rico__event_limit(const rico_world_def *def);
uint32_t rico__event_arena_capacity(const rico_world_def *def);

/* Empties all arenas, before a step. */
void rico__events_reset(rico_world *world);

/* Called before and after a part of a block whose recipe has events. */
void rico__events_begin(struct rico__block_context *c, rico__event_part part);
void rico__events_end(struct rico__block_context *c, rico__event_part part);

/* Where to write the block's next event. It is written in place because it is written in words:
 * a copy in vectors would wait for them. */
static inline rico_event *rico__event_raise(rico__event_arena *arena)
{
    arena->raised += 1;
    return arena->open ? &arena->events[arena->used++] : &arena->unread;
}

/* Sets how the particle of the last event that was raised is drawn. */
static inline void rico__event_look(rico__event_arena *arena, rico__look look)
{
    if (arena->open)
        arena->looks[arena->used - 1] = look;
}

/* After simulate: from then on blocks have the first event_limit events, and no others. Returns
 * how many events there were, dropped ones included. */
uint64_t rico__events_settle(rico_world *world);

/* The events of a block's part; *count: how many. */
const rico_event *rico__events_of(const rico_world *world, const struct rico__block *block,
                                  rico__event_part part, uint32_t *count);

#endif
