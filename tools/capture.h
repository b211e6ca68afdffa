/* capture.h - rays kept in a file with their answers and the triangles that they met, so that
 * `ricochet replay` can ask them again: as a test, on another machine, in a later version.
 *
 * What is kept is exact: floats are written as hexadecimal ones. Meshes of rico_scene_add_mesh are
 * met again bit for bit; shapes that colliders place by a transform are kept as they lie in the
 * world, where answers differ by rounding. Normals are those of faces: smooth ones need neighbours.
 * Threads: none; one at a time.
 */
#ifndef RICOCHET_CAPTURE_H
#define RICOCHET_CAPTURE_H

#include "output.h"
#include <ricochet/scene_query.h>

#define CAPTURE_QUERIES_MAX 10000u  /* more are left out, and counted */
#define CAPTURE_TRIANGLES_MAX 4096u /* of a query */
#define CAPTURE_WHY_BYTES 64u

/* One ray. Triangles are ordered by (collider, triangle), each once. */
typedef struct capture_query {
    char why[CAPTURE_WHY_BYTES]; /* it was kept */
    rico_ray ray;
    rico_filter filter;
    rico_hit hit; /* t, collider, triangle, back_face and normal are kept */
    rico_triangle *triangles;
    uint32_t triangle_count;
    bool complete; /* false: there were more triangles than fit */
    bool agrees;   /* the answer was that of brute force when it was captured */
} capture_query;

/* What a file holds. */
typedef struct capture {
    char scene[256]; /* its name */
    float cell_size; /* metres, of its grid */
    uint32_t every;  /* of capture_ray; 0 = only those that fail */
    capture_query *queries;
    uint32_t count, capacity;
    uint64_t asked, met, failed; /* rays of capture_ray; near triangles; those that failed */
    uint64_t left_out;           /* over CAPTURE_QUERIES_MAX */
    bool out_of_memory;
} capture;

/* An empty one; name and cell size are those of the scene, which may be NULL: of several. */
void capture_open(capture *c, const char *name, const rico_scene *scene, uint32_t every);
void capture_free(capture *c);

/* Asks the ray, alone, and holds the answer against the brute force below. Keeps it when it is the
 * every-th that comes near triangles, or when they differ. Returns the answer. */
rico_hit capture_ray(capture *c, const rico_scene *scene, const rico_filter *filter,
                     const rico_ray *ray);

/* Keeps a ray with the answer that it got. filter may be NULL. */
void capture_keep(capture *c, const rico_scene *scene, const rico_filter *filter,
                  const rico_ray *ray, const rico_hit *hit, const char *why);

/* Writes the file whole or not at all. On false, error is one line. */
bool capture_write(const capture *c, const output_file *file, char *error, size_t error_bytes);

/* Reads one. On false, error is one line that names the file, the field, and what was expected;
 * *out is then empty. */
bool capture_read(const char *path, capture *out, char *error, size_t error_bytes);

/* --- asking again --- */

/* Every triangle in a scene of its own: the closest of their answers, by (t, collider, triangle).
 * False: out of memory. */
bool capture_brute(const capture_query *query, rico_hit *hit);

/* A scene of the query's triangles: their colliders and triangles are numbered anew, in the same
 * order. NULL: out of memory. */
rico_scene *capture_scene(const capture_query *query, float cell_size);

/* The answer of such a scene in the query's own numbers. */
rico_hit capture_rename(const capture_query *query, const rico_hit *hit);

/* The ray as it is asked of such a scene. */
rico_ray capture_ray_for_scene(const capture_query *query);

/* All that is kept of them has the same bits. */
bool capture_same(const rico_hit *a, const rico_hit *b);

#endif
