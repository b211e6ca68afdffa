/* job_graph.h - a frame as a graph of jobs: built once, run again and again without allocation.
 *
 * rico_graph_add a node per job, rico_graph_order what must be before what, rico_graph_seal, then
 * rico_graph_run once a frame. A node runs when all before it have ended, and sees what they
 * wrote. Which worker runs it is not defined; a node may fork, join and use parallel for.
 */
#ifndef RICOCHET_JOB_GRAPH_H
#define RICOCHET_JOB_GRAPH_H

#include <ricochet/jobs.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rico_graph rico_graph;

typedef struct rico_graph_def {
    uint32_t cookie;        /* set by rico_graph_def_default; do not touch */
    uint32_t node_capacity; /* 1..65536 [64] */
    uint32_t edge_capacity; /* 0..1048576 [256] */
    rico_allocator allocator;
    rico_log log;
} rico_graph_def;

RICO_API rico_graph_def rico_graph_def_default(void);

/* Errors: RICO_UNINITIALIZED_DEF, RICO_OUT_OF_RANGE, RICO_OUT_OF_MEMORY; *out is then NULL.
 * Threads: a graph is used by one thread at a time, but for its running. */
RICO_API rico_result rico_graph_create(const rico_graph_def *def, rico_graph **out);

/* NULL is ignored. Not while it runs. */
RICO_API void rico_graph_destroy(rico_graph *graph);

/* Adds a node; *node is its number, 0 for the first. The graph has to be sealed anew.
 * Errors: RICO_FULL. */
RICO_API rico_result rico_graph_add(rico_graph *graph, rico_job_fn *fn, void *context,
                                    uint32_t *node);

/* `after` runs when `before` has ended. Errors: RICO_FULL; RICO_OUT_OF_RANGE: no such node. */
RICO_API rico_result rico_graph_order(rico_graph *graph, uint32_t before, uint32_t after);

/* Makes it ready to run. Errors: RICO_OUT_OF_RANGE: some nodes wait for each other. */
RICO_API rico_result rico_graph_seal(rico_graph *graph);

/* Runs every node once and returns when all have ended. From inside a job; from outside:
 * rico_jobs_run_graph. Asserts that the graph is sealed. */
RICO_API void rico_graph_run(rico_worker *worker, rico_graph *graph);
RICO_API void rico_jobs_run_graph(rico_jobs *jobs, rico_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
