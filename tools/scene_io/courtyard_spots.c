/* courtyard_spots.c - places for effects: planned in the courtyard, found by rays in other
 * worlds. */
#include "courtyard.h"
#include "courtyard_parts.h"
#include "spots.h"

#include <math.h>

enum { USE_X = 700, USE_Y, USE_Z, USE_SIDE, USE_TURN, USE_RAY };

const char *rio_spot_kind_name(rio_spot_kind kind)
{
    static const char *const names[RIO_SPOT_KIND_COUNT] = {"fountain", "sparks",  "gravel",
                                                           "smoke",    "casings", "rain"};
    return (unsigned)kind < RIO_SPOT_KIND_COUNT ? names[kind] : "unknown";
}

static rico_vec3 unit(float x, float y, float z)
{
    float k = 1.0f / sqrtf(x * x + y * y + z * z);
    return (rico_vec3){x * k, y * k, z * k};
}

static rio_spot point_spot(float x, float y, float z, rico_vec3 direction)
{
    return (rio_spot){{x, y, z}, direction, {0.0f, 0.0f, 0.0f}};
}

/* The top nozzle, then rings of jets: from the basin's rim inwards, from the bowl outwards. */
static rio_spot fountain_spot(uint64_t seed, uint32_t index)
{
    if (index == 0)
        return point_spot(0.0f, 0.0f, RIO_FOUNTAIN_TOP, unit(0.0f, 0.0f, 1.0f));
    float c, s;
    uint32_t ring = (index - 1) % 16;
    float jitter = index > 16 ? rio_random(seed, index, USE_TURN) : 0.5f;
    rio_turn(((float)(ring / 2) + jitter) / 8.0f, &c, &s);
    if (ring % 2 == 0)
        return point_spot(2.3f * c, 2.3f * s, 1.1f, unit(-0.35f * c, -0.35f * s, 1.0f));
    return point_spot(1.15f * c, 1.15f * s, 2.05f, unit(0.6f * c, 0.6f * s, 0.8f));
}

/* On the inside of the west, north or east wall, under the roof, above the clutter. */
static rio_spot wall_spot(uint64_t seed, uint32_t index)
{
    float along = rio_random_range(seed, index, USE_X, -11.2f, 11.2f);
    float z = rio_random_range(seed, index, USE_Z, 1.9f, 2.25f);
    uint32_t side = (uint32_t)(rio_random(seed, index, USE_SIDE) * 3.0f);
    float at = RIO_COURT - 0.22f;
    if (side == 0)
        return point_spot(-at, along, z, unit(1.0f, 0.2f, 0.25f));
    if (side == 1)
        return point_spot(along, fabsf(along) < 5.2f ? at - 0.5f : at,
                          z, /* the keep juts out */
                          unit(0.2f, -1.0f, 0.25f));
    return point_spot(at, along, z, unit(-1.0f, -0.2f, 0.25f));
}

static bool over_clutter(float x, float y)
{
    bool fountain = x * x + y * y < 4.4f * 4.4f;
    bool red_stall = fabsf(x - 7.4f) < 2.4f && fabsf(y - 3.2f) < 2.6f;
    bool blue_stall = fabsf(x + 7.6f) < 2.8f && fabsf(y - 6.4f) < 2.8f;
    return fountain || red_stall || blue_stall;
}

/* A place over the open court, z above the paving, outside the fountain and the stalls. */
static rico_vec3 over_court(uint64_t seed, uint32_t index, float z)
{
    rico_vec3 p = {0.0f, -10.0f, z};
    for (uint32_t attempt = 0; attempt < 8; attempt++) {
        float x = rio_random_range(seed + attempt, index, USE_X, -9.3f, 9.3f);
        float y = rio_random_range(seed + attempt, index, USE_Y, -12.3f, 9.1f);
        if (over_clutter(x, y))
            continue;
        p.x = x;
        p.y = y;
        break;
    }
    return p;
}

static rio_spot sparks_spot(uint64_t seed, uint32_t index)
{
    if (index < RIO_BRAZIERS)
        return point_spot(rio_brazier_at[index][0], rio_brazier_at[index][1], 1.2f,
                          unit(0.0f, 0.0f, 1.0f));
    if (index % 3 != 0)
        return wall_spot(seed, index);
    float c, s;
    rico_vec3 p = over_court(seed, index, rio_random_range(seed, index, USE_Z, 1.7f, 2.6f));
    rio_turn(rio_random(seed, index, USE_TURN), &c, &s);
    return point_spot(p.x, p.y, p.z, unit(c, s, 0.5f));
}

/* Off the tops of the walls to either side, off the keep's front, then over the court. */
static rio_spot gravel_spot(uint64_t seed, uint32_t index)
{
    float along = rio_random_range(seed, index, USE_X, -11.0f, 11.0f);
    float z = RIO_COURT_WALL_TOP + 1.1f;
    if (index % 4 == 0)
        return point_spot(-12.8f, fminf(along, 10.8f), z, unit(0.7f, 0.1f, 0.3f));
    if (index % 4 == 1)
        return point_spot(12.8f, fminf(along, 10.8f), z, unit(-0.7f, 0.1f, 0.3f));
    rico_vec3 p = over_court(seed, index, rio_random_range(seed, index, USE_Z, 2.6f, 5.0f));
    return point_spot(p.x, p.y, p.z, unit(0.1f, 0.05f, -1.0f));
}

static rio_spot smoke_spot(uint64_t seed, uint32_t index)
{
    static const rico_vec3 up = {0.0f, 0.0f, 1.0f};
    if (index == 0)
        return point_spot(0.5f - 2.45f, RIO_COURT + 2.05f, RIO_CHIMNEY_TOP + 0.15f, up);
    if (index <= RIO_BRAZIERS)
        return point_spot(rio_brazier_at[index - 1][0], rio_brazier_at[index - 1][1], 1.35f,
                          up);
    rico_vec3 p = over_court(seed, index, rio_random_range(seed, index, USE_Z, 1.7f, 2.0f));
    return point_spot(p.x, p.y, p.z, up);
}

