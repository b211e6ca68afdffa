#include "host_rays.h"

#include "response.h"
#include "stages.h"

#include "bits.h"

#include <string.h>

/* Most queries per call of an immediate caster: 64 rays, 8 KiB with their courses. */
#define GRAIN 16u

/* --- Answers ------------------------------------------------------------------------------ */

#define UNIT_TOLERANCE 1.0e-3f /* of a normal's length */
#define SHORTEST_NORMAL 1.0e-6f

/* Because of rounding, a normal at right angles to the ray may point either way, as the scene's
 * normals may. */
#define AWAY_COSINE 1.0e-3f

static void make_miss(const rico_ray *ray, rico_hit *hit)
{
    *hit = (rico_hit){.t = ray->t_max, .triangle = RICO_NO_TRIANGLE};
}

/* Turns a hit that cannot be into a miss, and repairs a normal that has a wrong length or side.
 * What a scene answers stays as it is. */
static void check_hit(const rico_ray *ray, rico_hit *hit)
{
    float length = vec3_length(hit->normal);
    bool possible = hit->collider != 0 && hit->collider != RICO_NOT_ANSWERED &&
                    hit->t >= 0.0f && hit->t <= ray->t_max && length >= SHORTEST_NORMAL &&
                    float_is_finite(length);
    if (!possible) {
        make_miss(ray, hit);
        return;
    }
    if (__builtin_fabsf(length - 1.0f) > UNIT_TOLERANCE)
        hit->normal = vec3_scale(hit->normal, 1.0f / length);
    if (vec3_dot(hit->normal, ray->direction) > AWAY_COSINE * vec3_length(ray->direction))
        hit->normal = vec3_neg(hit->normal);
}

static void ask(const rico_world *world, const rico_ray *rays, rico_hit *hits, uint32_t count)
{
    const rico_ray_caster *caster = &world->def.ray_caster;
    const rico_filter filter = rico_filter_default();
    for (uint32_t i = 0; i < count; ++i) {
        make_miss(&rays[i], &hits[i]);
        hits[i].collider = RICO_NOT_ANSWERED;
    }
    if (count > 0)
        caster->cast(caster->user, &filter, rays, hits, count);
}

void rico__host_cast(const rico_world *world, const rico_ray *rays, rico_hit *hits,
                     uint32_t count)
{
    ask(world, rays, hits, count);
    for (uint32_t i = 0; i < count; ++i)
        check_hit(&rays[i], &hits[i]);
}

static bool all_answered(const rico_hit *hits, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (hits[i].collider == RICO_NOT_ANSWERED)
            return false;
    return true;
}

/* --- Queries ------------------------------------------------------------------------------ */

static void chart(const rico_world *world, const rico__query *query, rico__course *course)
{
    if (query->kind == QUERY_RAY)
        *course = (rico__course){.rays = {rico__query_ray(query)}, .count = 1};
    else
        rico__host_chart(world, query, course);
}

/* Writes only the particle's numbers, the query, the worker's counts, and a deposit. The course
 * is what was asked, whatever has become of the recipe since. */
static void take(rico_world *world, rico__query *query, const rico__course *course,
                 rico_hit *hits, rico__scratch *scratch)
{
    query->answered = all_answered(hits, course->count);
    if (!query->answered)
        return;
    for (uint32_t i = 0; i < course->count; ++i)
        check_hit(&course->rays[i], &hits[i]);
    query->units = uint_min(course->count, 1); /* a particle about to die asks for no ray */
    scratch->tally.rays += course->count;
    if (query->kind == QUERY_RAY)
        rico__query_take(world, query, &course->rays[0], &hits[0]);
    else
        rico__host_follow(world, query, course, hits);
}

/* Particles of a block share words of bits. So the bits are set when the jobs are done. */
static void finish(rico_world *world)
{
    for (uint32_t q = 0; q < world->query_count; ++q) {
        const rico__query *query = &world->queries[q];
        rico__block *block = &world->blocks[query->block];
        if (query->kind != QUERY_PATH || !query->answered)
            continue;
        rico__bit_set(block->waits, query->lane, false);
        rico__bit_set(block->rebound, query->lane, query->rebound);
        if (query->rests || !query->rebound)
            rico__bit_set(block->asleep, query->lane, query->rests);
    }
    rico__query_charge(world);
}

static void answer_range(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    rico_world *world = context;
    rico__scratch *scratch = &world->scratch[rico_worker_index(worker)];
    rico__course courses[GRAIN];
    rico_ray rays[GRAIN * RICO__QUERY_RAYS];
    rico_hit hits[GRAIN * RICO__QUERY_RAYS];
    uint32_t count = 0;
    for (uint32_t q = begin; q < end; ++q) {
        rico__course *course = &courses[q - begin];
        chart(world, &world->queries[q], course);
        memcpy(rays + count, course->rays, course->count * sizeof *rays);
        count += course->count;
    }
    ask(world, rays, hits, count);
    count = 0;
    for (uint32_t q = begin; q < end; ++q) {
        const rico__course *course = &courses[q - begin];
        take(world, &world->queries[q], course, hits + count, scratch);
        count += course->count;
    }
}

/* The steps of an effect that is run by itself come one after the other. Without `collect`,
 * nothing says when the answers are there. */
static bool answers_late(const rico_world *world)
{
    return world->alone != 0 && world->def.ray_caster.collect == NULL;
}

