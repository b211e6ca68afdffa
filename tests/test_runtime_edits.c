/* Edits of a running world: what they touch is forgotten, and nothing else. */
#include "runtime_births.h"

#include "cache_table.h"
#include "random.h"
#include "state.h"
#include "vec.h"

#define DT (1.0f / 60.0f)

static rico_shape_id box_shape(rico_world *world, float half)
{
    rico_shape_def def = rico_shape_def_default();
    rico_shape_id id;
    def.kind = RICO_SHAPE_BOX;
    def.half_size = (rico_vec3){half, half, half};
    CHECK_EQ(rico_world_add_shape(world, &def, NULL, &id), RICO_OK);
    return id;
}

static rico_collider_id add_shape_at(rico_world *world, rico_shape_id shape, rico_transform t)
{
    rico_collider_def def = rico_collider_def_default();
    def.shape = shape;
    def.motion.transform = t;
    rico_collider_id id = rico_world_add_collider(world, &def);
    CHECK(id.index1 != 0);
    return id;
}

/* Adds particles all over the terrain, so that its cells get records. */
static void add_rain(rico_world *world, float lifetime)
{
    rico_recipe r = rico_recipe_default();
    r.shape = RICO_EMIT_BOX;
    r.size = (rico_vec3){9.0f, 9.0f, 0.5f};
    r.rate = 3000.0f;
    r.lifetime = (rico_range){lifetime, lifetime};
    r.max_particles = 20000;
    r.queries_per_frame = 200.0f;
    r.spread = 3.0f;
    CHECK(rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(0.0f, 0.0f, 2.0f))
              .index1 != 0);
}

typedef struct kept_record {
    rico_cache_key key;
    rico__record record;
} kept_record;

typedef struct kept_records {
    kept_record *record;
    uint32_t count;
} kept_records;

static void keep_record(void *user, rico_cache_key key, const rico_cache_info *info,
                        const void *payload, uint32_t bytes)
{
    kept_records *kept = user;
    (void)info;
    kept_record *to = &kept->record[kept->count++];
    memset(to, 0, sizeof *to);
    to->key = key;
    memcpy(&to->record, payload, bytes < sizeof to->record ? bytes : sizeof to->record);
}

static kept_record *copy_records(const rico_world *world, uint32_t *count)
{
    uint32_t records = rico_cache_get_stats(world->records).record_count;
    kept_records kept = {malloc((records + 1) * sizeof *kept.record), 0};
    rico_cache_walk(world->records, keep_record, &kept);
    CHECK_EQ(kept.count, records);
    *count = kept.count;
    return kept.record;
}

/* The cell of a record, or of the mark of a divided cell. */
static rico__cell cell_of(const rico_world *world, rico_cache_key key, bool *divided)
{
    uint32_t direction;
    rico_cache_key_cell(key, NULL, NULL, NULL, &direction);
    *divided = direction < RICO__KEY_OF_LEVEL(RICO__RECORD_LEVELS - 1);
    if (*divided) {
        uint32_t level = RICO__RECORD_LEVELS - 2u - direction;
        key = rico_cache_key_turned(key, RICO__KEY_OF_LEVEL(level));
    }
    return rico__record_cell(key, world->def.cell_size);
}

static uint32_t gather_within(const rico_world *world, const rico__cell *cell, float grow,
                              rico_triangle triangles[RICO__RECORD_SURFACES])
{
    const rico_filter still = {.layers = RICO__STILL_LAYERS};
    const rico_vec3 by = {grow, grow, grow};
    rico_box box = rico__record_box(cell, world->coverage.margin);
    box = (rico_box){vec3_sub(box.lo, by), vec3_add(box.hi, by)};
    return rico_scene_gather(world->scene, &still, &box, triangles, RICO__RECORD_SURFACES);
}

static uint32_t gather(const rico_world *world, const rico__cell *cell,
                       rico_triangle triangles[RICO__RECORD_SURFACES])
{
    return gather_within(world, cell, 0.0f, triangles);
}

