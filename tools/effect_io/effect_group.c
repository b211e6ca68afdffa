#include "effect_group.h"

#include "link_graph.h"

rio_group rio_effect_group(const rio_effect *effect, const rio_links *links,
                           rico_recipe_id recipe)
{
    rio_group group = {.count = 1};
    group.items[0].recipe = recipe;
    group.items[0].place = RICO_TRANSFORM_IDENTITY;
    for (uint32_t k = 0; k < effect->with_count && k < RIO_MOST_WITH; ++k, ++group.count) {
        const uint32_t item = rio_links_find(links, effect->directory, effect->with[k].effect);
        if (item != RIO_NO_LINK)
            group.items[group.count].recipe = links->items[item].recipe;
        group.items[group.count].place = effect->with[k].place;
    }
    return group;
}

static rico_vec3 cross(rico_vec3 a, rico_vec3 b)
{
    return (rico_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static rico_vec3 rotate(rico_quat q, rico_vec3 v)
{
    const rico_vec3 u = {q.x, q.y, q.z}, t = cross(u, v), s = cross(u, t);
    return (rico_vec3){v.x + 2.0f * (q.w * t.x + s.x), v.y + 2.0f * (q.w * t.y + s.y),
                       v.z + 2.0f * (q.w * t.z + s.z)};
}

/* Turns by b first, then by a. Worlds accept lengths within 1e-3 of 1, for the product, too. So
 * b is brought to length 1 by one step of Newton's method. */
static rico_quat turn(rico_quat a, rico_quat b)
{
    const float s = 1.5f - 0.5f * (b.x * b.x + b.y * b.y + b.z * b.z + b.w * b.w);
    const rico_vec3 u = {a.x, a.y, a.z}, v = {s * b.x, s * b.y, s * b.z}, t = cross(u, v);
    const float w = s * b.w;
    return (rico_quat){a.w * v.x + w * u.x + t.x, a.w * v.y + w * u.y + t.y,
                       a.w * v.z + w * u.z + t.z, a.w * w - u.x * v.x - u.y * v.y - u.z * v.z};
}

rico_transform rio_group_place(const rio_group *group, uint32_t i, rico_transform where)
{
    if (i == 0)
        return where;
    const rico_transform *place = &group->items[i].place;
    const rico_vec3 offset = rotate(where.rotation, place->position), p = where.position;
    return (rico_transform){{p.x + where.scale * offset.x, p.y + where.scale * offset.y,
                             p.z + where.scale * offset.z},
                            turn(where.rotation, place->rotation),
                            where.scale * place->scale};
}

/* Effects of equal seeds draw the same random numbers, so each effect gets another seed. 0 means
 * that the host gave no seed: it stays 0, and no other seed becomes 0. */
static uint64_t seed_of(uint64_t seed, uint32_t i)
{
    const uint64_t other = seed + i * UINT64_C(0x9e3779b97f4a7c15);
    if (seed == 0)
        return 0;
    return other != 0 ? other : 1;
}

rico_result rio_group_spawn(rico_world *world, const rio_group *group,
                            const rico_effect_def *def, rico_effect_id *ids, uint32_t capacity)
{
    rico_recipe_id recipes[RIO_MOST_GROUP];
    rico_effect_def defs[RIO_MOST_GROUP];
    const rico_effect_def whole = def != NULL ? *def : rico_effect_def_default();
    if (capacity < group->count || group->count > RIO_MOST_GROUP)
        return RICO_FULL;
    for (uint32_t i = 0; i < group->count; ++i) {
        recipes[i] = group->items[i].recipe;
        defs[i] = whole;
        defs[i].transform = rio_group_place(group, i, whole.transform);
        defs[i].seed = seed_of(whole.seed, i);
    }
    return rico_effect_spawn_all(world, recipes, defs, group->count, ids);
}
