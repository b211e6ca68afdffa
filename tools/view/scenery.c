#include "scenery.h"

#include <SDL_opengl.h>
#include <math.h>
#include <stdlib.h>

#define DISC_SIDE 32
#define NEAREST 0.05f /* metres */

/* The light of a low sun and of the sky. The haze has the colour of the horizon. */
static const float sun[3] = {-0.62f, -0.52f, 0.59f};
static const float horizon[3] = {0.47f, 0.52f, 0.58f};

/* --- Prepared once per world ----------------------------------------------------------------- */

/* Squaring approximates the screen's curve; the painter has a better one. */
static void put_color(const float color[3], const float n[3])
{
    float facing = n[0] * sun[0] + n[1] * sun[1] + n[2] * sun[2];
    float light = 0.75f * fmaxf(facing, 0.0f), sky = 0.25f + 0.12f * n[2];
    glColor3f(sqrtf(color[0] * (light * 1.1f + sky * 0.9f)), sqrtf(color[1] * (light + sky)),
              sqrtf(color[2] * (light * 0.85f + sky * 1.25f)));
}

static void put_triangle(const rio_mesh *mesh, uint32_t t)
{
    static const float grey[3] = {0.5f, 0.5f, 0.5f};
    const float *corner[3], *color = mesh->colors ? mesh->colors + 3u * (size_t)t : grey;
    for (uint32_t c = 0; c < 3; ++c)
        corner[c] = mesh->positions + 3u * (size_t)mesh->indices[3u * (size_t)t + c];
    const float *p = corner[0], *q = corner[1], *r = corner[2];
    float a[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    float b[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
    float n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                  a[0] * b[1] - a[1] * b[0]};
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 0.0f) || !isfinite(length))
        return;
    for (int i = 0; i < 3; ++i)
        n[i] /= length;
    put_color(color, n);
    for (int c = 0; c < 3; ++c)
        glVertex3fv(corner[c]);
}

static unsigned make_list(const rio_mesh *mesh)
{
    unsigned list = glGenLists(1);
    glNewList(list, GL_COMPILE);
    glBegin(GL_TRIANGLES);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        put_triangle(mesh, t);
    glEnd();
    glEndList();
    return list;
}

/* soft: from the middle to nothing at the rim; hard: full nearly up to the rim. */
static unsigned make_disc(bool soft)
{
    static GLubyte texels[DISC_SIDE][DISC_SIDE][2];
    unsigned name;
    for (int y = 0; y < DISC_SIDE; ++y)
        for (int x = 0; x < DISC_SIDE; ++x) {
            float u = ((float)x + 0.5f) * 2.0f / DISC_SIDE - 1.0f;
            float v = ((float)y + 0.5f) * 2.0f / DISC_SIDE - 1.0f;
            float inside = fmaxf(1.0f - sqrtf(u * u + v * v), 0.0f);
            float alpha = soft ? inside * inside * (3.0f - 2.0f * inside) : inside * 8.0f;
            texels[y][x][0] = (GLubyte)(soft ? 255.0f : 255.0f * (0.72f + 0.28f * inside));
            texels[y][x][1] = (GLubyte)(255.0f * fminf(alpha, 1.0f));
        }
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE_ALPHA, DISC_SIDE, DISC_SIDE, 0,
                 GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, texels);
    return name;
}

void scenery_forget(scenery *s)
{
    if (s->mesh != NULL)
        glDeleteLists(s->list, 1);
    s->mesh = NULL;
}

void scenery_set(scenery *s, const rio_mesh *mesh)
{
    if (s->mesh == mesh)
        return;
    if (s->discs[0] == 0) {
        s->discs[0] = make_disc(false);
        s->discs[1] = make_disc(true);
    }
    rico_box b = rio_mesh_bounds(mesh);
    float x = b.hi.x - b.lo.x, y = b.hi.y - b.lo.y, z = b.hi.z - b.lo.z;
    s->mesh = mesh;
    s->list = make_list(mesh);
    s->reach = fmaxf(4.0f * sqrtf(x * x + y * y + z * z), 100.0f);
}

