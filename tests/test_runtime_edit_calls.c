/* When the world's scene refuses something, the message names the call that the host made. */
#include "runtime_refused.h"

/* Checks that the call of this name was just refused with `result`. */
static void check_named(kept_log *log, const char *name, rico_result found, rico_result result)
{
    CHECK_MSG(found == result, "%s: %s", name, rico_result_name(found));
    CHECK_MSG(strncmp(log->text, name, strlen(name)) == 0 && log->text[strlen(name)] == ':',
              "'%s', expected '%s: ...'", log->text, name);
    CHECK_MSG(strstr(log->text, "rico_scene_") == NULL, "'%s'", log->text);
    *log = (kept_log){.text = ""};
}

#define NAMED(call, arguments, result) check_named(&log, #call, call arguments, result)

TEST(refusals, of_the_scene_name_the_call_of_the_world)
{
    kept_log log;
    rico_world *world = heard_world(&log);
    static terrain t;
    terrain_build(&t);
    const rico_transform here = RICO_TRANSFORM_IDENTITY;
    rico_collider_id mesh = rico_world_add_mesh(world, &t.mesh, here);
    rico_mesh bad = t.mesh;
    bad.vertex_count = 1;
    rico_collider_id id;
    check_named(&log, "rico_world_add_mesh",
                rico_world_add_mesh_report(world, &bad, here, NULL, &id), RICO_EMPTY_MESH);
    rico_shape_def shape = rico_shape_def_default();
    rico_shape_id shape_id;
    shape.kind = RICO_SHAPE_SPHERE;
    shape.radius = -1.0f;
    NAMED(rico_world_add_shape, (world, &shape, NULL, &shape_id), RICO_OUT_OF_RANGE);
    NAMED(rico_world_remove_shape, (world, (rico_shape_id){9, 9}), RICO_STALE_ID);
    rico_collider_def collider = rico_collider_def_default();
    collider.shape = (rico_shape_id){9, 9};
    CHECK_EQ(rico_world_add_collider(world, &collider).index1, 0);
    check_named(&log, "rico_world_add_collider", rico_world_last_result(world), RICO_STALE_ID);
    NAMED(rico_world_set_layers, (world, (rico_collider_id){9, 9}, 2), RICO_STALE_ID);
    NAMED(rico_world_remove_collider, (world, (rico_collider_id){9, 9}), RICO_STALE_ID);
    rico_motion motion = {.transform = here};
    id = (rico_collider_id){9, 9};
    NAMED(rico_world_move_colliders, (world, &id, &motion, 1), RICO_STALE_ID);
    NAMED(rico_world_place_colliders, (world, &id, &motion, 1), RICO_STALE_ID);
    NAMED(rico_world_move_colliders, (world, &mesh, &motion, 1), RICO_OUT_OF_RANGE);
    const rico_vec3 far = {NAN, 0.0f, 0.0f};
    NAMED(rico_world_shift_origin, (world, far), RICO_NOT_FINITE);
    rico_world_destroy(world);
}

TEST(refusals, of_the_scene_that_the_host_asks_itself_name_its_own_call)
{
    kept_log log;
    rico_world *world = heard_world(&log);
    rico_box box;
    rico_motion motion;
    CHECK(rico_world_remove_collider(world, (rico_collider_id){9, 9}) == RICO_STALE_ID);
    log = (kept_log){.text = ""};
    CHECK(rico_scene_collider_state(rico_world_scene(world), (rico_collider_id){9, 9}, &box,
                                    &motion) == RICO_STALE_ID);
    CHECK_MSG(strncmp(log.text, "rico_scene_collider_state:", 26) == 0, "'%s'", log.text);
    rico_world_destroy(world);
}

/* A mesh that loses some triangles has holes. A warning must say so when the host does not ask
 * for a report. */
TEST(refusals, of_single_triangles_are_told_of_where_nobody_asks_for_a_report)
{
    const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, NAN, 0};
    const uint32_t indices[] = {0, 1, 2, 0, 1, 9, 0, 1, 3};
    counting_allocator memory;
    kept_log log;
    rico_world_def def = counted_def(&memory, &log);
    rico_shape_def shape = rico_shape_def_default();
    rico_mesh_report report;
    rico_collider_id id;
    rico_shape_id shape_id;
    rico_world *world;
    CHECK_EQ(rico_world_create(&def, &world), RICO_OK);
    shape.mesh = (rico_mesh){
        .positions = corners, .vertex_count = 4, .indices = indices, .triangle_count = 3};
    CHECK(rico_world_add_mesh(world, &shape.mesh, RICO_TRANSFORM_IDENTITY).index1 != 0);
    CHECK_EQ(log.warnings, 1);
    CHECK_MSG(strstr(log.text, "rico_world_add_mesh: 2 of 3 triangles") != NULL, "%s",
              log.text);
    CHECK_EQ(rico_world_add_shape(world, &shape, NULL, &shape_id), RICO_OK);
    CHECK_EQ(log.warnings, 2);
    CHECK_MSG(strstr(log.text, "rico_world_add_shape: 2 of 3 triangles") != NULL, "%s",
              log.text);
    CHECK_EQ(
        rico_world_add_mesh_report(world, &shape.mesh, RICO_TRANSFORM_IDENTITY, &report, &id),
        RICO_OK);
    CHECK_EQ(rico_world_add_shape(world, &shape, &report, &shape_id), RICO_OK);
    CHECK_EQ(log.warnings, 2);
    CHECK_EQ(report.dropped_index + report.dropped_not_finite, 2);
    rico_world_destroy(world);
}
