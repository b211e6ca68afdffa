/* mesh_file.c - Assimp's scene graph flattened to one indexed mesh.
 *
 * Of Assimp's post-processing only the cutting of polygons is used. The rest has drawbacks: it
 * joins only corners with equal normals and coordinates, it drops groups when it applies
 * transforms, and it "finds invalid data" silently. The code below does these steps itself and
 * counts what it loses.
 */
#include "mesh_file.h"

#include "mesh_source.h"
#include "obj_repair.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct loader {
    rio_mesh *out;
    rio_mesh_options options;
    uint32_t corner_count; /* written so far, before they are joined */
} loader;

static rico_result fail(rico_result result, char *error, size_t bytes, const char *format, ...)
    RICO_PRINTF(4, 5);

static rico_result fail(rico_result result, char *error, size_t bytes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (error != NULL && bytes > 0)
        vsnprintf(error, bytes, format, arguments);
    va_end(arguments);
    for (char *at = error; at != NULL && bytes > 0 && *at != '\0'; at++)
        if (*at == '\n' || *at == '\r')
            *at = ' ';
    return result;
}

static bool by_triangle(const struct aiFace *face)
{
    return face->mNumIndices == 3;
}

static void count_node(const struct aiScene *scene, const struct aiNode *node, uint64_t *count)
{
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        const struct aiMesh *mesh = scene->mMeshes[node->mMeshes[i]];
        for (unsigned f = 0; f < mesh->mNumFaces; f++)
            *count += by_triangle(&mesh->mFaces[f]) ? 1 : 0;
    }
    for (unsigned i = 0; i < node->mNumChildren; i++)
        count_node(scene, node->mChildren[i], count);
}

/* The triangles that the polygons of all meshes should give, or have given. */
static uint64_t triangles_of_meshes(const struct aiScene *scene)
{
    uint64_t count = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; m++)
        for (unsigned f = 0; f < scene->mMeshes[m]->mNumFaces; f++) {
            unsigned corners = scene->mMeshes[m]->mFaces[f].mNumIndices;
            count += corners >= 3 ? corners - 2 : 0;
        }
    return count;
}

/* A grey that says "stone", a little different per group, when the file has no material. */
static void neutral_color(const struct aiMesh *mesh, float color[3])
{
    uint32_t h = 2166136261u;
    for (unsigned i = 0; i < mesh->mName.length; i++)
        h = (h ^ (unsigned char)mesh->mName.data[i]) * 16777619u;
    h ^= h >> 15;
    float value = 0.50f + 0.12f * ((float)(h & 255u) / 255.0f);
    float warm = 0.02f + 0.07f * ((float)(h >> 8 & 255u) / 255.0f);
    color[0] = value + warm;
    color[1] = value;
    color[2] = value - warm * 1.3f;
}

static void material_color(const struct aiScene *scene, const struct aiMesh *mesh,
                           float color[3])
{
    neutral_color(mesh, color);
    if (mesh->mMaterialIndex >= scene->mNumMaterials)
        return;
    const struct aiMaterial *material = scene->mMaterials[mesh->mMaterialIndex];
    struct aiString name;
    if (aiGetMaterialString(material, AI_MATKEY_NAME, &name) == AI_SUCCESS &&
        strcmp(name.data, "DefaultMaterial") == 0)
        return;
    struct aiColor4D diffuse;
    if (aiGetMaterialColor(material, AI_MATKEY_BASE_COLOR, &diffuse) != AI_SUCCESS &&
        aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &diffuse) != AI_SUCCESS)
        return;
    const float rgb[3] = {diffuse.r, diffuse.g, diffuse.b};
    for (int k = 0; k < 3; k++)
        color[k] = rgb[k] > 0.0f ? (rgb[k] < 1.0f ? rgb[k] : 1.0f) : 0.0f;
}

static void write_corner(loader *l, const struct aiMatrix4x4 *m, const struct aiVector3D *v)
{
    float x = m->a1 * v->x + m->a2 * v->y + m->a3 * v->z + m->a4;
    float y = m->b1 * v->x + m->b2 * v->y + m->b3 * v->z + m->b4;
    float z = m->c1 * v->x + m->c2 * v->y + m->c3 * v->z + m->c4;
    float *p = l->out->positions + (size_t)l->corner_count * 3;
    float s = l->options.scale;
    /* + 0 makes a negative zero positive, so that joining by bits sees them as equal. */
    p[0] = x * s + 0.0f;
    p[1] = (l->options.up == RIO_UP_Y ? -z : y) * s + 0.0f;
    p[2] = (l->options.up == RIO_UP_Y ? y : z) * s + 0.0f;
    l->corner_count++;
}

