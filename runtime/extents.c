#include "extents.h"

#include "stages.h"
#include "vec.h"

#include <string.h>

/* The numbers of cells that have words: at most (in 16 MiB), and at first. There are more when
 * more cells are near geometry. */
#define MOST_NUMBERS 65536u
#define FIRST_NUMBERS 1024u

/* Cells that are found in one step, by the number of particles. Each takes about 6 us in Sponza
 * and in the courtyard, as long as a step of 100 particles that know nothing. */
#define STEP_CELLS 512u
#define LEAST_STEP_CELLS 64u
#define PARTICLES_PER_CELL 128u

/* If numbers are used up again within this many frames, cells are coarser from then on. */
#define SOON 600u

/* Appends to a word where a box begins and ends along an axis, in steps. */
static uint32_t packed(uint32_t word, int axis, uint32_t begin, uint32_t end)
{
    uint32_t bits = (uint32_t)RICO__EXTENT_BITS(axis), at = (uint32_t)axis * 8u;
    return word | begin << at | end << (at + bits);
}

static uint32_t number_of(int32_t entry)
{
    return (uint32_t)entry & RICO__EXTENT_NUMBER;
}

static int32_t *words_of(const rico__extents *extents, uint32_t number)
{
    return extents->words + (size_t)number * RICO__EXTENT_PARTS;
}

rico_result rico__extents_init(rico__extents *extents, rico__memory *memory, bool on_scene)
{
    if (extents->cells != NULL)
        return RICO_OK;
    *extents = (rico__extents){
        .cell_capacity = on_scene ? RICO__COVERAGE_CELLS : 1,
        .capacity = on_scene ? FIRST_NUMBERS : 2,
        .used = 2,
        .beyond = on_scene ? RICO__EXTENT_NOTHING : RICO__EXTENT_UNKNOWN,
    };
    extents->cells = rico__memory_reserve(memory, extents->cell_capacity,
                                          sizeof *extents->cells, RICO_CACHE_LINE);
    extents->words = rico__memory_reserve(
        memory, extents->capacity, RICO__EXTENT_PARTS * sizeof(int32_t), RICO_CACHE_LINE);
    if (extents->cells == NULL || extents->words == NULL) {
        rico__extents_free(extents, memory);
        return RICO_OUT_OF_MEMORY;
    }
    extents->cells[0] = extents->beyond; /* read for what is beyond, but not used */
    uint32_t nothing = 0, unknown = 0;
    for (int a = 0; a < 3; ++a) {
        uint32_t most = (uint32_t)RICO__EXTENT_STEPS(a);
        nothing = packed(nothing, a, most, 0);
        unknown = packed(unknown, a, 0, most);
    }
    for (uint32_t i = 0; i < RICO__EXTENT_PARTS; ++i) {
        words_of(extents, number_of(RICO__EXTENT_NOTHING))[i] = (int32_t)nothing;
        words_of(extents, number_of(RICO__EXTENT_UNKNOWN))[i] = (int32_t)unknown;
    }
    return RICO_OK;
}

void rico__extents_free(rico__extents *extents, rico__memory *memory)
{
    rico__memory_release(memory, extents->cells, extents->cell_capacity, sizeof *extents->cells,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, extents->words, extents->capacity,
                         RICO__EXTENT_PARTS * sizeof(int32_t), RICO_CACHE_LINE);
    *extents = (rico__extents){0};
}

/* --- What is known ------------------------------------------------------------------------ */

/* By what coverage knows: RICO__EXTENT_NOTHING if nothing is in the cell or in those around
 * it. */
static int32_t entry_of_new(const rico__coverage *coverage, size_t at)
{
    return rico__coverage_distance(coverage->cells[at]) > 1 ? RICO__EXTENT_NOTHING
                                                            : RICO__EXTENT_UNKNOWN;
}

