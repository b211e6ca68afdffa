// model.cpp - the pool's own source under relacy, in several scenes; then with one order after
// the other taken away.
//
// usage: model_jobs SCHEDULES [MUTANT_SCHEDULES [OPERATION]]   OPERATION: only such mutants
//
// Each scene is a small program on a pool whose threads are relacy's. Payloads are rl::var, so a
// missing happens-before is a data race to the checker; a missed wake-up is a thread that spins
// until the limit of a schedule's length. With MUTANT_SCHEDULES every fence is dropped and every
// acquire, release and sequentially consistent access made relaxed, one at a time: some scene
// must fail, unless the place is listed among the survivors below, with the reason.
#include <relacy/relacy.hpp>
#undef new
#undef delete
#undef malloc
#undef free

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

#include "model_atomics.h"

// The pool's private headers are C; all that is needed here is declared in model_scenes.h.
#include "model_scenes.h"

namespace
{

typedef rl::atomic<uint64_t> cell;

// Cells by address. Nothing here may allocate: within a simulation relacy counts all memory. They
// are made before the threads begin, so that their first value (0, as memory of the pool is zeroed)
// is known to all, and are given to addresses as these come up.
const unsigned CELLS = 1024;
struct {
    alignas(cell) unsigned char memory[CELLS][sizeof(cell)];
    unsigned made, used, most;
    // Which cell an address has, by hash: of this simulation where the turn is its own.
    struct {
        const void *at;
        unsigned cell, turn;
    } found[2 * CELLS];
    unsigned turn;
} cells;

// A place in the source with an order to lose. The strings are literals.
struct place {
    const char *file, *function, *operation;
    int line;
};

const unsigned PLACES = 512;
place places[PLACES];
unsigned place_count;
place mutant;
bool collecting;

void make_cells()
{
    cells.used = 0;
    cells.turn += 1;
    for (cells.made = 0; cells.made < cells.most; cells.made++) {
        cell *made = ::new (cells.memory[cells.made]) cell;
        made->store(0, rl::mo_relaxed, $);
    }
}

void forget_cells()
{
    for (unsigned i = 0; i < cells.made; i++)
        reinterpret_cast<cell *>(cells.memory[i])->~cell();
    cells.made = 0;
}

// relacy switches threads at every access with even odds, so that one thread hardly ever does thirty
// things while another does none. Now and then a thread goes on undisturbed for a while.
unsigned held;

// relacy has the switch, but not for users.
struct preemption : rl::context {
    static unsigned &disabled()
    {
        return rl::ctx().*&preemption::disable_preemption_;
    }
};

void let_go()
{
    if (held != 0)
        preemption::disabled() -= 1;
    held = 0;
}

void hold_or_let_go()
{
    if (held == 0 && rl::rand(16) == 0) {
        held = 1 + rl::rand(60);
        preemption::disabled() += 1;
    } else if (held == 1) {
        let_go();
    } else if (held != 0) {
        held -= 1;
    }
}

cell &cell_at(const void *at)
{
    hold_or_let_go();
    uint64_t spread = reinterpret_cast<uintptr_t>(at) * 0x9e3779b97f4a7c15ULL;
    unsigned slot = static_cast<unsigned>(spread >> 32) % (2 * CELLS);
    while (cells.found[slot].turn == cells.turn && cells.found[slot].at != at)
        slot = (slot + 1) % (2 * CELLS);
    if (cells.found[slot].turn != cells.turn)
        cells.found[slot] = {at, cells.used++, cells.turn};
    if (cells.found[slot].cell >= cells.made)
        abort(); // more than cells.most
    return *reinterpret_cast<cell *>(cells.memory[cells.found[slot].cell]);
}

const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash != nullptr ? slash + 1 : file;
}

bool same(const place &p, const model_site &site)
{
    return p.line == site.line && strcmp(p.operation, site.operation) == 0 &&
           strcmp(base_name(p.file), base_name(site.file)) == 0;
}

// Sites that were collected already, by their literals: most accesses need no strings compared.
struct {
    const char *file, *operation;
    int line;
} seen[256];

