/* Outputs compared with views, computed slowly and simply. */
#include "runtime_terrain.h"

#include "packing.h"
#include "state.h"

#include <stdlib.h>

#define ROOM 12000u
#define EFFECTS 12u

/* Owner: the test. A world with several effects, and an output for it. */
typedef struct stage {
    rico_world *world;
    rico_effect_id effects[EFFECTS];
    rico_output *output;
    unsigned char *memory[2];
    size_t bytes; /* of each memory, with its guard */
} stage;

#define GUARD 256u

/* Constant and varying looks, with and without ids, few and many particles. */
static rico_recipe recipe_of(uint32_t kind)
{
    rico_recipe r = rico_recipe_default();
    r.mode = kind % 2 == 0 ? RICO_COLLIDE_NONE : RICO_COLLIDE_EXACT;
    r.rate = kind == 3 ? 7.0f : 700.0f;
    r.spread = 3.0f;
    r.particle_ids = kind != 2;
    if (kind == 0 || kind == 1) {
        r.particle_size.key_count = 2;
        r.particle_size.at[1] = 1.0f;
        r.particle_size.value[1] = 0.5f;
        r.start_size.hi = 3.0f;
    }
    if (kind == 0 || kind == 2) {
        r.color.key_count = 2;
        r.color.at[1] = 1.0f;
    }
    r.color.rgba[0][1] = 0.25f * (float)kind;
    return r;
}

static rico_output_def def_of(rico_output_kind kind, uint32_t capacity)
{
    rico_output_def def = rico_output_def_default();
    def.kind = kind;
    def.capacity = capacity;
    def.max_effects = EFFECTS + 4;
    return def;
}

static void open_stage(stage *s, uint32_t workers, rico_output_def def)
{
    *s = (stage){.world = small_world(workers, true)};
    rico_recipe_id ids[4];
    for (uint32_t k = 0; k < 4; ++k) {
        rico_recipe r = recipe_of(k);
        ids[k] = rico_world_add_recipe(s->world, &r);
    }
    for (uint32_t i = 0; i < EFFECTS; ++i) {
        s->effects[i] =
            rico_effect_spawn(s->world, ids[i % 4], at((float)i - 5.0f, (float)i * 0.3f, 2));
        const rico_color tint = {0.7f, 0.04f * (float)i, 1.0f, 0.5f};
        CHECK(i < EFFECTS / 3 || !rico_effect_set_tint(s->world, s->effects[i], tint));
    }
    s->bytes = def.capacity * rico_output_record_bytes(&def) + GUARD;
    for (int m = 0; m < 2; ++m) {
        s->memory[m] = aligned_alloc(64, (s->bytes + 63) / 64 * 64);
        CHECK(s->memory[m] != NULL);
        memset(s->memory[m], 0xab, s->bytes);
        def.memory[m] = s->memory[m];
    }
    rico_result result = rico_output_create(s->world, &def, &s->output);
    CHECK_MSG(result == RICO_OK, "%s", rico_result_name(result));
}

static void close_stage(stage *s)
{
    for (int m = 0; m < 2; ++m) {
        for (size_t i = s->bytes - GUARD; i < s->bytes; ++i)
            CHECK(s->memory[m][i] == 0xab);
        free(s->memory[m]);
    }
    rico_output_destroy(s->output);
    rico_world_destroy(s->world);
}

static const rico_eye eye = {{1.0f, -20.0f, 4.0f}, {0.1f, 2.0f, -0.3f}};

static rico_output_frame write(stage *s)
{
    rico_output_frame frame;
    CHECK_EQ(rico_output_write(s->output, s->effects, EFFECTS, &eye, &frame), RICO_OK);
    CHECK_EQ(frame.part_count, EFFECTS);
    return frame;
}

/* --- The reference ------------------------------------------------------------------------ */

/* A particle as a view shows it. */
typedef struct seen {
    rico_vec3 p, v;
    float size, life;
    uint32_t color, id;
    bool has_id;
} seen;

static uint32_t tinted(uint32_t color, uint32_t tint)
{
    uint32_t to = 0, c = 0;
    for (; c < 32; c += 8)
        to |= (2 * (color >> c & 255) * (tint >> c & 255) + 255) / 510 << c;
    return to;
}