static void write_mesh(loader *l, const struct aiScene *scene, const struct aiMesh *mesh,
                       const struct aiMatrix4x4 *transform)
{
    float color[3];
    material_color(scene, mesh, color);
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (!by_triangle(face))
            continue;
        if (face->mIndices[0] >= mesh->mNumVertices ||
            face->mIndices[1] >= mesh->mNumVertices ||
            face->mIndices[2] >= mesh->mNumVertices) {
            l->out->dropped_index++;
            continue;
        }
        float *rgb = l->out->colors + (size_t)l->corner_count;
        for (int k = 0; k < 3; k++) {
            const struct aiColor4D *c = mesh->mColors[0];
            const unsigned *v = face->mIndices;
            rgb[k] = color[k];
            if (c != NULL)
                rgb[k] *= ((&c[v[0]].r)[k] + (&c[v[1]].r)[k] + (&c[v[2]].r)[k]) / 3.0f;
        }
        for (int c = 0; c < 3; c++)
            write_corner(l, transform, &mesh->mVertices[face->mIndices[c]]);
    }
}

static void write_node(loader *l, const struct aiScene *scene, const struct aiNode *node,
                       const struct aiMatrix4x4 *above)
{
    struct aiMatrix4x4 transform = *above;
    aiMultiplyMatrix4(&transform, &node->mTransformation);
    for (unsigned i = 0; i < node->mNumMeshes; i++)
        write_mesh(l, scene, scene->mMeshes[node->mMeshes[i]], &transform);
    for (unsigned i = 0; i < node->mNumChildren; i++)
        write_node(l, scene, node->mChildren[i], &transform);
}

/* Joins corners of equal bits, in place: positions shrink to one per vertex. Vertices are in the
 * order of first use, so the result does not depend on the hash. */
static bool join_corners(rio_mesh *mesh, uint32_t corner_count)
{
    uint32_t slots = 16;
    while (slots / 2 < corner_count && slots < 1u << 31)
        slots *= 2;
    uint32_t *table = malloc((size_t)slots * sizeof *table);
    if (table == NULL)
        return false;
    memset(table, 0xff, (size_t)slots * sizeof *table);
    for (uint32_t c = 0; c < corner_count; c++) {
        const float *p = mesh->positions + (size_t)c * 3;
        uint32_t bits[3];
        memcpy(bits, p, sizeof bits);
        uint64_t h = bits[0] * 0x9e3779b97f4a7c15ULL;
        h = (h ^ (h >> 29) ^ bits[1]) * 0xbf58476d1ce4e5b9ULL;
        h = (h ^ (h >> 31) ^ bits[2]) * 0x94d049bb133111ebULL;
        uint32_t slot = (uint32_t)(h >> 33) & (slots - 1);
        while (table[slot] != UINT32_MAX &&
               memcmp(mesh->positions + (size_t)table[slot] * 3, bits, sizeof bits) != 0)
            slot = (slot + 1) & (slots - 1);
        if (table[slot] == UINT32_MAX) {
            table[slot] = mesh->vertex_count++;
            memcpy(mesh->positions + (size_t)table[slot] * 3, bits, sizeof bits);
        }
        mesh->indices[c] = table[slot];
    }
    free(table);
    float *less = realloc(mesh->positions, (size_t)mesh->vertex_count * 3 * sizeof(float));
    if (less != NULL)
        mesh->positions = less;
    return true;
}

static rico_result flatten(const struct aiScene *scene, const rio_mesh_options *options,
                           const char *path, rio_mesh *out, char *error, size_t bytes)
{
    uint64_t wanted = triangles_of_meshes(scene), triangles = 0;
    if (aiApplyPostProcessing(scene, aiProcess_Triangulate) == NULL)
        return fail(RICO_BAD_FILE, error, bytes,
                    "%s: Assimp could not cut its polygons into "
                    "triangles: %s",
                    path, aiGetErrorString());
    if (scene->mRootNode != NULL)
        count_node(scene, scene->mRootNode, &triangles);
    if (triangles == 0)
        return fail(RICO_EMPTY_MESH, error, bytes,
                    "%s: holds no triangle; expected a mesh with "
                    "faces",
                    path);
    if (triangles > INT32_MAX / 3)
        return fail(RICO_BAD_FILE, error, bytes, "%s: has %llu triangles; expected at most %d",
                    path, (unsigned long long)triangles, INT32_MAX / 3);
    uint64_t made = triangles_of_meshes(scene);
    out->dropped_faces = wanted > made ? (uint32_t)(wanted - made) : 0;
    out->positions = malloc(triangles * 9 * sizeof(float));
    out->indices = malloc(triangles * 3 * sizeof(uint32_t));
    out->colors = malloc(triangles * 3 * sizeof(float));
    loader l = {out, *options, 0};
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    if (out->positions != NULL && out->indices != NULL && out->colors != NULL) {
        write_node(&l, scene, scene->mRootNode, &identity);
        if (join_corners(out, l.corner_count)) {
            out->triangle_count = l.corner_count / 3;
            return RICO_OK;
        }
    }
    return fail(RICO_OUT_OF_MEMORY, error, bytes, "%s: no memory for its %llu triangles", path,
                (unsigned long long)triangles);
}

