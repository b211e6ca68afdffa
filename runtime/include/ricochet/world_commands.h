/* world_commands.h - records calls on several threads, and carries them out in one fixed order.
 *
 * Threads of the host record commands into lists while they run, also during a step. Between
 * two steps one call of rico_world_apply carries all of them out.
 *
 * A list is an array of the host's, one per thread or job. The host fills it as it likes: there
 * is no lock, and nothing to create or free.
 *     rico_command c = {.order = entity, .kind = RICO_COMMAND_SPAWN, .recipe = fire,
 *                       .spawn = rico_effect_def_default()};
 *
 * Which thread records which command, and when, differs from run to run. So each command
 * carries a key that does not differ, for example the number of the entity that wants it.
 * Commands are carried out in rising `order`. Those of equal order are carried out list by
 * list, and within a list as they lie there. If commands in two lists have the same order, both
 * lists must be filled the same way in every run.
 *
 * Determinism: then the world has the same bits, whichever thread recorded which command.
 */
#ifndef RICOCHET_WORLD_COMMANDS_H
#define RICOCHET_WORLD_COMMANDS_H

#include <ricochet/world.h>
#include <ricochet/world_fields.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each kind stands for one call of world.h, or of the header named. The comment has the members
 * that it reads, then the call. */
typedef enum rico_command_kind {
    RICO_COMMAND_SPAWN,          /* recipe, spawn: rico_effect_spawn_def; sets `spawned` */
    RICO_COMMAND_BIRTH,          /* recipe, birth: rico_world_emit of one */
    RICO_COMMAND_MOVE,           /* effect, transform: rico_effect_move */
    RICO_COMMAND_TELEPORT,       /* effect, transform: rico_effect_teleport */
    RICO_COMMAND_EMIT,           /* effect, count: rico_effect_emit */
    RICO_COMMAND_TIME_SCALE,     /* effect, scale: rico_effect_set_time_scale */
    RICO_COMMAND_RATE_SCALE,     /* effect, scale: rico_effect_set_rate_scale */
    RICO_COMMAND_TINT,           /* effect, tint: rico_effect_set_tint */
    RICO_COMMAND_STOP,           /* effect: rico_effect_stop */
    RICO_COMMAND_DESTROY,        /* effect: rico_effect_destroy */
    RICO_COMMAND_MOVE_COLLIDER,  /* collider, motion: rico_world_move_colliders of one */
    RICO_COMMAND_PLACE_COLLIDER, /* collider, motion: rico_world_place_colliders of one */
    RICO_COMMAND_MOVE_FIELD,     /* field, transform: rico_world_move_field (world_fields.h) */
    RICO_COMMAND_KIND_COUNT
} rico_command_kind;

typedef struct rico_command {
    uint64_t order; /* commands are carried out in rising order */
    rico_command_kind kind;
    union { /* what the command acts on: the member that the kind names */
        rico_recipe_id recipe;
        rico_effect_id effect;
        rico_collider_id collider;
        rico_field_id field;
    };
    union { /* its argument: the member that the kind names */
        rico_effect_def spawn;
        rico_birth birth;
        rico_transform transform;
        rico_motion motion;
        rico_color tint;
        float scale;
        uint32_t count;
    };

    /* Written by rico_world_apply. */
    rico_result result;     /* of the call that the command stands for; RICO_OUT_OF_RANGE if
                               there is no such kind */
    rico_effect_id spawned; /* RICO_COMMAND_SPAWN: the new effect; null if refused, and for all
                               other kinds */
} rico_command;

typedef struct rico_command_list {
    rico_command *commands; /* may be NULL if count is 0 */
    uint32_t count;
} rico_command_list;

/* Carries out all commands of all lists.
 *
 * A command that is refused changes nothing. Its `result` says why, and so does the log, as for
 * the call itself; a second line has the command's list, its place there and its order. The other
 * commands are carried out all the same.
 *
 * Threads: the thread that steps, between steps, while no thread writes to the lists.
 * Cost: 32 bytes per command, to sort them. They come from the world's allocator, and are freed
 *   before the call returns.
 * Errors: RICO_OK if no command was refused, else the result of the first refused one by order.
 *   With the two below no command was carried out, and every command has that result:
 *   RICO_BUSY: the world is busy (world.h).
 *   RICO_OUT_OF_MEMORY: no memory to sort the commands. */
RICO_API rico_result rico_world_apply(rico_world *world, const rico_command_list *lists,
                                      uint32_t list_count);

#ifdef __cplusplus
}
#endif
#endif
