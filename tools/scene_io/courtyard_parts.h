/* courtyard_parts.h - the courtyard's layout, and the files that build its parts. Private to
 * scene_io.
 *
 * Seen from above, north (+y) up: arcades west, north and east of the court, a keep in the
 * north, towers in the corners. The south side is open, with stairs down to a path.
 */
#ifndef RIO_COURTYARD_PARTS_H
#define RIO_COURTYARD_PARTS_H

#include "mesh_builder.h"

#define RIO_COURT 13.0f         /* half the side of the court, to the inside of the walls */
#define RIO_COURT_WALL 14.0f    /* the same to the outside of the walls */
#define RIO_COURT_COLUMNS 10.0f /* where the arcades' columns stand */
#define RIO_COURT_BAY 2.5f      /* from column to column */
#define RIO_COURT_SPRING 2.9f   /* where the arches start */
#define RIO_COURT_EAVES 4.5f    /* lower edge of the arcades' roofs */
#define RIO_COURT_WALL_TOP 6.4f
#define RIO_FOUNTAIN_TOP 3.2f
#define RIO_CHIMNEY_TOP 13.2f

#define RIO_BRAZIERS 6
extern const float rio_brazier_at[RIO_BRAZIERS][2]; /* x, y; fire at z = 1.15 */

typedef struct rio_palette {
    float stone[3], dark_stone[3], paving[3], tile[3], slate[3], wood[3], dark_wood[3];
    float grass[3], dry_grass[3], earth[3], leaf[3], cypress[3], water[3], iron[3], red[3],
        blue[3], straw[3], clay[3];
} rio_palette;

extern const rio_palette rio_colors;

/* courtyard.c */
void rio_court_box(rio_builder *b, uint64_t seed, const float color[3], float x0, float y0,
                   float z0, float x1, float y1, float z1);
/* courtyard_house.c */
void rio_courtyard_walls(rio_builder *b, uint64_t seed);
void rio_courtyard_arcades(rio_builder *b, uint64_t seed);
void rio_courtyard_towers(rio_builder *b, uint64_t seed);
void rio_courtyard_keep(rio_builder *b, uint64_t seed);
/* courtyard_props.c */
void rio_courtyard_fountain(rio_builder *b, uint64_t seed);
void rio_courtyard_stairs(rio_builder *b, uint64_t seed);
void rio_courtyard_clutter(rio_builder *b, uint64_t seed);
void rio_courtyard_nature(rio_builder *b, uint64_t seed);

#endif
