/* Lines over a picture: where they are drawn, and what hides them. */
#include "testing.h"

#include "float_bvh.h"
#include "painter.h"

enum { WIDTH = 96, HEIGHT = 64 };

/* A wall at x = 10, seen from the origin along +x; y is to the left, z up. */
static rico_result paint(const rio_line *lines, uint32_t count, rio_image *out)
{
    static const float positions[] = {10, -4, -4, 10, 4, -4, 10, 4, 4, 10, -4, 4};
    static const uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    const rico_mesh wall = {
        .positions = positions, .vertex_count = 4, .indices = indices, .triangle_count = 2};
    rio_bvh *bvh;
    CHECK_EQ(rio_bvh_create(&wall, &bvh), RICO_OK);
    rio_picture_def def = rio_picture_def_default();
    def.caster = (rio_caster){rio_bvh_cast, bvh};
    def.camera.eye = (rico_vec3){0, 0, 0};
    def.camera.target = (rico_vec3){1, 0, 0};
    def.camera.fov_degrees = 90.0f;
    def.width = WIDTH;
    def.height = HEIGHT;
    def.lines = lines;
    def.line_count = count;
    rico_result result = rio_paint(&def, out);
    rio_bvh_destroy(bvh);
    return result;
}

/* Sums the differences of the pixels in those rows and columns, over all channels. */
static long difference(const rio_image *a, const rio_image *b, uint32_t y0, uint32_t y1,
                       uint32_t x0, uint32_t x1)
{
    long sum = 0;
    for (uint32_t y = y0; y < y1; ++y)
        for (uint32_t x = x0; x < x1; ++x)
            for (uint32_t c = 0; c < 3; ++c) {
                size_t at = ((size_t)y * WIDTH + x) * 3 + c;
                sum += labs((long)a->pixels[at] - (long)b->pixels[at]);
            }
    return sum;
}

#define GREEN 0xff00ff00u

TEST(scene_io, lines_are_drawn_where_they_are)
{
    /* At a distance of 5 m, 90 degrees over 64 rows: a pixel is 10 / 64 m. */
    const rio_line line = {{5, 2.0f, 1.0f}, {5, -2.0f, 1.0f}, GREEN};
    rio_image without, with;
    CHECK_EQ(paint(NULL, 0, &without), RICO_OK);
    CHECK_EQ(paint(&line, 1, &with), RICO_OK);
    long all = difference(&without, &with, 0, HEIGHT, 0, WIDTH);
    uint32_t row = HEIGHT / 2 - (uint32_t)HEIGHT / 10;
    uint32_t first = WIDTH / 2 - 2 * (uint32_t)HEIGHT / 10, last = WIDTH - first;
    CHECK(all > 25 * 60);
    CHECK_EQ(difference(&without, &with, row - 2, row + 2, first - 2, last + 2), all);
    CHECK(difference(&without, &with, row - 2, row + 2, first + 1, first + 4) > 3 * 60);
    CHECK(difference(&without, &with, row - 2, row + 2, last - 4, last - 1) > 3 * 60);
    rio_image_free(&without);
    rio_image_free(&with);
}

TEST(scene_io, lines_behind_a_surface_are_faint)
{
    const rio_line before = {{9, 2, 1}, {9, -2, 1}, GREEN};
    const rio_line on = {{10, 2, 1}, {10, -2, 1}, GREEN};
    const rio_line behind = {{12, 2, 1}, {12, -2, 1}, GREEN};
    rio_image none, a, b, c;
    CHECK_EQ(paint(NULL, 0, &none), RICO_OK);
    CHECK_EQ(paint(&before, 1, &a), RICO_OK);
    CHECK_EQ(paint(&on, 1, &b), RICO_OK);
    CHECK_EQ(paint(&behind, 1, &c), RICO_OK);
    long seen = difference(&none, &a, 0, HEIGHT, 0, WIDTH);
    long near = difference(&none, &b, 0, HEIGHT, 0, WIDTH);
    long hidden = difference(&none, &c, 0, HEIGHT, 0, WIDTH);
    CHECK_MSG(near > seen / 2 && hidden < seen / 5, "%ld, %ld, %ld", seen, near, hidden);
    rio_image_free(&none);
    rio_image_free(&a);
    rio_image_free(&b);
    rio_image_free(&c);
}

TEST(scene_io, lines_through_the_eye_or_nowhere_do_no_harm)
{
    const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 1e38f, 1e-40f, 0.0f};
    rio_line lines[8 * 6];
    for (uint32_t i = 0; i < 48; ++i) {
        lines[i] = (rio_line){{-3, 0, 0}, {5, 1, 1}, GREEN};
        float *at[6] = {&lines[i].a.x, &lines[i].a.y, &lines[i].a.z,
                        &lines[i].b.x, &lines[i].b.y, &lines[i].b.z};
        *at[i % 6] = bad[i / 6];
    }
    rio_image image;
    CHECK_EQ(paint(lines, 48, &image), RICO_OK);
    rio_image_free(&image);
}