/* Whether a cell is divided or has words. Both have numbers of their own. */
static bool has_number(int32_t entry)
{
    return number_of(entry) > number_of(RICO__EXTENT_UNKNOWN);
}

/* A cell of the range is packed in one number, with this many bits per axis. */
#define CELL_BITS 21u

/* Makes cells 2^shift times finer than coverage's, or less if there were too many on an
 * axis. */
static void choose_shift(rico__extents *extents, const rico__coverage *coverage, uint32_t shift)
{
    uint32_t most = 1;
    for (int a = 0; a < 3; ++a)
        most = uint_max(most, extents->size[a]);
    while (shift > 0 && most > 1u << CELL_BITS >> shift)
        --shift;
    extents->shift = shift;
    extents->edge = coverage->edge / (float)(1u << shift) / (float)(1u << RICO__EXTENT_SHIFT);
    extents->rate = 1.0f / extents->edge;
}

static void forget_all(rico__extents *extents, const rico__coverage *coverage)
{
    size_t cells = (size_t)extents->size[0] * extents->size[1] * extents->size[2];
    for (size_t i = 0; i < cells; ++i)
        extents->cells[i] = entry_of_new(coverage, i);
    extents->used = 2;
    extents->free = 0;
}

/* Enough for all cells that may be asked for. In a cell that is divided, these are as many as a
 * surface across it needs. */
static uint32_t wanted_numbers(const rico__extents *extents)
{
    size_t cells = (size_t)extents->size[0] * extents->size[1] * extents->size[2];
    const uint64_t each = (uint64_t)1 << 2 * extents->shift;
    uint64_t count = 2;
    uint32_t wanted = extents->capacity;
    for (size_t i = 0; i < cells; ++i) {
        count += extents->cells[i] == RICO__EXTENT_UNKNOWN ? each : 0;
        while (wanted < count && wanted < MOST_NUMBERS)
            wanted *= 2;
    }
    return wanted;
}

/* Without memory, cells make do with the numbers that there are. */
static void grow(rico__extents *extents, uint32_t wanted, rico__memory *memory)
{
    const size_t size = RICO__EXTENT_PARTS * sizeof(int32_t);
    int32_t *words = rico__memory_reserve(memory, wanted, size, RICO_CACHE_LINE);
    if (words == NULL)
        return;
    memcpy(words, extents->words, 2 * size);
    rico__memory_release(memory, extents->words, extents->capacity, size, RICO_CACHE_LINE);
    extents->words = words;
    extents->capacity = wanted;
}

void rico__extents_clear(rico__extents *extents, const rico__coverage *coverage,
                         rico__memory *memory)
{
    if (extents->cells == NULL || extents->beyond == RICO__EXTENT_UNKNOWN)
        return;
    memcpy(extents->lo, coverage->lo, sizeof extents->lo);
    memcpy(extents->size, coverage->size, sizeof extents->size);
    extents->full = 0;
    choose_shift(extents, coverage, coverage->shift);
    forget_all(extents, coverage);
    const uint32_t wanted = wanted_numbers(extents);
    extents->lacks_room = wanted > extents->capacity && memory == NULL;
    if (wanted > extents->capacity && memory != NULL)
        grow(extents, wanted, memory);
}

/* 0: all numbers are in use. */
static uint32_t take_number(rico__extents *extents)
{
    uint32_t number = extents->free;
    if (number != 0)
        extents->free = (uint32_t)words_of(extents, number)[0];
    else if (extents->used < extents->capacity)
        number = extents->used++;
    return number;
}

/* --- Entries ------------------------------------------------------------------------------ */

static size_t range_index(const rico__extents *extents, const int32_t at[3])
{
    return ((size_t)at[2] * extents->size[1] + (size_t)at[1]) * extents->size[0] +
           (size_t)at[0];
}

