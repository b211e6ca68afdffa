#include "collision_fuzz_world.h"

rico_filter take_filter(source *s)
{
    rico_filter filter = rico_filter_default();
    uint32_t how = take(s, 1);
    if (how >= 192)
        filter.layers = how & 7u;
    filter.skip_back_faces = how % 4 == 1;
    if (how % 8 == 3)
        filter.ignored_layers = how >> 3 & 7u;
    return filter;
}

/* --- the list --- */

static bool in_range(rico_vec3 p)
{
    return fabsf(p.x) <= 1.0e6f && fabsf(p.y) <= 1.0e6f && fabsf(p.z) <= 1.0e6f;
}

static void mark_flat(world *w, uint32_t at)
{
    const rico__triangles triangles = {w->vertices, w->faces};
    w->faces[at].corner[0] &= ~RICO_FACE_FLAT;
    rico__triangle triangle = rico__triangle_at(&triangles, at);
    if (rico__triangle_is_flat(&triangle))
        w->faces[at].corner[0] |= RICO_FACE_FLAT;
}

static void list_triangle(world *w, const rico_vec3 corner[3], uint32_t index)
{
    rico__face *face = &w->faces[w->count];
    for (uint32_t j = 0; j < 3; ++j) {
        rico__vertex *vertex = &w->vertices[3 * w->count + j];
        memcpy(vertex->at, &corner[j], sizeof vertex->at);
        vertex->collider = 1;
        face->corner[j] = 3 * w->count + j;
    }
    face->triangle = index;
    mark_flat(w, w->count++);
}

/* Lists the triangles of the mesh that the scene keeps, and returns their number. place NULL:
 * untransformed. */
static uint32_t list_mesh(world *w, const fixture_mesh *mesh, const rico_transform *place)
{
    uint32_t before = w->count;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        rico_vec3 corner[3];
        bool kept = true;
        for (uint32_t j = 0; j < 3; ++j) {
            if (mesh->indices[3 * i + j] >= mesh->vertex_count) {
                kept = false;
                continue;
            }
            corner[j] = mesh_corner(mesh, i, j);
            if (place != NULL)
                corner[j] = transform_point(place, corner[j]);
            kept &= in_range(corner[j]);
        }
        if (kept)
            list_triangle(w, corner, i);
    }
    return w->count - before;
}

/* For shapes that are not meshes: lists the triangles that the scene made of them. */
static void list_made(world *w, const fuzz_shape *shape)
{
    const rico__part *part = &w->scene->shapes[shape->id.index1 - 1].part;
    const rico__triangles triangles = {part->vertices, part->faces};
    for (uint32_t i = 0; i < part->face_count; ++i) {
        rico_vec3 corner[3];
        for (uint32_t j = 0; j < 3; ++j) {
            const float *at = rico__face_vertex(&triangles, &part->faces[i], j)->at;
            corner[j] = vec3(at[0], at[1], at[2]);
        }
        list_triangle(w, corner, part->faces[i].triangle);
    }
}

bool body_is_formula(const world *w, const fuzz_body *b)
{
    return rico__shape_is_formula(&w->shapes[b->shape].formula);
}

bool body_is_seen(const fuzz_body *b, const rico_filter *filter, uint32_t slot, uint32_t ignore)
{
    const rico_filter all = rico_filter_default(); /* sees bodies of any layer */
    filter = filter != NULL ? filter : &all;
    return b->used && slot + 1 != ignore && (b->layers & filter->layers) != 0 &&
           (b->layers & filter->ignored_layers) == 0;
}

rico_vec3 body_corner(const world *w, const fuzz_body *b, uint32_t i, uint32_t j)
{
    const float *at = w->vertices[3 * i + j].at;
    rico_vec3 p = vec3(at[0], at[1], at[2]);
    rico__placement placement = rico__placement_of(&b->motion.transform);
    return b->added ? p : rico__placement_point(&placement, p);
}

rico_vec3 take_corner(const world *w, source *s)
{
    uint32_t slot = take_below(s, FUZZ_BODIES), which = take(s, 2);
    const fuzz_body *b = &w->bodies[slot];
    const fuzz_shape *shape = &w->shapes[b->shape];
    if (!b->used)
        return take_vec3(s);
    if (shape->count == 0)
        return b->motion.transform.position;
    return body_corner(w, b, shape->first + which / 3 % shape->count, which % 3);
}

