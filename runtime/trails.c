#include "trails.h"

#include "bits.h"
#include "hash.h"
#include "space.h"
#include "vec.h"

#include <string.h>

rico_result rico__trails_init(rico__trails *t, rico__memory *memory, uint32_t capacity,
                              uint32_t points)
{
    *t = (rico__trails){.capacity = capacity, .points = points};
    uint32_t size = bits_ceil_power2(2 * capacity);
    size_t places = (size_t)capacity * points;
    t->old_keys = rico__memory_allocate(memory, capacity, sizeof *t->old_keys, RICO_CACHE_LINE);
    t->now_keys = rico__memory_allocate(memory, capacity, sizeof *t->now_keys, RICO_CACHE_LINE);
    t->old_places = rico__memory_allocate(memory, places, sizeof(rico_vec3), RICO_CACHE_LINE);
    t->now_places = rico__memory_allocate(memory, places, sizeof(rico_vec3), RICO_CACHE_LINE);
    t->table = rico__memory_allocate(memory, size, sizeof *t->table, RICO_CACHE_LINE);
    t->table_size = size;
    t->table_used = 1;
    bool all = t->old_keys != NULL && t->now_keys != NULL && t->old_places != NULL &&
               t->now_places != NULL && t->table != NULL;
    return all ? RICO_OK : RICO_OUT_OF_MEMORY;
}

void rico__trails_free(rico__trails *t, rico__memory *memory)
{
    size_t places = (size_t)t->capacity * t->points;
    rico__memory_release(memory, t->old_keys, t->capacity, sizeof *t->old_keys,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, t->now_keys, t->capacity, sizeof *t->now_keys,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, t->old_places, places, sizeof(rico_vec3), RICO_CACHE_LINE);
    rico__memory_release(memory, t->now_places, places, sizeof(rico_vec3), RICO_CACHE_LINE);
    rico__memory_release(memory, t->table, t->table_size, sizeof *t->table, RICO_CACHE_LINE);
    *t = (rico__trails){0};
}

static uint32_t home_of(const rico__trails *t, const rico__trail_key *key)
{
    uint64_t name = (uint64_t)key->life << 32 | key->id;
    return (uint32_t)rico__mix64(name) & (t->table_used - 1);
}

static bool is_of(const rico__trail_key *a, const rico__trail_key *b)
{
    return a->life == b->life && a->id == b->id;
}

/* The particle's record in the last write; capacity = none. The table is half empty, so the
 * search ends. */
static uint32_t find_old(const rico__trails *t, const rico__trail_key *key)
{
    for (uint32_t at = home_of(t, key);; at = (at + 1) & (t->table_used - 1)) {
        if (t->table[at] == 0)
            return t->capacity;
        if (is_of(&t->old_keys[t->table[at] - 1], key))
            return t->table[at] - 1;
    }
}

void rico__trails_turn(rico__trails *t, uint32_t count)
{
    rico__trail_key *keys = t->old_keys;
    rico_vec3 *places = t->old_places;
    t->old_keys = t->now_keys;
    t->old_places = t->now_places;
    t->now_keys = keys;
    t->now_places = places;
    t->old_count = count;
    t->table_used = uint_min(bits_ceil_power2(2 * count + 1), t->table_size);
    memset(t->table, 0, t->table_used * sizeof *t->table);
    for (uint32_t i = 0; i < count; ++i) {
        if (t->old_keys[i].life == 0)
            continue;
        uint32_t at = home_of(t, &t->old_keys[i]);
        while (t->table[at] != 0)
            at = (at + 1) & (t->table_used - 1);
        t->table[at] = i + 1;
    }
}

void rico__trails_shift(rico__trails *t, rico_vec3 origin)
{
    for (uint32_t i = 0; i < t->old_count; ++i) {
        rico_vec3 *places = t->old_places + (size_t)i * t->points;
        for (uint32_t k = 0; k < t->old_keys[i].points; ++k)
            places[k] = vec3_sub(places[k], origin);
    }
}

void rico__trails_carry(rico__trails *t, const rico_transform *from, const rico_transform *to,
                        uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; ++i)
        rico__space_carry_points(from, to, t->old_places + (size_t)i * t->points,
                                 t->old_keys[i].points);
}

/* Notes the particle's places, the newest first; returns how many there are. If no time has
 * passed since the last write (between steps, in a pause), the old head is no past place. */
static uint32_t remember(const rico__trails *t, const rico__trail_key *key, uint32_t record,
                         rico_vec3 place)
{
    rico_vec3 *now = t->now_places + (size_t)record * t->points;
    uint32_t past = 0;
    now[0] = place;
    uint32_t old = key->life != 0 ? find_old(t, key) : t->capacity;
    if (old < t->capacity) {
        const uint32_t replaced = t->old_keys[old].age == key->age ? 1 : 0;
        past = uint_min(t->old_keys[old].points - replaced, t->points - 1);
        memcpy(now + 1, t->old_places + (size_t)old * t->points + replaced, past * sizeof *now);
    }
    t->now_keys[record] = *key;
    t->now_keys[record].points = past + 1;
    return past + 1;
}

