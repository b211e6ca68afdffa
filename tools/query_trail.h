/* query_trail.h - the queries that a world made to its scene in the last second, as lines. */
#ifndef RICOCHET_QUERY_TRAIL_H
#define RICOCHET_QUERY_TRAIL_H

#include <ricochet/world_queries.h>
#include <stdbool.h>

#define QUERY_TRAIL_STEPS 60u

/* The queries of one step. */
typedef struct query_step {
    rico_query *queries;
    uint32_t count, capacity;
} query_step;

/* Owner: the code that steps the world; query_trail_free. All zero = empty. */
typedef struct query_trail {
    query_step steps[QUERY_TRAIL_STEPS]; /* a ring */
    uint32_t count;                      /* steps so far */
    bool failed;                         /* out of memory: some are missing */
} query_trail;

/* Call after a step. Replaces queries older than a second. */
void query_trail_add(query_trail *trail, const rico_world *world);

/* Gets the edges of gathered cells, and rays. rgba: r lowest, darker with age. */
typedef void query_line_fn(void *user, rico_vec3 a, rico_vec3 b, uint32_t rgba);
void query_trail_draw(const query_trail *trail, query_line_fn *line, void *user);

void query_trail_free(query_trail *trail);

#endif
