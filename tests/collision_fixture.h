/* collision_fixture.h - shared by the collision tests: meshes, random numbers, the oracle. */
#ifndef COLLISION_FIXTURE_H
#define COLLISION_FIXTURE_H

#include <ricochet/scene_query.h>

#include "grid.h"
#include "ray_triangle.h"
#include "testing.h"
#include "vec.h"

/* Number of repeats; fewer where code is slow. */
#define FIXTURE_REPEATS(n)                                                                     \
    (TEST_IS_SLOW ? (n) / 10 : getenv("RICO_TEST_FULL") != NULL ? (n) : (n) / 2)

/* Number of repeats for tests in which a quarter finds what all of them find. */
#define FIXTURE_MANY(n) ((int)test_rounds((uint32_t)(n)))

/* --- random numbers --- */

typedef struct fixture_random {
    uint64_t state;
} fixture_random;

uint32_t random_below(fixture_random *random, uint32_t n);
float random_between(fixture_random *random, float lo, float hi);
rico_vec3 random_in_box(fixture_random *random, const rico_box *box);
rico_vec3 random_direction(fixture_random *random); /* length 1 within rounding */
rico_quat random_rotation(fixture_random *random);

/* --- meshes --- */

/* A growing mesh; zero-initialised = empty. */
typedef struct fixture_mesh {
    float *positions;
    uint32_t *indices;
    uint32_t vertex_count, vertex_capacity, triangle_count, triangle_capacity;
} fixture_mesh;

uint32_t mesh_vertex(fixture_mesh *mesh, rico_vec3 p);
void mesh_triangle(fixture_mesh *mesh, uint32_t a, uint32_t b, uint32_t c);
void mesh_loose(fixture_mesh *mesh, rico_vec3 a, rico_vec3 b, rico_vec3 c);
void mesh_box(fixture_mesh *mesh, rico_vec3 lo, rico_vec3 hi);
void mesh_sphere(fixture_mesh *mesh, float radius, int subdivisions); /* icosphere at 0 */
/* Triangles of 1 mm to 30 cm in a cube of half side size; one in fifty as long as size. */
void mesh_scatter(fixture_mesh *mesh, fixture_random *random, float size, int count);
rico_mesh mesh_view(const fixture_mesh *mesh);
rico_vec3 mesh_corner(const fixture_mesh *mesh, uint32_t triangle, uint32_t corner);
void mesh_free(fixture_mesh *mesh);

/* Reads v and f lines; polygons become fans. False and a notice on standard output when the
 * scene is not found in $RICO_SCENES or shared/scenes of a parent of the working directory. */
bool mesh_read_scene(fixture_mesh *mesh, const char *name);

/* --- scenes --- */

/* Makes a scene that logs no messages. cell_size 0 = chosen by the scene. */
rico_scene *scene_create_quiet(float cell_size);
rico_collider_id scene_add(rico_scene *scene, const fixture_mesh *mesh,
                           rico_transform transform);
rico_scene *scene_of(const fixture_mesh *mesh, float cell_size);

/* The grid of a scene that consists of one added mesh or of merged meshes only. */
const rico__grid *scene_grid(const rico_scene *scene);

/* All data that the scene has of a triangle of its added meshes. They are numbered in the order
 * of slots. */
rico__triangle scene_triangle(const rico_scene *scene, uint32_t id);
rico__triangle scene_random_triangle(const rico_scene *scene, fixture_random *random);

/* --- oracle: all triangles, grid or no grid --- */

/* Finds the closest hit by testing every triangle of the scene. It skips groups of 64
 * consecutive triangles whose box the ray misses by far more than rounding can explain. The test
 * moves a corner by less than 1e-6 of its distance from the origin; the boxes are grown by 1e-4
 * of it. */
typedef struct oracle {
    const rico_scene *scene;
    rico__vertex *vertices; /* of all added meshes, as placed */
    rico__face *faces;
    uint32_t count;
    rico_box *groups;
    uint32_t group_count;
} oracle;

oracle oracle_create(const rico_scene *scene);
void oracle_destroy(oracle *o);
rico_hit oracle_raycast(const oracle *o, const rico_ray *ray);

/* Exact overlap in double, written apart from the library's code: clips the triangle by the box. */
bool oracle_touches(const float v[9], const rico_box *box);

/* Compares all fields but the cost. */
bool hit_equal(const rico_hit *a, const rico_hit *b);
void check_hit(const oracle *o, const rico_ray *ray);

/* A random ray near a random surface point. The origin is up to 2 m off it; the ray is 0.1 to
 * 3.75 m long; two thirds of the rays go down. */
rico_ray ray_near_surface(fixture_random *random, const rico_scene *scene);

#endif
