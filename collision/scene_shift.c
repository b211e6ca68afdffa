/* Moving the origin: placed triangles get new corners and new grids, all others get new
 * transforms. */
#include "check.h"
#include "float_mode.h"
#include "limit.h"
#include "log.h"
#include "ray_triangle.h"
#include "scene_private.h"
#include "vec.h"

/* The parts that lie in the world: the merged one, and those of added meshes by shape. */
typedef struct shifted {
    rico__part merged;
    rico__part *parts; /* by shape */
    uint32_t count;
} shifted;

static void shifted_release(rico_scene *scene, shifted *s)
{
    for (uint32_t i = 0; s->parts != NULL && i < s->count; ++i)
        rico__part_release(&s->parts[i], &scene->memory);
    rico__part_release(&s->merged, &scene->memory);
    rico__memory_release(&scene->memory, s->parts, s->count, sizeof *s->parts, RICO_CACHE_LINE);
}

/* Rounding can take a triangle's area away, or give it one. */
static void mark_flat(rico__part *part)
{
    const rico__triangles triangles = {part->vertices, part->faces};
    for (uint32_t i = 0; i < part->face_count; ++i) {
        if (part->faces[i].triangle == RICO_NO_TRIANGLE)
            continue;
        rico__triangle triangle = rico__triangle_at(&triangles, i);
        part->faces[i].corner[0] &= ~RICO_FACE_FLAT;
        if (rico__triangle_is_flat(&triangle))
            part->faces[i].corner[0] |= RICO_FACE_FLAT;
    }
}

static rico_result shift_part(rico_scene *scene, const rico__part *part, rico_vec3 origin,
                              rico__part *out)
{
    if (part->face_count == 0)
        return RICO_OK;
    if (!rico__part_reserve(out, &scene->memory, part->vertex_count, part->face_count))
        return RICO_OUT_OF_MEMORY;
    rico__part_copy(out, 0, 0, part, 0, part->face_count, 0, part->vertex_count);
    out->hole_count = part->hole_count;
    for (uint32_t i = 0; i < out->vertex_count; ++i) {
        float *at = out->vertices[i].at;
        at[0] -= origin.x;
        at[1] -= origin.y;
        at[2] -= origin.z;
    }
    mark_flat(out);
    return rico__part_build(out, &scene->memory, &scene->grid_options);
}

static rico_result shift_parts(rico_scene *scene, rico_vec3 origin, shifted *s)
{
    s->count = scene->shape_capacity;
    if (s->count == 0)
        return RICO_OK;
    s->parts =
        rico__memory_allocate(&scene->memory, s->count, sizeof *s->parts, RICO_CACHE_LINE);
    if (s->parts == NULL)
        return RICO_OUT_OF_MEMORY;
    rico_result result = shift_part(scene, &scene->merged, origin, &s->merged);
    for (uint32_t i = 0; i < s->count && result == RICO_OK; ++i)
        if (scene->shapes[i].used && scene->shapes[i].added)
            result = shift_part(scene, &scene->shapes[i].part, origin, &s->parts[i]);
    return result;
}

/* Puts the new parts in the places of the old ones, which are released. */
static void put_parts(rico_scene *scene, shifted *s)
{
    rico__part merged = scene->merged;
    scene->merged = s->merged;
    s->merged = merged;
    for (uint32_t i = 0; i < s->count; ++i) {
        rico__shape *shape = &scene->shapes[i];
        if (!shape->used || !shape->added || s->parts[i].face_count == 0)
            continue;
        rico__part old = shape->part;
        shape->part = s->parts[i];
        shape->bounds = shape->part.grid.bounds;
        s->parts[i] = old;
    }
    shifted_release(scene, s);
}

/* Subtraction is monotone: the box of what was moved is the moved box. */
static rico_box box_less(const rico_box *box, rico_vec3 origin)
{
    return (rico_box){vec3_sub(box->lo, origin), vec3_sub(box->hi, origin)};
}

static void shift_colliders(rico_scene *scene, rico_vec3 origin)
{
    rico__bodies_clear(&scene->bodies);
    for (uint32_t slot = 0; slot < scene->collider_capacity; ++slot) {
        rico__collider *c = &scene->colliders[slot];
        if (!c->used)
            continue;
        rico_motion motion = c->motion;
        if (c->placed)
            scene->shapes[c->shape].bounds = box_less(&c->box, origin);
        else
            motion.transform.position = vec3_sub(motion.transform.position, origin);
        rico__collider_place(scene, c, &motion);
        c->version = scene->version;
        if (c->merged || c->box.lo.x > c->box.hi.x)
            continue;
        rico_box box = rico__collider_body_box(c);
        rico__bodies_put(&scene->bodies, slot, &box);
    }
}

/* The first collider that would be too far from the origin, or RICO_NO_SLOT. */
static uint32_t find_beyond(const rico_scene *scene, rico_vec3 origin)
{
    for (uint32_t slot = 0; slot < scene->collider_capacity; ++slot) {
        const rico__collider *c = &scene->colliders[slot];
        if (!c->used)
            continue;
        rico_box box = box_less(&c->box, origin);
        rico_vec3 position = vec3_sub(c->motion.transform.position, origin);
        bool has_box = box.lo.x <= box.hi.x;
        if (has_box && !(rico__is_within(box.lo, RICO__MOST_COORDINATE) &&
                         rico__is_within(box.hi, RICO__MOST_COORDINATE)))
            return slot;
        if (!c->placed && !rico__is_within(position, RICO__MOST_COORDINATE))
            return slot;
    }
    return RICO_NO_SLOT;
}

rico_result rico_scene_shift_origin(rico_scene *scene, rico_vec3 origin)
{
    RICO__FLOAT_MODE();
    static const char call[] = "rico_scene_shift_origin";
    if (!RICO_REQUIRE(scene != NULL))
        return RICO_OUT_OF_RANGE;
    rico_result result =
        rico__limit_vec3(&scene->log, call, "origin", origin, __builtin_inff());
    if (result != RICO_OK)
        return result;
    uint32_t beyond = find_beyond(scene, origin);
    if (beyond != RICO_NO_SLOT)
        return rico__fail(&scene->log, RICO_OUT_OF_RANGE, call,
                          "collider %u would have a coordinate beyond 1e6 m", beyond + 1);
    shifted s = {.parts = NULL};
    result = shift_parts(scene, origin, &s);
    if (result != RICO_OK) {
        shifted_release(scene, &s);
        return rico__fail(&scene->log, result, call, "no memory for %u triangles",
                          scene->triangle_count);
    }
    put_parts(scene, &s);
    scene->version += 1;
    shift_colliders(scene, origin);
    rico__scene_settle(scene);
    return RICO_OK;
}