/* The place among the entries that a cell is divided into. */
static uint32_t child_index(const int32_t at[3], uint32_t division)
{
    const uint32_t in_cell = (1u << division) - 1;
    uint32_t index = 0;
    for (int a = 2; a >= 0; --a)
        index = (index << RICO__EXTENT_SHIFT) + ((uint32_t)at[a] & in_cell);
    return index;
}

/* Finds the entry that tells of a cell of the range: its own, or that of a coarser cell that is
 * not divided. *left: what is left of the shift below the entry. */
static int32_t *find_entry(const rico__extents *extents, const int32_t cell[3], uint32_t *left)
{
    *left = extents->shift;
    const int32_t whole[3] = {cell[0] >> *left, cell[1] >> *left, cell[2] >> *left};
    int32_t *entry = &extents->cells[range_index(extents, whole)];
    while (*left > 0 && has_number(*entry)) {
        const uint32_t division = rico__extent_division(*left);
        *left -= division;
        const int32_t at[3] = {cell[0] >> *left, cell[1] >> *left, cell[2] >> *left};
        entry = &words_of(extents, number_of(*entry))[child_index(at, division)];
    }
    return entry;
}

static void unpack_cell(uint64_t packed_cell, int32_t cell[3])
{
    for (uint32_t a = 0; a < 3; ++a)
        cell[a] = (int32_t)(packed_cell >> a * CELL_BITS & ((1u << CELL_BITS) - 1u));
}

bool rico__extents_lack(const rico__extents *extents, rico_vec3 p, uint64_t *cell)
{
    const float at[3] = {p.x * extents->rate, p.y * extents->rate, p.z * extents->rate};
    const float whole = (float)(1u << extents->shift);
    int32_t place[3];
    uint32_t left;
    *cell = 0;
    for (uint32_t a = 0; a < 3; ++a) {
        const float from =
            at[a] * (1.0f / (float)(1u << RICO__EXTENT_SHIFT)) - (float)extents->lo[a] * whole;
        if (!(from >= 0.0f && from < (float)extents->size[a] * whole))
            return false;
        place[a] = (int32_t)from;
        *cell |= (uint64_t)place[a] << a * CELL_BITS;
    }
    return *find_entry(extents, place, &left) == RICO__EXTENT_UNKNOWN;
}

/* left: what is left of the shift below the entry. 0: the entry is not divided, but may have
 * words. */
static void set_entry(rico__extents *extents, int32_t *entry, uint32_t left, int32_t to)
{
    const uint32_t number = number_of(*entry);
    const bool had = has_number(*entry);
    *entry = to;
    if (!had)
        return;
    int32_t *words = words_of(extents, number);
    for (uint32_t i = 0; left > 0 && i < RICO__EXTENT_PARTS; ++i)
        set_entry(extents, &words[i], left - rico__extent_division(left), RICO__EXTENT_NOTHING);
    words[0] = (int32_t)extents->free;
    extents->free = number;
}

/* Cells from `first` up to, but not including, `end` on each axis. */
typedef struct cell_range {
    int32_t first[3], end[3];
} cell_range;

/* The cells that anything in the box may be near. The box is grown by a part, which is its room
 * and more than as much for rounding. */
static cell_range cells_near(const rico__extents *extents, const rico_box *box)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    const float cell = extents->edge * (float)(1u << RICO__EXTENT_SHIFT);
    const float whole = (float)(1u << extents->shift);
    cell_range near;
    for (int a = 0; a < 3; ++a) {
        const float size = (float)extents->size[a] * whole;
        const float begin = (float)extents->lo[a] * whole;
        const float from = (lo[a] - extents->edge) / cell - begin;
        const float to = (hi[a] + extents->edge) / cell - begin;
        near.first[a] = (int32_t)float_clamp(from, 0.0f, size);
        near.end[a] = (int32_t)float_clamp(to + 1.0f, 0.0f, size);
    }
    return near;
}