static uint64_t grid_steps(const rico__grid *grid)
{
    uint64_t steps = grid->brick_count + grid->live_units + grid->top_count + 4;
    for (int axis = 0; axis < 3; ++axis)
        steps += rico__grid_bricks(grid, axis);
    return steps;
}

uint64_t world_steps(const world *w)
{
    uint64_t steps = grid_steps(&w->scene->merged.grid) + 4;
    for (uint32_t slot = 0; slot < FUZZ_BODIES; ++slot)
        if (w->bodies[slot].used)
            steps +=
                grid_steps(&w->scene->shapes[w->scene->colliders[slot].shape].part.grid) + 1;
    return steps;
}

/* --- edits --- */

static bool has_room(const world *w)
{
    uint32_t used = 0;
    for (uint32_t slot = 0; slot < FUZZ_BODIES; ++slot)
        used += w->bodies[slot].used;
    return used < FUZZ_BODIES && w->shape_count < FUZZ_SHAPES &&
           w->count + 16640 <= FUZZ_LISTED;
}

static void keep_body(world *w, rico_collider_id id, uint32_t shape, bool added,
                      rico_motion motion)
{
    REQUIRE(id.index1 >= 1 && id.index1 <= FUZZ_BODIES && !w->bodies[id.index1 - 1].used,
            "slot %u", id.index1);
    w->bodies[id.index1 - 1] = (fuzz_body){true, added, id, shape, RICO_LAYER_DEFAULT, motion};
}

static uint16_t surface_of(uint32_t triangle)
{
    return (uint16_t)(triangle * 7 + 3);
}

static void take_mesh(fixture_mesh *mesh, source *s)
{
    uint32_t vertex_count = 3 + take_below(s, 30),
             triangle_count = take_below(s, FUZZ_TRIANGLES);
    for (uint32_t i = 0; i < vertex_count; ++i)
        mesh_vertex(mesh, take_vec3(s));
    for (uint32_t i = 0; i < triangle_count; ++i) /* now and then a bad index */
        mesh_triangle(mesh, take_below(s, vertex_count), take_below(s, vertex_count),
                      take_below(s, vertex_count + (i % 16 == 0)));
}

static const uint16_t *dress(bool dressed)
{
    static uint16_t surfaces[FUZZ_TRIANGLES];
    for (uint32_t i = 0; i < FUZZ_TRIANGLES; ++i)
        surfaces[i] = surface_of(i);
    return dressed ? surfaces : NULL;
}

static void add_mesh(world *w, source *s)
{
    fixture_mesh mesh = {0};
    rico_transform place = take_transform(s);
    fuzz_shape shape = {.first = w->count, .dressed = take_below(s, 4) == 0};
    take_mesh(&mesh, s);
    rico_mesh view = mesh_view(&mesh);
    view.surfaces = dress(shape.dressed);
    rico_mesh_report report;
    rico_collider_id id;
    rico_result result = rico_scene_add_mesh(w->scene, &view, place, &report, &id);
    rico_result none = in_range(place.position) ? RICO_EMPTY_MESH : RICO_OUT_OF_RANGE;
    shape.count = in_range(place.position) ? list_mesh(w, &mesh, &place) : 0;
    REQUIRE(report.kept == shape.count, "%u kept, expected %u", report.kept, shape.count);
    REQUIRE(result == (shape.count > 0 ? RICO_OK : none), "%s", rico_result_name(result));
    if (result == RICO_OK) {
        w->shapes[w->shape_count++] = shape;
        keep_body(w, id, w->shape_count - 1, true,
                  (rico_motion){.transform = RICO_TRANSFORM_IDENTITY});
    }
    mesh_free(&mesh);
}

static rico_motion take_motion(source *s)
{
    rico_motion motion = {.transform = take_transform(s)};
    if (take_below(s, 4) == 0) {
        motion.velocity = take_vec3(s);
        motion.angular_velocity = take_vec3(s);
    }
    for (int k = 0; k < 3; ++k) {
        if (!isfinite((&motion.velocity.x)[k]))
            (&motion.velocity.x)[k] = 1.0f;
        if (!isfinite((&motion.angular_velocity.x)[k]))
            (&motion.angular_velocity.x)[k] = 0.0f;
    }
    return motion;
}

