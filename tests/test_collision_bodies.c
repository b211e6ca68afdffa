/* Scenes of many bodies, checked against every triangle of every collider in turn. */
#include "collision_crowd.h"

TEST(collision, answers_of_a_crowd_equal_brute_force_through_all_its_changes)
{
    crowd *c = crowd_create(211);
    for (int i = 0; i < 6; ++i)
        crowd_add(c, true);
    crowd_check(c, 0);
    CHECK_EQ(rico_scene_merge(c->scene), RICO_OK);
    crowd_check(c, 1);
    for (int i = 0; i < 200; ++i)
        crowd_add(c, random_below(&c->random, 30) == 0);
    for (int round = 2; round < 30; ++round) {
        crowd_check(c, round);
        for (int i = 0; i < 12; ++i)
            crowd_remove(c);
        for (int i = 0; i < 15; ++i)
            crowd_add(c, random_below(&c->random, 10) == 0);
        crowd_move(c, round % 4 == 0 ? 1 : 3);
        uint32_t version = rico_scene_version(c->scene);
        if (round % 7 == 0)
            CHECK_EQ(rico_scene_merge(c->scene), RICO_OK);
        CHECK_EQ(rico_scene_version(c->scene), version);
    }
    CHECK(c->hits > (uint32_t)FIXTURE_REPEATS(1500));
    crowd_destroy(c);
}

/* t computed in double. This oracle shares only the meaning of the transform with the scene. */
static double exact_t(const crowd *c, const member *who, uint32_t triangle, const rico_ray *ray)
{
    double p[3][3], n[3], along = 0.0, above = 0.0;
    rico_quat q = who->motion.transform.rotation;
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double norm = x * x + y * y + z * z + w * w;
    for (uint32_t j = 0; j < 3; ++j) {
        rico_vec3 v = mesh_corner(&c->models[who->model].mesh, triangle, j);
        double a = (double)v.x, b = (double)v.y, d = (double)v.z, u[3], r[3];
        u[0] = 2.0 * (y * d - z * b);
        u[1] = 2.0 * (z * a - x * d);
        u[2] = 2.0 * (x * b - y * a);
        r[0] = a * norm + w * u[0] + y * u[2] - z * u[1];
        r[1] = b * norm + w * u[1] + z * u[0] - x * u[2];
        r[2] = d * norm + w * u[2] + x * u[1] - y * u[0];
        for (int k = 0; k < 3; ++k)
            p[j][k] = r[k] / norm * (double)who->motion.transform.scale +
                      (double)(&who->motion.transform.position.x)[k];
    }
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        n[k] = (p[1][l] - p[0][l]) * (p[2][m] - p[0][m]) -
               (p[1][m] - p[0][m]) * (p[2][l] - p[0][l]);
        along += n[k] * (double)(&ray->direction.x)[k];
        above += n[k] * (p[0][k] - (double)(&ray->origin.x)[k]);
    }
    return above / along;
}

TEST(collision, rays_meet_placed_shapes_where_they_are_in_the_world)
{
    crowd *c = crowd_create(223);
    for (int i = 0; i < 150; ++i)
        crowd_add(c, false);
    uint32_t hits = 0, far = 0;
    for (int i = 0; i < FIXTURE_REPEATS(20000); ++i) {
        rico_ray ray = crowd_ray(c);
        ray.ignore = 0;
        rico_hit hit = rico_scene_raycast(c->scene, NULL, &ray);
        if (hit.collider == 0)
            continue;
        double t = exact_t(c, &c->members[hit.collider - 1], hit.triangle, &ray);
        double apart = fabs(t - (double)hit.t) * (double)vec3_length(ray.direction);
        hits += 1;
        far += apart > 1.0e-5; /* nearly along the surface */
        CHECK_NEAR(vec3_length(hit.normal), 1.0, 1.0e-6);
        CHECK(vec3_dot(hit.normal, ray.direction) <= 0.0f);
    }
    CHECK(hits > (uint32_t)FIXTURE_REPEATS(3000));
    CHECK_MSG(far * 100 <= hits, "%u of %u hits are off by more than 10 um", far, hits);
    crowd_destroy(c);
}

TEST(collision, of_bodies_in_one_place_the_first_collider_is_hit)
{
    fixture_mesh mesh = {0};
    mesh_box(&mesh, vec3(-1.0f, -1.0f, -1.0f), vec3(1.0f, 1.0f, 1.0f));
    rico_scene *scene = scene_create_quiet(0.0f);
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def def = rico_collider_def_default();
    rico_collider_id ids[20];
    shape.mesh = mesh_view(&mesh);
    CHECK_EQ(rico_scene_add_shape(scene, &shape, NULL, &def.shape), RICO_OK);
    for (int i = 0; i < 20; ++i)
        CHECK_EQ(rico_scene_add(scene, &def, &ids[i]), RICO_OK);
    scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
    rico_ray ray = {vec3(0.1f, 0.2f, 5.0f), 10.0f, vec3(0.0f, 0.0f, -1.0f), 0};
    for (uint32_t i = 0; i < 20; ++i) {
        CHECK_EQ(rico_scene_raycast(scene, NULL, &ray).collider, i + 1);
        ray.ignore = i + 1;
        CHECK_EQ(rico_scene_raycast(scene, NULL, &ray).collider, i + 2);
        ray.ignore = 0;
        CHECK_EQ(rico_scene_remove(scene, ids[i]), RICO_OK);
    }
    CHECK_EQ(rico_scene_remove_shape(scene, def.shape), RICO_OK);
    rico_scene_destroy(scene);
    mesh_free(&mesh);
}

