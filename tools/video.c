#include "video.h"

#include "picture.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool fail(const video *v, const char *what, const char *why, char *error,
                 size_t error_bytes)
{
    snprintf(error, error_bytes, "%s: cannot be written: %s%s", v->file.path, what, why);
    return false;
}

/* --- Starting ----------------------------------------------------------------------------- */

/* ffmpeg must not inherit either end: it would wait for itself to close its input. */
static bool open_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

/* Returns what posix_spawnp does: 0 or an error number. */
static int spawn(video *v, char *const arguments[], int input, int errors)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    int result = posix_spawn_file_actions_init(&files);
    if (result != 0)
        return result;
    posix_spawnattr_init(&attributes);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
    result = posix_spawnp(&v->ffmpeg, "ffmpeg", &files, &attributes, arguments, environ);
    if (result != 0)
        v->ffmpeg = 0;
    v->draft->writer = v->ffmpeg;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return result;
}

/* yuv420p is what every player knows; it needs even sides. */
static int start_ffmpeg(video *v, uint32_t fps, int input, int errors)
{
    char size[32], rate[16], target[OUTPUT_PATH_BYTES + 8];
    snprintf(size, sizeof size, "%ux%u", v->width, v->height);
    snprintf(rate, sizeof rate, "%u", fps);
    snprintf(target, sizeof target, "file:%s", v->draft->path);
    char *const arguments[] = {
        "ffmpeg",     "-hide_banner", "-loglevel", "error",  "-nostats",    "-y",
        "-f",         "rawvideo",     "-pix_fmt",  "rgb24",  "-video_size", size,
        "-framerate", rate,           "-i",        "pipe:0", "-an",         "-pix_fmt",
        "yuv420p",    "-f",           "mp4",       target,   NULL};
    return spawn(v, arguments, input, errors);
}

static bool connect_ffmpeg(video *v, uint32_t fps, char *error, size_t error_bytes)
{
    int input[2], errors[2];
    if (!open_pipe(input))
        return fail(v, "", strerror(errno), error, error_bytes);
    v->frames = input[1];
    if (!open_pipe(errors)) {
        close(input[0]);
        return fail(v, "", strerror(errno), error, error_bytes);
    }
    v->messages = errors[0];
    int result = start_ffmpeg(v, fps, input[0], errors[1]);
    close(input[0]);
    close(errors[1]);
    fcntl(v->frames, F_SETFL, O_NONBLOCK);
    if (result == ENOENT)
        return fail(v, "there is no ffmpeg in $PATH; install the package ffmpeg", "", error,
                    error_bytes);
    return result == 0 || fail(v, "ffmpeg: ", strerror(result), error, error_bytes);
}

/* ffmpeg seeks in the file, so ffmpeg itself has to open it for writing. */
static bool open_draft(video *v, char *error, size_t error_bytes)
{
    int descriptor;
    v->draft = output_draft_open(&v->file, &descriptor);
    if (v->draft == NULL)
        return fail(v, "", strerror(errno), error, error_bytes);
    close(descriptor);
    signal(SIGPIPE, SIG_IGN); /* if ffmpeg stops, that is an error, not this process's end */
    return true;
}

bool video_open(const run_options *options, const output_file *file, video *out, char *error,
                size_t error_bytes)
{
    memset(out, 0, sizeof *out);
    out->frames = out->messages = -1;
    out->file = *file;
    out->width = options->video_width & ~1u;
    out->height = options->video_width * 9 / 16 & ~1u;
    rico_jobs_def jobs = rico_jobs_def_default();
    jobs.worker_count = options->threads;
    rico_result result = rico_jobs_create(&jobs, &out->painters);
    if (result != RICO_OK)
        return fail(out, "the painters: ", rico_result_text(result), error, error_bytes);
    return open_draft(out, error, error_bytes) &&
           connect_ffmpeg(out, options->video_fps, error, error_bytes);
}

/* --- Pictures ----------------------------------------------------------------------------- */

