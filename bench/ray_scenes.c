#include "ray_scenes.h"

#include "forest.h"
#include "mesh_join.h"
#include "ray_brute.h"
#include "rock.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const rico_vec3 no_offset = {0.0f, 0.0f, 0.0f};

static bool load(const ray_scenes *scenes, const char *file, rio_up up, rio_mesh *out,
                 char *why, size_t why_bytes)
{
    char path[1024];
    rio_mesh_options options = {up, 1.0f};
    const char *place =
        file == scenes->world ? file : rio_scene_path(scenes->dir, file, path, sizeof path);
    return rio_mesh_load(place, &options, out, why, why_bytes) == RICO_OK;
}

static bool generated(rico_result result, char *why, size_t why_bytes)
{
    if (result != RICO_OK)
        snprintf(why, why_bytes, "out of memory");
    return result == RICO_OK;
}

/* A copy of Sponza. */
static bool sponza(ray_scenes *scenes, rio_mesh *out, char *why, size_t why_bytes)
{
    if (!scenes->sponza.positions &&
        !load(scenes, "sponza.obj", RIO_UP_Y, &scenes->sponza, why, why_bytes))
        return false;
    memset(out, 0, sizeof *out);
    return generated(rio_mesh_join(out, &scenes->sponza, 1.0f, no_offset), why, why_bytes);
}

/* The highest surface below the middle of the box: the floor of an open court. */
static rico_vec3 find_floor(const rio_mesh *mesh)
{
    rico_box box = rio_mesh_bounds(mesh);
    rico_mesh view = rio_mesh_view(mesh);
    rico_vec3 middle = {0.5f * (box.lo.x + box.hi.x), 0.5f * (box.lo.y + box.hi.y),
                        0.5f * (box.lo.z + box.hi.z)};
    rico_ray down = {middle, middle.z - box.lo.z, {0.0f, 0.0f, -1.0f}, 0};
    double t = (double)down.t_max;
    ray_brute_closest(&view, &down, &t, NULL);
    middle.z -= (float)t;
    return middle;
}

/* Puts the object, scaled to `size` at its widest, on the floor. */
static bool put_on_floor(rio_mesh *mesh, const rio_mesh *object, float size, char *why,
                         size_t why_bytes)
{
    rico_box box = rio_mesh_bounds(object);
    float widest = fmaxf(box.hi.x - box.lo.x, fmaxf(box.hi.y - box.lo.y, box.hi.z - box.lo.z));
    float scale = size / widest;
    rico_vec3 at = find_floor(mesh);
    at.x -= 0.5f * (box.lo.x + box.hi.x) * scale;
    at.y -= 0.5f * (box.lo.y + box.hi.y) * scale;
    at.z -= box.lo.z * scale;
    return generated(rio_mesh_join(mesh, object, scale, at), why, why_bytes);
}

static bool sponza_with(ray_scenes *scenes, bool teapot, rio_mesh *out, char *why,
                        size_t why_bytes)
{
    rio_mesh object;
    bool ok = teapot ? load(scenes, "teapot.obj", RIO_UP_Y, &object, why, why_bytes)
                     : generated(rio_rock_create(1, &object), why, why_bytes);
    if (!ok)
        return false;
    ok = sponza(scenes, out, why, why_bytes) &&
         put_on_floor(out, &object, RIO_ROCK_SIZE, why, why_bytes);
    rio_mesh_free(&object);
    return ok;
}

static bool make(ray_scenes *scenes, const char *name, rio_mesh *out, char *why,
                 size_t why_bytes)
{
    if (scenes->world)
        return load(scenes, scenes->world, scenes->up, out, why, why_bytes);
    if (strcmp(name, "sponza") == 0)
        return sponza(scenes, out, why, why_bytes);
    if (strcmp(name, "dungeon") == 0)
        return load(scenes, "dungeon.obj", RIO_UP_Y, out, why, why_bytes);
    if (strcmp(name, "forest") == 0)
        return generated(rio_forest_create(1, out, NULL), why, why_bytes);
    if (strcmp(name, "dense") == 0)
        return generated(rio_rock_create(1, out), why, why_bytes);
    return sponza_with(scenes, strcmp(name, "sponza_teapot") == 0, out, why, why_bytes);
}

bool ray_scenes_make(ray_scenes *scenes, const char *name, rio_mesh *out, char *why,
                     size_t why_bytes)
{
    memset(out, 0, sizeof *out);
    bool ok = make(scenes, name, out, why, why_bytes);
    if (ok) {
        rio_mesh_drop_broken(out);
        ok = out->triangle_count > 0;
        if (!ok)
            snprintf(why, why_bytes, "%s: has no triangle that can be used", name);
    }
    if (!ok)
        rio_mesh_free(out);
    return ok;
}

void ray_scenes_list(const ray_scenes *scenes, file_list *out)
{
    static const char *const files[] = {"sponza.obj", "dungeon.obj", "teapot.obj"};
    char path[1024];
    file_list_add(out, "--world", scenes->world);
    for (size_t i = 0; scenes->world == NULL && i < sizeof files / sizeof *files; ++i)
        file_list_add(out, files[i], rio_scene_path(scenes->dir, files[i], path, sizeof path));
}

void ray_scenes_free(ray_scenes *scenes)
{
    rio_mesh_free(&scenes->sponza);
}