/* REQUIREs that the result says whether what is placed is within 1e6 m of the origin. Near the
 * border, both results may be right. */
static void require_in_reach(const world *w, uint32_t shape, const rico_motion *motion,
                             rico_result result)
{
    const fuzz_shape *of = &w->shapes[shape];
    const rico_vec3 *p = &motion->transform.position;
    float extent = of->formula.radius + of->formula.half_length;
    for (uint32_t i = 3 * of->first; i < 3 * (of->first + of->count); ++i)
        for (int k = 0; k < 3; ++k)
            extent = fmaxf(extent, fabsf(w->vertices[i].at[k]));
    float reach = extent * motion->transform.scale;
    bool near = fabsf(p->x) < 5.0e5f && fabsf(p->y) < 5.0e5f && fabsf(p->z) < 5.0e5f;
    bool endless = of->formula.kind == RICO_SHAPE_PLANE;
    if (!in_range(*p))
        REQUIRE(result == RICO_OUT_OF_RANGE, "%s", rico_result_name(result));
    else if (endless || (near && reach < 1.0e5f))
        REQUIRE(result == RICO_OK, "%s", rico_result_name(result));
    else
        REQUIRE(result == RICO_OK || result == RICO_OUT_OF_RANGE, "%s",
                rico_result_name(result));
}

static void place_shape(world *w, source *s, uint32_t shape)
{
    rico_collider_def def = rico_collider_def_default();
    rico_collider_id id;
    def.shape = w->shapes[shape].id;
    def.motion = take_motion(s);
    rico_result result = rico_scene_add(w->scene, &def, &id);
    require_in_reach(w, shape, &def.motion, result);
    if (result == RICO_OK)
        keep_body(w, id, shape, false, def.motion);
}

/* Sets the fields of a kind that is not a mesh. Extents near both limits are included. */
static void take_kind(rico_shape_def *def, source *s)
{
    static const float sizes[] = {1.0f, 0.5f, 2.0f, 1.0e-4f, 1.0e5f, 0.125f, 30.0f};
    static float points[3 * 16], heights[16];
    for (int i = 0; i < 16; ++i)
        heights[i] = take_float(s);
    for (int i = 0; i < 48; ++i)
        points[i] = def->kind == RICO_SHAPE_HULL ? take_float(s) : 0.0f;
    def->height_field = (rico_height_field){heights, 4, 4, sizes[take_below(s, 3)], 1.0f};
    def->hull = (rico_hull){points, 16};
    def->half_size =
        vec3(sizes[take_below(s, 7)], sizes[take_below(s, 7)], sizes[take_below(s, 7)]);
    def->radius = sizes[take_below(s, 7)];
    def->half_length = sizes[take_below(s, 7)];
}

static void add_shape(world *w, source *s)
{
    fixture_mesh mesh = {0};
    rico_shape_def def = rico_shape_def_default();
    rico_mesh_report report;
    fuzz_shape shape = {.first = w->count, .surface = 9};
    def.kind = (rico_shape_kind)take_below(s, RICO_SHAPE_PLANE + 1);
    def.surface = shape.surface;
    if (def.kind == RICO_SHAPE_MESH) {
        take_mesh(&mesh, s);
        shape.dressed = take_below(s, 4) == 0;
        def.mesh = mesh_view(&mesh);
        def.mesh.surfaces = dress(shape.dressed);
    } else {
        take_kind(&def, s);
    }
    rico_result result = rico_scene_add_shape(w->scene, &def, &report, &shape.id);
    bool may_fail = def.kind <= RICO_SHAPE_HULL;
    REQUIRE(result == RICO_OK || may_fail, "kind %u: %s", def.kind, rico_result_name(result));
    shape.formula =
        (rico__shape){.kind = def.kind, .radius = def.radius, .half_length = def.half_length};
    if (def.kind == RICO_SHAPE_MESH)
        list_mesh(w, &mesh, NULL);
    else if (result == RICO_OK)
        list_made(w, &shape);
    shape.count = w->count - shape.first;
    mesh_free(&mesh);
    if (result != RICO_OK)
        return;
    w->shapes[w->shape_count++] = shape;
    place_shape(w, s, w->shape_count - 1);
}