static uint32_t see(const rico_world *world, rico_effect_id effect, seen *out, uint32_t most)
{
    uint32_t n = 0;
    rico_view v = rico_effect_view(world, effect);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count && n < most; ++i)
            out[n++] = (seen){
                .p = {v.px[i], v.py[i], v.pz[i]},
                .v = {v.vx[i], v.vy[i], v.vz[i]},
                .size = v.size != NULL ? v.size[i] : v.constant_size,
                .life = v.age[i] / v.lifetime[i],
                .color = tinted(v.color != NULL ? v.color[i] : v.constant_color, v.tint),
                .id = v.id != NULL ? v.id[i] : 0,
                .has_id = v.id != NULL,
            };
    return n;
}

static void check_billboard(const seen *p, const void *record)
{
    rico_billboard b = {{p->p.x, p->p.y, p->p.z}, p->size, 0.0f, p->color};
    CHECK(memcmp(&b, record, sizeof b) == 0);
}

static void check_streak(const seen *p, const void *record)
{
    rico_streak b = {{p->p.x, p->p.y, p->p.z}, p->size, {p->v.x, p->v.y, p->v.z}, p->color};
    CHECK(memcmp(&b, record, sizeof b) == 0);
}

/* The matrix must be a rotation times the size, with its z axis along the velocity. */
static void check_instance(const seen *p, const void *record)
{
    const rico_instance *m = record;
    const float v[3] = {p->v.x, p->v.y, p->v.z};
    float speed = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    CHECK(m->rows[0][3] == p->p.x && m->rows[1][3] == p->p.y && m->rows[2][3] == p->p.z);
    CHECK(m->color == p->color && m->life == p->life && m->zero[0] == 0 && m->zero[1] == 0);
    for (int a = 0; a < 3; ++a) {
        if (speed > 0.001f)
            CHECK_NEAR(m->rows[a][2], p->size * v[a] / speed, 1.0e-6f);
        for (int b = 0; b < 3; ++b) {
            float dot = 0.0f;
            for (int k = 0; k < 3; ++k)
                dot += m->rows[k][a] * m->rows[k][b];
            CHECK_NEAR(dot, a == b ? p->size * p->size : 0.0f, 1.0e-5f);
        }
    }
    float across = (m->rows[1][0] * m->rows[2][1] - m->rows[2][0] * m->rows[1][1]);
    CHECK_NEAR(across, p->size * m->rows[0][2], 1.0e-5f); /* x cross y is z: no mirror */
}

typedef void check_record(const seen *p, const void *record);

static void check_all(rico_output_kind kind, check_record *check)
{
    static seen all[ROOM];
    stage s;
    open_stage(&s, 2, def_of(kind, ROOM));
    rico_output_def def = def_of(kind, ROOM);
    size_t bytes = rico_output_record_bytes(&def);
    for (int round = 0; round < 3; ++round) {
        run_steps(s.world, 25);
        rico_output_frame frame = write(&s);
        uint32_t first = 0;
        for (uint32_t e = 0; e < EFFECTS; ++e) {
            const rico_output_part *part = &frame.parts[e];
            uint32_t count = see(s.world, s.effects[e], all, ROOM);
            CHECK(part->first == first && part->count == count && part->lost == 0);
            CHECK(part->effect.index1 == s.effects[e].index1);
            for (uint32_t i = 0; i < count; ++i)
                check(&all[i], (const char *)frame.records + (first + i) * bytes);
            first += count;
        }
        CHECK(frame.count == first && first > 1000 && frame.lost == 0);
    }
    close_stage(&s);
}

TEST(runtime, writes_every_particle_as_a_billboard)
{
    check_all(RICO_OUTPUT_BILLBOARDS, check_billboard);
}

TEST(runtime, writes_every_particle_as_a_streak)
{
    check_all(RICO_OUTPUT_STREAKS, check_streak);
}

TEST(runtime, writes_every_particle_as_an_instance)
{
    check_all(RICO_OUTPUT_INSTANCES, check_instance);
}

/* --- Laying out, from any place to any place ---------------------------------------------- */

