#include "scene_lines.h"

#include "options.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BOXES 60000u /* with more, the picture shows nothing */
#define MAX_LINES 1000000u
#define RAY_METRES 1000.0f
#define PART_OF_DISTANCE 0.3f

/* --- the command line --- */

static bool parse_ray(rico_ray *ray, const char *text)
{
    float to[6];
    if (!options_floats(text, to, 6))
        return false;
    ray->origin = (rico_vec3){to[0], to[1], to[2]};
    ray->direction = (rico_vec3){to[3], to[4], to[5]};
    float length =
        sqrtf(ray->direction.x * ray->direction.x + ray->direction.y * ray->direction.y +
              ray->direction.z * ray->direction.z);
    ray->t_max = RAY_METRES / length;
    return length > 1.0e-6f && length < 1.0e6f;
}

bool scene_view_parse(scene_view *view, const char *text, char *error, size_t error_bytes)
{
    static const struct {
        const char *name;
        rico_draw_what what;
    } names[] = {{"grid", RICO_DRAW_GRID},
                 {"occupancy", RICO_DRAW_OCCUPANCY},
                 {"leaves", RICO_DRAW_LEAVES},
                 {"colliders", RICO_DRAW_COLLIDERS}};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(text, names[i].name) == 0) {
            view->what |= (uint32_t)names[i].what;
            return true;
        }
    if (strcmp(text, "planes") == 0)
        return view->planes = true;
    if (strcmp(text, "queries") == 0)
        return view->queries = true;
    if (strncmp(text, "ray=", 4) == 0) {
        view->what |= RICO_DRAW_RAY;
        snprintf(error, error_bytes,
                 "'%.80s' is not ray=X,Y,Z,DX,DY,DZ, with a direction that is not zero", text);
        return parse_ray(&view->ray, text + 4);
    }
    snprintf(error, error_bytes,
             "'%.80s' is none of grid, occupancy, leaves, colliders, planes, queries, "
             "ray=X,Y,Z,DX,DY,DZ",
             text);
    return false;
}

bool scene_view_is_empty(const scene_view *view)
{
    return view->what == 0 && !view->planes && !view->queries;
}

/* --- lines --- */

static void add_colored(scene_lines *out, rico_vec3 a, rico_vec3 b, uint32_t rgba)
{
    if (out->count == out->capacity) {
        uint32_t capacity = out->capacity * 2u + 1024u;
        rio_line *more = realloc(out->lines, capacity * sizeof *more);
        out->failed = out->failed || !more;
        if (!more)
            return;
        out->lines = more;
        out->capacity = capacity;
    }
    out->lines[out->count++] = (rio_line){a, b, rgba};
}

static void add_line(void *user, const rico_drawn *what, rico_vec3 a, rico_vec3 b)
{
    add_colored(user, a, b, what->rgba);
}

static uint32_t channel(float part)
{
    return 55u + (uint32_t)(200.0f * fminf(fabsf(part), 1.0f));
}

/* Coloured by the direction of the plane's normal: floors blue, walls red and green. */
static void add_plane_line(void *user, rico_vec3 a, rico_vec3 b, rico_vec3 normal)
{
    scene_lines *out = user;
    if (out->count >= MAX_LINES) {
        out->cut = true;
        return;
    }
    add_colored(out, a, b,
                channel(normal.x) | channel(normal.y) << 8 | channel(normal.z) << 16 |
                    0xff000000u);
}

static void add_query_line(void *user, rico_vec3 a, rico_vec3 b, uint32_t rgba)
{
    scene_lines *out = user;
    if (out->count < MAX_LINES)
        add_colored(out, a, b, rgba);
    else
        out->cut = true;
}

/* A box around the middle of the camera's view. */
static rico_box box_of_interest(const rico_scene *scene, const rio_camera *camera)
{
    rico_vec3 eye = camera->eye, target = camera->target;
    rico_ray ray = {eye, 1.0e3f, {target.x - eye.x, target.y - eye.y, target.z - eye.z}, 0};
    rico_hit hit = rico_scene_raycast(scene, NULL, &ray);
    float t = hit.collider != 0 ? hit.t : 1.0f;
    rico_vec3 to = {ray.direction.x * t, ray.direction.y * t, ray.direction.z * t};
    float half = PART_OF_DISTANCE * sqrtf(to.x * to.x + to.y * to.y + to.z * to.z);
    return (rico_box){{eye.x + to.x - half, eye.y + to.y - half, eye.z + to.z - half},
                      {eye.x + to.x + half, eye.y + to.y + half, eye.z + to.z + half}};
}

static void draw(const rico_scene *scene, const rico_draw_request *request, scene_lines *out)
{
    rico_draw pen = {out, NULL, add_line};
    rico_draw_report report;
    if (request->what == 0)
        return;
    if (rico_scene_draw(scene, request, &pen, &report) == RICO_OK)
        out->cut = out->cut || report.cut;
}

void scene_lines_collect(rico_world *world, const scene_view *view, const query_trail *trail,
                         const rio_camera *camera, scene_lines *out)
{
    memset(out, 0, sizeof *out);
    const rico_scene *scene = rico_world_scene(world);
    const uint32_t everywhere = RICO_DRAW_COLLIDERS | RICO_DRAW_RAY;
    rico_draw_request request = rico_draw_request_default();
    request.max_count = MAX_BOXES;
    request.ray = view->ray;
    request.what = view->what & everywhere;
    draw(scene, &request, out);
    request.what = view->what & ~everywhere;
    request.box = box_of_interest(scene, camera);
    draw(scene, &request, out);
    if (view->planes)
        rico_world_draw_cache(world, &request.box, add_plane_line, out);
    if (view->queries)
        query_trail_draw(trail, add_query_line, out);
    out->failed = out->failed || (view->queries && trail->failed);
}

void scene_lines_free(scene_lines *lines)
{
    free(lines->lines);
    memset(lines, 0, sizeof *lines);
}
