/* Commands that several threads have recorded, carried out in the host's order. */
#include "float_mode.h"
#include "stages.h"

#include <ricochet/world_commands.h>

#include "check.h"
#include "log.h"

static const char call[] = "rico_world_apply";

/* Where a command lies. */
typedef struct turn {
    uint64_t order;
    uint32_t list, place;
} turn;

static rico_result carry_out(rico_world *world, rico_command *c)
{
    switch (c->kind) {
    case RICO_COMMAND_SPAWN:
        return rico_effect_spawn_all(world, &c->recipe, &c->spawn, 1, &c->spawned);
    case RICO_COMMAND_BIRTH:
        return rico_world_emit(world, c->recipe, &c->birth, 1);
    case RICO_COMMAND_MOVE:
        return rico_effect_move(world, c->effect, c->transform);
    case RICO_COMMAND_TELEPORT:
        return rico_effect_teleport(world, c->effect, c->transform);
    case RICO_COMMAND_EMIT:
        return rico_effect_emit(world, c->effect, c->count);
    case RICO_COMMAND_TIME_SCALE:
        return rico_effect_set_time_scale(world, c->effect, c->scale);
    case RICO_COMMAND_RATE_SCALE:
        return rico_effect_set_rate_scale(world, c->effect, c->scale);
    case RICO_COMMAND_TINT:
        return rico_effect_set_tint(world, c->effect, c->tint);
    case RICO_COMMAND_STOP:
        return rico_effect_stop(world, c->effect);
    case RICO_COMMAND_DESTROY:
        return rico_effect_destroy(world, c->effect);
    case RICO_COMMAND_MOVE_COLLIDER:
        return rico_world_move_colliders(world, &c->collider, &c->motion, 1);
    case RICO_COMMAND_PLACE_COLLIDER:
        return rico_world_place_colliders(world, &c->collider, &c->motion, 1);
    case RICO_COMMAND_MOVE_FIELD:
        return rico_world_move_field(world, c->field, c->transform);
    case RICO_COMMAND_KIND_COUNT:
    default:
        break;
    }
    return world->last_result = rico__fail(&world->def.log, RICO_OUT_OF_RANGE, call,
                                           "kind is %d, expected 0 to %d", (int)c->kind,
                                           RICO_COMMAND_KIND_COUNT - 1);
}

/* The line before says why, in the words of the call that the command stands for. */
static void name_refused(const rico_world *world, const turn *t)
{
    rico__log(&world->def.log, RICO_LOG_ERROR,
              "%s: this was lists[%u].commands[%u], of order %llu", call, t->list, t->place,
              (unsigned long long)t->order);
}

/* Merges pairs of sorted runs of `length` into runs of twice that. Equal turns keep their
 * order. */
static void merge_runs(const turn *from, turn *to, size_t count, size_t length)
{
    for (size_t begin = 0; begin < count; begin += 2 * length) {
        size_t middle = begin + length < count ? begin + length : count;
        size_t end = middle + length < count ? middle + length : count;
        size_t a = begin, b = middle;
        for (size_t i = begin; i < end; ++i) {
            const bool first = a < middle && (b == end || from[a].order <= from[b].order);
            to[i] = from[first ? a++ : b++];
        }
    }
}

/* Returns the one of the two arrays that holds the sorted turns. */
static turn *sort(turn *turns, turn *room, size_t count)
{
    for (size_t length = 1; length < count; length *= 2) {
        merge_runs(turns, room, count, length);
        turn *sorted = room;
        room = turns;
        turns = sorted;
    }
    return turns;
}

static bool is_usable(const rico_command_list *lists, uint32_t list_count)
{
    for (uint32_t l = 0; l < list_count; ++l)
        if (lists[l].count > 0 && lists[l].commands == NULL)
            return false;
    return true;
}

static size_t begin_all(const rico_command_list *lists, uint32_t list_count, rico_result result)
{
    size_t count = 0;
    for (uint32_t l = 0; l < list_count; ++l)
        for (uint32_t i = 0; i < lists[l].count; ++i, ++count) {
            lists[l].commands[i].result = result;
            lists[l].commands[i].spawned = (rico_effect_id){0};
        }
    return count;
}

static void list_turns(const rico_command_list *lists, uint32_t list_count, turn *turns)
{
    for (uint32_t l = 0; l < list_count; ++l)
        for (uint32_t i = 0; i < lists[l].count; ++i)
            *turns++ = (turn){lists[l].commands[i].order, l, i};
}

rico_result rico_world_apply(rico_world *world, const rico_command_list *lists,
                             uint32_t list_count)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE_OF(world, (list_count == 0 || lists != NULL)) ||
        !RICO_REQUIRE_OF(world, is_usable(lists, list_count)))
        return RICO_OUT_OF_RANGE;
    if (rico__is_busy(world, call)) {
        begin_all(lists, list_count, RICO_BUSY);
        return RICO_BUSY;
    }
    const size_t count = begin_all(lists, list_count, RICO_OUT_OF_MEMORY);
    if (count == 0)
        return RICO_OK;
    turn *turns =
        rico__memory_reserve(&world->memory, 2 * count, sizeof *turns, RICO_CACHE_LINE);
    if (turns == NULL)
        return world->last_result = rico__fail(&world->def.log, RICO_OUT_OF_MEMORY, call,
                                               "no memory to sort %zu commands", count);
    list_turns(lists, list_count, turns);
    const turn *sorted = sort(turns, turns + count, count);
    rico_result first = RICO_OK;
    for (size_t i = 0; i < count; ++i) {
        rico_command *c = &lists[sorted[i].list].commands[sorted[i].place];
        c->result = carry_out(world, c);
        if (c->result != RICO_OK)
            name_refused(world, &sorted[i]);
        first = first == RICO_OK ? c->result : first;
    }
    rico__memory_release(&world->memory, turns, 2 * count, sizeof *turns, RICO_CACHE_LINE);
    return first;
}
