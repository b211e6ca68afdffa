/* stage.h - the world in the view: the effects that run, the number of workers, and the effects'
 * files. */
#ifndef RICOCHET_STAGE_H
#define RICOCHET_STAGE_H

#include "effect_list.h"
#include "run_world.h"
#include "view_options.h"
#include <ricochet/effects/effect_source.h>

/* A world with the files that its effects follow. */
typedef struct play {
    run_world world;
    rio_effect_source sources[SHOW_MAX_KINDS]; /* by kind; unused in the show of five */
    char paths[SHOW_MAX_KINDS][4096];          /* of the sources */
    uint32_t source_count;
} play;

/* Owner: view_main; stage_close. */
typedef struct stage {
    const view_options *options;
    run_options run; /* as in options, with the present files and workers */
    play *now;       /* replaced when the world is made anew */
    effect_list list;
    uint32_t chosen; /* 0 = what the command line says, else 1 + index in list */
    uint32_t frame;  /* steps of this world */
    char news[RIO_EFFECT_ERROR_BYTES]; /* the latest event, one line */
    bool trouble;                      /* the news report a failure */
} stage;

/* On false, error is one line; call stage_close either way. options must outlive it. */
bool stage_open(const view_options *options, stage *s, char *error, size_t error_bytes);
void stage_close(stage *s);

/* Starts the effects whose time has come, restarts those that have ended, and then steps. */
void stage_step(stage *s, float dt);

/* Follows the files of effects. Call a few times per second, between steps. */
void stage_poll(stage *s);

/* These make the world anew, from its first frame, because a world keeps its pool of workers for
 * life. When that fails, the old world stays, and the news give the reason. */
void stage_choose(stage *s, int by); /* the next (1), the previous (-1), or the first (0) */
void stage_set_workers(stage *s, uint32_t count);
void stage_restart(stage *s);

/* The current choice, in a word or two. */
const char *stage_title(const stage *s);

/* Writes the effects to draw into ids, at most capacity. kinds: as many kinds of the cast. */
uint32_t stage_effects(const stage *s, rico_effect_id *ids, uint32_t *kinds, uint32_t capacity);

#endif
