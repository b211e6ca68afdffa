/* Several threads that query the same scene at once. */
#include "collision_crowd.h"

#include <pthread.h>

enum { READERS = 4, READER_RAYS = 1500 };

typedef struct reader {
    const rico_scene *scene;
    const rico_ray *rays;
    rico_hit *hits;
    uint32_t gathered, blocked;
} reader;

static void *read_crowd(void *user)
{
    reader *r = user;
    rico_scene_raycast_batch(r->scene, NULL, r->rays, r->hits, READER_RAYS);
    for (int i = 0; i < READER_RAYS; ++i) {
        rico_vec3 half = vec3(0.2f, 0.2f, 0.2f);
        rico_box box = {vec3_sub(r->rays[i].origin, half), vec3_add(r->rays[i].origin, half)};
        r->gathered += rico_scene_gather(r->scene, NULL, &box, NULL, 0);
        r->gathered += rico_scene_occupied(r->scene, &box);
        r->blocked += rico_scene_blocked(r->scene, NULL, &r->rays[i]);
    }
    return NULL;
}

TEST(collision, readers_of_a_crowd_on_four_threads_get_the_same_answers)
{
    static rico_ray rays[READER_RAYS];
    static rico_hit hits[READERS][READER_RAYS];
    crowd *c = crowd_create(241);
    for (int i = 0; i < 150; ++i)
        crowd_add(c, i % 20 == 0);
    CHECK_EQ(rico_scene_merge(c->scene), RICO_OK);
    crowd_move(c, 2);
    for (int i = 0; i < READER_RAYS; ++i)
        rays[i] = crowd_ray(c);
    reader readers[READERS];
    pthread_t threads[READERS];
    for (int i = 0; i < READERS; ++i) {
        readers[i] = (reader){c->scene, rays, hits[i], 0, 0};
        CHECK_EQ(pthread_create(&threads[i], NULL, read_crowd, &readers[i]), 0);
    }
    for (int i = 0; i < READERS; ++i)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < READERS; ++i) {
        for (int r = 0; r < READER_RAYS; ++r)
            CHECK(answers_equal(&hits[i][r], &hits[0][r]));
        CHECK_EQ(readers[i].gathered, readers[0].gathered);
        CHECK_EQ(readers[i].blocked, readers[0].blocked);
    }
    crowd_destroy(c);
}

/* --- every kind of query at once --- */

enum { CURIOUS = 4, ROUNDS = 60, BATCH = 70, CORNERS = 5, GATHERED = 600 };

/* Owner: the test. Threads: all threads read the queries; one thread writes the digest. */
typedef struct curious {
    const crowd *c;
    const rico_ray *rays;       /* ROUNDS * BATCH */
    const rico_sweep *sweeps;   /* ROUNDS */
    const rico_polyline *lines; /* ROUNDS */
    uint64_t digest;
    rico_triangle triangles[GATHERED];
    rico_surface surfaces[RICO_SURFACES_MAX];
    rico_hit hits[BATCH];
    bool blocked[BATCH];
} curious;

/* FNV-1a. */
static void note(curious *r, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i)
        r->digest = (r->digest ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
}

static void note_rays(curious *r, const rico_filter *filter, const rico_ray *rays)
{
    rico_scene_raycast_batch(r->c->scene, filter, rays, r->hits, BATCH);
    rico_scene_blocked_batch(r->c->scene, filter, rays, r->blocked, BATCH);
    for (int i = 0; i < BATCH; ++i) {
        note(r, &r->hits[i].t, sizeof r->hits[i].t);
        note(r, &r->hits[i].normal, sizeof r->hits[i].normal);
        note(r, &r->hits[i].velocity, sizeof r->hits[i].velocity);
        note(r, &r->hits[i].collider, sizeof r->hits[i].collider);
        note(r, &r->blocked[i], sizeof r->blocked[i]);
    }
    rico_hit alone = rico_scene_raycast(r->c->scene, filter, rays);
    bool blocked = rico_scene_blocked(r->c->scene, filter, rays);
    note(r, &alone.triangle, sizeof alone.triangle);
    note(r, &blocked, sizeof blocked);
}

static void note_volumes(curious *r, const rico_filter *filter, uint32_t round)
{
    const rico_scene *scene = r->c->scene;
    rico_sweep_hit swept, again;
    rico_polyline_hit line = rico_scene_polyline(scene, filter, &r->lines[round]), batch;
    rico_scene_polyline_batch(scene, filter, &r->lines[round], &batch, 1);
    swept = rico_scene_sweep(scene, filter, &r->sweeps[round]);
    rico_scene_sweep_batch(scene, filter, &r->sweeps[round], &again, 1);
    rico_vec3 center = r->sweeps[round].center;
    rico_nearest near = rico_scene_nearest(scene, filter, center, 2.0f, round % 7);
    note(r, &line.time, sizeof line.time);
    note(r, &batch.point, sizeof batch.point);
    note(r, &swept.t, sizeof swept.t);
    note(r, &again.point, sizeof again.point);
    note(r, &near.distance, sizeof near.distance);
    note(r, &near.point, sizeof near.point);
}

