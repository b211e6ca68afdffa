/* job_graph.h - job graphs: a frame as a graph of jobs, built once and run again and again.
 *
 * How to use it:
 *
 * 1. Add a node per job with rico_graph_add.
 * 2. Say which node must end before which with rico_graph_order.
 * 3. Call rico_graph_seal.
 * 4. Call rico_graph_run once a frame. It does not allocate.
 *
 * A node runs when all nodes before it have ended, and sees what they wrote. Which worker runs
 * it is not defined. A node may fork, join and use parallel for.
 *
 * Threads: one thread at a time uses a graph, except while the graph runs.
 */
#ifndef RICOCHET_JOB_GRAPH_H
#define RICOCHET_JOB_GRAPH_H

#include <ricochet/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico_graph rico_graph;

typedef struct rico_graph_def {
    uint32_t cookie;          /* set by rico_graph_def_default; do not touch */
    uint32_t node_capacity;   /* most nodes; 1..65536 [64] */
    uint32_t edge_capacity;   /* most pairs that are ordered; 0..1048576 [256] */
    rico_allocator allocator; /* hooks.h */
    rico_log log;             /* hooks.h */
} rico_graph_def;

/* Returns a definition with all fields at their defaults. */
RICO_API rico_graph_def rico_graph_def_default(void);

/* Creates a graph without nodes. On failure *out is NULL.
 *
 * Errors:
 *   RICO_UNINITIALIZED_DEF: def was not made by rico_graph_def_default.
 *   RICO_OUT_OF_RANGE: a field of def, which the log names.
 *   RICO_OUT_OF_MEMORY: the allocator returned no memory.
 */
RICO_API rico_result rico_graph_create(const rico_graph_def *def, rico_graph **out);

/* Destroys a graph, which must not be running. NULL is ignored. */
RICO_API void rico_graph_destroy(rico_graph *graph);

/* Adds a node. *node is its number, 0 for the first. The graph must be sealed again before it
 * runs.
 *
 * Errors: RICO_FULL: node_capacity is used up.
 */
RICO_API rico_result rico_graph_add(rico_graph *graph, rico_job_fn *fn, void *context,
                                    uint32_t *node);

/* Makes node `after` run only when node `before` has ended. The graph must be sealed again
 * before it runs.
 *
 * Errors:
 *   RICO_FULL: edge_capacity is used up.
 *   RICO_OUT_OF_RANGE: there is no node with one of these numbers.
 */
RICO_API rico_result rico_graph_order(rico_graph *graph, uint32_t before, uint32_t after);

/* Makes the graph ready to run.
 *
 * Errors: RICO_OUT_OF_RANGE: some nodes wait for each other.
 */
RICO_API rico_result rico_graph_seal(rico_graph *graph);

/* Runs every node once, from inside a job. It returns when all nodes have ended. A graph that
 * is not sealed is asserted. */
RICO_API void rico_graph_run(rico_worker *worker, rico_graph *graph);

/* Runs every node once, from outside of jobs: rico_jobs_run around rico_graph_run. */
RICO_API void rico_jobs_run_graph(rico_jobs *jobs, rico_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
