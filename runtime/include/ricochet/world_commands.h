/* world_commands.h - what several threads want of a world, recorded while they run, also while it is stepped, and carried
 * out by one call between steps.
 *
 * A list is an array of the host's, one per thread or job, that it fills as it likes: no lock, nothing to be made or freed.
 *     rico_command c = {.order = entity, .kind = RICO_COMMAND_SPAWN, .recipe = fire,
 *                       .spawn = rico_effect_def_default()};
 * Which thread came to what, and when, differs from run to run. So each command carries a key that does not (the number of
 * the entity that wants it, say): commands are carried out by rising `order`; those of equal order list by
 * list, and within a list as they lie there. Who gives one order to commands in two lists must fill these the same way in
 * every run. Then the world has the same bits, whichever thread recorded what.
 */
#ifndef RICOCHET_WORLD_COMMANDS_H
#define RICOCHET_WORLD_COMMANDS_H

#include <ricochet/world.h>
#include <ricochet/world_fields.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each is a call of world.h, or of the header that is named, and says what that would. */
typedef enum rico_command_kind {
    RICO_COMMAND_SPAWN,          /* recipe, spawn: rico_effect_spawn_def; gives `spawned` */
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
    uint64_t order;
    rico_command_kind kind;
    union { /* who: what the kind names */
        rico_recipe_id recipe;
        rico_effect_id effect;
        rico_collider_id collider;
        rico_field_id field;
    };
    union { /* what: likewise */
        rico_effect_def spawn;
        rico_birth birth;
        rico_transform transform;
        rico_motion motion;
        rico_color tint;
        float scale;
        uint32_t count;
    };
    /* Written by rico_world_apply. */
    rico_result result;     /* the call's */
    rico_effect_id spawned; /* of RICO_COMMAND_SPAWN; else, and when it was refused, null */
} rico_command;

typedef struct rico_command_list {
    rico_command *commands;
    uint32_t count; /* 0: commands may be NULL */
} rico_command_list;

/* Carries out all commands of all lists. Those that are refused change nothing, and say so in their result (and on the log,
 * as their calls do); the others are carried out all the same. RICO_OK: none was refused; else the result of the
 * first one, by order. RICO_BUSY (while a step runs) and RICO_OUT_OF_MEMORY (to sort them, 32 bytes each; of the world's
 * allocator, until it returns): none was carried out, and all have that result. Threads: the one that steps, between
 * steps, when nobody writes to the lists. */
RICO_API rico_result rico_world_apply(rico_world *world, const rico_command_list *lists,
                                      uint32_t list_count);

#ifdef __cplusplus
}
#endif
#endif
