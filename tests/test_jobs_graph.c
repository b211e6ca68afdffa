/* test_jobs_graph.c - frame graphs, and reductions that do not depend on the workers. */
#include "jobs_fixture.h"

#include <ricochet/job_graph.h>

static const uint32_t worker_counts[] = {1, 2, 3, 8};
#define WORKER_COUNTS (sizeof worker_counts / sizeof *worker_counts)

#define NODES 300u

/* A node's value is 1 + those of the nodes before it (modulo 2^32), plain memory throughout. */
typedef struct web {
    uint32_t values[NODES];
    struct web_node {
        struct web *web;
        uint32_t number;
    } nodes[NODES];
} web;

static uint32_t before_of(uint32_t node, uint32_t k)
{
    return node * (7 + k) / (11 + 2 * k); /* always below node */
}

static void compute(rico_worker *worker, void *context)
{
    struct web_node *node = context;
    uint32_t value = 1;
    (void)worker;
    for (uint32_t k = 0; k < 3 && node->number != 0; k++)
        value += node->web->values[before_of(node->number, k)];
    node->web->values[node->number] = value;
}

static rico_graph *build(web *w)
{
    rico_graph_def def = rico_graph_def_default();
    def.node_capacity = NODES;
    def.edge_capacity = 3 * NODES;
    rico_graph *graph = NULL;
    CHECK_EQ(rico_graph_create(&def, &graph), RICO_OK);
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t node;
        w->nodes[i] = (struct web_node){w, i};
        CHECK_EQ(rico_graph_add(graph, compute, &w->nodes[i], &node), RICO_OK);
        CHECK_EQ(node, i);
        for (uint32_t k = 0; k < 3 && i != 0; k++)
            CHECK_EQ(rico_graph_order(graph, before_of(i, k), i), RICO_OK);
    }
    CHECK_EQ(rico_graph_seal(graph), RICO_OK);
    return graph;
}

TEST(jobs, runs_a_graph_again_and_again_each_node_after_those_before_it)
{
    static web expected, w;
    for (uint32_t i = 0; i < NODES; i++) {
        expected.nodes[i] = (struct web_node){&expected, i};
        compute(NULL, &expected.nodes[i]);
    }
    rico_graph *graph = build(&w);
    for (size_t c = 0; c < WORKER_COUNTS; c++) {
        rico_jobs *jobs = create(worker_counts[c], 16, 20);
        for (int frame = 0; frame < 100; frame++) {
            memset(w.values, 0, sizeof w.values);
            rico_jobs_run_graph(jobs, graph);
            CHECK(memcmp(w.values, expected.values, sizeof w.values) == 0);
        }
        rico_jobs_destroy(jobs);
    }
    rico_graph_destroy(graph);
}

static void do_nothing(rico_worker *worker, void *context)
{
    (void)worker, (void)context;
}

static void ignore(void *user, rico_log_level level, const char *text)
{
    (void)level, (void)text;
    *(unsigned *)user += 1;
}

TEST(jobs, refuses_graphs_that_wait_for_themselves_or_do_not_fit)
{
    unsigned messages = 0;
    rico_graph_def def = rico_graph_def_default();
    def.node_capacity = 3;
    def.edge_capacity = 3;
    def.log = (rico_log){ignore, &messages};
    rico_graph *graph = NULL;
    CHECK_EQ(rico_graph_create(&def, &graph), RICO_OK);
    uint32_t node;
    for (uint32_t i = 0; i < 3; i++)
        CHECK_EQ(rico_graph_add(graph, do_nothing, NULL, &node), RICO_OK);
    CHECK_EQ(rico_graph_add(graph, do_nothing, NULL, &node), RICO_FULL);
    CHECK_EQ(rico_graph_order(graph, 0, 1), RICO_OK);
    CHECK_EQ(rico_graph_order(graph, 0, 3), RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_graph_seal(graph), RICO_OK);
    CHECK_EQ(rico_graph_order(graph, 1, 2), RICO_OK);
    CHECK_EQ(rico_graph_order(graph, 2, 1), RICO_OK);
    CHECK_EQ(rico_graph_order(graph, 2, 0), RICO_FULL);
    CHECK_EQ(rico_graph_seal(graph), RICO_OUT_OF_RANGE);
    CHECK_EQ(messages, 4);
    rico_graph_destroy(graph);
    rico_graph_destroy(NULL);

    def.cookie = 0;
    CHECK_EQ(rico_graph_create(&def, &graph), RICO_UNINITIALIZED_DEF);
    def = rico_graph_def_default();
    def.log = (rico_log){ignore, &messages};
    def.node_capacity = 0;
    CHECK_EQ(rico_graph_create(&def, &graph), RICO_OUT_OF_RANGE);
    CHECK(graph == NULL);
}

