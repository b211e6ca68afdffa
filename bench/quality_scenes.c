#include "quality_scenes.h"

#include "courtyard.h"
#include "mesh_builder.h"
#include "quality_vec.h"
#include <stdio.h>

#define TURN 6.283185307179586

const quality_scene_info quality_scene_infos[] = {
    {"sponza", "sponza", 50, 1000, 50, 360, 1, 0, QUALITY_ASK_NOTHING},
    {"dungeon", "dungeon", 50, 1000, 50, 360, 1, 0, QUALITY_ASK_NOTHING},
    {"courtyard", "courtyard", 50, 1000, 50, 360, 1, 0, QUALITY_ASK_NOTHING},
    {"forest", "forest", 50, 1000, 50, 360, 1, 0, QUALITY_ASK_NOTHING},
    {"gutter", "gutter", 50, 1000, 12, 360, 1, 0, QUALITY_ASK_INSIDE},
    {"table", "table", 50, 1000, 12, 360, 1, 0, QUALITY_ASK_NOTHING},
    {"platform", "platform", 50, 1000, 12, 360, 1, 0, QUALITY_ASK_RIDE},
    {"door", "door", 50, 1000, 12, 360, 1, 0, QUALITY_ASK_NOTHING},
    {"sponza_small", "sponza", 50, 20, 50, 20, 1, 0, QUALITY_ASK_NOTHING},
    {"dungeon_small", "dungeon", 50, 20, 50, 20, 1, 0, QUALITY_ASK_NOTHING},
    {"courtyard_small", "courtyard", 50, 20, 50, 20, 1, 0, QUALITY_ASK_NOTHING},
    {"forest_small", "forest", 50, 20, 50, 20, 1, 0, QUALITY_ASK_NOTHING},
    {"sponza_million", "sponza", 1000, 1000, 0, 1000, 250, 16u << 20, QUALITY_ASK_NOTHING},
};
const uint32_t quality_scene_count = sizeof quality_scene_infos / sizeof *quality_scene_infos;

/* --- Generated ----------------------------------------------------------------------------- */

static void add_floor(rio_builder *b, float half)
{
    rio_builder_place(b, 0.0f, 0.0f, 0.0f, 0.0f);
    rio_builder_box(b, -half, -half, -0.5f, half, half, 0.0f);
}

/* Gutters lie on a lattice, alternately along x and y: 4 m long, 1 m deep, 1.68 m wide. */
#define GUTTER_PITCH 5.0f
#define GUTTER_HALF_LENGTH 2.0f
#define GUTTER_HALF_WIDTH 0.84f /* 1 m / tan 50 degrees */
#define GUTTER_LOW 1.0f
#define GUTTER_RIM 2.0f

static rico_result make_gutters(rio_mesh *out)
{
    rio_builder b = rio_builder_begin();
    add_floor(&b, 12.0f);
    for (int i = 0; i < 16; ++i) {
        float x = ((float)(i % 4) - 1.5f) * GUTTER_PITCH;
        float y = ((float)(i / 4) - 1.5f) * GUTTER_PITCH;
        rio_builder_place(&b, x, y, 0.0f, (i + i / 4) % 2 == 0 ? 0.0f : 0.25f);
        uint32_t v[6];
        for (uint32_t k = 0; k < 6; ++k) {
            float side = (float)(k / 2) - 1.0f; /* -1 rim, 0 bottom, 1 rim */
            v[k] = rio_builder_vertex(&b, k % 2 == 0 ? -GUTTER_HALF_LENGTH : GUTTER_HALF_LENGTH,
                                      side * GUTTER_HALF_WIDTH,
                                      side == 0.0f ? GUTTER_LOW : GUTTER_RIM);
        }
        rio_builder_quad(&b, v[0], v[1], v[3], v[2]);
        rio_builder_quad(&b, v[2], v[3], v[5], v[4]);
    }
    return rio_builder_take(&b, out);
}

bool quality_scene_in_gutter(const double p[3])
{
    for (int i = 0; i < 16; ++i) {
        double x = p[0] - ((double)(i % 4) - 1.5) * (double)GUTTER_PITCH;
        double y = p[1] - ((double)(i / 4) - 1.5) * (double)GUTTER_PITCH;
        bool along_x = (i + i / 4) % 2 == 0;
        double along = fabs(along_x ? x : y), across = fabs(along_x ? y : x);
        double low = (double)GUTTER_LOW + across / (double)GUTTER_HALF_WIDTH - 0.01;
        if (along < (double)GUTTER_HALF_LENGTH && across < (double)GUTTER_HALF_WIDTH)
            return p[2] > low && p[2] < (double)GUTTER_RIM;
    }
    return false;
}

static rico_result make_tables(rio_mesh *out)
{
    rio_builder b = rio_builder_begin();
    add_floor(&b, 12.0f);
    for (int i = 0; i < 16; ++i) {
        float x = ((float)(i % 4) - 1.5f) * 5.0f, y = ((float)(i / 4) - 1.5f) * 5.0f;
        float z = 1.0f + 0.25f * (float)(i % 5);
        rio_builder_place(&b, x, y, z, (float)i / 37.0f);
        rio_builder_box(&b, -1.2f, -0.8f, -0.02f, 1.2f, 0.8f, 0.02f);
    }
    return rio_builder_take(&b, out);
}

static rico_result make_ground(rio_mesh *out)
{
    rio_builder b = rio_builder_begin();
    add_floor(&b, 8.0f);
    return rio_builder_take(&b, out);
}

