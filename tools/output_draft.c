/* Drafts, and the signals that would leave them behind. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_ATTEMPTS 1000u

/* Signals are taken by the thread that writes, between two of its steps. `used` is set before
 * the file is made, and cleared after it is gone. */
static struct {
    output_draft draft;
    volatile sig_atomic_t used;
} drafts[OUTPUT_MOST_DRAFTS];

/* --- Signals ------------------------------------------------------------------------------ */

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGXCPU};

/* The child is ended first: if it has yet to open the file, it would make it anew. */
static void remove_draft(const output_draft *draft)
{
    if (draft->writer != 0) {
        kill(draft->writer, SIGKILL);
        while (waitpid(draft->writer, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    unlink(draft->path);
}

static void on_deadly(int number)
{
    for (size_t i = 0; i < OUTPUT_MOST_DRAFTS; ++i)
        if (drafts[i].used)
            remove_draft(&drafts[i].draft);
    raise(number); /* the default action by now: SA_RESETHAND */
}

/* A signal that was ignored stays ignored (nohup). One that has another handler, for example a
 * window's, is left to it. */
static void mind_signals(void)
{
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    sigfillset(&action.sa_mask); /* the first signal does all the work */
    action.sa_handler = on_deadly;
    action.sa_flags = (int)SA_RESETHAND;
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; ++i)
        if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(deadly[i], &action, NULL);
}

static void forget_signals(void)
{
    struct sigaction old;
    for (size_t i = 0; i < OUTPUT_MOST_DRAFTS; ++i)
        if (drafts[i].used)
            return;
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; ++i)
        if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler == on_deadly)
            signal(deadly[i], SIG_DFL);
}

/* --- Drafts ------------------------------------------------------------------------------- */

static size_t free_place(void)
{
    size_t i = 0;
    while (i < OUTPUT_MOST_DRAFTS && drafts[i].used)
        ++i;
    return i;
}

static void let_go(output_draft *draft)
{
    for (size_t i = 0; i < OUTPUT_MOST_DRAFTS; ++i)
        if (draft == &drafts[i].draft)
            drafts[i].used = 0;
    forget_signals();
}

/* mkstemp does not fit: its name is unknown until the file exists, and its files are for the
 * owner alone. Asking for the umask would set it, so the system has to apply it. */
static int create(const char *path, output_draft *draft, mode_t mode)
{
    int descriptor = -1;
    errno = EEXIST;
    for (unsigned n = 0; n < MOST_ATTEMPTS && descriptor < 0 && errno == EEXIST; ++n) {
        int length =
            snprintf(draft->path, sizeof draft->path, "%s.%ld-%u.tmp", path, (long)getpid(), n);
        if (length < 0 || (size_t)length >= sizeof draft->path) {
            errno = ENAMETOOLONG;
            return -1;
        }
        descriptor = open(draft->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    }
    return descriptor;
}

output_draft *output_draft_open(const output_file *file, int *descriptor)
{
    struct stat old;
    const bool is_there = stat(file->path, &old) == 0;
    const size_t place = free_place();
    if (place == OUTPUT_MOST_DRAFTS) {
        errno = EMFILE;
        return NULL;
    }
    output_draft *draft = &drafts[place].draft;
    memset(draft, 0, sizeof *draft);
    drafts[place].used = 1;
    mind_signals();
    *descriptor = create(file->path, draft, is_there ? 0600 : 0666);
    int reason = errno;
    if (*descriptor >= 0 && (!is_there || fchmod(*descriptor, old.st_mode & 0777) == 0))
        return draft;
    if (*descriptor >= 0) {
        reason = errno;
        close(*descriptor);
        unlink(draft->path);
    }
    let_go(draft);
    errno = reason;
    return NULL;
}

bool output_draft_keep(output_draft *draft, const output_file *file)
{
    bool kept = rename(draft->path, file->path) == 0;
    int reason = errno;
    if (!kept)
        unlink(draft->path);
    let_go(draft);
    errno = reason;
    return kept;
}

void output_draft_drop(output_draft *draft)
{
    if (draft == NULL)
        return;
    unlink(draft->path);
    let_go(draft);
}