static bool is_same(rico_vec3 a, rico_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* A trail, the newest place first. */
typedef struct trail {
    const rico_vec3 *places;
    uint32_t count;
    /* Where the trail stood still, at rest. For each place: the first and the last of the run
     * of equal places that it is in. Not known until it is asked for, because most trails never
     * stand still. */
    bool known;
    uint8_t first[RICO_MAX_TRAIL_POINTS], last[RICO_MAX_TRAIL_POINTS];
} trail;

static void find_stays(trail *t)
{
    const rico_vec3 *places = t->places;
    for (uint32_t k = 0; k < t->count; ++k) {
        const bool stays = k > 0 && is_same(places[k - 1], places[k]);
        t->first[k] = stays ? t->first[k - 1] : (uint8_t)k;
    }
    for (uint32_t k = t->count; k-- > 0;) {
        const bool stays = k + 1 < t->count && t->first[k + 1] <= k;
        t->last[k] = stays ? t->last[k + 1] : (uint8_t)k;
    }
    t->known = true;
}

/* Where the trail leads at point k, leaving out places at which it stood still. */
static rico_vec3 way_at(trail *t, uint32_t k)
{
    const rico_vec3 *places = t->places;
    uint32_t ahead = k > 0 ? k - 1 : 0, behind = k + 1 < t->count ? k + 1 : k;
    if (is_same(places[ahead], places[behind])) {
        if (!t->known)
            find_stays(t);
        behind = uint_min(t->last[behind] + 1u, t->count - 1);
        if (is_same(places[ahead], places[behind]))
            ahead = t->first[ahead] > 0 ? t->first[ahead] - 1u : 0;
    }
    return vec3_sub(places[ahead], places[behind]);
}

/* The direction to the eye, however far the eye is. */
static rico_vec3 way_to_eye(const rico_eye *eye, rico_vec3 place)
{
    const rico_vec3 way = vec3_sub(eye->position, place);
    const float longest = float_max(float_max(__builtin_fabsf(way.x), __builtin_fabsf(way.y)),
                                    __builtin_fabsf(way.z));
    return longest > 1.0f ? vec3(way.x / longest, way.y / longest, way.z / longest) : way;
}

/* Across the trail at point k, half as long as the trail is wide there. */
static rico_vec3 side_of(trail *t, uint32_t k, float half, const rico_eye *eye)
{
    rico_vec3 across = vec3_cross(way_at(t, k), way_to_eye(eye, t->places[k]));
    float length = vec3_length(across);
    return length > 1.0e-12f ? vec3_scale(across, half / length) : vec3(0.0f, 0.0f, 0.0f);
}

static uint32_t faded(uint32_t color, uint32_t left, uint32_t of)
{
    uint32_t alpha = ((color >> 24) * left * 2 + of) / (2 * of);
    return (color & 0x00ffffffu) | alpha << 24;
}

static rico_trail_vertex vertex(rico_vec3 p, float along, float side, uint32_t color)
{
    return (rico_trail_vertex){{p.x, p.y, p.z}, along, side, color};
}

static void write_trail(const rico_vec3 *places, uint32_t count, uint32_t points, float size,
                        uint32_t color, const rico_eye *eye, rico_trail_vertex *to)
{
    trail t; /* not cleared: it is large */
    t.places = places;
    t.count = count;
    t.known = false;
    for (uint32_t k = 0; k < points; ++k) {
        uint32_t at = uint_min(k, count - 1);
        float along = (float)k / (float)(points - 1);
        rico_vec3 side = {0.0f, 0.0f, 0.0f};
        if (k < count)
            side = side_of(&t, k, 0.5f * size * (1.0f - along), eye);
        uint32_t c = faded(color, points - 1 - k, points - 1);
        to[2 * k] = vertex(vec3_sub(places[at], side), along, -1.0f, c);
        to[2 * k + 1] = vertex(vec3_add(places[at], side), along, 1.0f, c);
    }
}

void rico__trails_pack(const rico__trails *t, const rico__packed_from *from,
                       const uint32_t *ids, uint32_t life, const rico_eye *eye, uint32_t first,
                       uint32_t count, void *to)
{
    for (uint32_t i = 0; i < count; ++i) {
        rico__trail_key key = {0};
        if (ids != NULL)
            key = (rico__trail_key){life, ids[i], 0, from->age[i]};
        rico_vec3 place = vec3(from->px[i], from->py[i], from->pz[i]);
        uint32_t known = remember(t, &key, first + i, place);
        write_trail(t->now_places + (size_t)(first + i) * t->points, known, t->points,
                    from->size != NULL ? from->size[i] : from->constant_size,
                    from->color != NULL ? from->color[i] : from->constant_color, eye,
                    (rico_trail_vertex *)to + 2 * (size_t)i * t->points);
    }
}