/* A triangle at height z across the z axis. When `early` is set, a second one beside it begins
 * earlier. */
static rico_collider_id add_sheet(rico_scene *scene, float z, bool early)
{
    fixture_mesh mesh = {0};
    mesh_loose(&mesh, vec3(-1.0f, -1.0f, z), vec3(1.0f, -1.0f, z), vec3(0.0f, 1.0f, z));
    if (early)
        mesh_loose(&mesh, vec3(0.5f, 0.5f, 0.1f), vec3(0.9f, 0.5f, 0.1f),
                   vec3(0.5f, 1.0f, 0.1f));
    rico_collider_id id = scene_add(scene, &mesh, RICO_TRANSFORM_IDENTITY);
    mesh_free(&mesh);
    return id;
}

/* The farther of two sheets, by less than a float step of t, is the first collider and is asked
 * last. Its t rounds to the same value, so it wins. */
TEST(collision, hits_that_round_to_the_same_t_are_ordered_by_collider_whoever_is_asked_first)
{
    uint32_t ties = 0;
    float z = 1.9f;
    for (int i = 0; i < 200; ++i, z = nextafterf(z, 2.0f)) {
        rico_scene *scene = scene_create_quiet(0.0f);
        rico_ray ray = {vec3(0.0f, 0.0f, 0.0f), 9.0f, vec3(0.0f, 0.0f, 1.81f), 2};
        float far = nextafterf(z, 2.0f);
        add_sheet(scene, far, false);
        add_sheet(scene, z, true);
        rico_hit first = rico_scene_raycast(scene, NULL, &ray);
        ray.ignore = 1;
        rico_hit second = rico_scene_raycast(scene, NULL, &ray);
        ray.ignore = 0;
        rico_hit both = rico_scene_raycast(scene, NULL, &ray);
        CHECK(first.collider == 1 && second.collider == 2);
        CHECK_EQ(both.collider, first.t <= second.t ? 1 : 2);
        /* Counts pairs in which limiting the ray to the nearer t would miss the farther sheet. */
        ties += first.t == second.t && (double)far / 1.81f > (double)second.t;
        rico_scene_destroy(scene);
    }
    CHECK_MSG(ties > 10, "only %u pairs", ties);
}

/* Groups of 64 rays are cast at the bodies near any of them: none, as many as fit a leaf, or
 * more. */
static void check_batch(crowd *c, float spread)
{
    enum { BATCH = 150 };
    const rico_box around = {vec3(-spread, -spread, -spread), vec3(spread, spread, spread)};
    const rico_vec3 middle = crowd_ray(c).origin;
    rico_ray rays[BATCH];
    rico_hit hits[BATCH];
    bool blocked[BATCH];
    for (int i = 0; i < BATCH; ++i) {
        rays[i] = crowd_ray(c); /* a few from anywhere */
        if (i % 64 == 50 && random_below(&c->random, 4) == 0)
            continue;
        rays[i].origin = vec3_add(middle, random_in_box(&c->random, &around));
        rays[i].t_max = random_between(&c->random, 0.0f, spread) /
                        fmaxf(1.0f, vec3_length(rays[i].direction));
    }
    rico_scene_raycast_batch(c->scene, NULL, rays, hits, BATCH);
    rico_scene_blocked_batch(c->scene, NULL, rays, blocked, BATCH);
    for (int i = 0; i < BATCH; ++i) {
        const rico_hit alone = rico_scene_raycast(c->scene, NULL, &rays[i]);
        CHECK_MSG(answers_equal(&hits[i], &alone), "ray %d of %d, spread %g: %u, alone %u", i,
                  BATCH, (double)spread, hits[i].collider, alone.collider);
        CHECK_EQ(blocked[i], rico_scene_blocked(c->scene, NULL, &rays[i]));
        c->hits += alone.collider != 0;
    }
}

TEST(collision, rays_of_a_batch_meet_what_each_of_them_meets_alone)
{
    static const int counts[] = {1, 4, 16, 17, 120};
    static const float spreads[] = {0.1f, 0.5f, 2.0f};
    int hits = 0;
    for (int k = 0; k < 5; ++k) {
        crowd *c = crowd_create(431 + (uint64_t)k);
        for (int i = 0; i < counts[k]; ++i)
            crowd_add(c, false);
        for (int i = 0; i < FIXTURE_REPEATS(300); ++i)
            check_batch(c, spreads[i % 3]);
        hits += (int)c->hits;
        crowd_destroy(c);
    }
    CHECK_MSG(hits > 4 * FIXTURE_REPEATS(300), "%d", hits); /* of 750 rays in each round */
}