TEST(runtime, packs_records_at_any_place)
{
    static float streams[8][64];
    static uint32_t colors[64];
    _Alignas(64) static unsigned char room[64 * 40];
    uint32_t number = 1;
    for (int s = 0; s < 8; ++s)
        for (int i = 0; i < 64; ++i)
            streams[s][i] = (float)(number++) * 0.125f;
    for (int i = 0; i < 64; ++i)
        colors[i] = 0x80000000u + number++;
    rico__packed_from from = {.px = streams[0],
                              .py = streams[1],
                              .pz = streams[2],
                              .vx = streams[3],
                              .vy = streams[4],
                              .vz = streams[5],
                              .age = streams[6],
                              .life = streams[7],
                              .constant_size = 0.5f,
                              .constant_color = 77};
    for (uint32_t n = 0; n < 4 * 24 * 3; ++n) {
        uint32_t count = n % 24, offset = n / 24 % 4 * 8;
        from.size = n / 96 == 1 ? streams[6] : NULL;
        from.color = n / 96 == 2 ? colors : NULL;
        memset(room, 0xab, sizeof room);
        rico__pack_streaks(&from, count, room + offset / 8 * 16);
        for (uint32_t i = 0; i < count; ++i)
            check_streak(&(seen){.p = {streams[0][i], streams[1][i], streams[2][i]},
                                 .v = {streams[3][i], streams[4][i], streams[5][i]},
                                 .size = from.size != NULL ? streams[6][i] : 0.5f,
                                 .color = from.color != NULL ? colors[i] : 77},
                         room + offset / 8 * 16 + 32 * i);
        CHECK(room[offset / 8 * 16 + 32 * count] == 0xab);
    }
}

/* --- Bounds, capacity, ids ---------------------------------------------------------------- */

TEST(runtime, gives_each_effect_the_bounds_of_its_particles)
{
    static seen all[ROOM];
    stage s;
    open_stage(&s, 2, def_of(RICO_OUTPUT_BILLBOARDS, 500)); /* too little room for most */
    run_steps(s.world, 40);
    rico_output_frame frame = write(&s);
    for (uint32_t e = 0; e < EFFECTS; ++e) {
        float lo[3] = {1e9f, 1e9f, 1e9f}, hi[3] = {-1e9f, -1e9f, -1e9f}, size = 0.0f;
        uint32_t count = see(s.world, s.effects[e], all, ROOM);
        for (uint32_t i = 0; i < count; ++i) {
            for (int k = 0; k < 3; ++k) {
                lo[k] = fminf(lo[k], (&all[i].p.x)[k]);
                hi[k] = fmaxf(hi[k], (&all[i].p.x)[k]);
            }
            size = fmaxf(size, all[i].size);
        }
        for (int k = 0; k < 3; ++k) {
            CHECK((&frame.parts[e].bounds.lo.x)[k] == lo[k] - size);
            CHECK((&frame.parts[e].bounds.hi.x)[k] == hi[k] + size);
        }
    }
    close_stage(&s);
}

TEST(runtime, counts_what_does_not_fit_and_overwrites_nothing)
{
    static seen all[ROOM];
    for (int sort = 0; sort < 2; ++sort) {
        stage s;
        rico_output_def def = def_of(RICO_OUTPUT_BILLBOARDS, 777);
        def.sort = sort != 0;
        open_stage(&s, 2, def);
        run_steps(s.world, 40);
        rico_output_frame frame = write(&s);
        uint32_t alive = rico_world_get_stats(s.world).particles, used = 0;
        CHECK(frame.count == 777 && frame.lost == alive - 777);
        for (uint32_t e = 0; e < EFFECTS; ++e) {
            uint32_t count = see(s.world, s.effects[e], all, ROOM);
            uint32_t room = count < 777 - used ? count : 777 - used;
            CHECK(frame.parts[e].first == used && frame.parts[e].count == room &&
                  frame.parts[e].lost == count - room);
            used += room;
        }
        close_stage(&s); /* checks the memory behind the capacity */
    }
}

TEST(runtime, writes_nothing_of_an_effect_that_is_gone)
{
    stage s;
    open_stage(&s, 1, def_of(RICO_OUTPUT_STREAKS, ROOM));
    run_steps(s.world, 10);
    rico_effect_destroy(s.world, s.effects[1]);
    s.effects[2] = (rico_effect_id){0};
    rico_output_frame frame = write(&s);
    for (uint32_t e = 0; e < EFFECTS; ++e)
        if (e == 1 || e == 2)
            CHECK(frame.parts[e].count == 0 && frame.parts[e].lost == 0);
        else
            CHECK(frame.parts[e].count > 0 || e % 4 == 3); /* these begin slowly */
    CHECK(frame.parts[1].bounds.lo.x > frame.parts[1].bounds.hi.x && frame.count > 0);
    close_stage(&s);
}