static rio_spot casings_spot(uint64_t seed, uint32_t index)
{
    float c, s;
    rico_vec3 p = over_court(seed, index, rio_random_range(seed, index, USE_Z, 1.62f, 1.8f));
    rio_turn(rio_random(seed, index, USE_TURN), &c, &s);
    return point_spot(p.x, p.y, p.z, unit(c, s, 0.6f));
}

/* The first box covers everything; the others are patches of it. */
static rio_spot rain_spot(uint64_t seed, uint32_t index)
{
    rio_spot spot = {{0.0f, 0.0f, 17.5f}, {0.0f, 0.0f, -1.0f}, {22.0f, 22.0f, 1.0f}};
    if (index == 0)
        return spot;
    spot.position.x = rio_random_range(seed, index, USE_X, -18.0f, 18.0f);
    spot.position.y = rio_random_range(seed, index, USE_Y, -18.0f, 18.0f);
    spot.extent = (rico_vec3){4.0f, 4.0f, 1.0f};
    return spot;
}

rio_spot rio_courtyard_spot(uint64_t seed, rio_spot_kind kind, uint32_t index)
{
    uint64_t own = seed + 1000 * ((uint64_t)kind + 1);
    switch (kind) {
    case RIO_SPOT_FOUNTAIN:
        return fountain_spot(own, index);
    case RIO_SPOT_SPARKS:
        return sparks_spot(own, index);
    case RIO_SPOT_GRAVEL:
        return gravel_spot(own, index);
    case RIO_SPOT_SMOKE:
        return smoke_spot(own, index);
    case RIO_SPOT_CASINGS:
        return casings_spot(own, index);
    default:
        return rain_spot(own, index);
    }
}

static rico_hit cast_one(const rio_caster *caster, rico_vec3 origin, rico_vec3 direction,
                         float t_max)
{
    rico_ray ray = {origin, t_max, direction, 0};
    rico_hit hit;
    caster->cast(caster->user, &ray, &hit, 1);
    return hit;
}

/* Finds a floor with head room: casts down from a random point, then up again. */
static bool find_floor(const rico_box *box, const rio_caster *caster, uint64_t seed,
                       uint32_t index, float head_room, rico_vec3 *out)
{
    static const rico_vec3 down = {0.0f, 0.0f, -1.0f}, up = {0.0f, 0.0f, 1.0f};
    float height = box->hi.z - box->lo.z;
    for (uint32_t attempt = 0; attempt < 24; attempt++) {
        uint32_t use = USE_RAY + 8 * attempt;
        rico_vec3 p = {rio_random_range(seed, index, use, box->lo.x, box->hi.x),
                       rio_random_range(seed, index, use + 1, box->lo.y, box->hi.y),
                       box->lo.z + height * (0.1f + rio_random(seed, index, use + 2))};
        rico_hit hit = cast_one(caster, p, down, 2.0f * height + 1.0f);
        if (hit.collider == 0 || hit.normal.z < 0.7f || hit.back_face != 0)
            continue;
        p.z -= hit.t - 0.02f;
        if (cast_one(caster, p, up, head_room).collider != 0)
            continue;
        *out = p;
        return true;
    }
    return false;
}

rio_spot rio_world_spot(const rico_box *bounds, const rio_caster *caster, uint64_t seed,
                        rio_spot_kind kind, uint32_t index)
{
    static const float heights[RIO_SPOT_KIND_COUNT] = {0.3f, 1.0f, 2.5f, 0.3f, 1.5f, 0.0f};
    uint64_t own = seed + 1000 * ((uint64_t)kind + 1);
    rico_vec3 middle = {(bounds->lo.x + bounds->hi.x) / 2, (bounds->lo.y + bounds->hi.y) / 2,
                        (bounds->lo.z + bounds->hi.z) / 2};
    float height = (unsigned)kind < RIO_SPOT_KIND_COUNT ? heights[kind] : 0.0f, c, s;
    rio_turn(rio_random(own, index, USE_TURN), &c, &s);
    rio_spot spot = {middle, unit(0.0f, 0.0f, 1.0f), {0.0f, 0.0f, 0.0f}};
    if (kind == RIO_SPOT_RAIN) {
        spot.position.z = bounds->hi.z - 0.05f * (bounds->hi.z - bounds->lo.z);
        spot.direction = unit(0.0f, 0.0f, -1.0f);
        spot.extent = (rico_vec3){0.45f * (bounds->hi.x - bounds->lo.x),
                                  0.45f * (bounds->hi.y - bounds->lo.y), 0.0f};
        return spot;
    }
    if (find_floor(bounds, caster, own, index, height + 0.3f, &spot.position))
        spot.position.z += height;
    if (kind == RIO_SPOT_GRAVEL)
        spot.direction = unit(0.1f, 0.05f, -1.0f);
    if (kind == RIO_SPOT_SPARKS || kind == RIO_SPOT_CASINGS)
        spot.direction = unit(c, s, 0.6f);
    if (kind != RIO_SPOT_SPARKS)
        return spot;
    rico_hit wall = cast_one(caster, spot.position, unit(c, s, 0.0f), 30.0f);
    if (wall.collider != 0 && wall.t > 0.2f) {
        spot.position.x += c * (wall.t - 0.12f);
        spot.position.y += s * (wall.t - 0.12f);
        spot.direction = unit(wall.normal.x, wall.normal.y, wall.normal.z + 0.35f);
    }
    return spot;
}
