#include "query_trail.h"

#include <stdlib.h>
#include <string.h>

#define DARKEST 0.25f /* part of the brightness of the last step's queries */

static bool make_room(query_step *step, uint32_t count)
{
    if (count <= step->capacity)
        return true;
    rico_query *more = realloc(step->queries, count * sizeof *more);
    if (!more)
        return false;
    step->queries = more;
    step->capacity = count;
    return true;
}

void query_trail_add(query_trail *trail, const rico_world *world)
{
    query_step *step = &trail->steps[trail->count++ % QUERY_TRAIL_STEPS];
    uint32_t count = rico_world_queries(world, NULL, 0);
    step->count = 0;
    if (make_room(step, count))
        step->count = rico_world_queries(world, step->queries, count);
    else
        trail->failed = true;
}

static uint32_t shade(uint32_t r, uint32_t g, uint32_t b, float share)
{
    const uint32_t all[3] = {r, g, b};
    uint32_t rgba = 0xff000000u;
    for (uint32_t k = 0; k < 3; ++k)
        rgba |= (uint32_t)((float)all[k] * share) << 8 * k;
    return rgba;
}

static rico_vec3 corner_of(const rico_box *box, uint32_t i)
{
    return (rico_vec3){i & 1 ? box->hi.x : box->lo.x, i & 2 ? box->hi.y : box->lo.y,
                       i & 4 ? box->hi.z : box->lo.z};
}

static void draw_box(const rico_box *box, uint32_t rgba, query_line_fn *line, void *user)
{
    for (uint32_t i = 0; i < 8; ++i)
        for (uint32_t axis = 1; axis < 8; axis *= 2)
            if ((i & axis) == 0)
                line(user, corner_of(box, i), corner_of(box, i | axis), rgba);
}

/* Cells with surfaces are yellow, those without are grey. Rays that hit are red, others blue. */
static void draw_query(const rico_query *q, float share, query_line_fn *line, void *user)
{
    if (q->kind == RICO_QUERY_GATHER)
        draw_box(&q->box, q->met ? shade(255, 220, 60, share) : shade(150, 150, 150, share),
                 line, user);
    else
        line(user, q->from, q->to,
             q->met ? shade(255, 80, 60, share) : shade(80, 160, 255, share));
}

void query_trail_draw(const query_trail *trail, query_line_fn *line, void *user)
{
    uint32_t kept = trail->count < QUERY_TRAIL_STEPS ? trail->count : QUERY_TRAIL_STEPS;
    for (uint32_t back = kept; back > 0; --back) {
        const query_step *step = &trail->steps[(trail->count - back) % QUERY_TRAIL_STEPS];
        float age = (float)(back - 1) / (float)QUERY_TRAIL_STEPS;
        for (uint32_t i = 0; i < step->count; ++i)
            draw_query(&step->queries[i], 1.0f - (1.0f - DARKEST) * age, line, user);
    }
}

void query_trail_free(query_trail *trail)
{
    for (uint32_t i = 0; i < QUERY_TRAIL_STEPS; ++i)
        free(trail->steps[i].queries);
    memset(trail, 0, sizeof *trail);
}