/* The part of a range that is in a cell of 2^shift. at: the cell's place among its kind. */
static cell_range range_in(const cell_range *range, const int32_t at[3], uint32_t shift)
{
    cell_range in;
    for (int a = 0; a < 3; ++a) {
        const int32_t begin = at[a] << shift, end = begin + (1 << shift);
        in.first[a] = range->first[a] > begin ? range->first[a] : begin;
        in.end[a] = range->end[a] < end ? range->end[a] : end;
    }
    return in;
}

/* Forgets all cells of the range, which is within the entry. left: what is left of the
 * shift. */
static void forget_in(rico__extents *extents, int32_t *entry, uint32_t left,
                      const cell_range *range)
{
    if (left == 0 || !has_number(*entry)) {
        set_entry(extents, entry, left, RICO__EXTENT_UNKNOWN);
        return;
    }
    int32_t *entries = words_of(extents, number_of(*entry));
    const uint32_t division = rico__extent_division(left);
    left -= division;
    const int32_t first[3] = {range->first[0] >> left, range->first[1] >> left,
                              range->first[2] >> left};
    const int32_t last[3] = {(range->end[0] - 1) >> left, (range->end[1] - 1) >> left,
                             (range->end[2] - 1) >> left};
    for (int32_t z = first[2]; z <= last[2]; ++z)
        for (int32_t y = first[1]; y <= last[1]; ++y)
            for (int32_t x = first[0]; x <= last[0]; ++x) {
                const int32_t child[3] = {x, y, z};
                const cell_range in = range_in(range, child, left);
                forget_in(extents, &entries[child_index(child, division)], left, &in);
            }
}

void rico__extents_forget(rico__extents *extents, const rico__coverage *coverage,
                          const rico_box *box)
{
    if (extents->cells == NULL)
        return;
    const uint32_t shift = extents->shift;
    const cell_range near = cells_near(extents, box);
    for (int a = 0; a < 3; ++a)
        if (near.first[a] >= near.end[a])
            return;
    for (int32_t z = near.first[2] >> shift; z <= (near.end[2] - 1) >> shift; ++z)
        for (int32_t y = near.first[1] >> shift; y <= (near.end[1] - 1) >> shift; ++y)
            for (int32_t x = near.first[0] >> shift; x <= (near.end[0] - 1) >> shift; ++x) {
                const int32_t at[3] = {x, y, z};
                const size_t i = range_index(extents, at);
                const int32_t to = entry_of_new(coverage, i);
                const cell_range in = range_in(&near, at, shift);
                if (to == RICO__EXTENT_NOTHING)
                    set_entry(extents, &extents->cells[i], shift, to);
                else
                    forget_in(extents, &extents->cells[i], shift, &in);
            }
}

/* --- Finding ------------------------------------------------------------------------------ */

/* The corner of a cell or a part, in parts. */
typedef struct corner {
    int32_t at[3];
} corner;

/* Where the stretch from lo to hi along an axis, in parts, begins and ends. Both are in steps,
 * on a line of that length from `from` on. */
static void find_steps(float lo, float hi, float from, float length, uint32_t steps,
                       uint32_t found[2])
{
    float most = (float)steps, per_part = most / length;
    found[0] = (uint32_t)float_clamp((lo - from) * per_part, 0.0f, most);
    found[1] = (uint32_t)float_clamp((hi - from) * per_part + 1.0f, 0.0f, most);
}

static int32_t word_of(const rico__extents *extents, const corner *part, const rico_box *box)
{
    const float lo[3] = {box->lo.x, box->lo.y, box->lo.z};
    const float hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    uint32_t word = 0;
    for (int a = 0; a < 3; ++a) {
        uint32_t steps[2];
        find_steps(lo[a] * extents->rate, hi[a] * extents->rate,
                   (float)part->at[a] - RICO__EXTENT_ROOM, 1.0f + 2.0f * RICO__EXTENT_ROOM,
                   (uint32_t)RICO__EXTENT_STEPS(a), steps);
        word = packed(word, a, steps[0], steps[1]);
    }
    return (int32_t)word;
}

