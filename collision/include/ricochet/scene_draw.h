/* scene_draw.h - debug drawing: how a scene is stored, and what a ray meets in it.
 *
 * A scene is drawn as boxes and lines. Use it to find out why a query is slow, or why an answer
 * surprises. The picture shows how this version of the library stores the scene. Answers never
 * depend on that, and nothing else should.
 *
 * Threads: as queries (scene_query.h). The callbacks run on the calling thread.
 */
#ifndef RICOCHET_SCENE_DRAW_H
#define RICOCHET_SCENE_DRAW_H

#include <ricochet/scene_query.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What to draw; bits. */
typedef enum rico_draw_what {
    RICO_DRAW_GRID = 1,      /* bricks of 8 x 8 x 8 cells, and the nodes of their trees */
    RICO_DRAW_OCCUPANCY = 2, /* occupied cells */
    RICO_DRAW_LEAVES = 4,    /* leaves of the trees, with up to 16 triangles each */
    RICO_DRAW_COLLIDERS = 8, /* world-space boxes of colliders; planes have none */
    RICO_DRAW_RAY = 16       /* the path of one ray */
} rico_draw_what;

/* What a box or a line stands for, and the meaning of rico_drawn.number. */
typedef enum rico_drawn_kind {
    RICO_DRAWN_BRICK,    /* a brick; number: 1 = it holds triangles, 0 = empty, passed by a ray */
    RICO_DRAWN_NODE,     /* a node of a brick's tree; number: its level, from 1 */
    RICO_DRAWN_LEAF,     /* a leaf; number: its triangles, holes not counted, 0..16 */
    RICO_DRAWN_CELLS,    /* a rectangle of cells, one cell high; number: how many cells */
    RICO_DRAWN_COLLIDER, /* a collider's box; number: its triangles */
    RICO_DRAWN_TRIANGLE, /* an edge of a triangle; number: the triangle's index in the mesh */
    RICO_DRAWN_RAY,      /* the ray from its origin to the hit, or to its end (at most 10 km) */

    /* An edge of the triangle that was hit, or the normal at the hit; number: the triangle's
     * index in the mesh. */
    RICO_DRAWN_HIT
} rico_drawn_kind;

typedef struct rico_drawn {
    rico_drawn_kind kind;
    uint32_t rgba;     /* 8 bits each, r in the lowest; the colours are listed below */
    uint32_t number;   /* see rico_drawn_kind */
    uint32_t collider; /* slot of the collider; 0: the merged grid, or no collider */
    bool path;         /* the ray of the request meets it */
} rico_drawn;

/* Colours:
 *
 * - Bricks are grey.
 * - Nodes go from blue (level 1) over green and yellow to red (level 5 and deeper).
 * - Leaves go from blue (1 triangle: room is wasted) over green to red (16 triangles: full).
 * - Cells are cyan.
 * - Colliders are white when merged, orange at rest, and magenta when they move.
 * - On the path of a ray, empty bricks are dark. Colliders, other bricks, nodes and leaves have
 *   the colours above. Triangles that the ray is tested against are yellow. The ray is white,
 *   and the hit is red.
 */

/* The callbacks that draw. Either may be NULL. */
typedef struct rico_draw {
    void *user;

    /* Draws a box, in the local space that `place` takes to world space. NULL: boxes are drawn
     * as their twelve edges, by `line`. */
    void (*box)(void *user, const rico_drawn *what, const rico_box *box,
                const rico_transform *place);

    /* Draws a line from a to b, in world space. NULL: lines are left out. */
    void (*line)(void *user, const rico_drawn *what, rico_vec3 a, rico_vec3 b);
} rico_draw;

typedef struct rico_draw_request {
    uint32_t cookie;    /* set by rico_draw_request_default */
    uint32_t what;      /* bits of rico_draw_what [RICO_DRAW_GRID] */

    /* Box of interest; world space. A box or a line is drawn only if its own bounding box
     * touches this one. [everything] */
    rico_box box;

    uint32_t max_count; /* most boxes and lines, > 0; a box drawn by its edges is one [100000] */
    rico_ray ray;       /* for RICO_DRAW_RAY */
    rico_filter filter; /* of that ray [everything] */
} rico_draw_request;

/* Returns a request with all fields at their defaults. */
RICO_API rico_draw_request rico_draw_request_default(void);

typedef struct rico_draw_report {
    uint32_t drawn; /* number of boxes and lines */
    bool cut;       /* there were more than max_count */
} rico_draw_report;

/* Draws what a request asks for.
 *
 * Kinds are drawn in the order of the bits of rico_draw_what. Within a kind the merged grid
 * comes first, then the colliders by slot. When `draw` has no callback, the call draws nothing
 * and counts the boxes alone. `report` may be NULL. On an error nothing is drawn.
 *
 * The path of a ray is that of a ray cast alone. It goes down to every triangle whose box the
 * ray meets before the hit. A triangle that lies in several bricks is drawn in each of them.
 * When the ray starts more than a few thousand cells outside, only the hit is sure to be drawn.
 *
 * Cost: time by all bricks of the scene, and by all that is drawn.
 * Errors:
 *   RICO_UNINITIALIZED_DEF: request was not made by rico_draw_request_default.
 *   RICO_OUT_OF_RANGE: `what` has no bit or an unknown one, the box has lo > hi, or max_count
 *     is 0.
 *   RICO_NOT_FINITE: the box has a NaN.
 */
RICO_API rico_result rico_scene_draw(const rico_scene *scene, const rico_draw_request *request,
                                     const rico_draw *draw, rico_draw_report *report);

#ifdef __cplusplus
}
#endif
#endif
