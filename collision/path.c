/* Paths of chords: each chord is a ray. A path alone goes chord after chord. A batch goes in
 * waves, of one chord each from some tens of lines, so that rays go through the grid together.
 * A line that ends makes room for the next, so that waves stay full. */
#include "check.h"
#include "float_mode.h"
#include "vec.h"

#include <ricochet/scene_query.h>

enum { WAVE = 48 }; /* with what a batch of rays takes, 75 KiB of stack */

static bool is_valid(const rico_polyline *line)
{
    return RICO_REQUIRE(line->points != NULL) && line->count >= 2 &&
           line->count <= RICO_POLYLINE_MAX;
}

static rico_ray chord_ray(const rico_polyline *line, uint32_t chord)
{
    const rico_vec3 *p = &line->points[chord];
    return (rico_ray){.origin = p[0],
                      .t_max = 1.0f,
                      .direction = vec3_sub(p[1], p[0]),
                      .ignore = line->ignore};
}

static float time_at(const rico_polyline *line, uint32_t point)
{
    return line->times != NULL ? line->times[point] : (float)point;
}

static rico_polyline_hit miss_of(const rico_polyline *line, const rico_hit *last)
{
    rico_polyline_hit miss = {.hit = *last};
    miss.chord = line->count - 2;
    miss.time = time_at(line, line->count - 1);
    miss.point = line->points[line->count - 1];
    return miss;
}

/* The answer for a line that is not valid. */
static rico_polyline_hit nothing(void)
{
    return (rico_polyline_hit){.hit = {.t = 1.0f, .triangle = RICO_NO_TRIANGLE}};
}

static rico_polyline_hit hit_of(const rico_polyline *line, uint32_t chord, const rico_hit *hit)
{
    rico_ray ray = chord_ray(line, chord);
    rico_polyline_hit found = {.hit = *hit, .chord = chord};
    float begin = time_at(line, chord), end = time_at(line, chord + 1);
    found.time = begin + (end - begin) * hit->t;
    found.point = vec3_mad(ray.origin, ray.direction, hit->t);
    return found;
}

/* Takes the answer to a chord. Returns true when the line is done. steps: of the chords so
 * far. */
static bool take_chord(const rico_polyline *line, uint32_t chord, rico_hit *hit,
                       uint32_t *steps, rico_polyline_hit *out)
{
    *steps += hit->steps;
    hit->steps = *steps;
    if (hit->collider != 0)
        *out = hit_of(line, chord, hit);
    else if (chord == line->count - 2)
        *out = miss_of(line, hit);
    else
        return false;
    return true;
}

rico_polyline_hit rico_scene_polyline(const rico_scene *scene, const rico_filter *filter,
                                      const rico_polyline *line)
{
    RICO__FLOAT_MODE();
    rico_polyline_hit out = nothing();
    if (!RICO_REQUIRE(scene != NULL && line != NULL) || !is_valid(line))
        return out;
    uint32_t steps = 0;
    for (uint32_t chord = 0;; ++chord) {
        rico_ray ray = chord_ray(line, chord);
        rico_hit hit = rico_scene_raycast(scene, filter, &ray);
        if (take_chord(line, chord, &hit, &steps, &out))
            return out;
    }
}

/* The lines under way. */
typedef struct wave {
    uint32_t line[WAVE], chord[WAVE], steps[WAVE];
    rico_ray rays[WAVE];
    rico_hit hits[WAVE];
    uint32_t count;
} wave;

/* Fills the wave with lines from *next on. */
static void fill_wave(wave *w, const rico_polyline *lines, rico_polyline_hit *hits,
                      uint32_t count, uint32_t *next)
{
    for (; w->count < WAVE && *next < count; *next += 1) {
        if (!is_valid(&lines[*next])) {
            hits[*next] = nothing();
            continue;
        }
        w->line[w->count] = *next;
        w->chord[w->count] = w->steps[w->count] = 0;
        w->count += 1;
    }
}

void rico_scene_polyline_batch(const rico_scene *scene, const rico_filter *filter,
                               const rico_polyline *lines, rico_polyline_hit *hits,
                               uint32_t count)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(scene != NULL && (count == 0 || (lines != NULL && hits != NULL))))
        return;
    wave w;
    uint32_t next = 0;
    w.count = 0;
    for (;;) {
        fill_wave(&w, lines, hits, count, &next);
        if (w.count == 0)
            return;
        for (uint32_t i = 0; i < w.count; ++i)
            w.rays[i] = chord_ray(&lines[w.line[i]], w.chord[i]);
        rico_scene_raycast_batch(scene, filter, w.rays, w.hits, w.count);
        uint32_t kept = 0;
        for (uint32_t i = 0; i < w.count; ++i) {
            uint32_t at = w.line[i];
            if (take_chord(&lines[at], w.chord[i], &w.hits[i], &w.steps[i], &hits[at]))
                continue;
            w.line[kept] = at;
            w.chord[kept] = w.chord[i] + 1;
            w.steps[kept++] = w.steps[i];
        }
        w.count = kept;
    }
}
