/* Threads that ask the same scene at once. */
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
