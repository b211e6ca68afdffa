#define _XOPEN_SOURCE 700 /* fseeko, fmemopen */

#include "mesh_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Owner: Assimp, from open_file to close_file. calls must come first, because Assimp knows only
 * that member. */
typedef struct open_mesh {
    struct aiFile calls;
    FILE *file;
    off_t begin; /* after a byte order mark */
} open_mesh;

static open_mesh *mesh_of(struct aiFile *file)
{
    return (open_mesh *)(void *)file;
}

static size_t read_from(struct aiFile *file, char *bytes, size_t size, size_t count)
{
    return fread(bytes, size, count, mesh_of(file)->file);
}

static size_t write_nothing(struct aiFile *file, const char *bytes, size_t size, size_t count)
{
    (void)file, (void)bytes, (void)size, (void)count;
    return 0;
}

static size_t tell(struct aiFile *file)
{
    const open_mesh *mesh = mesh_of(file);
    return (size_t)(ftello(mesh->file) - mesh->begin);
}

static size_t size_of(struct aiFile *file)
{
    const open_mesh *mesh = mesh_of(file);
    off_t at = ftello(mesh->file);
    if (fseeko(mesh->file, 0, SEEK_END) != 0)
        return 0;
    off_t end = ftello(mesh->file);
    fseeko(mesh->file, at, SEEK_SET);
    return (size_t)(end - mesh->begin);
}

static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    const open_mesh *mesh = mesh_of(file);
    int whence = origin == aiOrigin_SET   ? SEEK_SET
                 : origin == aiOrigin_CUR ? SEEK_CUR
                                          : SEEK_END;
    off_t to = (off_t)offset + (whence == SEEK_SET ? mesh->begin : 0);
    return fseeko(mesh->file, to, whence) == 0 ? aiReturn_SUCCESS : aiReturn_FAILURE;
}

static void flush_nothing(struct aiFile *file)
{
    (void)file;
}

/* --- Opening ------------------------------------------------------------------------------ */

size_t mesh_source_mark(const char *text, size_t bytes)
{
    return bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* An OBJ file or its materials, which are text by definition. */
static bool may_have_mark(const char *path)
{
    size_t length = strlen(path);
    const char *end = path + (length >= 4 ? length - 4 : 0);
    return strcasecmp(end, ".obj") == 0 || strcasecmp(end, ".mtl") == 0;
}

static void skip_mark(open_mesh *mesh, const char *path)
{
    char first[3];
    if (!may_have_mark(path))
        return;
    size_t bytes = fread(first, 1, sizeof first, mesh->file);
    mesh->begin = (off_t)mesh_source_mark(first, bytes);
    fseeko(mesh->file, mesh->begin, SEEK_SET);
}

static bool is_known(const rio_mesh *mesh, const char *path)
{
    for (uint32_t i = 0; i < mesh->other_count; i++)
        if (strcmp(mesh->others[i], path) == 0)
            return true;
    return false;
}

static void keep_name(mesh_source *source, const char *path)
{
    rio_mesh *out = source->out;
    if (strcmp(path, source->path) == 0 || is_known(out, path))
        return;
    char **grown = realloc(out->others, (out->other_count + 1u) * sizeof *grown);
    if (grown != NULL)
        out->others = grown;
    char *copy = grown != NULL ? malloc(strlen(path) + 1) : NULL;
    source->out_of_memory |= copy == NULL;
    if (copy == NULL)
        return;
    strcpy(copy, path);
    out->others[out->other_count++] = copy;
}

static FILE *open_text(const mesh_source *source, const char *path)
{
    struct stat info;
    if (strcmp(path, source->path) == 0)
        return source->text != NULL ? fmemopen(source->text, source->bytes, "r")
                                    : fopen(path, "rb");
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
}

static struct aiFile *open_file(struct aiFileIO *io, const char *path, const char *mode)
{
    mesh_source *source = (mesh_source *)(void *)io->UserData;
    open_mesh *mesh = mode[0] == 'r' ? calloc(1, sizeof *mesh) : NULL;
    if (mesh == NULL)
        return NULL;
    mesh->file = open_text(source, path);
    if (mesh->file == NULL) {
        free(mesh);
        return NULL;
    }
    mesh->calls = (struct aiFile){.ReadProc = read_from,
                                  .WriteProc = write_nothing,
                                  .TellProc = tell,
                                  .FileSizeProc = size_of,
                                  .SeekProc = seek,
                                  .FlushProc = flush_nothing};
    skip_mark(mesh, path);
    keep_name(source, path);
    return &mesh->calls;
}

static void close_file(struct aiFileIO *io, struct aiFile *file)
{
    (void)io;
    fclose(mesh_of(file)->file);
    free(file);
}

struct aiFileIO mesh_source_io(mesh_source *source)
{
    return (struct aiFileIO){
        .OpenProc = open_file, .CloseProc = close_file, .UserData = (aiUserData)(void *)source};
}
