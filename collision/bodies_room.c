/* Room for the tree. Edits reserve it, so that moving and removing bodies need none. */
#include "bodies.h"

/* Neighbours under one parent have 9 children or more together: they are joined below 13, and a
 * split leaves 8 in each half. So a level with a nodes below a level with b nodes has at least
 * 4.5 (a - b) entries. From the root downwards, each level then has at least three times as
 * many nodes as the one above. */
static uint64_t nodes_for(uint64_t count)
{
    return count / 2 + RICO_BODY_LEVELS;
}

bool rico__bodies_prepare(const rico__bodies *bodies, rico__memory *memory, uint32_t body,
                          uint32_t count, rico__bodies_room *room)
{
    *room = (rico__bodies_room){{NULL, 0}, {NULL, 0}, {NULL, 0}};
    return rico__grow_prepare(&room->nodes, memory, bodies->node_capacity, nodes_for(count),
                              sizeof *bodies->nodes) &&
           rico__grow_prepare(&room->where, memory, bodies->where_capacity, (uint64_t)body + 1,
                              sizeof *bodies->where) &&
           rico__grow_prepare(&room->moved, memory, bodies->moved_capacity, (uint64_t)body + 1,
                              sizeof *bodies->moved);
}

void rico__bodies_commit(rico__bodies *bodies, rico__memory *memory, rico__bodies_room *room)
{
    rico__grow_commit(&room->nodes, memory, (void **)&bodies->nodes, &bodies->node_capacity,
                      sizeof *bodies->nodes);
    rico__grow_commit(&room->where, memory, (void **)&bodies->where, &bodies->where_capacity,
                      sizeof *bodies->where);
    rico__grow_commit(&room->moved, memory, (void **)&bodies->moved, &bodies->moved_capacity,
                      sizeof *bodies->moved);
}

void rico__bodies_abandon(rico__memory *memory, rico__bodies_room *room)
{
    rico__grow_abandon(&room->nodes, memory, sizeof(rico__body_node));
    rico__grow_abandon(&room->where, memory, sizeof(uint32_t));
    rico__grow_abandon(&room->moved, memory, sizeof(uint32_t));
}

void rico__bodies_release(rico__bodies *bodies, rico__memory *memory)
{
    rico__memory_release(memory, bodies->nodes, bodies->node_capacity, sizeof *bodies->nodes,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, bodies->where, bodies->where_capacity, sizeof *bodies->where,
                         RICO_CACHE_LINE);
    rico__memory_release(memory, bodies->moved, bodies->moved_capacity, sizeof *bodies->moved,
                         RICO_CACHE_LINE);
    *bodies = (rico__bodies){.count = 0};
}