bool saw(const model_site &site)
{
    auto &last = seen[static_cast<unsigned>(site.line) % 256];
    if (last.line == site.line && last.file == site.file && last.operation == site.operation)
        return true;
    last = {site.file, site.operation, site.line};
    return false;
}

void collect(const model_site &site)
{
    if (saw(site) || strstr(site.file, "_scenes") != nullptr || // a scene's own
        strstr(site.file, "model_system") != nullptr)
        return;
    for (unsigned i = 0; i < place_count; i++)
        if (same(places[i], site))
            return;
    if (place_count < PLACES)
        places[place_count++] = place{site.file, site.function, site.operation, site.line};
}

// The order that the access has in this run.
rl::memory_order order_of(const model_site &site)
{
    if (site.order == 'x')
        return rl::mo_relaxed;
    if (collecting)
        collect(site);
    else if (site.line == mutant.line && same(mutant, site))
        return rl::mo_relaxed;
    return site.order == 'a'   ? rl::mo_acquire
           : site.order == 'r' ? rl::mo_release
                               : rl::mo_seq_cst;
}

rl::debug_info where(const model_site &site)
{
    return rl::debug_info(site.function, site.file, static_cast<unsigned>(site.line));
}

} // namespace

extern "C" {

uint64_t model_load(const void *at, unsigned, model_site site)
{
    return cell_at(at).load(order_of(site), where(site));
}

void model_store(void *at, unsigned, uint64_t value, model_site site)
{
    cell_at(at).store(value, order_of(site), where(site));
}

uint64_t model_exchange(void *at, unsigned bytes, uint64_t value, model_site site)
{
    return cell_at(at).exchange(value, order_of(site), where(site));
}

uint64_t model_add(void *at, unsigned bytes, uint64_t value, model_site site)
{
    // Two's complement in the width of the word.
    cell &c = cell_at(at);
    if (bytes == 8)
        return c.fetch_add(value, order_of(site), where(site));
    rl::memory_order order = order_of(site);
    for (;;) {
        uint64_t old = c.load(rl::mo_relaxed, where(site));
        uint64_t sum = static_cast<uint32_t>(old + value);
        if (c.compare_exchange_strong(old, sum, order, where(site)))
            return old;
    }
}

uint64_t model_or(void *at, unsigned bytes, uint64_t value, model_site site)
{
    return cell_at(at).fetch_or(value, order_of(site), where(site));
}

bool model_cas(void *at, unsigned bytes, uint64_t expected, uint64_t value, model_site site)
{
    return cell_at(at).compare_exchange_strong(expected, value, order_of(site), where(site));
}

void model_fence(model_site site)
{
    rl::memory_order order = order_of(site);
    if (order != rl::mo_relaxed)
        rl::atomic_thread_fence(order, where(site));
}

void model_yield(void)
{
    let_go();
    rl::yield(1, $);
}

} // extern "C"

namespace
{

// What every scene has: payloads, and cells that do not outlive the schedule.
// Which one is at hand; one type for all of as many threads, as relacy's templates take a second to compile.
model_kind kind;
unsigned most_cells;

template <rl::thread_id_t threads> struct scene : rl::test_suite<scene<threads>, threads> {
    rl::var<int> payload[4];
    model_scene *running;

    void before()
    {
        cells.most = most_cells;
        held = 0;
        make_cells();
        for (auto &p : payload)
            p($) = 0;
        running = model_scene_open(kind, this, touch, check);
        let_go();
    }

    void thread(unsigned index)
    {
        model_scene_thread(running, index);
        let_go();
    }

    void after()
    {
        let_go();
        model_scene_close(running);
        forget_cells();
    }

    static void touch(void *self, int index)
    {
        auto &p = static_cast<scene *>(self)->payload[index];
        p($) = p($) + 1;
    }

    static void check(void *self, int index, int expected)
    {
        RL_ASSERT(static_cast<scene *>(self)->payload[index]($) == expected);
    }
};

template <rl::thread_id_t threads> bool simulate(unsigned schedules, bool loud)
{
    static std::ofstream nowhere("/dev/null"); // a string would grow within the simulation
    rl::test_params params;
    params.iteration_count = schedules;
    params.output_stream = loud ? static_cast<std::ostream *>(&std::cout) : &nowhere;
    params.progress_stream = &nowhere;
    params.search_type = rl::random_scheduler_type;
    params.execution_depth_limit = 6000;
    return rl::simulate<scene<threads>>(params);
}

struct model {
    const char *name;
    model_kind kind;
    unsigned threads, cells; // workers and foreign threads; atomics that it has