/* Keeps the last line of ffmpeg's output that is not empty: it names the reason. */
static void keep_last_line(video *v, const char *text, size_t bytes)
{
    size_t length = strlen(v->said);
    for (size_t i = 0; i < bytes; ++i) {
        bool line_begins = length > 0 && v->said[length - 1] == '\n';
        if (text[i] == '\r' || (text[i] == '\n' && (length == 0 || line_begins)))
            continue;
        if (line_begins)
            length = 0;
        if (length + 1 < sizeof v->said - 1 || (text[i] == '\n' && length + 1 < sizeof v->said))
            v->said[length++] = (unsigned char)text[i] < ' ' && text[i] != '\n' ? ' ' : text[i];
    }
    v->said[length] = '\0';
}

/* Returns false when ffmpeg has closed its end. */
static bool listen_to(video *v)
{
    char text[512];
    ssize_t got = read(v->messages, text, sizeof text);
    if (got > 0)
        keep_last_line(v, text, (size_t)got);
    return got > 0 || (got < 0 && errno == EINTR);
}

/* Waits for ffmpeg's end, and reports its status. */
static bool bury(video *v, char *error, size_t error_bytes)
{
    int status = 0;
    char why[64] = "";
    close_end(&v->frames);
    while (listen_to(v)) {
    }
    while (waitpid(v->ffmpeg, &status, 0) < 0 && errno == EINTR) {
    }
    v->ffmpeg = v->draft->writer = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "stopped by signal %d", WTERMSIG(status));
    else
        snprintf(why, sizeof why, "exit status %d", WEXITSTATUS(status));
    v->said[strcspn(v->said, "\n")] = '\0';
    return fail(v, "ffmpeg: ", v->said[0] ? v->said : why, error, error_bytes);
}

/* ffmpeg may write messages before it has read everything. Both pipes are served, or each side
 * would wait for the other. */
static bool hand_over(video *v, const uint8_t *bytes, size_t count, char *error,
                      size_t error_bytes)
{
    bool talks = true;
    while (count > 0) {
        struct pollfd ends[2] = {{v->frames, POLLOUT, 0},
                                 {talks ? v->messages : -1, POLLIN, 0}};
        if (poll(ends, 2, -1) < 0 && errno != EINTR)
            return fail(v, "", strerror(errno), error, error_bytes);
        if (ends[1].revents != 0)
            talks = listen_to(v);
        if (ends[0].revents == 0)
            continue;
        ssize_t written = write(v->frames, bytes, count);
        if (written >= 0) {
            bytes += written;
            count -= (size_t)written;
        } else if (errno != EINTR && errno != EAGAIN) {
            return bury(v, error, error_bytes) && /* it ended early, without an error */
                   fail(v, "ffmpeg: ", "it ended early", error, error_bytes);
        }
    }
    return true;
}

bool video_frame(video *v, const run_options *options, const run_world *w, uint32_t frame,
                 char *error, size_t error_bytes)
{
    rio_image image;
    if (frame % (60u / options->video_fps) != 0)
        return true;
    if (!v->aimed)
        v->camera = picture_camera(w);
    v->aimed = true;
    picture_def def = {&options->view, v->camera, v->width, v->height, v->painters};
    rico_result result = picture_paint(w, &def, &image);
    if (result != RICO_OK)
        return fail(v, "", rico_result_text(result), error, error_bytes);
    bool taken =
        hand_over(v, image.pixels, (size_t)3 * v->width * v->height, error, error_bytes);
    rio_image_free(&image);
    return taken;
}

/* --- The end ------------------------------------------------------------------------------ */

bool video_close(video *v, char *error, size_t error_bytes)
{
    if (v->ffmpeg == 0)
        return true;
    struct stat written;
    if (!bury(v, error, error_bytes))
        return false;
    if (stat(v->draft->path, &written) != 0 || written.st_size == 0)
        return fail(v, "ffmpeg: ", "it wrote nothing", error, error_bytes);
    bool kept = output_draft_keep(v->draft, &v->file);
    v->draft = NULL;
    return kept || fail(v, "", strerror(errno), error, error_bytes);
}

void video_free(video *v)
{
    if (v->file.path[0] == '\0')
        return;
    close_end(&v->frames);
    if (v->ffmpeg != 0) {
        kill(v->ffmpeg, SIGKILL);
        while (waitpid(v->ffmpeg, NULL, 0) < 0 && errno == EINTR) {
        }
        v->draft->writer = 0;
    }
    close_end(&v->messages);
    output_draft_drop(v->draft);
    signal(SIGPIPE, SIG_DFL);
    rico_jobs_destroy(v->painters);
    memset(v, 0, sizeof *v);
}