static int failed_asserts;

static void count_assert(const char *expression, const char *file, int line)
{
    (void)expression, (void)file, (void)line;
    failed_asserts += 1;
}

static void count_up(rico_worker *worker, void *context)
{
    (void)worker;
    *(unsigned *)context += 1;
}

/* The second edge makes a circle, so that no seal can make the graph good again. */
TEST(jobs, runs_no_graph_that_has_another_edge_since_it_was_sealed)
{
    unsigned runs = 0, messages = 0;
    rico_graph_def def = rico_graph_def_default();
    def.node_capacity = def.edge_capacity = 2;
    def.log = (rico_log){ignore, &messages};
    rico_graph *graph = NULL;
    CHECK_EQ(rico_graph_create(&def, &graph), RICO_OK);
    uint32_t nodes[2];
    for (uint32_t i = 0; i < 2; i++)
        CHECK_EQ(rico_graph_add(graph, count_up, &runs, &nodes[i]), RICO_OK);
    CHECK_EQ(rico_graph_order(graph, nodes[0], nodes[1]), RICO_OK);
    CHECK_EQ(rico_graph_seal(graph), RICO_OK);
    rico_jobs *jobs = create(1, 16, 20);
    failed_asserts = 0;
    rico_assert_set_handler(count_assert);
    rico_jobs_run_graph(jobs, graph);
    CHECK(runs == 2 && failed_asserts == 0);
    CHECK_EQ(rico_graph_order(graph, nodes[1], nodes[0]), RICO_OK);
    rico_jobs_run_graph(jobs, graph);
    CHECK(runs == 2 && failed_asserts == 1);
    CHECK_EQ(rico_graph_seal(graph), RICO_OUT_OF_RANGE);
    rico_jobs_run_graph(jobs, graph);
    CHECK(runs == 2 && failed_asserts == 2);
    rico_assert_set_handler(NULL);
    rico_jobs_destroy(jobs);
    rico_graph_destroy(graph);
}

/* ---- reduce ----------------------------------------------------------------------------- */

typedef struct sums {
    float sum;
    uint64_t order; /* a hash of the order in which indices were seen */
} sums;

static void fold(rico_worker *worker, void *context, uint32_t begin, uint32_t end,
                 void *partial)
{
    sums *s = partial;
    (void)worker, (void)context;
    for (uint32_t i = begin; i < end; i++) {
        s->sum += 1.0f / (float)(i + 1);
        s->order = s->order * 31 + i;
    }
}

static void join(void *context, void *left, const void *right)
{
    sums *l = left;
    const sums *r = right;
    (void)context;
    l->sum += r->sum;
    l->order = l->order * 1000003 + r->order;
}

typedef struct reduce_call {
    uint32_t begin, end, shard;
    sums result;
} reduce_call;

static void reduce(rico_worker *worker, void *context)
{
    static const sums zero;
    reduce_call *call = context;
    rico_reduction r = {.fold = fold,
                        .join = join,
                        .identity = &zero,
                        .bytes = sizeof(sums),
                        .shard = call->shard};
    rico_worker_reduce(worker, call->begin, call->end, &r, &call->result);
}

TEST(jobs, reduces_to_the_same_bits_for_any_number_of_workers)
{
    static const uint32_t ends[] = {0, 5, 6, 105, 10000, 54321};
    sums expected[6];
    for (size_t w = 0; w < WORKER_COUNTS; w++) {
        rico_jobs *jobs = create(worker_counts[w], 16, 20);
        for (int round = 0; round < 10; round++)
            for (size_t i = 0; i < 6; i++) {
                reduce_call call = {.begin = 5, .end = ends[i], .shard = 100};
                rico_jobs_run(jobs, reduce, &call);
                if (w == 0 && round == 0)
                    expected[i] = call.result;
                CHECK(call.result.sum == expected[i].sum);
                CHECK_EQ(call.result.order, expected[i].order);
            }
        rico_jobs_destroy(jobs);
    }
    CHECK(expected[0].sum == 0.0f && expected[1].sum == 0.0f);
    CHECK_NEAR(expected[5].sum, 9.1967, 0.001);
}
