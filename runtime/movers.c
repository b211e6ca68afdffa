#include "movers.h"

#include "state.h"

#include <string.h>

static rico_quat unit(rico_quat q)
{
    float scale = 1.0f / __builtin_sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (rico_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

static float quat_dot(rico_quat a, rico_quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/* --- The list ----------------------------------------------------------------------------- */

/* The table holds numbers of items + 1, by slot. It has twice as many places as there is room
 * for items. A number is in the first place, from the slot's own on, that was free. */
static uint32_t table_places(const rico__movers *bodies)
{
    return 2 * bodies->capacity;
}

static uint32_t place_of(const rico__movers *bodies, uint32_t slot)
{
    return slot * 2654435769u >> 7 & (table_places(bodies) - 1);
}

rico__mover *rico__movers_find(const rico__movers *bodies, uint32_t slot)
{
    if (bodies->count == 0 || slot == 0)
        return NULL;
    uint32_t at = place_of(bodies, slot);
    for (; bodies->table[at] != 0; at = (at + 1) & (table_places(bodies) - 1)) {
        rico__mover *body = &bodies->items[bodies->table[at] - 1];
        if (body->id.index1 == slot)
            return body;
    }
    return NULL;
}

static void enter(rico__movers *bodies, uint32_t number)
{
    uint32_t at = place_of(bodies, bodies->items[number].id.index1);
    while (bodies->table[at] != 0)
        at = (at + 1) & (table_places(bodies) - 1);
    bodies->table[at] = number + 1;
}

static void enter_all(rico__movers *bodies)
{
    memset(bodies->table, 0, table_places(bodies) * sizeof *bodies->table);
    for (uint32_t i = 0; i < bodies->count; ++i)
        if (bodies->items[i].id.index1 != 0)
            enter(bodies, i);
}

/* For the item that was entered last: since then no other has been entered past its place. */
static void leave(rico__movers *bodies, uint32_t number)
{
    uint32_t at = place_of(bodies, bodies->items[number].id.index1);
    while (bodies->table[at] != number + 1)
        at = (at + 1) & (table_places(bodies) - 1);
    bodies->table[at] = 0;
}

bool rico__movers_reserve(rico__movers *bodies, rico__memory *memory, uint32_t more)
{
    rico__movers wider = *bodies;
    wider.capacity = bodies->capacity > 0 ? bodies->capacity : 8;
    if (bodies->count + more <= bodies->capacity)
        return true;
    while (wider.capacity < bodies->count + more)
        wider.capacity *= 2;
    wider.items =
        rico__memory_allocate(memory, wider.capacity, sizeof *wider.items, RICO_CACHE_LINE);
    wider.table = rico__memory_allocate(memory, table_places(&wider), sizeof *wider.table,
                                        RICO_CACHE_LINE);
    wider.tree = (rico__box_tree){.keys = NULL};
    bool has_tree = wider.capacity <= RICO__FEW_MOVERS ||
                    rico__box_tree_reserve(&wider.tree, memory, wider.capacity);
    if (wider.items == NULL || wider.table == NULL || !has_tree) {
        rico__movers_free(&wider, memory);
        return false;
    }
    if (bodies->count > 0)
        memcpy(wider.items, bodies->items, bodies->count * sizeof *wider.items);
    rico__movers_free(bodies, memory);
    *bodies = wider;
    enter_all(bodies);
    return true;
}

void rico__movers_free(rico__movers *bodies, rico__memory *memory)
{
    rico__memory_release(memory, bodies->items, bodies->capacity, sizeof *bodies->items,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, bodies->table, table_places(bodies), sizeof *bodies->table,
                         RICO_CACHE_LINE);
    rico__box_tree_free(&bodies->tree, memory);
    *bodies = (rico__movers){.items = NULL};
}

void rico__mover_follow(rico_world *world, rico__mover *body, bool jumps)
{
    rico_motion motion;
    rico_scene_collider_state(world->scene, body->id, &body->box, &motion);
    body->to.position = motion.transform.position;
    body->to.rotation = unit(motion.transform.rotation);
    body->to.scale = motion.transform.scale;
    body->still_steps = 0;
    world->movers.stand = false;
    if (jumps) {
        body->from = body->to;
        body->from_box = body->box;
    }
}

rico__mover *rico__movers_add(rico_world *world, rico_collider_id id, uint32_t layers)
{
    rico__mover *body = &world->movers.items[world->movers.count++];
    *body = (rico__mover){.id = id, .layers = layers};
    enter(&world->movers, world->movers.count - 1);
    rico__mover_follow(world, body, true);
    body->endless = body->box.lo.x > body->box.hi.x;
    return body;
}

void rico__movers_drop(rico__movers *bodies, rico__mover *body)
{
    body->id.index1 = 0;
    bodies->gone += 1;
}

void rico__movers_cut(rico__movers *bodies, uint32_t count)
{
    while (bodies->count > count)
        leave(bodies, --bodies->count);
    bodies->stand = false;
}

void rico__movers_tidy(rico__movers *bodies)
{
    uint32_t count = 0;
    if (bodies->gone == 0)
        return;
    for (uint32_t i = 0; i < bodies->count; ++i)
        if (bodies->items[i].id.index1 != 0)
            bodies->items[count++] = bodies->items[i];
    bodies->gone = 0;
    bodies->count = count;
    bodies->stand = false;
    enter_all(bodies);
}

/* --- The step ----------------------------------------------------------------------------- */

rico__pose rico__mover_pose(const rico__mover *body, float part)
{
    const rico__pose *a = &body->from, *b = &body->to;
    if (!body->moved || part >= 1.0f)
        return *b;
    if (part <= 0.0f)
        return *a;
    float to = quat_dot(a->rotation, b->rotation) < 0.0f ? -part : part; /* the short way */
    float from = 1.0f - part;
    rico_quat q = {
        a->rotation.x * from + b->rotation.x * to, a->rotation.y * from + b->rotation.y * to,
        a->rotation.z * from + b->rotation.z * to, a->rotation.w * from + b->rotation.w * to};
    rico_vec3 way = vec3_sub(b->position, a->position);
    return (rico__pose){vec3_mad(a->position, way, part), unit(q),
                        a->scale + (b->scale - a->scale) * part};
}

static bool is_same_pose(const rico__pose *a, const rico__pose *b)
{
    return a->position.x == b->position.x && a->position.y == b->position.y &&
           a->position.z == b->position.z && a->rotation.x == b->rotation.x &&
           a->rotation.y == b->rotation.y && a->rotation.z == b->rotation.z &&
           a->rotation.w == b->rotation.w && a->scale == b->scale;
}

static float farthest(const rico_box *box, rico_vec3 from)
{
    rico_vec3 a = vec3_sub(box->lo, from), b = vec3_sub(box->hi, from);
    return vec3_length(vec3_max(vec3_max(a, vec3_neg(a)), vec3_max(b, vec3_neg(b))));
}

/* Half a millimetre, for rounding. */
#define SKIN 0.0005f

/* A mover that turns sticks out of the boxes of its ends by as much as an arc does out of its
 * chord. A particle's path in the mover's space is off by that, too. */
static void find_reach(rico__mover *body)
{
    body->moved = !is_same_pose(&body->from, &body->to);
    float half_cosine = __builtin_fabsf(quat_dot(body->from.rotation, body->to.rotation));
    body->bulge = 2.0f * float_max(1.0f - half_cosine, 0.0f);
    if (body->endless) {
        body->reach = (rico_box){{-RICO__NEVER, -RICO__NEVER, -RICO__NEVER},
                                 {RICO__NEVER, RICO__NEVER, RICO__NEVER}};
        return;
    }
    body->reach = boxes_join(&body->from_box, &body->box);
    float radius = float_max(farthest(&body->from_box, body->from.position),
                             farthest(&body->box, body->to.position));
    float by = SKIN + radius * body->bulge;
    body->reach.lo = vec3_sub(body->reach.lo, vec3(by, by, by));
    body->reach.hi = vec3_add(body->reach.hi, vec3(by, by, by));
}

/* That of a plane without end is empty. */
static bool box_of(const void *items, uint32_t number, rico_box *box)
{
    const rico__mover *body = (const rico__mover *)items + number;
    *box = body->endless ? body->box : body->reach;
    return body->moved;
}

/* Finds where each mover will be in the step, and prepares how movers are found. */
static void look_at_all(rico__movers *bodies)
{
    bodies->any_moved = false;
    bodies->first_endless = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        find_reach(&bodies->items[i]);
        if (bodies->items[i].endless) {
            bodies->items[i].next_endless = bodies->first_endless;
            bodies->first_endless = i + 1;
        }
        bodies->any_moved |= bodies->items[i].moved;
        bodies->reach = i == 0 ? bodies->items[i].reach
                               : boxes_join(&bodies->reach, &bodies->items[i].reach);
    }
    bodies->tree.levels = 0;
    if (bodies->count > RICO__FEW_MOVERS && !bodies->one_by_one)
        rico__box_tree_make(&bodies->tree, bodies->count, box_of, bodies->items);
}

void rico__movers_begin(rico_world *world)
{
    if (world->alone != 0)
        return; /* movers stay as rico__movers_halt has left them */
    rico__movers_tidy(&world->movers);
    look_at_all(&world->movers);
    world->movers.stand = false;
}

typedef struct asked {
    const rico__movers *bodies;
    const rico_box *box;
    bool to_moved;
    rico__box_fn *visit;
    void *user;
} asked;

static bool ask(const asked *a, uint32_t number)
{
    const rico__mover *body = &a->bodies->items[number];
    return (body->moved || !a->to_moved) && boxes_meet(a->box, &body->reach) &&
           a->visit(a->user, number);
}

bool rico__movers_each(const rico__movers *bodies, const rico_box *box, bool to_moved,
                       rico__box_fn *visit, void *user)
{
    const asked a = {bodies, box, to_moved, visit, user};
    if (bodies->tree.levels == 0) {
        for (uint32_t i = 0; i < bodies->count; ++i)
            if (ask(&a, i))
                return true;
        return false;
    }
    if (rico__box_tree_each(&bodies->tree, box, to_moved, visit, user))
        return true;
    for (uint32_t i = bodies->first_endless; i != 0; i = bodies->items[i - 1].next_endless)
        if (ask(&a, i - 1))
            return true;
    return false;
}

void rico__movers_halt(rico_world *world)
{
    rico__movers *bodies = &world->movers;
    rico__movers_tidy(bodies);
    for (uint32_t i = 0; i < bodies->count; ++i) {
        rico__mover *body = &bodies->items[i];
        body->kept_to = body->to;
        body->kept_box = body->box;
        body->to = body->from;
        body->box = body->from_box;
    }
    if (!bodies->stand)
        look_at_all(bodies);
    bodies->stand = true;
}

void rico__movers_go_on(rico_world *world)
{
    rico__movers *bodies = &world->movers;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        bodies->items[i].to = bodies->items[i].kept_to;
        bodies->items[i].box = bodies->items[i].kept_box;
    }
}

/* The mover stands still again. Its cells are looked at anew, but no particle has to wake up. */
static void settle(rico_world *world, rico__mover *body)
{
    rico_scene_set_layers(world->scene, body->id, body->layers | RICO_LAYER_DEFAULT);
    rico_box box = body->box;
    rico__movers_drop(&world->movers, body);
    rico__edit_cells(world, &box, false, true);
}

/* Where coverage has no room, movers wait. If many do, coverage is made anew, once for all of
 * them. */
static void settle_who_waits(rico_world *world)
{
    rico__movers *bodies = &world->movers;
    uint32_t outside = 0;
    for (uint32_t i = bodies->count; i-- > 0;) {
        rico__mover *body = &bodies->items[i];
        if (!rico__mover_waits(body))
            continue;
        if (rico__coverage_has_room(&world->coverage, &body->box))
            settle(world, body);
        else
            ++outside;
    }
    for (uint32_t i = outside > RICO__FEW_MOVERS ? bodies->count : 0; i-- > 0;)
        if (rico__mover_waits(&bodies->items[i]))
            settle(world, &bodies->items[i]);
}

/* Steps other than the world's own move nothing: what the host moved is still on its way. */
void rico__movers_end(rico_world *world)
{
    rico__movers *bodies = &world->movers;
    if (!rico__goes_on(world))
        return;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        rico__mover *body = &bodies->items[i];
        body->from = body->to;
        body->from_box = body->box;
        body->still_steps += body->still_steps < RICO__MOVER_PATIENCE;
    }
    settle_who_waits(world);
    rico__movers_tidy(bodies);
}
