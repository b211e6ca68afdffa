/* capture.h - rays kept in a file with their answers and the triangles that they met. `ricochet
 * replay` can cast them again: as a test, on another machine, or in a later version.
 *
 * Files are exact: floats are written in hexadecimal. Triangles of rico_scene_add_mesh are met
 * again bit for bit. Shapes that colliders place by a transform are stored as they lie in the
 * world, so their answers differ by rounding. Normals are those of faces, because smooth normals
 * need neighbours.
 * Threads: none; one thread at a time.
 */
#ifndef RICOCHET_CAPTURE_H
#define RICOCHET_CAPTURE_H

#include "output.h"
#include <ricochet/scene_query.h>

#define CAPTURE_QUERIES_MAX 10000u  /* further ones are left out and counted */
#define CAPTURE_TRIANGLES_MAX 4096u /* of one query */
#define CAPTURE_WHY_BYTES 64u

/* One ray. Triangles are ordered by (collider, triangle), each once. */
typedef struct capture_query {
    char why[CAPTURE_WHY_BYTES]; /* why it was kept */
    rico_ray ray;
    rico_filter filter;
    rico_hit hit; /* t, collider, triangle, back_face and normal are kept */
    rico_triangle *triangles;
    uint32_t triangle_count;
    bool complete; /* false: more triangles than fit */
    bool agrees;   /* the answer was that of brute force when it was captured */
} capture_query;

/* The contents of a file. */
typedef struct capture {
    char scene[256]; /* its name */
    float cell_size; /* metres, of the scene's grid */
    uint32_t every;  /* capture_ray's interval; 0 = only queries that fail */
    capture_query *queries;
    uint32_t count, capacity;
    uint64_t asked, met, failed; /* rays of capture_ray; near triangles; failed ones */
    uint64_t left_out;           /* beyond CAPTURE_QUERIES_MAX */
    bool out_of_memory;
} capture;

/* Begins an empty capture. The name and the cell size are those of the scene; scene NULL =
 * several scenes. */
void capture_open(capture *c, const char *name, const rico_scene *scene, uint32_t every);
void capture_free(capture *c);

/* Casts the ray alone and compares the answer with the brute force below. Keeps the ray when it
 * is every `every`-th that comes near triangles, or when the answers differ. Returns the scene's
 * answer. */
rico_hit capture_ray(capture *c, const rico_scene *scene, const rico_filter *filter,
                     const rico_ray *ray);

/* Keeps a ray with the given answer. filter may be NULL. */
void capture_keep(capture *c, const rico_scene *scene, const rico_filter *filter,
                  const rico_ray *ray, const rico_hit *hit, const char *why);

/* Writes the file, complete or not at all. On false, error is one line. */
bool capture_write(const capture *c, const output_file *file, char *error, size_t error_bytes);

/* Reads a file. On false, error is one line that names the file, the field, and what was
 * expected; *out is then empty. */
bool capture_read(const char *path, capture *out, char *error, size_t error_bytes);

/* --- casting again --- */

/* Puts every triangle in a scene of its own and takes the closest of their answers, by (t,
 * collider, triangle). Returns false when memory ran out. */
bool capture_brute(const capture_query *query, rico_hit *hit);

/* Makes a scene of the query's triangles. Their colliders and triangles get new numbers in the
 * same order. NULL: out of memory. */
rico_scene *capture_scene(const capture_query *query, float cell_size);

/* Translates an answer of that scene into the query's own numbers. */
rico_hit capture_rename(const capture_query *query, const rico_hit *hit);

/* The ray with the numbers of that scene. */
rico_ray capture_ray_for_scene(const capture_query *query);

/* Whether all fields that a capture keeps have the same bits. */
bool capture_same(const rico_hit *a, const rico_hit *b);

#endif