static void note_boxes(curious *r, const rico_filter *filter, uint32_t round)
{
    const rico_scene *scene = r->c->scene;
    rico_vec3 center = r->sweeps[round].center, half = vec3(0.4f, 0.4f, 0.4f);
    rico_box box = {vec3_sub(center, half), vec3_add(center, half)};
    uint32_t count = rico_scene_gather(scene, filter, &box, r->triangles, GATHERED);
    bool occupied = rico_scene_occupied(scene, &box);
    count = count < GATHERED ? count : GATHERED;
    uint32_t groups = rico_scene_surfaces(scene, &box, 0.01f, r->triangles, count, r->surfaces,
                                          RICO_SURFACES_MAX);
    note(r, r->triangles, count * sizeof *r->triangles);
    note(r, &occupied, sizeof occupied);
    note(r, &groups, sizeof groups);
}

static void note_book(curious *r, uint32_t round)
{
    const rico_scene *scene = r->c->scene;
    rico_collider_id id = rico_scene_collider_id(scene, round);
    rico_box box = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    rico_result result = rico_scene_collider_state(scene, id, &box, NULL);
    uint32_t version = rico_scene_version(scene),
             own = rico_scene_collider_version(scene, round);
    uint32_t colliders = rico_scene_get_stats(scene).collider_count;
    note(r, &box, sizeof box);
    note(r, &result, sizeof result);
    note(r, &version, sizeof version);
    note(r, &own, sizeof own);
    note(r, &colliders, sizeof colliders);
}

static void *ask_everything(void *user)
{
    static const rico_filter filters[] = {{.layers = UINT32_MAX},
                                          {.layers = 3, .skip_back_faces = true},
                                          {.layers = UINT32_MAX, .smooth_normals = true}};
    curious *r = user;
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        const rico_filter *filter = &filters[round % 3];
        note_rays(r, filter, r->rays + (size_t)round * BATCH);
        note_volumes(r, filter, round);
        note_boxes(r, filter, round);
        note_book(r, round);
    }
    return NULL;
}

static void add_formulas(crowd *c)
{
    for (int i = 0; i < 12; ++i) {
        rico_shape_def def = rico_shape_def_default();
        rico_collider_def at = rico_collider_def_default();
        def.kind = (rico_shape_kind[]){RICO_SHAPE_SPHERE, RICO_SHAPE_CAPSULE, RICO_SHAPE_PLANE,
                                       RICO_SHAPE_BOX}[i % 4];
        def.half_size = vec3(0.2f, 0.3f, 0.4f);
        def.radius = 0.3f;
        def.half_length = 0.2f;
        at.motion.transform.position =
            vec3_scale(random_direction(&c->random), i % 4 == 2 ? 5.0f : 2.0f);
        at.motion.angular_velocity = random_direction(&c->random);
        CHECK_EQ(rico_scene_add_shape(c->scene, &def, NULL, &at.shape), RICO_OK);
        CHECK_EQ(rico_scene_add(c->scene, &at, NULL), RICO_OK);
    }
}

TEST(collision, readers_that_ask_everything_at_once_get_the_same_answers)
{
    static rico_ray rays[ROUNDS * BATCH];
    static rico_sweep sweeps[ROUNDS];
    static rico_vec3 corners[ROUNDS][CORNERS];
    static rico_polyline lines[ROUNDS];
    static curious readers[CURIOUS + 1];
    pthread_t threads[CURIOUS];
    crowd *c = crowd_create(251);
    for (int i = 0; i < 150; ++i)
        crowd_add(c, i % 20 == 0);
    CHECK_EQ(rico_scene_merge(c->scene), RICO_OK);
    crowd_add(c, true); /* beside the merged meshes */
    add_formulas(c);
    for (uint32_t i = 0; i < ROUNDS * BATCH; ++i)
        rays[i] = crowd_ray(c);
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        sweeps[i] = (rico_sweep){rays[i].origin, vec3(0.2f, 0.1f, 0.3f),
                                 random_rotation(&c->random), random_direction(&c->random), 0};
        for (uint32_t k = 0; k < CORNERS; ++k)
            corners[i][k] = rays[i * BATCH + k].origin;
        lines[i] = (rico_polyline){corners[i], NULL, CORNERS, 0};
    }
    for (int i = 0; i <= CURIOUS; ++i)
        readers[i] =
            (curious){.c = c, .rays = rays, .sweeps = sweeps, .lines = lines, .digest = 1};
    for (int i = 0; i < CURIOUS; ++i)
        CHECK_EQ(pthread_create(&threads[i], NULL, ask_everything, &readers[i]), 0);
    for (int i = 0; i < CURIOUS; ++i)
        pthread_join(threads[i], NULL);
    ask_everything(&readers[CURIOUS]); /* alone */
    for (int i = 0; i < CURIOUS; ++i)
        CHECK_MSG(readers[i].digest == readers[CURIOUS].digest, "reader %d", i);
    crowd_destroy(c);
}