/* Metres. A triangle that grazes a record's box may or may not be in it: a gather of many cells
 * at once (gathers.c) rounds differently. */
#define GRAZE 1.0e-5f

static bool is_grazed(const rico_world *world, const rico__cell *cell)
{
    rico_triangle triangles[RICO__RECORD_SURFACES];
    return gather_within(world, cell, -GRAZE, triangles) !=
           gather_within(world, cell, GRAZE, triangles);
}

/* Records of the table must equal those that would be made of the scene now. */
static void check_records(const rico_world *world)
{
    uint32_t count, grazed = 0;
    kept_record *kept = copy_records(world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        bool divided;
        rico_triangle triangles[RICO__RECORD_SURFACES];
        rico__cell cell = cell_of(world, kept[i].key, &divided);
        uint32_t touching = gather(world, &cell, triangles);
        uint32_t gathered = touching < RICO__RECORD_SURFACES ? touching : RICO__RECORD_SURFACES;
        rico__record fresh;
        rico__record_build(&fresh, &cell, world->coverage.margin, NULL, triangles, gathered,
                           touching);
        if (is_grazed(world, &cell)) {
            grazed += 1;
            continue;
        }
        CHECK_MSG(divided || memcmp(&fresh, &kept[i].record, rico__record_bytes(&fresh)) == 0,
                  "level %u at %d %d %d: %u surfaces, now %u", cell.level, cell.at[0],
                  cell.at[1], cell.at[2], kept[i].record.count, fresh.count);
        CHECK_EQ(divided, fresh.crowded != 0 && cell.level + 1 < RICO__RECORD_LEVELS);
    }
    CHECK_MSG(grazed * 50 <= count, "%u of %u records are not compared", grazed, count);
    free(kept);
}

static bool has_geometry(const rico_world *world, const rico__cell *cell)
{
    rico_triangle triangles[RICO__RECORD_SURFACES];
    return gather(world, cell, triangles) > 0;
}

static int distance_at(const rico__coverage *c, size_t i)
{
    return (int)rico__coverage_distance(c->cells[i]);
}

static void check_notes(const rico_world *world, const int32_t at[3], int32_t notes)
{
    float size = world->def.cell_size;
    rico_triangle triangles[RICO__RECORD_SURFACES];
    rico__cell cell = rico__record_cell_at(at[0], at[1], at[2], 0, size);
    if ((notes >> RICO__NOTE_WHOLE & 1) != 0)
        CHECK(gather(world, &cell, triangles) > RICO__RECORD_SURFACES);
    for (int32_t k = 0; k < 8; ++k) {
        cell = rico__record_cell_at(2 * at[0] + (k & 1), 2 * at[1] + (k >> 1 & 1),
                                    2 * at[2] + (k >> 2), 1, size);
        if ((notes >> ((int32_t)RICO__NOTE_DIVIDED + k) & 1) != 0)
            CHECK(gather(world, &cell, triangles) > RICO__RECORD_SURFACES);
        if ((notes >> ((int32_t)RICO__NOTE_EMPTY + k) & 1) != 0)
            CHECK(!has_geometry(world, &cell));
    }
}

static bool holds_axis(int32_t axis, float lo, float hi, float from, float length)
{
    const float step = length / RICO__BOX_STEPS;
    float begin = from + (float)(axis & RICO__BOX_STEPS) * step;
    float end = from + length - (float)(axis >> RICO__BOX_BITS & RICO__BOX_STEPS) * step;
    return fmaxf(lo, from) >= begin - 1.0e-5f && fminf(hi, from + length) <= end + 1.0e-5f;
}