    bool holds(unsigned schedules, bool loud) const
    {
        ::kind = kind;
        most_cells = cells;
        return threads == 2   ? simulate<2>(schedules, loud)
               : threads == 3 ? simulate<3>(schedules, loud)
                              : simulate<4>(schedules, loud);
    }
};

const model models[] = {
    {"join", MODEL_JOIN, 2, 80},        {"nested", MODEL_NESTED, 2, 80},
    {"meet", MODEL_MEET, 2, 80},        {"chain", MODEL_CHAIN, 3, 110},
    {"inject", MODEL_INJECT, 3, 90},    {"wait", MODEL_WAIT, 2, 90},
    {"guest", MODEL_GUEST, 2, 60},      {"shutdown", MODEL_SHUTDOWN, 3, 100},
    {"open", MODEL_OPEN, 2, 80},        {"late", MODEL_LATE, 2, 80},
    {"foreign", MODEL_FOREIGN, 2, 100}, {"count", MODEL_COUNT, 2, 90},
    {"spare", MODEL_SPARE, 4, 140},     {"aside", MODEL_ASIDE, 3, 110},
    {"guests", MODEL_GUESTS, 2, 60},    {"lone", MODEL_LONE, 2, 60},
    {"hosted", MODEL_HOSTED, 2, 90},    {"range", MODEL_RANGE, 3, 130},
    {"leave", MODEL_LEAVE, 3, 100},     {"nest", MODEL_NEST, 3, 100},
    {"crowd", MODEL_CROWD, 4, 140},     {"shared", MODEL_SHARED, 3, 110},
};

// Which scene notices the mutant, or NULL. Each try is a process: a failed simulation leaves
// threads behind.
const char *catches(const place &p, unsigned schedules)
{
    for (const model &m : models) {
        pid_t child = fork();
        if (child == 0) {
            alarm(120);
            collecting = false;
            mutant = p;
            _exit(m.holds(schedules, false) ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            return m.name;
    }
    return nullptr;
}

int try_mutants(unsigned schedules, const char *operation)
{
    int missed = 0;
    for (unsigned i = 0; i < place_count; i++) {
        const place &p = places[i];
        if (strstr(p.operation, operation) == nullptr)
            continue;
        char key[256];
        snprintf(key, sizeof key, "%s:%s:%s", base_name(p.file), p.function, p.operation);
        const char *name = catches(p, schedules);
        const char *reason = name == nullptr ? model_survivor_reason(key) : nullptr;
        printf("%-8s %s:%d %s%s\n",
               name     ? "caught"
               : reason ? "survives"
                        : "MISSED",
               key, p.line,
               name     ? "by "
               : reason ? "because "
                        : "",
               name     ? name
               : reason ? reason
                        : "");
        fflush(stdout);
        missed += name == nullptr && reason == nullptr;
    }
    printf("%u places, %d missed\n", place_count, missed);
    return missed != 0;
}

} // namespace

int main(int argc, char **argv)
{
    unsigned schedules = argc > 1 ? static_cast<unsigned>(strtoul(argv[1], nullptr, 10)) : 2000;
    int failed = 0;
    collecting = true;
    for (const model &m : models) {
        bool ok = m.holds(schedules, true);
        printf("%-6s %s, %u schedules\n", ok ? "ok" : "FAILED", m.name, schedules);
        fflush(stdout);
        failed += !ok;
    }
    if (failed == 0 && argc > 2 && strtoul(argv[2], nullptr, 10) != 0)
        failed = try_mutants(static_cast<unsigned>(strtoul(argv[2], nullptr, 10)),
                             argc > 3 ? argv[3] : "");
    return failed != 0;
}
