/* job_graph.c - a worker whose node ends runs one of the nodes that became ready by that, and
 * forks the others.
 *
 * So a graph runs on fork and join alone. A chain uses no stack. Each node is forked at most
 * once (its job record is its own), and is joined by the worker that forked it. When the roots
 * are joined, all is over.
 */
#include <ricochet/job_graph.h>

#include "atomics.h"
#include "check.h"
#include "log.h"
#include "memory.h"
#include "worker.h"

#define DEF_COOKIE 0x47524146u /* "GRAF" */

typedef struct graph_node {
    rico_job job;
    rico_job_fn *fn;
    void *context;
    rico_graph *graph;
    struct graph_node *forked_before; /* the node forked before, by the same run_chain */
    uint32_t first_edge, edge_count;  /* its edges in graph->after, once sealed */
    uint32_t needs;                   /* edges that lead here */
    rico__atomic32 missing;           /* of these, those not passed yet in this run */
} graph_node;

typedef struct graph_edge {
    uint32_t before, after;
} graph_edge;

/* Owner: the host. Threads: workers that run nodes only read it, except for `missing`, and for
 * the job and `forked_before` of nodes that they fork. Order: edges keep the order in which they
 * were added. */
struct rico_graph {
    graph_node *nodes;
    graph_edge *edges;
    uint32_t *after; /* the nodes that edges lead to, by those that they come from */
    uint32_t *queue; /* for seal */
    uint32_t node_count, edge_count, node_capacity, edge_capacity;
    bool sealed;
    rico_log log;
    rico__memory memory;
};

rico_graph_def rico_graph_def_default(void)
{
    return (rico_graph_def){.cookie = DEF_COOKIE, .node_capacity = 64, .edge_capacity = 256};
}

static rico_result check_def(const rico_graph_def *def)
{
    static const char call[] = "rico_graph_create";
    if (def->cookie != DEF_COOKIE)
        return rico__fail(NULL, RICO_UNINITIALIZED_DEF, call,
                          "def was not made by rico_graph_def_default");
    if (def->node_capacity < 1 || def->node_capacity > 65536 || def->edge_capacity > 1048576)
        return rico__fail(
            &def->log, RICO_OUT_OF_RANGE, call,
            "def has capacities of %u nodes and %u edges, expected 1 to 65536 and "
            "0 to 1048576",
            def->node_capacity, def->edge_capacity);
    return rico__memory_check(&def->allocator, &def->log, call);
}

void rico_graph_destroy(rico_graph *graph)
{
    if (graph == NULL)
        return;
    rico__memory memory = graph->memory; /* a copy: the original is in what is released */
    size_t nodes = graph->node_capacity, edges = (size_t)graph->edge_capacity + 1;
    rico__memory_release(&memory, graph->nodes, nodes, sizeof *graph->nodes, RICO_CACHE_LINE);
    rico__memory_release(&memory, graph->edges, edges, sizeof *graph->edges, RICO_CACHE_LINE);
    rico__memory_release(&memory, graph->after, edges, sizeof *graph->after, RICO_CACHE_LINE);
    rico__memory_release(&memory, graph->queue, nodes, sizeof *graph->queue, RICO_CACHE_LINE);
    rico__memory_release(&memory, graph, 1, sizeof *graph, RICO_CACHE_LINE);
}

rico_result rico_graph_create(const rico_graph_def *def, rico_graph **out)
{
    if (!RICO_REQUIRE(out != NULL))
        return RICO_OUT_OF_RANGE;
    *out = NULL;
    if (!RICO_REQUIRE(def != NULL))
        return RICO_OUT_OF_RANGE;
    rico_result result = check_def(def);
    if (result != RICO_OK)
        return result;
    rico__memory memory;
    rico__memory_init(&memory, &def->allocator);
    rico_graph *graph = rico__memory_allocate(&memory, 1, sizeof *graph, RICO_CACHE_LINE);
    size_t nodes = def->node_capacity, edges = (size_t)def->edge_capacity + 1;
    if (graph != NULL) {
        graph->memory = memory;
        graph->log = def->log;
        graph->node_capacity = def->node_capacity;
        graph->edge_capacity = def->edge_capacity;
        rico__memory *m = &graph->memory;
        graph->nodes = rico__memory_allocate(m, nodes, sizeof *graph->nodes, RICO_CACHE_LINE);
        graph->edges = rico__memory_allocate(m, edges, sizeof *graph->edges, RICO_CACHE_LINE);
        graph->after = rico__memory_allocate(m, edges, sizeof *graph->after, RICO_CACHE_LINE);
        graph->queue = rico__memory_allocate(m, nodes, sizeof *graph->queue, RICO_CACHE_LINE);
        if (graph->nodes && graph->edges && graph->after && graph->queue) {
            *out = graph;
            return RICO_OK;
        }
        rico_graph_destroy(graph);
    }
    return rico__fail(&def->log, RICO_OUT_OF_MEMORY, "rico_graph_create",
                      "no memory for %u nodes and %u edges", def->node_capacity,
                      def->edge_capacity);
}