/* Returns the whole file; *bytes is its size. NULL with errno set when it cannot be read. */
static char *read_all(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, capacity = 1 << 16;
    if (file == NULL)
        return NULL;
    for (;;) {
        char *bigger = realloc(text, capacity);
        if (bigger == NULL)
            break;
        text = bigger;
        size += fread(text + size, 1, capacity - size, file);
        if (size < capacity) {
            bool bad = ferror(file) != 0;
            fclose(file);
            if (bad)
                free(text);
            *bytes = size;
            return bad ? NULL : text;
        }
        capacity *= 2;
    }
    fclose(file);
    free(text);
    return NULL;
}

/* Assimp has refused the file. If the cause was a bad face of an OBJ file, tries once more
 * without such faces. */
static const struct aiScene *import_repaired(mesh_source *source, struct aiFileIO *io,
                                             uint32_t *dropped)
{
    const char *path = source->path;
    source->text = rio_obj_path(path) ? read_all(path, &source->bytes) : NULL;
    if (source->text == NULL)
        return NULL;
    size_t mark = mesh_source_mark(source->text, source->bytes);
    *dropped = rio_obj_blank_bad_faces(source->text + mark, source->bytes - mark);
    return *dropped > 0 ? aiImportFileEx(path, 0, io) : NULL;
}

static rico_result look_at_file(const char *path, char *error, size_t bytes)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return fail(RICO_NOT_FOUND, error, bytes, "%s: %s; expected a mesh file", path,
                    strerror(errno));
    if (S_ISDIR(info.st_mode))
        return fail(RICO_NOT_FOUND, error, bytes, "%s: is a directory; expected a mesh file",
                    path);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return fail(RICO_NOT_FOUND, error, bytes,
                    "%s: cannot be read (%s); expected a mesh file", path, strerror(errno));
    int first = fgetc(file);
    fclose(file);
    if (first == EOF)
        return fail(RICO_BAD_FILE, error, bytes, "%s: is empty; expected a mesh file", path);
    return RICO_OK;
}

static rico_result import(mesh_source *source, const rio_mesh_options *options, char *error,
                          size_t error_bytes)
{
    uint32_t dropped = 0;
    char reason[256];
    struct aiFileIO io = mesh_source_io(source);
    const struct aiScene *scene = aiImportFileEx(source->path, 0, &io);
    if (scene == NULL) {
        snprintf(reason, sizeof reason, "%s", aiGetErrorString());
        scene = import_repaired(source, &io, &dropped);
    }
    if (scene == NULL)
        return fail(RICO_BAD_FILE, error, error_bytes,
                    "%s: is not a mesh that Assimp can read (%s); expected OBJ, PLY, STL, glTF "
                    "or another format of Assimp",
                    source->path, reason);
    rico_result result = flatten(scene, options, source->path, source->out, error, error_bytes);
    aiReleaseImport(scene);
    source->out->dropped_index += dropped;
    if (result == RICO_EMPTY_MESH && dropped > 0)
        fail(result, error, error_bytes,
             "%s: no triangle left: dropped %u face%s with a vertex that is not in the file; "
             "expected a mesh with faces",
             source->path, dropped, dropped == 1 ? "" : "s");
    return result;
}

rico_result rio_mesh_load(const char *path, const rio_mesh_options *options, rio_mesh *out,
                          char *error, size_t error_bytes)
{
    rio_mesh_options o = {RIO_UP_Z, 1.0f};
    if (options != NULL)
        o = *options;
    if (o.scale == 0.0f)
        o.scale = 1.0f;
    memset(out, 0, sizeof *out);
    rico_result result = look_at_file(path, error, error_bytes);
    if (result != RICO_OK)
        return result;
    mesh_source source = {.path = path, .out = out};
    result = import(&source, &o, error, error_bytes);
    free(source.text);
    if (result == RICO_OK && source.out_of_memory)
        result = fail(RICO_OUT_OF_MEMORY, error, error_bytes,
                      "%s: no memory for the names of the files that it uses", path);
    if (result != RICO_OK)
        rio_mesh_free(out);
    return result;
}

void rio_mesh_free(rio_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->other_count; i++)
        free(mesh->others[i]);
    free(mesh->others);
    free(mesh->positions);
    free(mesh->indices);
    free(mesh->colors);
    memset(mesh, 0, sizeof *mesh);
}

rico_box rio_mesh_bounds(const rio_mesh *mesh)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const float *p = mesh->positions + v * 3;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
            continue;
        for (int k = 0; k < 3; k++) {
            lo[k] = fminf(lo[k], p[k]);
            hi[k] = fmaxf(hi[k], p[k]);
        }
    }
    return (rico_box){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

rico_mesh rio_mesh_view(const rio_mesh *mesh)
{
    return (rico_mesh){.positions = mesh->positions,
                       .vertex_count = mesh->vertex_count,
                       .indices = mesh->indices,
                       .triangle_count = mesh->triangle_count};
}

const char *rio_scene_path(const char *dir, const char *name, char *path, size_t path_bytes)
{
    const char *place = dir != NULL ? dir : getenv("RICO_SCENES");
    if (place == NULL || place[0] == '\0')
        place = "../shared/scenes";
    if (name[0] == '/' || (dir == NULL && access(name, F_OK) == 0))
        snprintf(path, path_bytes, "%s", name);
    else
        snprintf(path, path_bytes, "%s/%s", place, name);
    return path;
}