/* A known box must hold all that is near the cell. */
static void check_box(const rico_world *world, const int32_t at[3], int32_t box)
{
    const float size = world->def.cell_size, length = size + 2.0f * world->coverage.margin;
    rico_triangle t[RICO__RECORD_SURFACES];
    rico__cell cell = rico__record_cell_at(at[0], at[1], at[2], 0, size);
    rico_box cube = rico__record_box(&cell, world->coverage.margin);
    uint32_t count = gather(world, &cell, t);
    if (box == 0)
        return;
    CHECK(rico__coverage_box_is_sound(box));
    for (uint32_t i = 0; i < count && i < RICO__RECORD_SURFACES; ++i) {
        rico_vec3 lo = vec3_min(vec3_min(t[i].a, t[i].b), t[i].c);
        rico_vec3 hi = vec3_max(vec3_max(t[i].a, t[i].b), t[i].c);
        CHECK(holds_axis(box, lo.x, hi.x, cube.lo.x, length));
        CHECK(holds_axis(box >> 2 * RICO__BOX_BITS, lo.y, hi.y, cube.lo.y, length));
        CHECK(holds_axis(box >> 4 * RICO__BOX_BITS, lo.z, hi.z, cube.lo.z, length));
    }
}

/* No cell with geometry may be nearer than coverage says. */
static void check_coverage(const rico_world *world)
{
    const rico__coverage *c = &world->coverage;
    CHECK_EQ(c->shift, 0);
    for (uint32_t z = 0; z < c->size[2]; ++z)
        for (uint32_t y = 0; y < c->size[1]; ++y)
            for (uint32_t x = 0; x < c->size[0]; ++x) {
                size_t i = ((size_t)z * c->size[1] + y) * c->size[0] + x;
                const int32_t at[3] = {c->lo[0] + (int32_t)x, c->lo[1] + (int32_t)y,
                                       c->lo[2] + (int32_t)z};
                rico__cell cell =
                    rico__record_cell_at(at[0], at[1], at[2], 0, world->def.cell_size);
                bool full = has_geometry(world, &cell);
                CHECK_MSG(!full || distance_at(c, i) == 0, "%d %d %d is full, but %d", at[0],
                          at[1], at[2], distance_at(c, i));
                check_notes(world, at, c->cells[i]);
                check_box(world, at, c->boxes[i]);
                /* Neighbours differ by at most 1, which implies the rest. */
                CHECK(x == 0 || abs(distance_at(c, i) - distance_at(c, i - 1)) <= 1);
                CHECK(y == 0 || abs(distance_at(c, i) - distance_at(c, i - c->size[0])) <= 1);
                CHECK(z == 0 || abs(distance_at(c, i) -
                                    distance_at(c, i - (size_t)c->size[0] * c->size[1])) <= 1);
            }
}

static bool touches(const rico_box *a, const rico_box *b, float by)
{
    return a->lo.x - by <= b->hi.x && a->hi.x + by >= b->lo.x && a->lo.y - by <= b->hi.y &&
           a->hi.y + by >= b->lo.y && a->lo.z - by <= b->hi.z && a->hi.z + by >= b->lo.z;
}

/* Checks old records: those that touch the box must be gone, the others kept. */
static void check_kept(rico_world *world, const kept_record *before, uint32_t count,
                       const rico_box *box)
{
    uint32_t near = 0, kept = 0;
    rico__edits_forget(world); /* before anything looks them up */
    for (uint32_t i = 0; i < count; ++i) {
        bool divided;
        rico__cell cell = cell_of(world, before[i].key, &divided);
        rico_box reach = rico__record_box(&cell, world->coverage.margin);
        bool found = rico_cache_find(world->records, before[i].key, 0, NULL) != NULL;
        if (touches(&reach, box, 0.0f)) {
            CHECK(!found);
            ++near;
        } else if (!touches(&reach, box, 0.05f)) {
            CHECK(found);
            ++kept;
        }
    }
    CHECK_MSG(near > 0 && kept > 10 * near, "%u gone, %u kept", near, kept);
}

TEST(edits, forget_the_records_that_they_touch_and_keep_the_others)
{
    rico_world *world = small_world(1, true);
    rico_shape_id shape = box_shape(world, 0.4f);
    add_rain(world, 2.0f);
    run_steps(world, 150);
    uint32_t count;
    kept_record *before = copy_records(world, &count);
    rico_collider_id id = add_shape_at(world, shape, at(3.2f, -4.1f, 0.2f));
    rico_box box;
    CHECK_EQ(rico_scene_collider_state(rico_world_scene(world), id, &box, NULL), RICO_OK);
    check_kept(world, before, count, &box);
    free(before);
    check_records(world);
    run_steps(world, 60);
    before = copy_records(world, &count);
    CHECK_EQ(rico_world_remove_collider(world, id), RICO_OK);
    check_kept(world, before, count, &box);
    free(before);
    rico_world_destroy(world);
}

