/* scene_draw.h - how a scene is stored, and what a ray meets in it, as boxes and lines to look at.
 *
 * For finding out why a query is slow or an answer surprises. What is drawn says how the scene is
 * stored today; answers never depend on it, and nothing else should.
 * Threads: as queries (scene_query.h); the callbacks run on the calling thread.
 */
#ifndef RICOCHET_SCENE_DRAW_H
#define RICOCHET_SCENE_DRAW_H

#include <ricochet/scene_query.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What to draw: bits. */
typedef enum rico_draw_what {
    RICO_DRAW_GRID = 1,      /* bricks of 8 x 8 x 8 cells, and the nodes of their trees */
    RICO_DRAW_OCCUPANCY = 2, /* occupied cells */
    RICO_DRAW_LEAVES = 4,    /* what holds triangles, up to 16 in each */
    RICO_DRAW_COLLIDERS = 8, /* their world boxes; planes have none */
    RICO_DRAW_RAY = 16       /* the path of one ray */
} rico_draw_what;

/* What a box or a line stands for. */
typedef enum rico_drawn_kind {
    RICO_DRAWN_BRICK,    /* number: 1 = it holds triangles, 0 = a ray passes it, empty */
    RICO_DRAWN_NODE,     /* number: its level, 1.. */
    RICO_DRAWN_LEAF,     /* number: its triangles without holes, 0..16 */
    RICO_DRAWN_CELLS,    /* number: how many cells; a rectangle of them, one cell high */
    RICO_DRAWN_COLLIDER, /* number: its triangles */
    RICO_DRAWN_TRIANGLE, /* an edge of it; number: its index in the mesh */
    RICO_DRAWN_RAY,      /* from its origin to the hit, or to its end (10 km at most) */
    RICO_DRAWN_HIT /* an edge of the triangle hit, or the normal there; number: as above */
} rico_drawn_kind;

typedef struct rico_drawn {
    rico_drawn_kind kind;
    uint32_t rgba;     /* 8 bits each, r lowest; the colours are below */
    uint32_t number;   /* see the kinds */
    uint32_t collider; /* slot; 0 = of all that is merged, or of none */
    bool path;         /* met by the ray that was asked for */
} rico_drawn;

/* Colours. Bricks are grey; nodes go from blue (level 1) over green and yellow to red (5 and
 * deeper); leaves from blue (1 triangle: room is wasted) over green to red (16: full). Cells are
 * cyan; colliders white when merged, orange at rest, magenta when they move. On a path, empty bricks
 * are dark, colliders, bricks, nodes and leaves as above, triangles looked at are yellow, the ray is
 * white, and the hit is red. */

/* Who draws. box: in the space that `place` brings into the world. NULL: boxes are drawn as their
 * twelve edges. line: in the world; NULL: lines are left out. */
typedef struct rico_draw {
    void *user;
    void (*box)(void *user, const rico_drawn *what, const rico_box *box,
                const rico_transform *place);
    void (*line)(void *user, const rico_drawn *what, rico_vec3 a, rico_vec3 b);
} rico_draw;

typedef struct rico_draw_request {
    uint32_t cookie;    /* set by rico_draw_request_default */
    uint32_t what;      /* bits of rico_draw_what [RICO_DRAW_GRID] */
    rico_box box;       /* of interest: only what touches it, by boxes [everything] */
    uint32_t max_count; /* of boxes and lines, > 0; a box by edges is one [100000] */
    rico_ray ray;       /* for RICO_DRAW_RAY */
    rico_filter filter; /* of that ray [everything] */
} rico_draw_request;

RICO_API rico_draw_request rico_draw_request_default(void);

typedef struct rico_draw_report {
    uint32_t drawn; /* boxes and lines */
    bool cut;       /* there were more than max_count */
} rico_draw_report;

/* Draws in the order of the bits above; in each, what is merged first, then by slot. Takes time by all
 * bricks of the scene and all that is drawn. A path is that of a ray asked alone, down to every
 * triangle whose box it meets before the hit; of a triangle in several bricks, in each. Of a ray that
 * starts more than a few thousand cells outside, only the hit is sure to be in it.
 * draw may have no callback: then it counts. report may be NULL.
 * Errors, and nothing is drawn: RICO_UNINITIALIZED_DEF, RICO_OUT_OF_RANGE (no bit of what, an
 * unknown one, a box with lo > hi, max_count 0), RICO_NOT_FINITE (a box with NaN). */
RICO_API rico_result rico_scene_draw(const rico_scene *scene, const rico_draw_request *request,
                                     const rico_draw *draw, rico_draw_report *report);

#ifdef __cplusplus
}
#endif
#endif