/* --- A frame ------------------------------------------------------------------------------ */

static void set_camera(const scenery *s, const fly *camera, int width, int height)
{
    fly_axes a = fly_axes_of(camera);
    rico_vec3 e = camera->eye, r = a.right, u = a.up, f = a.forward;
    double top = NEAREST * tan(0.5 * (double)camera->fov_degrees * 0.0174532925);
    double side = top * (double)width / (double)height;
    const float view[16] = {r.x, u.x, -f.x, 0.0f, r.y,  u.y,  -f.y, 0.0f,
                            r.z, u.z, -f.z, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f};
    glViewport(0, 0, width, height);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-side, side, -top, top, NEAREST, (double)s->reach);
    glMatrixMode(GL_MODELVIEW);
    glLoadMatrixf(view);
    glTranslatef(-e.x, -e.y, -e.z);
}

static void draw_world(const scenery *s)
{
    const float haze[4] = {horizon[0], horizon[1], horizon[2], 1.0f};
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    glDisable(GL_TEXTURE_2D);
    glEnable(GL_FOG);
    glFogi(GL_FOG_MODE, GL_EXP);
    glFogf(GL_FOG_DENSITY, 1.2f / s->reach);
    glFogfv(GL_FOG_COLOR, haze);
    glCallList(s->list);
    glDisable(GL_FOG);
}

static void draw_layer(const sprites *p, sprite_layer layer)
{
    glDrawArrays(GL_QUADS, (GLint)(4u * p->first[layer]), (GLsizei)(4u * p->count[layer]));
}

/* Lights add, and smoke covers, in no order: smoke is not sorted here. */
static void draw_particles(const scenery *s, const sprites *p)
{
    if (p->vertices == NULL)
        return;
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glVertexPointer(3, GL_FLOAT, sizeof *p->vertices, p->vertices->position);
    glTexCoordPointer(2, GL_FLOAT, sizeof *p->vertices, p->vertices->uv);
    glColorPointer(4, GL_UNSIGNED_BYTE, sizeof *p->vertices, &p->vertices->rgba);
    glEnable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, s->discs[0]);
    glEnable(GL_ALPHA_TEST);
    glAlphaFunc(GL_GREATER, 0.2f);
    draw_layer(p, SPRITE_SOLID);
    glDisable(GL_ALPHA_TEST);
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    glBindTexture(GL_TEXTURE_2D, s->discs[1]);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    draw_layer(p, SPRITE_SMOKE);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE);
    draw_layer(p, SPRITE_LIGHT);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDisableClientState(GL_TEXTURE_COORD_ARRAY);
    glDisableClientState(GL_COLOR_ARRAY);
}

static void put_lines(const rio_line *lines, uint32_t count, float opacity)
{
    glBegin(GL_LINES);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t c = lines[i].rgba;
        float alpha = opacity * (float)(c >> 24);
        glColor4ub(c & 255u, c >> 8 & 255u, c >> 16 & 255u, (GLubyte)alpha);
        glVertex3fv(&lines[i].a.x);
        glVertex3fv(&lines[i].b.x);
    }
    glEnd();
}

/* Lines are faint where something is in front of them, as in the painter's pictures. */
static void draw_lines(const rio_line *lines, uint32_t count)
{
    glDisable(GL_TEXTURE_2D);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    put_lines(lines, count, 0.8f);
    glDisable(GL_DEPTH_TEST);
    put_lines(lines, count, 0.15f);
}

void scenery_draw(const scenery *s, const fly *camera, int width, int height,
                  const sprites *particles, const rio_line *lines, uint32_t line_count)
{
    glDepthMask(GL_TRUE);
    glClearColor(horizon[0], horizon[1], horizon[2], 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    set_camera(s, camera, width, height);
    draw_world(s);
    draw_particles(s, particles);
    draw_lines(lines, line_count);
}
