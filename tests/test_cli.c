/* Files that the program writes: complete or not at all, with the permissions that the file had,
 * and without stray files beside them. */
#define _XOPEN_SOURCE 700
#include "testing.h"

#include "output.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A directory for this test, with a path in it. */
typedef struct yard {
    char dir[256], path[512], error[1024];
    output_file file;
} yard;

static void open_yard(yard *y)
{
    const char *place = getenv("TMPDIR");
    memset(y, 0, sizeof *y);
    snprintf(y->dir, sizeof y->dir, "%s/cli-XXXXXX", place != NULL ? place : "/tmp");
    CHECK(mkdtemp(y->dir) != NULL);
    snprintf(y->path, sizeof y->path, "%s/file", y->dir);
}

/* Counts the entries of the directory, and removes them when asked to. */
static unsigned entries(const yard *y, bool remove_them)
{
    unsigned count = 0;
    char path[1024];
    DIR *dir = opendir(y->dir);
    CHECK(dir != NULL);
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        ++count;
        snprintf(path, sizeof path, "%s/%s", y->dir, e->d_name);
        if (remove_them)
            remove(path);
    }
    closedir(dir);
    return count;
}

static void close_yard(const yard *y)
{
    entries(y, true);
    rmdir(y->dir);
}

static bool probe(yard *y)
{
    return output_probe(y->path, true, &y->file, y->error, sizeof y->error);
}

static bool write_text(yard *y, const char *text)
{
    return output_write(&y->file, text, strlen(text), y->error, sizeof y->error);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    CHECK_EQ(stat(path, &info), 0);
    return info.st_mode & 0777;
}

TEST(cli, a_file_is_written_whole_and_keeps_its_mode)
{
    yard y;
    open_yard(&y);
    mode_t mask = umask(027);
    bool written = probe(&y) && write_text(&y, "new");
    umask(mask);
    CHECK_MSG(written, "%s", y.error);
    CHECK_EQ(mode_of(y.path), 0640);
    CHECK_EQ(chmod(y.path, 0604), 0);
    CHECK_MSG(probe(&y) && write_text(&y, "newer"), "%s", y.error);
    CHECK_EQ(mode_of(y.path), 0604);
    struct stat info;
    CHECK_EQ(stat(y.path, &info), 0);
    CHECK_EQ(info.st_size, 5);
    CHECK_EQ(entries(&y, false), 1);
    close_yard(&y);
}

TEST(cli, a_link_stays_one_and_is_refused_where_it_leads_to_nothing)
{
    yard y;
    char target[600];
    struct stat info;
    open_yard(&y);
    snprintf(target, sizeof target, "%s/target", y.dir);
    CHECK_EQ(symlink("target", y.path), 0);
    CHECK(!probe(&y));
    CHECK_MSG(strstr(y.error, y.path) != NULL && strstr(y.error, "link") != NULL, "%s",
              y.error);
    CHECK_EQ(entries(&y, false), 1);
    close(open(target, O_WRONLY | O_CREAT, 0600));
    CHECK_MSG(probe(&y) && write_text(&y, "new"), "%s", y.error);
    CHECK_EQ(lstat(y.path, &info), 0);
    CHECK(S_ISLNK(info.st_mode));
    CHECK_EQ(stat(target, &info), 0);
    CHECK_EQ(info.st_size, 3);
    CHECK_EQ(entries(&y, false), 2);
    close_yard(&y);
}

TEST(cli, what_cannot_be_written_leaves_nothing_and_is_named)
{
    yard y;
    open_yard(&y);
    snprintf(y.path, sizeof y.path, "%s/none/file", y.dir);
    CHECK(!probe(&y));
    CHECK_MSG(strstr(y.error, y.path) && strstr(y.error, "No such file"), "%s", y.error);
    snprintf(y.path, sizeof y.path, "%s", y.dir);
    CHECK(!probe(&y));
    CHECK_MSG(strstr(y.error, "directory") != NULL, "%s", y.error);
    snprintf(y.path, sizeof y.path, "/dev/full");
    CHECK_MSG(probe(&y), "%s", y.error);
    CHECK(!write_text(&y, "new"));
    CHECK_MSG(strstr(y.error, "No space left") != NULL, "%s", y.error);
    if (geteuid() != 0) { /* root may write anywhere */
        snprintf(y.path, sizeof y.path, "%s/file", y.dir);
        CHECK_EQ(chmod(y.dir, 0500), 0);
        CHECK(!probe(&y));
        CHECK_MSG(strstr(y.error, "Permission denied") != NULL, "%s", y.error);
        CHECK_EQ(chmod(y.dir, 0700), 0);
    }
    CHECK_EQ(entries(&y, false), 0);
    close_yard(&y);
}

/* Ends the process by the signal, with two files half written. */
static void die_writing(yard *y, int number)
{
    int descriptor;
    struct rlimit limit = {0, 0};
    setrlimit(RLIMIT_CORE, &limit);
    signal(number, SIG_DFL); /* under nohup, for example, tests begin with one ignored */
    for (int i = 0; i < 2; ++i)
        if (output_draft_open(&y->file, &descriptor) == NULL)
            _exit(1);
    if (entries(y, false) != 2)
        _exit(2);
    if (number == SIGXFSZ) {
        limit = (struct rlimit){100, 100};
        setrlimit(RLIMIT_FSIZE, &limit);
        static const char much[1000];
        output_write(&y->file, much, sizeof much, y->error, sizeof y->error);
    }
    raise(number);
    _exit(0);
}

TEST(cli, a_signal_that_ends_the_process_leaves_no_draft_and_is_its_end)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
    yard y;
    open_yard(&y);
    CHECK_MSG(probe(&y), "%s", y.error);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        int status = 0;
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0)
            die_writing(&y, numbers[i]);
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK_MSG(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i], "status %d of %d",
                  status, numbers[i]);
        CHECK_EQ(entries(&y, false), 0);
    }
    close_yard(&y);
}

static void ignore(int number)
{
    (void)number;
}

TEST(cli, a_signal_that_is_ignored_or_minded_by_others_stays_so)
{
    yard y;
    int descriptor;
    struct sigaction now, others = {.sa_handler = ignore};
    open_yard(&y);
    CHECK_MSG(probe(&y), "%s", y.error);
    signal(SIGHUP, SIG_IGN);
    sigaction(SIGTERM, &others, NULL);
    output_draft *draft = output_draft_open(&y.file, &descriptor);
    CHECK(draft != NULL);
    raise(SIGHUP);
    raise(SIGTERM);
    CHECK_EQ(entries(&y, false), 1);
    close(descriptor);
    output_draft_drop(draft);
    CHECK(sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
    CHECK(sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler == ignore);
    CHECK(sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
    CHECK_EQ(entries(&y, false), 0);
    signal(SIGHUP, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    close_yard(&y);
}