/* Asks for all queries in one call, at the step's end. */
static void hand_over(rico_world *world)
{
    rico__host_rays *host = &world->host;
    host->ray_count = 0;
    host->asked_changes = host->changes;
    if (answers_late(world))
        world->query_count = 0;
    for (uint32_t q = 0; q < world->query_count; ++q) {
        const rico__query *query = &world->queries[q];
        rico__asked *asked = &host->asked[q];
        asked->first = host->ray_count;
        asked->generation = world->effects[query->effect].generation;
        chart(world, query, &asked->course);
        memcpy(host->rays + asked->first, asked->course.rays,
               asked->course.count * sizeof *host->rays);
        host->ray_count += asked->course.count;
    }
    host->pending = world->query_count > 0;
    ask(world, host->rays, host->hits, host->ray_count);
}

void rico__host_query(rico_world *world)
{
    if (world->def.ray_caster.deferred) {
        hand_over(world);
        return;
    }
    rico__work_for(world, 0, world->query_count, GRAIN, answer_range, world);
    finish(world);
}

void rico__host_abandon(rico_world *world)
{
    const rico_ray_caster *caster = &world->def.ray_caster;
    if (world->host.pending && world->host.ray_count > 0 && caster->collect != NULL)
        caster->collect(caster->user);
    world->host.pending = false;
}

/* Nothing has moved since the rays were handed over. But effects may be gone, and what the host
 * saw may have changed: in the latter case all counts as not asked. */
void rico__host_take(rico_world *world)
{
    rico__host_rays *host = &world->host;
    if (!world->def.ray_caster.deferred)
        return;
    if (!host->pending || host->asked_changes != host->changes || answers_late(world))
        world->query_count = 0;
    rico__host_abandon(world);
    for (uint32_t q = 0; q < world->query_count; ++q) {
        rico__query *query = &world->queries[q];
        const rico__asked *asked = &host->asked[q];
        const rico__effect *effect = &world->effects[query->effect];
        if (effect->alive && effect->generation == asked->generation)
            take(world, query, &asked->course, host->hits + asked->first, &world->scratch[0]);
    }
    finish(world);
}

/* --- Waiting ------------------------------------------------------------------------------ */

void rico__host_forget(rico_world *world, uint32_t slot)
{
    for (uint32_t q = 0; world->host.pending && q < world->query_count; ++q)
        if (world->queries[q].effect == slot)
            world->host.asked[q].generation = 0;
}

/* Forgets what is known, which would be read as metres without the bit `rebound`. */
void rico__host_forget_path(const rico__recipe *recipe, float *first)
{
    const size_t stride = recipe->stream_floats;
    if (!rico__waits(rico__known(first, stride)))
        rico__set_known(first, stride, 0);
    *rico__stream(recipe, first, FIELD_UNTIL) = 0.0f;
}

void rico__host_reset_block(rico_world *world, rico__block *block)
{
    const rico__effect *effect = &world->effects[block->effect];
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    if (recipe->def.mode != RICO_COLLIDE_CACHED ||
        !(effect->forgets || (effect->paths & RICO__PATHS_FORGOTTEN) != 0))
        return;
    float *data = rico__block_data(world, block);
    for (uint32_t i = 0; i < block->count; ++i)
        rico__host_forget_path(recipe, data + i);
    memset(block->rebound, 0, sizeof block->rebound);
}

/* A particle without a plane, or not served in time, takes what others have left. */
static void help_waiting(rico__block_context *c, const uint64_t *unserved)
{
    const bool sticks = rico__sticks_by_query(c->world, c->recipe);
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = c->block->waits[w] & ~(sticks ? c->block->asleep[w] : 0);
             bits != 0; bits &= bits - 1) {
            uint32_t i = w * 64 + bits_lowest64(bits);
            if (rico__bit(unserved, i) || c->streams.nd[i] == RICO_NO_PLANE_OFFSET)
                rico__classic_look_up(c, i, false);
        }
}

/* A particle that still waits is due again in each step. A particle that fell asleep on a plane
 * that may be gone waits, too, and wakes when the plane is gone. */
void rico__host_look_ahead(rico__block_context *c)
{
    uint64_t unserved[RICO__MASK_WORDS];
    memcpy(unserved, c->block->waits, sizeof unserved);
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        uint64_t doubtful = c->effect->forgets ? UINT64_MAX : unserved[w];
        if (rico__response_stays(&c->recipe->def) &&
            !rico__sticks_by_query(c->world, c->recipe))
            doubtful = 0; /* these are not woken, but by rico__unstick if they stick */
        c->block->waits[w] = c->masks.look[w] | (c->block->asleep[w] & doubtful);
        c->scratch->tally.requests += bits_count64(c->block->waits[w]);
    }
    help_waiting(c, unserved);
}

uint32_t rico__host_waiting(const rico_world *world, const rico__effect *effect)
{
    uint32_t count = 0;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
        for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
            count += bits_count64(world->blocks[b].waits[w]);
    return count;
}

/* Serves particles in their order. So the oldest are served whatever happens, and a path that
 * was followed goes on being followed. Too few queries, drawn at random, lose up to three times
 * as many particles. */
void rico__host_choose(rico_world *world, uint32_t slot, uint32_t grant)
{
    const rico__effect *effect = &world->effects[slot];
    uint32_t end = world->query_count + grant;
    for (uint32_t b = effect->first_block; b != RICO__NO_BLOCK; b = world->blocks[b].next)
        for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
            for (uint64_t bits = world->blocks[b].waits[w]; bits != 0; bits &= bits - 1) {
                if (world->query_count == end)
                    return;
                world->queries[world->query_count++] =
                    (rico__query){.kind = QUERY_PATH,
                                  .effect = slot,
                                  .key = RICO_NO_KEY,
                                  .block = b,
                                  .lane = w * 64 + bits_lowest64(bits)};
            }
}
