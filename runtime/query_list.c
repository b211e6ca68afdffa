/* The last step's queries, as the host sees them. */
#include "check.h"
#include "float_mode.h"
#include "gathers.h"
#include "host_rays.h"

#include "stages.h"

#include <ricochet/world_queries.h>

/* The cells of the query, without the margin that records have. */
static rico_box cells_of(const rico_world *world, const rico__query *query)
{
    rico__cell lo = rico__record_cell(query->key, world->def.cell_size), hi = lo;
    if (query->group) {
        lo = rico__gather_fellow(world, query->key, 0);
        hi = rico__gather_fellow(world, query->key, 7);
    }
    rico_vec3 half = {lo.half, lo.half, lo.half};
    return (rico_box){vec3_sub(lo.center, half), vec3_add(hi.center, half)};
}

static rico_query describe(const rico_world *world, const rico__query *query)
{
    rico_query out = {
        .kind = query->kind == QUERY_GATHER ? RICO_QUERY_GATHER : RICO_QUERY_RAY,
        .effect = {query->effect + 1, query->generation},
        .met = query->met,
        .gathers = query->gathers,
        .units = query->units,
    };
    if (query->kind == QUERY_GATHER) {
        out.box = cells_of(world, query);
        return out;
    }
    out.from = query->origin;
    out.to = query->end;
    out.rays = query->kind == QUERY_RAY ? 1 : query->rays;
    return out;
}

uint32_t rico_world_queries(const rico_world *world, rico_query *out, uint32_t capacity)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(world != NULL && (out != NULL || capacity == 0)))
        return 0;
    if (rico__has_caster(world))
        return 0;
    for (uint32_t q = 0; q < uint_min(world->query_count, capacity); ++q)
        out[q] = describe(world, &world->queries[q]);
    return world->query_count;
}

void rico__queries_forget(rico_world *world)
{
    if (!rico__has_caster(world))
        world->query_count = 0;
}

rico_query_share rico_effect_query_share(const rico_world *world, rico_effect_id id)
{
    if (!RICO_REQUIRE(world != NULL) || rico__effect_find(world, id) == NULL)
        return (rico_query_share){0, 0};
    const rico__account *account = &world->accounts[id.index1 - 1];
    return (rico_query_share){account->wanted, account->granted};
}