static rico_result make_platforms(rio_mesh *out)
{
    rio_builder b = rio_builder_begin();
    for (int i = 0; i < 4; ++i) {
        rio_builder_place(&b, i % 2 == 0 ? -1.6f : 1.6f, i < 2 ? -1.6f : 1.6f, 0.0f, 0.0f);
        rio_builder_box(&b, -1.0f, -1.0f, -0.2f, 1.0f, 1.0f, 0.0f);
    }
    return rio_builder_take(&b, out);
}

static rico_result make_yard(rio_mesh *out)
{
    rio_builder b = rio_builder_begin();
    add_floor(&b, 4.0f);
    for (int i = 0; i < 4; ++i) {
        rio_builder_place(&b, 0.0f, 0.0f, 0.0f, 0.25f * (float)i);
        rio_builder_box(&b, 4.0f, -4.2f, -0.5f, 4.2f, 4.2f, 2.0f);
    }
    return rio_builder_take(&b, out);
}

static rico_result make_wings(rio_mesh *out)
{
    rio_builder b = rio_builder_begin();
    for (int i = 0; i < 4; ++i) {
        rio_builder_place(&b, 0.0f, 0.0f, 0.0f, 0.25f * (float)i);
        rio_builder_box(&b, 0.1f, -0.025f, 0.03f, 1.2f, 0.025f, 2.2f);
    }
    return rio_builder_take(&b, out);
}

/* --- Motion -------------------------------------------------------------------------------- */

/* At most 0.94 m/s, 16 mm in a frame. */
static quality_pose platform_pose(double time)
{
    double angle = TURN * time / 5.0;
    return (quality_pose){{0.75 * sin(angle), 0.0, 1.5 + 0.4 * cos(angle)}, 1.0, 0.0};
}

/* One turn in 6.3 s: 1.2 m/s, 20 mm per frame, at the rim. */
static quality_pose door_pose(double time)
{
    return (quality_pose){{0.0, 0.0, 0.0}, cos(time), sin(time)};
}

static rico_transform transform_of(const quality_pose *pose)
{
    /* The half angle. */
    double c = sqrt(qv_max(0.5 * (1.0 + pose->cosine), 0.0));
    double s = sqrt(qv_max(0.5 * (1.0 - pose->cosine), 0.0));
    return (rico_transform){
        {(float)pose->position[0], (float)pose->position[1], (float)pose->position[2]},
        {0.0f, 0.0f, (float)(pose->sine < 0.0 ? -s : s), (float)c},
        1.0f};
}

#define INSTANT 1.0e-4 /* seconds before and after, to compute velocities */

rico_motion quality_scene_motion(const quality_scene *scene, double time)
{
    quality_pose pose = scene->space.pose(time);
    quality_pose a = scene->space.pose(time - INSTANT), b = scene->space.pose(time + INSTANT);
    double way[3], turn = (b.sine * a.cosine - b.cosine * a.sine) / (2.0 * INSTANT);
    qv_sub(b.position, a.position, way);
    return (rico_motion){.transform = transform_of(&pose),
                         .velocity = {(float)(way[0] / (2.0 * INSTANT)),
                                      (float)(way[1] / (2.0 * INSTANT)),
                                      (float)(way[2] / (2.0 * INSTANT))},
                         .angular_velocity = {0.0f, 0.0f, (float)turn}};
}

/* --- Making -------------------------------------------------------------------------------- */

static rico_result generate(quality_scene *scene, const char *world)
{
    rico_result result = RICO_NOT_FOUND;
    if (strcmp(world, "courtyard") == 0) {
        result = rio_courtyard_create(1, &scene->mesh);
    } else if (strcmp(world, "gutter") == 0) {
        result = make_gutters(&scene->mesh);
        scene->least_z = 0.5f;
    } else if (strcmp(world, "table") == 0) {
        result = make_tables(&scene->mesh);
        scene->least_z = 0.5f;
    } else if (strcmp(world, "platform") == 0) {
        result = make_ground(&scene->mesh);
        if (result == RICO_OK)
            result = make_platforms(&scene->body);
        scene->footing = &scene->body;
        scene->space.pose = platform_pose;
    } else if (strcmp(world, "door") == 0) {
        result = make_yard(&scene->mesh);
        if (result == RICO_OK)
            result = make_wings(&scene->body);
        scene->space.pose = door_pose;
    }
    return result;
}

static bool find_truth(quality_scene *scene)
{
    rico_mesh mesh = rio_mesh_view(&scene->mesh), body = rio_mesh_view(&scene->body);
    scene->still = quality_truth_create(&mesh);
    if (scene->body.triangle_count > 0)
        scene->moving = quality_truth_create(&body);
    scene->bounds = rio_mesh_bounds(&scene->mesh);
    scene->space.still = scene->still;
    scene->space.body = scene->moving;
    return scene->still && (scene->moving || scene->body.triangle_count == 0);
}

bool quality_scene_make(quality_scene *scene, const quality_scene_info *info, ray_scenes *files,
                        char *why, size_t why_bytes)
{
    memset(scene, 0, sizeof *scene);
    scene->info = info;
    scene->footing = &scene->mesh;
    scene->least_z = -INFINITY;
    rico_result result = generate(scene, info->world);
    bool ok = result == RICO_OK;
    if (result == RICO_NOT_FOUND)
        ok = ray_scenes_make(files, info->world, &scene->mesh, why, why_bytes);
    else if (!ok)
        snprintf(why, why_bytes, "%s", rico_result_text(result));
    if (ok && !find_truth(scene)) {
        snprintf(why, why_bytes, "out of memory");
        ok = false;
    }
    if (!ok)
        quality_scene_free(scene);
    return ok;
}

void quality_scene_free(quality_scene *scene)
{
    quality_truth_destroy(scene->still);
    quality_truth_destroy(scene->moving);
    rio_mesh_free(&scene->mesh);
    rio_mesh_free(&scene->body);
    memset(scene, 0, sizeof *scene);
}