/* --- Frames in turns ---------------------------------------------------------------------- */

TEST(runtime, leaves_the_last_frame_alone_while_the_next_is_written)
{
    stage s;
    open_stage(&s, 2, def_of(RICO_OUTPUT_BILLBOARDS, ROOM));
    run_steps(s.world, 30);
    rico_output_frame first = write(&s);
    size_t bytes = first.count * sizeof(rico_billboard);
    void *copy = malloc(bytes);
    memcpy(copy, first.records, bytes);
    rico_output_part part = first.parts[3];
    run_steps(s.world, 1);
    rico_output_frame second = write(&s);
    CHECK(second.records != first.records && second.parts != first.parts);
    CHECK(memcmp(copy, first.records, bytes) == 0);
    CHECK(part.count == first.parts[3].count && part.bounds.lo.x == first.parts[3].bounds.lo.x);
    rico_output_frame third = write(&s);
    CHECK(third.records == first.records && third.count == second.count);
    CHECK(memcmp(third.records, second.records, second.count * 24) == 0);
    free(copy);
    close_stage(&s);
}

static uint64_t bytes_hash(uint32_t workers, rico_output_kind kind, bool sort)
{
    stage s;
    rico_output_def def = def_of(kind, ROOM);
    def.sort = sort;
    open_stage(&s, workers, def);
    uint64_t hash = 14695981039346656037u;
    for (uint32_t i = 0; i < test_few_rounds(12, 4); ++i) {
        run_steps(s.world, 2);
        rico_output_frame frame = write(&s);
        const unsigned char *bytes = frame.records;
        for (size_t k = 0; k < frame.count * rico_output_record_bytes(&def); ++k)
            hash = (hash ^ bytes[k]) * 1099511628211u;
    }
    close_stage(&s);
    return hash;
}

TEST(runtime, writes_the_same_bytes_for_any_number_of_workers)
{
    for (int kind = 0; kind < RICO_OUTPUT_KIND_COUNT; ++kind)
        for (int sort = 0; sort < 2; ++sort) {
            uint64_t one = bytes_hash(1, (rico_output_kind)kind, sort != 0);
            CHECK_MSG(bytes_hash(3, (rico_output_kind)kind, sort != 0) == one, "kind %d", kind);
        }
}

/* --- Order -------------------------------------------------------------------------------- */

typedef struct ranked {
    double depth;
    uint32_t key, number;
} ranked;

