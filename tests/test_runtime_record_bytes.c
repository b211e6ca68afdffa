/* All that is read of a record lies within the bytes that are kept of it. */
#include "testing.h"

#include "contact.h"

#define GAP 0.025f

static float height(uint32_t i)
{
    return -0.3f + GAP * (float)i;
}

/* Floors above each other, in a cell around the origin. */
static void make_floors(rico_triangle *floors, uint32_t count, uint32_t colliders)
{
    for (uint32_t i = 0; i < count; ++i) {
        float z = height(i);
        floors[i] = (rico_triangle){.a = {-2.0f, -2.0f, z},
                                    .b = {4.0f, -2.0f, z},
                                    .c = {-2.0f, 4.0f, z},
                                    .collider = 7 + i % colliders,
                                    .triangle = 1000000u * i + 3};
    }
}

/* Copies a record into memory of its exact size, so that sanitizers detect reads past it. */
static rico__record *kept(const rico__record *record)
{
    uint32_t bytes = rico__record_bytes(record);
    rico__record *copy = malloc(bytes);
    CHECK(bytes % 8 == 0 && bytes <= sizeof *record);
    memcpy(copy, record, bytes);
    return copy;
}

static void meet_each_floor(const rico__kernels *kernels, const rico__cell *cell,
                            const rico_triangle *floors)
{
    for (uint32_t i = 0; i < cell->record->count; ++i) {
        rico_vec3 p = {0.0f, 0.0f, height(i) + 0.5f * GAP}, v = {0.0f, 0.0f, -1.0f};
        rico__contact contact = {0};
        CHECK(rico__record_contact(kernels, cell, NULL, p, v, GAP, 0.001f, &contact));
        CHECK_EQ(contact.triangle, floors[i].triangle);
        CHECK_EQ(contact.collider, floors[i].collider);
        rico__path path = {.p = {p.x, p.y, p.z}, .v = {v.x, v.y, v.z}, .radius = 0.001f};
        float time[RICO__RECORD_TIMES];
        uint32_t found = rico__record_search(kernels, cell, NULL, &path, GAP, time);
        CHECK_EQ(found, 1u << i);
        rico__choice choice = rico__record_choose(kernels, cell, &path, found, time, NULL);
        CHECK(choice.clearance > 0.3f * GAP || cell->record->count == 1);
    }
}

TEST(runtime, records_are_read_no_further_than_they_are_kept)
{
    static const uint32_t colliders[] = {1, 2, 30};
    for (uint32_t count = 1; count <= RICO__RECORD_SURFACES; ++count)
        for (uint32_t c = 0; c < 3; ++c) {
            rico_triangle floors[RICO__RECORD_SURFACES];
            rico__record record;
            rico__cell cell = {.state = CELL_RECORDED, .half = 0.38f};
            make_floors(floors, count, colliders[c]);
            rico__record_build(&record, &cell, RICO__LEAST_MARGIN, NULL, floors, count, count);
            CHECK_EQ(record.count, count);
            rico__record *copy = kept(&record);
            cell.record = copy;
            for (int isa = 0; isa < RICO_ISA_COUNT; ++isa)
                if (rico__kernels_for_isa((rico__isa)isa) != NULL)
                    meet_each_floor(rico__kernels_for_isa((rico__isa)isa), &cell, floors);
            free(copy);
        }
}

/* A triangle without area must get no place among the others. */
TEST(runtime, records_leave_out_what_has_no_area)
{
    rico_triangle floors[5];
    rico__record record, without;
    rico__cell cell = {.state = CELL_RECORDED, .half = 0.38f};
    make_floors(floors, 5, 2);
    rico_triangle solid[3] = {floors[1], floors[2], floors[4]};
    floors[0].b = floors[0].a;
    floors[3].c = floors[3].a;
    rico__record_build(&record, &cell, RICO__LEAST_MARGIN, NULL, floors, 5, 5);
    rico__record_build(&without, &cell, RICO__LEAST_MARGIN, NULL, solid, 3, 3);
    CHECK_EQ(record.count, 3);
    CHECK_EQ(rico__record_bytes(&record), rico__record_bytes(&without));
    CHECK(memcmp(&record, &without, rico__record_bytes(&record)) == 0);
}
