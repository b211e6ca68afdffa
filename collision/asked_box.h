/* asked_box.h - a box of the world that one grid after the other is asked about.
 *
 * Threads: pure functions of the scene.
 */
#ifndef RICO_ASKED_BOX_H
#define RICO_ASKED_BOX_H

#include "cell_box.h"
#include "scene_private.h"

static inline bool box_is_valid(const rico_box *box)
{
    return vec3_is_finite(box->lo) && vec3_is_finite(box->hi) && box->lo.x <= box->hi.x &&
           box->lo.y <= box->hi.y && box->lo.z <= box->hi.z;
}

/* A box that one grid is asked about, in that grid's space. */
typedef struct grid_box {
    const rico_scene *scene;
    const rico__grid *grid;
    cell_box cells;
    rico_box box;
} grid_box;

typedef struct asked_trees {
    const grid_box *asked;
    rico__ids_fn *visit;
    void *user;
} asked_trees;

static inline bool ask_tree(void *user, const rico__brick *brick)
{
    const asked_trees *t = user;
    const grid_box *asked = t->asked;
    if (brick->root != 0 && brick_occupied(brick, &asked->cells))
        asked->scene->cast->overlap(asked->grid, brick->root, &asked->box, t->visit, t->user);
    return false;
}

/* Calls visit with the ids of all triangles that may touch the box; some of them come several
 * times. */
static inline void ask_trees(const grid_box *asked, rico__ids_fn *visit, void *user)
{
    asked_trees t = {asked, visit, user};
    each_brick(asked->grid, &asked->cells, ask_tree, &t);
}

static inline rico_box common_box(const rico_box *a, const rico_box *b)
{
    return (rico_box){vec3_max(a->lo, b->lo), vec3_min(a->hi, b->hi)};
}

/* The box in the space of the collider's grid. False: it touches nothing of the collider. */
static inline bool box_for(const rico__collider *c, const rico_box *box, rico_box *local)
{
    *local = *box;
    if (c->placed)
        return true;
    rico_box common = common_box(box, &c->box); /* finite, so that the local box is, too */
    if (common.lo.x > common.hi.x || common.lo.y > common.hi.y || common.lo.z > common.hi.z)
        return false;
    *local = rico__placement_box_back(&c->placement, &common);
    return true;
}

/* The face's corners in the world. placement NULL: they are in the world already. */
static inline void place_corners(const rico__triangles *triangles, const rico__face *face,
                                 const rico__placement *placement, rico_triangle *t)
{
    rico_vec3 *to[3] = {&t->a, &t->b, &t->c};
    for (uint32_t j = 0; j < 3; ++j) {
        const float *at = rico__face_vertex(triangles, face, j)->at;
        *to[j] = vec3(at[0], at[1], at[2]);
        if (placement != NULL)
            *to[j] = rico__placement_point(placement, *to[j]);
    }
}

#endif