static int farther_first(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static void check_order(const seen *all, uint32_t count, const rico_billboard *records)
{
    static ranked by_depth[ROOM];
    float far = -1e30f, near = 1e30f;
    static float depth[ROOM];
    for (uint32_t i = 0; i < count; ++i) {
        depth[i] = (all[i].p.x - eye.position.x) * eye.forward.x +
                   (all[i].p.y - eye.position.y) * eye.forward.y +
                   (all[i].p.z - eye.position.z) * eye.forward.z;
        far = fmaxf(far, depth[i]);
        near = fminf(near, depth[i]);
    }
    float scale = far > near ? 65535.0f / (far - near) : 0.0f;
    for (uint32_t i = 0; i < count; ++i)
        by_depth[i] = (ranked){0.0, (uint32_t)((far - depth[i]) * scale), i};
    qsort(by_depth, count, sizeof *by_depth, farther_first);
    for (uint32_t i = 0; i < count; ++i)
        check_billboard(&all[by_depth[i].number], &records[i]);
}

TEST(runtime, sorts_each_effect_from_back_to_front)
{
    static seen all[ROOM];
    stage s;
    rico_output_def def = def_of(RICO_OUTPUT_BILLBOARDS, ROOM);
    def.sort = true;
    open_stage(&s, 2, def);
    run_steps(s.world, 45);
    rico_output_frame frame = write(&s);
    const rico_billboard *records = frame.records;
    for (uint32_t e = 0; e < EFFECTS; ++e) {
        uint32_t count = see(s.world, s.effects[e], all, ROOM);
        CHECK_EQ(frame.parts[e].count, count);
        check_order(all, count, records + frame.parts[e].first);
    }
    close_stage(&s);
}

/* --- Trails ------------------------------------------------------------------------------- */

#define POINTS 5u
#define PAST 4000u

/* The last places of particles by effect and id, newest first. */
typedef struct past {
    rico_vec3 places[POINTS];
    uint32_t count;
} past;

static past (*pasts)[PAST];

static void remember(uint32_t effect, const seen *p)
{
    past *h = &pasts[effect][p->id];
    memmove(h->places + 1, h->places, (POINTS - 1) * sizeof *h->places);
    h->places[0] = p->p;
    h->count += h->count < POINTS;
}

/* The middle of the two sides must be the place. The sides must be as far apart as the trail is
 * wide there, at right angles to the way to the eye. */
static void check_point(const rico_trail_vertex *pair, const seen *p, const past *h, uint32_t k)
{
    rico_vec3 place = h->places[k < h->count ? k : h->count - 1];
    float along = (float)k / (float)(POINTS - 1), width = 0.0f, towards = 0.0f;
    for (int a = 0; a < 3; ++a) {
        float apart = pair[1].position[a] - pair[0].position[a];
        CHECK_NEAR(0.5f * (pair[0].position[a] + pair[1].position[a]), (&place.x)[a], 1.0e-5f);
        width += apart * apart;
        towards += apart * ((&eye.position.x)[a] - (&place.x)[a]);
    }
    CHECK_NEAR(towards, 0.0f, 1.0e-3f);
    bool wide = k < h->count && h->count > 1;
    CHECK_NEAR(sqrtf(width), wide ? p->size * (1.0f - along) : 0.0f, 1.0e-5f);
    CHECK(pair[0].along == along && pair[1].along == along);
    CHECK(pair[0].side == -1.0f && pair[1].side == 1.0f && pair[0].color == pair[1].color);
    CHECK((pair[0].color & 0xffffffu) == (p->color & 0xffffffu));
    CHECK_NEAR(pair[0].color >> 24, (float)(p->color >> 24) * (1.0f - along), 0.5001f);
}

TEST(runtime, writes_trails_through_the_last_places_of_each_particle)
{
    static seen all[ROOM];
    stage s;
    rico_output_def def = def_of(RICO_OUTPUT_TRAILS, ROOM);
    def.trail_points = POINTS;
    open_stage(&s, 2, def);
    pasts = calloc(EFFECTS, sizeof *pasts);
    for (int step = 0; step < 90; ++step) {
        run_steps(s.world, 1); /* deaths and bounces from one second on */
        rico_output_frame frame = write(&s);
        const rico_trail_vertex *vertices = frame.records;
        for (uint32_t e = 0; e < EFFECTS; ++e) {
            uint32_t count = see(s.world, s.effects[e], all, ROOM);
            for (uint32_t i = 0; i < count; ++i) {
                past alone = {.places = {all[i].p}, .count = 1};
                if (all[i].has_id)
                    remember(e, &all[i]);
                const past *h = all[i].has_id ? &pasts[e][all[i].id] : &alone;
                size_t record = frame.parts[e].first + (size_t)i;
                for (uint32_t k = 0; k < POINTS && step % 10 == 9; ++k)
                    check_point(vertices + 2 * (record * POINTS + k), &all[i], h, k);
            }
        }
    }
    free(pasts);
    close_stage(&s);
}

TEST(runtime, begins_trails_anew_for_another_effect_in_the_same_slot)
{
    stage s;
    open_stage(&s, 1, def_of(RICO_OUTPUT_TRAILS, ROOM));
    run_steps(s.world, 10);
    write(&s);
    rico_effect_id old = s.effects[0];
    rico_effect_destroy(s.world, old);
    s.effects[0] = rico_effect_spawn(s.world, (rico_recipe_id){1, 1}, at(5.0f, 5.0f, 5.0f));
    CHECK(s.effects[0].index1 == old.index1);
    run_steps(s.world, 1);
    rico_output_frame frame = write(&s);
    const rico_trail_vertex *v = frame.records;
    CHECK(frame.parts[0].count > 0);
    for (uint32_t i = 0; i < frame.parts[0].count * 16; ++i)
        CHECK_NEAR(v[i].position[0], 5.0f, 1.0f);
    close_stage(&s);
}

/* --- What is refused ---------------------------------------------------------------------- */

TEST(runtime, refuses_bad_output_defs_and_names_the_field)
{
    _Alignas(64) static unsigned char memory[64 * 16];
    kept_log log;
    rico_world *world = small_world(1, false);
    world->def.log = kept_log_hook(&log);
    static const char *const fields[] = {"kind",        "capacity",     "capacity",
                                         "max_effects", "trail_points", "memory[0]",
                                         "memory[1]",   "apart"};
    for (int i = 0; i < 8; ++i) {
        rico_output_def def = rico_output_def_default();
        def.capacity = i == 1 ? 0 : i == 2 ? UINT32_MAX : 10;
        def.kind = i == 0 ? (rico_output_kind)9 : RICO_OUTPUT_TRAILS;
        def.max_effects = i == 3 ? 0 : 10;
        def.trail_points = i == 4 ? 1 : 2;
        def.memory[0] = i == 5 ? NULL : memory;
        def.memory[1] = i == 6 ? memory + 8 : i == 7 ? memory + 64 : memory;
        rico_output *output = (rico_output *)(void *)memory;
        CHECK(rico_output_create(world, &def, &output) == RICO_OUT_OF_RANGE && !output);
        CHECK_MSG(strstr(log.text, fields[i]) != NULL, "%s: %s", fields[i], log.text);
    }
    rico_output_def raw = {.capacity = 10, .memory = {memory, memory}};
    rico_output *output;
    CHECK_EQ(rico_output_create(world, &raw, &output), RICO_UNINITIALIZED_DEF);
    rico_world_destroy(world);
}

TEST(runtime, refuses_bad_writes_and_writes_nothing)
{
    stage s;
    rico_output_def def = def_of(RICO_OUTPUT_BILLBOARDS, ROOM);
    def.sort = true;
    open_stage(&s, 1, def);
    kept_log log;
    s.world->def.log = kept_log_hook(&log);
    run_steps(s.world, 10);
    rico_output_frame frame;
    rico_effect_id many[EFFECTS + 5] = {{0}};
    rico_eye bad = eye;
    CHECK_EQ(rico_output_write(s.output, many, EFFECTS + 5, &eye, &frame), RICO_FULL);
    CHECK_EQ(rico_output_write(s.output, s.effects, EFFECTS, NULL, &frame), RICO_OUT_OF_RANGE);
    bad.forward = (rico_vec3){0.0f, 0.0f, 0.0f};
    CHECK_EQ(rico_output_write(s.output, s.effects, EFFECTS, &bad, &frame), RICO_OUT_OF_RANGE);
    bad.forward.y = NAN;
    CHECK_EQ(rico_output_write(s.output, s.effects, EFFECTS, &bad, &frame), RICO_NOT_FINITE);
    CHECK(frame.records == NULL && frame.count == 0 && s.memory[0][0] == 0xab);
    close_stage(&s);
}

TEST(runtime, allocates_nothing_in_a_write_and_gives_all_memory_back)
{
    _Alignas(64) static unsigned char memory[2][64 * 640];
    for (long n = 0;; ++n) {
        counting_allocator counter;
        kept_log log;
        rico_world_def def = counted_def(&counter, &log);
        rico_world *world;
        CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
        rico_recipe r = recipe_of(0);
        rico_effect_id effect =
            rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0, 0, 0));
        run_steps(world, 10);
        long blocks = counter.live_blocks;
        rico_output_def output_def = def_of(RICO_OUTPUT_TRAILS, 100);
        output_def.sort = true;
        output_def.memory[0] = memory[0];
        output_def.memory[1] = memory[1];
        rico_output *output;
        counter.fail_at = counter.calls + n;
        rico_result result = rico_output_create(world, &output_def, &output);
        if (result == RICO_OK) {
            rico_output_frame frame;
            long calls = counter.calls;
            CHECK_EQ(rico_output_write(output, &effect, 1, &eye, &frame), RICO_OK);
            CHECK(counter.calls == calls && frame.count == 100);
        }
        rico_output_destroy(output);
        CHECK_EQ(counter.live_blocks, blocks);
        rico_world_destroy(world);
        CHECK_EQ(counter.live_blocks, 0);
        if (result == RICO_OK) {
            CHECK(n > 8);
            break;
        }
        CHECK_EQ(result, RICO_OUT_OF_MEMORY);
    }
}