static uint32_t known_cells(const rico_world *world)
{
    const rico__coverage *c = &world->coverage;
    uint32_t known = 0;
    for (size_t i = 0; i < (size_t)c->size[0] * c->size[1] * c->size[2]; ++i)
        known += c->boxes[i] != 0;
    return known;
}

TEST(edits, of_half_the_world_leave_nothing_behind_that_was_known_there)
{
    rico_world *world = small_world(1, true);
    add_rain(world, 2.0f);
    run_steps(world, 150);
    uint32_t before = known_cells(world);
    const float corners[12] = {-30.0f, -30.0f, -9.0f, 30.0f,  -30.0f, 9.0f,
                               30.0f,  30.0f,  9.0f,  -30.0f, 30.0f,  -9.0f};
    const uint32_t faces[6] = {0, 1, 2, 0, 2, 3};
    rico_mesh mesh = {
        .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 2};
    CHECK(rico_world_add_mesh(world, &mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    check_coverage(world);
    uint32_t after = known_cells(world);
    CHECK_MSG(before > 50 && after < before, "%u, %u", before, after);
    rico_world_destroy(world);
}

/* --- Any edits ---------------------------------------------------------------------------- */

#define MOST 24

typedef struct edited {
    rico_world *world;
    rico_shape_id shapes[3];
    rico_collider_id ids[MOST];
    bool fixed[MOST]; /* a mesh, which cannot move */
    uint32_t serial;
    float spread;
} edited;

static float draw(edited *e, float lo, float hi)
{
    return rico__random_range(23, e->serial++, 0, lo, hi);
}

static rico_transform draw_place(edited *e)
{
    float x = draw(e, -e->spread, e->spread), y = draw(e, -e->spread, e->spread);
    rico_transform t = at(x, y, draw(e, -0.5f, 2.0f));
    float angle = draw(e, 0.0f, 6.0f);
    t.rotation = (rico_quat){0.0f, sinf(angle), 0.0f, cosf(angle)};
    return t;
}

/* Triangles near each other, enough to divide cells. */
static rico_collider_id add_shard(edited *e)
{
    float positions[9 * 40];
    uint32_t indices[3 * 40];
    for (uint32_t i = 0; i < 3 * 40; ++i) {
        indices[i] = i;
        for (uint32_t a = 0; a < 3; ++a)
            positions[3 * i + a] = draw(e, -0.4f, 0.4f);
    }
    rico_mesh mesh = {
        .positions = positions, .vertex_count = 120, .indices = indices, .triangle_count = 40};
    return rico_world_add_mesh(e->world, &mesh, draw_place(e));
}

static void edit_once(edited *e)
{
    uint32_t slot = (uint32_t)draw(e, 0.0f, (float)MOST - 0.01f);
    uint32_t what = (uint32_t)draw(e, 0.0f, 5.99f);
    rico_collider_id *id = &e->ids[slot];
    rico_motion motion = {.transform = draw_place(e)};
    if (id->index1 == 0) {
        e->fixed[slot] = what < 2;
        *id = what < 2 ? add_shard(e)
                       : add_shape_at(e->world, e->shapes[what % 3], motion.transform);
        CHECK(id->index1 != 0);
    } else if (what == 0 || e->fixed[slot]) {
        CHECK_EQ(rico_world_remove_collider(e->world, *id), RICO_OK);
        *id = (rico_collider_id){0};
    } else if (what < 3) {
        CHECK_EQ(rico_world_place_colliders(e->world, id, &motion, 1), RICO_OK);
    } else {
        CHECK_EQ(rico_world_move_colliders(e->world, id, &motion, 1), RICO_OK);
    }
    if (what == 5 && slot % 4 == 0)
        CHECK_EQ(rico_world_merge(e->world), RICO_OK);
}

/* ball_radius: the largest radius of a recipe, for which records reach. */
static void edit_at_random(uint32_t seed, uint32_t workers, float spread, float ball_radius,
                           int rounds)
{
    rico_recipe large = rico_recipe_default();
    large.radius = ball_radius;
    edited e = {.world = small_world(workers, true), .serial = seed * 100000, .spread = spread};
    rico_shape_def ball = rico_shape_def_default();
    ball.kind = RICO_SHAPE_SPHERE;
    ball.radius = 0.5f;
    CHECK_EQ(rico_world_add_shape(e.world, &ball, NULL, &e.shapes[0]), RICO_OK);
    e.shapes[1] = box_shape(e.world, 0.3f);
    e.shapes[2] = box_shape(e.world, 1.1f);
    CHECK(rico_world_add_recipe(e.world, &large).index1 != 0);
    add_rain(e.world, 1.5f);
    run_steps(e.world, 60);
    for (int round = 0; round < rounds; ++round) {
        for (int n = round % 4; n >= 0; --n)
            edit_once(&e);
        check_coverage(e.world);
        rico__edits_settle(e.world, &e.world->memory);
        check_records(e.world);
        check_coverage(e.world);
        run_steps(e.world, round % 5 == 4 ? 65 : 6);
        check_records(e.world);
    }
    check_coverage(e.world);
    rico_world_destroy(e.world);
}

TEST(edits, leave_no_record_or_note_of_what_was)
{
    bool full = getenv("RICO_TEST_FULL") != NULL;
    edit_at_random(1, 1, 8.0f, 0.01f, full ? 200 : (TEST_IS_SLOW ? 4 : 24));
    edit_at_random(2, 2, 25.0f, 0.01f,
                   full ? 100 : (TEST_IS_SLOW ? 3 : 10)); /* beyond the old bounds */
}

TEST(edits, leave_no_record_or_note_that_reaches_for_large_balls)
{
    edit_at_random(3, 1, 8.0f, 0.2f, getenv("RICO_TEST_FULL") != NULL ? 100 : 3);
}

/* --- Particles ---------------------------------------------------------------------------- */

static rico_effect_id drop_one(rico_world *world, rico_collision_mode mode, float x, float y)
{
    rico_recipe r = rico_recipe_default();
    r.mode = mode;
    r.rate = 0.0f;
    r.burst_count = 1;
    r.speed = (rico_range){0.0f, 0.0f};
    r.lifetime = (rico_range){60.0f, 60.0f};
    r.restitution = 0.1f;
    return rico_effect_spawn(world, rico_world_add_recipe(world, &r), at(x, y, 1.2f));
}

TEST(edits, wake_who_rests_there_and_nobody_else)
{
    static const rico_collision_mode modes[] = {RICO_COLLIDE_EXACT, RICO_COLLIDE_CACHED};
    for (int m = 0; m < 2; ++m) {
        rico_world *world = small_world(1, true);
        rico_shape_id shape = box_shape(world, 0.3f);
        rico_collider_id id = add_shape_at(world, shape, at(5.0f, 5.0f, 0.7f));
        rico_effect_id on = drop_one(world, modes[m], 5.0f, 5.0f);
        drop_one(world, modes[m], 0.3f, 0.2f);
        drop_one(world, modes[m], 0.5f, 0.5f);
        run_steps(world, 240);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 3);
        CHECK_EQ(rico_world_remove_collider(world, id), RICO_OK);
        run_steps(world, 1);
        CHECK_EQ(rico_world_get_stats(world).sleeping, 2);
        run_steps(world, 20);
        rico_view v = rico_effect_view(world, on);
        CHECK(rico_view_next(&v) && v.pz[0] < 0.7f);
        rico_world_destroy(world);
    }
}

/* Fields that move note two edits per step; an effect never run by itself knows of 0 edits. */
TEST(edits, are_seen_when_more_than_32_bits_count_were_noted)
{
    rico_world *world = small_world(1, true);
    rico_collider_id id = add_shape_at(world, box_shape(world, 0.3f), at(5.0f, 5.0f, 0.7f));
    rico_effect_id on = drop_one(world, RICO_COLLIDE_EXACT, 5.0f, 5.0f);
    run_steps(world, 240);
    world->edits.notes = UINT32_MAX;
    CHECK_EQ(rico_world_remove_collider(world, id), RICO_OK);
    run_steps(world, 21);
    rico_view v = rico_effect_view(world, on);
    CHECK(rico_view_next(&v) && v.pz[0] < 0.7f);
    rico_world_destroy(world);
}

/* Particles in flight must meet what came in their way, and pass where something was removed. */
TEST(edits, are_seen_by_paths_that_were_known)
{
    static const rico_collision_mode modes[] = {RICO_COLLIDE_EXACT, RICO_COLLIDE_CACHED};
    for (int m = 0; m < 2; ++m)
        for (int adds = 0; adds < 2; ++adds) {
            rico_world *world = small_world(1, true);
            rico_shape_id shape = box_shape(world, 0.3f);
            rico_collider_id id = {0};
            if (adds == 0)
                id = add_shape_at(world, shape, at(5.0f, 5.0f, 0.6f));
            drop_one(world, modes[m], 5.0f, 5.0f); /* makes records */
            run_steps(world, 150);
            rico_effect_id e = drop_one(world, modes[m], 5.0f, 5.0f);
            run_steps(world, 6);
            if (adds == 0)
                CHECK_EQ(rico_world_remove_collider(world, id), RICO_OK);
            else
                add_shape_at(world, shape, at(5.0f, 5.0f, 0.6f));
            run_steps(world, 150);
            rico_view v = rico_effect_view(world, e);
            CHECK(rico_view_next(&v));
            CHECK_MSG((v.pz[0] > 0.85f) == (adds != 0), "mode %d adds %d: %g", (int)modes[m],
                      adds, (double)v.pz[0]);
            rico_world_destroy(world);
        }
}

TEST(edits, more_than_a_step_has_boxes_for_are_all_seen)
{
    rico_world *world = small_world(1, true);
    rico_shape_id shape = box_shape(world, 0.1f);
    rico_collider_id ids[200];
    for (int i = 0; i < 200; ++i)
        ids[i] = add_shape_at(world, shape,
                              at((float)(i % 20) - 9.5f, (float)(i / 20) - 4.5f, 0.8f));
    for (int i = 0; i < 30; ++i)
        drop_one(world, i % 2 == 0 ? RICO_COLLIDE_EXACT : RICO_COLLIDE_CACHED,
                 (float)(i % 20) - 9.5f, (float)(i / 20) - 4.5f);
    run_steps(world, 200);
    CHECK(rico_world_get_stats(world).sleeping >= 25);
    for (int i = 0; i < 200; ++i)
        CHECK_EQ(rico_world_remove_collider(world, ids[i]), RICO_OK);
    run_steps(world, 1);
    CHECK_EQ(rico_world_get_stats(world).sleeping, 0);
    rico_world_destroy(world);
}

/* --- The origin --------------------------------------------------------------------------- */

static double sum_of_places(const rico_world *world, rico_effect_id e, rico_vec3 origin)
{
    double sum = 0.0;
    rico_view v = rico_effect_view(world, e);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i)
            sum += fabs((double)v.px[i] + (double)origin.x) +
                   fabs((double)v.py[i] + (double)origin.y) +
                   fabs((double)v.pz[i] + (double)origin.z);
    return sum;
}

