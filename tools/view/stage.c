#include "stage.h"

#include "effect_path.h"
#include "say.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(stage *s, bool trouble, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->news, sizeof s->news, format, arguments);
    va_end(arguments);
    s->trouble = trouble;
    say("ricochet: %s", s->news);
}

/* --- Opening ------------------------------------------------------------------------------ */

static void drop(play *p)
{
    if (p != NULL)
        run_world_free(&p->world);
    free(p);
}

/* Effects run the recipes of sources, which follow their files. The show's own effects have no
 * sources. */
static bool open_sources(const run_options *run, play *p, char *error, size_t error_bytes)
{
    for (uint32_t k = 0; k < run->effect_file_count; ++k) {
        if (!rio_effect_find(run->effect_files[k], p->paths[k], sizeof p->paths[k], error,
                             error_bytes) ||
            rio_effect_source_open(p->paths[k], p->world.world, &p->sources[k], error,
                                   error_bytes) != RICO_OK)
            return false;
        p->world.show.groups[k] = p->sources[k].group;
        p->source_count = k + 1u;
    }
    return true;
}

/* Makes a world, and replaces the present one if that succeeds. */
static bool make_world(stage *s, const run_options *run, char *error, size_t error_bytes)
{
    play *made = calloc(1, sizeof *made);
    snprintf(error, error_bytes, "%s", rico_result_text(RICO_OUT_OF_MEMORY));
    if (made == NULL)
        return false;
    if (!run_world_open(run, &made->world, error, error_bytes) ||
        !open_sources(run, made, error, error_bytes)) {
        drop(made);
        return false;
    }
    drop(s->now);
    s->now = made;
    s->run = *run;
    s->frame = 0;
    return true;
}

bool stage_open(const view_options *options, stage *s, char *error, size_t error_bytes)
{
    memset(s, 0, sizeof *s);
    s->options = options;
    effect_list_read(&s->list);
    run_options run = options->run;
    run.room_for_edits = true;
    return make_world(s, &run, error, error_bytes);
}

void stage_close(stage *s)
{
    drop(s->now);
    effect_list_free(&s->list);
    memset(s, 0, sizeof *s);
}

/* --- Another world ------------------------------------------------------------------------ */

static bool try_world(stage *s, const run_options *run)
{
    char error[RIO_EFFECT_ERROR_BYTES];
    if (make_world(s, run, error, sizeof error))
        return true;
    tell(s, true, "%s", error);
    return false;
}

void stage_restart(stage *s)
{
    run_options run = s->run;
    if (try_world(s, &run))
        tell(s, false, "restarted");
}

void stage_set_workers(stage *s, uint32_t count)
{
    run_options run = s->run;
    run.threads = count;
    if (count >= 1 && count <= RICO_JOBS_MAX_WORKERS && try_world(s, &run))
        tell(s, false, "restarted with %u worker%s", count, count == 1 ? "" : "s");
}

/* One effect is shown best at a few places. */
#define CHOSEN_EFFECTS 24u

void stage_choose(stage *s, int by)
{
    uint32_t choices = s->list.count + 1u;
    uint32_t chosen = by == 0 ? 0 : (s->chosen + choices + (uint32_t)by) % choices;
    run_options run = s->options->run;
    run.room_for_edits = true;
    run.threads = s->run.threads;
    if (chosen > 0) {
        run.effect_files[0] = s->list.paths[chosen - 1u];
        run.effect_file_count = 1;
        run.effects = CHOSEN_EFFECTS;
    }
    if (!try_world(s, &run))
        return;
    s->chosen = chosen;
    tell(s, false, "%s", stage_title(s));
}

const char *stage_title(const stage *s)
{
    return s->now->source_count > 0 ? s->now->world.cast.names[0] : "the show";
}

/* --- Frames ------------------------------------------------------------------------------- */

void stage_step(stage *s, float dt)
{
    run_world *w = &s->now->world;
    show_start_effects(&w->show, w->world, s->frame++);
    rico_world_step(w->world, dt);
}

/* Restarts effects whose particles have no memory for the new recipe; those particles go. */
static void respawn(run_world *w, uint32_t kind)
{
    for (uint32_t i = 0; i < w->show.effect_count; ++i) {
        const rico_effect_id *ids = show_ids(&w->show, i);
        if (w->show.effects[i].kind != kind || ids[0].index1 == 0)
            continue;
        for (uint32_t k = 0; k < w->show.ids_per_effect && ids[k].index1 != 0; ++k)
            rico_effect_destroy(w->world, ids[k]);
        show_start(&w->show, w->world, i);
    }
}

static void poll_source(stage *s, uint32_t kind)
{
    char error[RIO_EFFECT_ERROR_BYTES] = "";
    play *p = s->now;
    rio_effect_source *source = &p->sources[kind];
    rio_source_news news = rio_effect_source_poll(source, p->world.world, error, sizeof error);
    if (news == RIO_SOURCE_SAME)
        return;
    p->world.show.groups[kind] = source->group;
    if (news == RIO_SOURCE_ADDED)
        respawn(&p->world, kind);
    if (news == RIO_SOURCE_REFUSED || news == RIO_SOURCE_WAITS)
        tell(s, news == RIO_SOURCE_REFUSED, "%s", error);
    else
        tell(s, false, "%s has changed%s%s%s", p->world.cast.names[kind],
             news == RIO_SOURCE_ADDED ? ": its effects were restarted" : "",
             error[0] != '\0' && news == RIO_SOURCE_CHANGED ? "; note: " : "",
             news == RIO_SOURCE_CHANGED ? error : "");
}

void stage_poll(stage *s)
{
    for (uint32_t k = 0; k < s->now->source_count; ++k)
        poll_source(s, k);
}

/* --- Effects to draw ------------------------------------------------------------------------- */

typedef struct id_list {
    rico_effect_id *ids;
    uint32_t *kinds;
    uint32_t count, capacity;
} id_list;

static void add(id_list *out, rico_effect_id id, uint32_t kind)
{
    if (id.index1 == 0 || out->count == out->capacity)
        return;
    out->ids[out->count] = id;
    out->kinds[out->count++] = kind;
}

uint32_t stage_effects(const stage *s, rico_effect_id *ids, uint32_t *kinds, uint32_t capacity)
{
    id_list out = {ids, kinds, 0, capacity};
    const show *now = &s->now->world.show;
    for (uint32_t i = 0; i < now->effect_count; ++i)
        for (uint32_t k = 0; k < now->ids_per_effect; ++k)
            add(&out, show_ids(now, i)[k], now->effects[i].kind);
    for (uint32_t i = 0; i < now->sub_count; ++i)
        add(&out, now->subs[i].id, now->subs[i].kind);
    for (uint32_t k = 0; k < s->now->source_count; ++k) {
        const rio_links *links = &s->now->sources[k].links;
        for (uint32_t i = 0; i < links->count; ++i)
            add(&out, rico_world_sub_effect(s->now->world.world, links->items[i].recipe), k);
    }
    return out.count;
}