rico_result rico_graph_add(rico_graph *graph, rico_job_fn *fn, void *context, uint32_t *node)
{
    if (!RICO_REQUIRE(fn != NULL && node != NULL))
        return RICO_OUT_OF_RANGE;
    if (graph->node_count == graph->node_capacity)
        return rico__fail(&graph->log, RICO_FULL, "rico_graph_add",
                          "the graph already has %u nodes, which is def.node_capacity",
                          graph->node_count);
    *node = graph->node_count++;
    graph->nodes[*node] = (graph_node){.fn = fn, .context = context, .graph = graph};
    graph->sealed = false;
    return RICO_OK;
}

rico_result rico_graph_order(rico_graph *graph, uint32_t before, uint32_t after)
{
    static const char call[] = "rico_graph_order";
    if (before >= graph->node_count || after >= graph->node_count)
        return rico__fail(&graph->log, RICO_OUT_OF_RANGE, call,
                          "nodes are %u and %u, expected numbers below %u", before, after,
                          graph->node_count);
    if (graph->edge_count == graph->edge_capacity)
        return rico__fail(&graph->log, RICO_FULL, call,
                          "the graph already has %u edges, which is def.edge_capacity",
                          graph->edge_count);
    graph->edges[graph->edge_count++] = (graph_edge){before, after};
    graph->sealed = false;
    return RICO_OK;
}

static void sort_edges(rico_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        graph->nodes[i].edge_count = graph->nodes[i].needs = 0;
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        graph->nodes[graph->edges[i].before].edge_count += 1;
        graph->nodes[graph->edges[i].after].needs += 1;
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        graph->nodes[i].first_edge = first;
        first += graph->nodes[i].edge_count;
        graph->nodes[i].edge_count = 0;
    }
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        graph_node *node = &graph->nodes[graph->edges[i].before];
        graph->after[node->first_edge + node->edge_count++] = graph->edges[i].after;
    }
}

static void reset_missing(rico_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        rico__atomic_store_relaxed32(&graph->nodes[i].missing, graph->nodes[i].needs);
}

/* Counts that a node has ended that this one waits for. True: it waits for no other. */
static bool is_ready_now(graph_node *node)
{
    /* Each count releases what its node wrote; the last one acquires what all nodes wrote. */
    return rico__atomic_fetch_add32(&node->missing, UINT32_MAX) == 1;
}

rico_result rico_graph_seal(rico_graph *graph)
{
    sort_edges(graph);
    reset_missing(graph);
    uint32_t reached = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].needs == 0)
            graph->queue[reached++] = i;
    for (uint32_t i = 0; i < reached; i++) {
        const graph_node *node = &graph->nodes[graph->queue[i]];
        for (uint32_t e = 0; e < node->edge_count; e++) {
            uint32_t after = graph->after[node->first_edge + e];
            if (is_ready_now(&graph->nodes[after]))
                graph->queue[reached++] = after;
        }
    }
    if (reached != graph->node_count)
        return rico__fail(
            &graph->log, RICO_OUT_OF_RANGE, "rico_graph_seal",
            "%u of %u nodes wait for each other in a circle, or for nodes that do",
            graph->node_count - reached, graph->node_count);
    graph->sealed = true;
    return RICO_OK;
}

static void run_chain(rico_worker *worker, void *context)
{
    graph_node *forked = NULL;
    for (graph_node *node = context, *next; node != NULL; node = next) {
        rico_graph *graph = node->graph;
        next = NULL;
        node->fn(worker, node->context);
        for (uint32_t e = 0; e < node->edge_count; e++) {
            graph_node *after = &graph->nodes[graph->after[node->first_edge + e]];
            if (!is_ready_now(after))
                continue;
            if (next == NULL) {
                next = after;
                continue;
            }
            after->forked_before = forked;
            forked = after;
            rico_job_fork(worker, &after->job, run_chain, after);
        }
        /* The next node may be long, and no request is answered while it runs. */
        if (next != NULL && forked != NULL && pool_worker_count(worker->pool) > 1)
            rico__worker_share_all(worker);
    }
    for (; forked != NULL; forked = forked->forked_before)
        rico_job_join(worker, &forked->job);
}

void rico_graph_run(rico_worker *worker, rico_graph *graph)
{
    if (!RICO_REQUIRE(graph->sealed))
        return;
    reset_missing(graph); /* the forks publish it */
    graph_node *forked = NULL;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        graph_node *node = &graph->nodes[i];
        if (node->needs != 0)
            continue;
        node->forked_before = forked;
        forked = node;
        rico_job_fork(worker, &node->job, run_chain, node);
    }
    for (; forked != NULL; forked = forked->forked_before)
        rico_job_join(worker, &forked->job);
}

static void run_graph(rico_worker *worker, void *graph)
{
    rico_graph_run(worker, graph);
}

void rico_jobs_run_graph(rico_jobs *jobs, rico_graph *graph)
{
    rico_jobs_run(jobs, run_graph, graph);
}