/* Particles must go on as before, with all records kept for a shift by whole cells. */
TEST(edits, a_shift_of_the_origin_takes_everything_along)
{
    static const rico_vec3 origins[] = {{64.0f, -32.0f, 16.0f}, {0.3f, 0.0f, 0.0f}};
    for (int shift = 0; shift < 2; ++shift) {
        rico_world *worlds[2];
        rico_vec3 origin = origins[shift], zero = {0.0f, 0.0f, 0.0f};
        rico_effect_id grain[2];
        rico_world_stats stats[2];
        double rain[2];
        for (int w = 0; w < 2; ++w) {
            worlds[w] = small_world(1, true);
            rico_collider_id box =
                add_shape_at(worlds[w], box_shape(worlds[w], 0.5f), at(4.0f, 4.0f, 1.0f));
            grain[w] = drop_one(worlds[w], RICO_COLLIDE_CACHED, 4.0f, 4.0f);
            add_rain(worlds[w], 2.0f);
            run_steps(worlds[w], 180);
            uint64_t records = rico_world_get_stats(worlds[w]).cache_records;
            CHECK_EQ(rico_effect_particle_count(worlds[w], grain[w]), 1);
            if (w == 1) {
                CHECK_EQ(rico_world_shift_origin(worlds[w], origin), RICO_OK);
                uint64_t left = rico_world_get_stats(worlds[w]).cache_records;
                CHECK_MSG(shift == 0 ? left + left / 20 > records : left == 0,
                          "%u records, %u left", (unsigned)records, (unsigned)left);
                check_coverage(worlds[w]);
            }
            for (int frame = 1; frame <= 120; ++frame) {
                rico_motion motion = {.transform = at(4.0f + 0.01f * (float)frame, 4.0f, 1.0f)};
                const rico_vec3 gone = w == 1 ? origin : zero;
                motion.transform.position = vec3_sub(motion.transform.position, gone);
                CHECK_EQ(rico_world_move_colliders(worlds[w], &box, &motion, 1), RICO_OK);
                rico_world_step(worlds[w], DT);
                if (frame == 10)
                    rain[w] = sum_of_places(worlds[w], (rico_effect_id){2, 1}, gone);
            }
            stats[w] = rico_world_get_stats(worlds[w]);
        }
        CHECK_NEAR(sum_of_places(worlds[0], grain[0], zero),
                   sum_of_places(worlds[1], grain[1], origin), 0.001);
        CHECK_NEAR(rain[1], rain[0], 2.0);
        CHECK_NEAR(stats[1].particles, stats[0].particles, 0);
        CHECK_NEAR(stats[1].bounces, stats[0].bounces, stats[0].bounces * 0.04);
        rico_world_destroy(worlds[0]);
        rico_world_destroy(worlds[1]);
    }
}