static void place_again(world *w, source *s)
{
    uint32_t shape = take_below(s, FUZZ_SHAPES);
    if (shape < w->shape_count && w->shapes[shape].id.index1 != 0)
        place_shape(w, s, shape);
}

static void move(world *w, source *s)
{
    rico_collider_id ids[4] = {{0, 0}};
    rico_motion motions[4] = {{.velocity = {0.0f, 0.0f, 0.0f}}};
    uint32_t count = take_below(s, 5);
    bool movable = true;
    for (uint32_t i = 0; i < count; ++i) {
        const fuzz_body *b = &w->bodies[take_below(s, FUZZ_BODIES)];
        ids[i] = b->id;
        motions[i] = take_motion(s);
        movable &= b->used && !b->added;
    }
    rico_result result = rico_scene_move(w->scene, ids, motions, count);
    for (uint32_t i = 0; i < count && movable && result == RICO_OK; ++i)
        require_in_reach(w, w->bodies[ids[i].index1 - 1].shape, &motions[i], result);
    REQUIRE(result == RICO_OK || !movable || result == RICO_OUT_OF_RANGE, "%s",
            rico_result_name(result));
    for (uint32_t i = 0; i < count && result == RICO_OK;
         ++i) /* of two moves of one body, the later counts */
        w->bodies[ids[i].index1 - 1].motion = motions[i];
}

static void remove_body(world *w, source *s)
{
    fuzz_body *b = &w->bodies[take_below(s, FUZZ_BODIES)];
    rico_result result = rico_scene_remove(w->scene, b->id);
    REQUIRE((result == RICO_OK) == b->used, "%s", rico_result_name(result));
    b->used = false;
}

static void set_layers(world *w, source *s)
{
    fuzz_body *b = &w->bodies[take_below(s, FUZZ_BODIES)];
    uint32_t layers = take_below(s, 8);
    rico_result result = rico_scene_set_layers(w->scene, b->id, layers);
    REQUIRE((result == RICO_OK) == b->used, "%s", rico_result_name(result));
    b->layers = layers;
}

static void merge(world *w)
{
    uint32_t version = rico_scene_version(w->scene);
    rico_result result = rico_scene_merge(w->scene);
    REQUIRE(result == RICO_OK, "%s", rico_result_name(result));
    REQUIRE(rico_scene_version(w->scene) == version, "%u", version);
}

static void shift(world *w, source *s)
{
    rico_vec3 by = take_vec3(s);
    if (rico_scene_shift_origin(w->scene, by) != RICO_OK)
        return;
    for (uint32_t slot = 0; slot < FUZZ_BODIES; ++slot) {
        fuzz_body *b = &w->bodies[slot];
        rico_vec3 *position = &b->motion.transform.position;
        const fuzz_shape *shape = &w->shapes[b->shape];
        if (b->used && !b->added)
            *position = vec3_sub(*position, by);
        for (uint32_t i = 0; i < shape->count && b->used && b->added; ++i) {
            for (uint32_t j = 0; j < 9; ++j)
                w->vertices[3 * (shape->first + i) + j / 3].at[j % 3] -= (&by.x)[j % 3];
            mark_flat(w, shape->first + i);
        }
    }
}

void world_edit(world *w, source *s)
{
    uint32_t how = take_below(s, 12);
    if (how < 2 && has_room(w))
        add_mesh(w, s);
    else if (how < 4 && has_room(w))
        add_shape(w, s);
    else if (how < 6 && has_room(w))
        place_again(w, s);
    else if (how < 8)
        move(w, s);
    else if (how == 8)
        remove_body(w, s);
    else if (how == 9)
        set_layers(w, s);
    else if (how == 10)
        merge(w);
    else
        shift(w, s);
    REQUIRE(rico_scene_get_stats(w->scene).collider_count <= FUZZ_BODIES, "too many");
}

void world_make(world *w, source *s)
{
    static const float sizes[] = {0.0f, 0.0f, 0.25f, 1.0f, 0.05f, 100.0f};
    w->scene = scene_create_quiet(sizes[take_below(s, 6)]);
    w->shape_count = w->count = 0;
    memset(w->bodies, 0, sizeof w->bodies);
    uint32_t how = take_below(s, 8);
    for (uint32_t i = how % 4; i > 0; --i)
        add_mesh(w, s);
    for (uint32_t i = how / 4 * 3; i > 0; --i)
        add_shape(w, s);
}