static int32_t entry_of(const rico__extents *extents, uint32_t number, const corner *cell,
                        float lo, float hi)
{
    uint32_t steps[2];
    find_steps(lo * extents->rate, hi * extents->rate, (float)cell->at[2] - RICO__EXTENT_ROOM,
               RICO__EXTENT_CELL_LENGTH, RICO__EXTENT_LAYERS, steps);
    return RICO__EXTENT_ENTRY(number, steps[0], steps[1]);
}

/* The corner of the cell of 2^shift that a cell of the range is in. */
static corner corner_of(const rico__extents *extents, const int32_t cell[3], uint32_t shift)
{
    corner c;
    for (int a = 0; a < 3; ++a)
        c.at[a] = (extents->lo[a] * (1 << extents->shift) + (cell[a] >> shift << shift)) *
                  (1 << RICO__EXTENT_SHIFT);
    return c;
}

/* Whether anything is near a cell of 2^shift. */
static bool is_occupied(const rico_world *world, const corner *cell, uint32_t shift)
{
    const rico__extents *extents = &world->extents;
    const float parts = (float)(1u << (RICO__EXTENT_SHIFT + shift));
    float lo[3], hi[3];
    for (int a = 0; a < 3; ++a) {
        lo[a] = ((float)cell->at[a] - RICO__EXTENT_ROOM) * extents->edge;
        hi[a] = ((float)cell->at[a] + parts + RICO__EXTENT_ROOM) * extents->edge;
    }
    rico_box box = {vec3(lo[0], lo[1], lo[2]), vec3(hi[0], hi[1], hi[2])};
    return rico_scene_occupied_layers(world->scene, RICO__STILL_LAYERS, &box);
}

/* Otherwise the scene would refuse the lattices of the widest worlds, which would then have
 * nothing in them. */
_Static_assert(RICO__COVERAGE_EDGE_MAX >> RICO__EXTENT_SHIFT <= (int)RICO_LATTICE_EDGE_MAX,
               "all cells of coverage can be asked about");

/* Finds the words of a number. Returns the cell's entry. */
static int32_t find_cell(const rico_world *world, const corner *cell, uint32_t number)
{
    static const rico_filter still = {.layers = RICO__STILL_LAYERS};
    const rico__extents *extents = &world->extents;
    const uint32_t in_row = (1u << RICO__EXTENT_SHIFT) - 1;
    rico_lattice lattice = {.lo = vec3((float)cell->at[0] * extents->edge,
                                       (float)cell->at[1] * extents->edge,
                                       (float)cell->at[2] * extents->edge),
                            .edge = extents->edge,
                            .room = RICO__EXTENT_ROOM,
                            .parts = 1u << RICO__EXTENT_SHIFT};
    rico_box boxes[RICO__EXTENT_PARTS];
    int32_t *words = words_of(extents, number);
    float lo = __builtin_inff(), hi = -lo;
    memcpy(words, words_of(extents, number_of(RICO__EXTENT_NOTHING)),
           RICO__EXTENT_PARTS * sizeof *words);
    if (rico_scene_extents(world->scene, &still, &lattice, boxes) == 0)
        return RICO__EXTENT_NOTHING;
    for (uint32_t n = 0; n < RICO__EXTENT_PARTS; ++n) {
        const uint32_t in_cell[3] = {n & in_row, n >> RICO__EXTENT_SHIFT & in_row,
                                     n >> 2 * RICO__EXTENT_SHIFT};
        corner part = *cell;
        for (int a = 0; a < 3; ++a)
            part.at[a] += (int32_t)in_cell[a];
        if (boxes[n].lo.x > boxes[n].hi.x)
            continue;
        words[n] = word_of(extents, &part, &boxes[n]);
        lo = float_min(lo, boxes[n].lo.z);
        hi = float_max(hi, boxes[n].hi.z);
    }
    return entry_of(extents, number, cell, lo, hi);
}