TEST(edits, a_shift_leaves_no_effect_where_none_can_be)
{
    rico_world *world = small_world(1, false);
    rico_recipe r = rico_recipe_default();
    rico_effect_id e = begin_effect(world, &r, at(3.0f, 4.0f, 5.0f));
    rico_effect_info info;
    const float ways[] = {3.0e38f, -1.1e6f, 1.1e6f};
    for (int k = 0; k < 3; ++k)
        CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){0.0f, ways[k], 0.0f}),
                 RICO_OUT_OF_RANGE);
    CHECK_EQ(rico_world_last_result(world), RICO_OUT_OF_RANGE);
    CHECK(rico_effect_get(world, e, &info) && info.transform.position.y == 4.0f);
    CHECK_EQ(rico_effect_destroy(world, e), RICO_OK);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){0.0f, 3.0e38f, 0.0f}), RICO_OK);
    rico_world_destroy(world);
}

TEST(edits, a_shift_that_fails_moves_nothing)
{
    rico_world *world = small_world(1, true);
    rico_effect_id e = drop_one(world, RICO_COLLIDE_CACHED, 0.3f, 0.2f);
    run_steps(world, 30);
    uint64_t hash = rico_world_hash(world);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){NAN, 0.0f, 0.0f}), RICO_NOT_FINITE);
    CHECK_EQ(rico_world_shift_origin(world, (rico_vec3){0.0f, 2.0e6f, 0.0f}),
             RICO_OUT_OF_RANGE);
    CHECK(rico_world_hash(world) == hash);
    CHECK_EQ(rico_effect_particle_count(world, e), 1);
    rico_world_destroy(world);
}
