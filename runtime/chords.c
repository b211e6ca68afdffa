/* Paths through cells of which no record tells: asked of the scene. */
#include "contact.h"
#include "forecast.h"
#include "preparation.h"

/* A path through such a cell is asked of the scene in chords of so many seconds: a
 * particle of a few m/s has left it after four of them, and the chord is within 1.3 cm of the arc of a fall. They are
 * shorter where the path bends more or the ball is smaller. */
#define CHORD_SECONDS 0.1f

/* So that a chord is no farther from the arc than a quarter more than that: it would meet what the ball does not, and
 * miss what it does. But no shorter than a step, which is a chord itself. */
static float chord_seconds(const rico__flight *f, rico_vec3 accel)
{
    float most = 8.0f * 1.25f * rico__most_drift(f->radius);
    float time = __builtin_sqrtf(most / float_max(vec3_length(accel), 0.01f));
    return float_min(float_max(time, f->dt), CHORD_SECONDS);
}

static rico_vec3 column_vec(float field[3][RICO__FLIGHT_COLUMNS], uint32_t column)
{
    return vec3(field[0][column], field[1][column], field[2][column]);
}

rico__meeting rico__meet_by_rays(rico__wave *w, uint32_t column, uint32_t most)
{
    rico__flight *f = &w->flights[w->flight[column]];
    rico_box box = rico__record_box(&w->cell[column], RICO__CELL_ROOM);
    rico_vec3 p = column_vec(w->paths.at, column), v = column_vec(w->paths.velocity, column);
    rico_vec3 a = column_vec(w->paths.accel, column);
    const rico_world *world = w->cells.world;
    const rico_filter *filter = rico__recipe_filter(world, &world->recipes[f->block->recipe]);
    const float chord = chord_seconds(f, a);
    uint32_t n = 0;
    for (; n < most && box_contains(&box, p); ++n) {
        rico_vec3 mean = vec3_mad(v, a, 0.5f * chord);
        rico_ray ray = rico__contact_ray(p, mean, chord, f->radius);
        rico_hit hit = rico_scene_raycast(world->scene, filter, &ray);
        w->cells.scratch->tally.contact_rays += 1;
        if (hit.collider != 0) {
            rico_vec3 point = vec3_mad(ray.origin, ray.direction, hit.t);
            f->owner = (rico__owner){hit.collider, hit.triangle};
            f->choice = (rico__choice){{hit.normal, vec3_dot(hit.normal, point)},
                                       chord * ((float)n + float_min(hit.t, 1.0f)),
                                       0.0f,
                                       0};
            return MEETS_END;
        }
        p = vec3_mad(p, mean, chord);
        v = vec3_mad(v, a, chord);
    }
    if (n < most || !box_contains(&box, p))
        return MEETS_NOTHING;
    w->paths.time[column] += (float)most * chord;
    return MEETS_END;
}
