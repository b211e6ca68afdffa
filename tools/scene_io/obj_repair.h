/* obj_repair.h - an OBJ file without the faces that name vertices it does not have. Private to
 * scene_io.
 *
 * Assimp refuses a whole OBJ file because of one such face; an engine wants the other 66,453.
 */
#ifndef RIO_OBJ_REPAIR_H
#define RIO_OBJ_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blanks, in place, every f, l and p line that names a vertex before the first or after the last
 * one of the text. Negative numbers count back from that line. Returns the number of f lines
 * blanked.
 */
uint32_t rio_obj_blank_bad_faces(char *text, size_t bytes);

/* The end of path is ".obj", in any case. */
bool rio_obj_path(const char *path);

#endif