/* Cells that are found in this step. */
typedef struct search {
    rico_world *world;
    uint32_t count, most;
    int32_t *entry[STEP_CELLS];
    corner cell[STEP_CELLS];
    int32_t found[STEP_CELLS]; /* entries */
} search;

static void find_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    search *s = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        s->found[i] = find_cell(s->world, &s->cell[i], number_of(*s->entry[i]));
}

/* Gives a cell that is asked for its number, and also the cells that are divided on the way to
 * it. Cells that are seen to be empty get none. False: no number is left. */
static bool take_request(search *s, const int32_t cell[3])
{
    rico__extents *extents = &s->world->extents;
    uint32_t left;
    int32_t *entry = find_entry(extents, cell, &left);
    while (*entry == RICO__EXTENT_UNKNOWN) {
        const corner at = corner_of(extents, cell, left);
        if (!is_occupied(s->world, &at, left)) {
            *entry = RICO__EXTENT_NOTHING;
            return true;
        }
        const uint32_t number = take_number(extents);
        if (number == 0)
            return false;
        *entry = RICO__EXTENT_ENTRY(number, 0, RICO__EXTENT_LAYERS);
        if (left == 0) {
            s->entry[s->count] = entry;
            s->cell[s->count++] = at;
            return true;
        }
        int32_t *entries = words_of(extents, number);
        for (uint32_t i = 0; i < RICO__EXTENT_PARTS; ++i)
            entries[i] = RICO__EXTENT_UNKNOWN;
        entry = find_entry(extents, cell, &left);
    }
    return true;
}

/* Takes what a block asks for. False: no number is left. */
static bool take_requests(search *s, const rico__block *block)
{
    const rico__request *requests = rico__block_requests(s->world, block);
    for (uint32_t r = 0; r < block->request_count && s->count < s->most; ++r) {
        int32_t cell[3];
        unpack_cell(requests[r].lack.key, cell);
        if (!take_request(s, cell))
            return false;
    }
    return true;
}

static bool asks(const rico_world *world)
{
    uint32_t asked = 0;
    for (uint32_t w = 0; w < world->worker_count; ++w)
        asked += world->scratch[w].tally.extents;
    return asked > 0;
}

/* Forgets everything, so that what is needed from now on finds room again. */
static void make_room(rico_world *world)
{
    rico__extents *extents = &world->extents;
    if (extents->shift > 0 && extents->full > 0 && world->frame - extents->full < SOON)
        choose_shift(extents, &world->coverage, extents->shift - 1);
    extents->full = world->frame;
    forget_all(extents, &world->coverage);
}

static void answer_requests(rico_world *world)
{
    uint32_t most = LEAST_STEP_CELLS + world->particle_count / PARTICLES_PER_CELL;
    search s = {.world = world, .most = uint_min(most, STEP_CELLS)};
    rico__extents *extents = &world->extents;
    bool room = true;
    for (uint32_t i = 0; i < world->block_list_count && s.count < s.most && room; ++i) {
        const rico__block *block = &world->blocks[world->block_list[i]];
        if (world->recipes[block->recipe].def.mode == RICO_COLLIDE_EXACT)
            room = take_requests(&s, block);
    }
    rico__work_for(world, 0, s.count, 1, find_range, &s);
    for (uint32_t i = 0; i < s.count; ++i) {
        if (s.found[i] == RICO__EXTENT_NOTHING)
            set_entry(extents, s.entry[i], 0, RICO__EXTENT_NOTHING);
        else
            *s.entry[i] = s.found[i];
    }
    if (!room)
        make_room(world);
}

void rico__extents_answer(rico_world *world)
{
    if (world->extents.edge <= RICO_LATTICE_EDGE_MAX && asks(world)) /* else all stay unknown */
        answer_requests(world);
}
