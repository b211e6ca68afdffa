/* Permissions come from the directory that a file is in, so a file that is replaced takes those,
 * and only its attributes are kept. */
#define _WIN32_WINNT 0x0602 /* Windows 8 */
#define WIN32_LEAN_AND_MEAN

#include "disk.h"

#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#define PATH_UNITS 4096
#define MOST_ATTEMPTS 1000u

/* Other programs may read, write and replace what we have open. */
#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* A path as Windows takes it, in UTF-16. */
typedef struct wide_path {
    WCHAR text[PATH_UNITS];
} wide_path;

static bool widen(const char *path, wide_path *out)
{
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, out->text, PATH_UNITS) >
           0;
}

/* The words of strerror, where it has some. Windows' own depend on the language. */
static const char *reason(DWORD error)
{
    switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_DIRECTORY:
        return "No such file or directory";
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
        return "Permission denied";
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
        return "another program has it open";
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return "No space left on device";
    case ERROR_INSUFFICIENT_BUFFER:
    case ERROR_FILENAME_EXCED_RANGE:
        return "File name too long";
    case ERROR_NO_UNICODE_TRANSLATION:
        return "the path is not in UTF-8";
    default:
        return "Windows refuses it";
    }
}

/* Opens what is there, a directory, too. */
static HANDLE open_path(const char *path, DWORD access)
{
    wide_path wide;
    if (!widen(path, &wide))
        return INVALID_HANDLE_VALUE;
    return CreateFileW(wide.text, access, SHARE_ALL, NULL, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

const char *rio_disk_name(const char *path)
{
    const char *name = path;
    for (const char *at = path; *at != '\0'; ++at)
        if (*at == '/' || *at == '\\' || (*at == ':' && at == path + 1))
            name = at + 1;
    return name;
}

/* Returns NULL for a regular file. */
static const char *what_else(HANDLE file)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (GetFileType(file) != FILE_TYPE_DISK)
        return "not a regular file";
    if (!GetFileInformationByHandle(file, &info))
        return reason(GetLastError());
    return info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? "a directory" : NULL;
}

FILE *rio_disk_open(const char *path, const char **why)
{
    HANDLE handle = open_path(path, GENERIC_READ);
    if (handle == INVALID_HANDLE_VALUE) {
        *why = reason(GetLastError());
        return NULL;
    }
    *why = what_else(handle);
    int descriptor = *why == NULL ? _open_osfhandle((intptr_t)handle, _O_RDONLY) : -1;
    if (descriptor < 0) {
        *why = *why == NULL ? "too many files are open" : *why;
        CloseHandle(handle);
        return NULL;
    }
    FILE *file = _fdopen(descriptor, "rb");
    *why = "out of memory";
    if (file == NULL)
        _close(descriptor);
    return file;
}

bool rio_disk_has(const char *path)
{
    wide_path wide;
    return widen(path, &wide) && GetFileAttributesW(wide.text) != INVALID_FILE_ATTRIBUTES;
}

/* In UTF-8 a unit of UTF-16 has three bytes at most. */
static bool narrow(const WCHAR *name, char out[3 * MAX_PATH + 1])
{
    return WideCharToMultiByte(CP_UTF8, 0, name, -1, out, 3 * MAX_PATH + 1, NULL, NULL) > 0;
}

bool rio_disk_spells(const char *path)
{
    wide_path wide;
    WIN32_FIND_DATAW found;
    char name[3 * MAX_PATH + 1];
    HANDLE search =
        widen(path, &wide) ? FindFirstFileW(wide.text, &found) : INVALID_HANDLE_VALUE;
    if (search == INVALID_HANDLE_VALUE)
        return true;
    FindClose(search);
    return !narrow(found.cFileName, name) || strcmp(name, rio_disk_name(path)) == 0;
}

/* In units of 100 ns. */
static void split_time(LARGE_INTEGER time, int64_t *seconds, int64_t *nanoseconds)
{
    *seconds = time.QuadPart / 10000000;
    *nanoseconds = time.QuadPart % 10000000 * 100;
}

/* A file that must not be read has a state all the same: its permission may change. */
void rio_disk_stamp(const char *path, rio_file_stamp *out)
{
    FILE_BASIC_INFO times;
    BY_HANDLE_FILE_INFORMATION info;
    memset(out, 0, sizeof *out);
    HANDLE file = open_path(path, FILE_READ_ATTRIBUTES);
    if (file == INVALID_HANDLE_VALUE)
        return;
    if (GetFileInformationByHandleEx(file, FileBasicInfo, &times, sizeof times) &&
        GetFileInformationByHandle(file, &info)) {
        split_time(times.LastWriteTime, &out->seconds, &out->nanoseconds);
        split_time(times.ChangeTime, &out->status_seconds, &out->status_nanoseconds);
        out->bytes = (int64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow;
        out->inode = (int64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
    }
    CloseHandle(file);
}

bool rio_disk_is_busy(const char *path)
{
    HANDLE file = open_path(path, GENERIC_READ);
    if (file == INVALID_HANDLE_VALUE)
        return GetLastError() == ERROR_SHARING_VIOLATION;
    CloseHandle(file);
    return false;
}

void rio_disk_visit(const char *directory, void (*visit)(void *user, const char *name),
                    void *user)
{
    wide_path wide;
    WIN32_FIND_DATAW found;
    char name[3 * MAX_PATH + 1], all[PATH_UNITS];
    const char *end = *rio_disk_name(directory) != '\0' ? "/*" : "*";
    const int length = snprintf(all, sizeof all, "%s%s", directory, end);
    if (length < 0 || (size_t)length >= sizeof all || !widen(all, &wide))
        return;
    HANDLE search = FindFirstFileW(wide.text, &found);
    bool more = search != INVALID_HANDLE_VALUE;
    for (; more; more = FindNextFileW(search, &found))
        if (narrow(found.cFileName, name))
            visit(user, name);
    if (search != INVALID_HANDLE_VALUE)
        FindClose(search);
}

/* --- Replacing ---------------------------------------------------------------------------- */

/* The file that is replaced or created. */
typedef struct target {
    wide_path path;   /* a link resolved */
    DWORD attributes; /* for the new file */
} target;

static bool resolve(HANDLE file, wide_path *path)
{
    const DWORD length = GetFinalPathNameByHandleW(file, path->text, PATH_UNITS, 0);
    if (length >= PATH_UNITS)
        SetLastError(ERROR_FILENAME_EXCED_RANGE);
    return length > 0 && length < PATH_UNITS;
}

/* What the path has is a regular file that may be written. */
static bool check_target(HANDLE file, target *out, const char **why)
{
    BY_HANDLE_FILE_INFORMATION info;
    *why = "it is not a regular file";
    if (GetFileType(file) != FILE_TYPE_DISK)
        return false;
    if (!GetFileInformationByHandle(file, &info)) {
        *why = reason(GetLastError());
        return false;
    }
    *why = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY
               ? "it is a directory, expected a file"
               : reason(ERROR_ACCESS_DENIED);
    out->attributes = info.dwFileAttributes & (FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM);
    return (info.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_READONLY)) == 0;
}

/* Only regular files are replaced, as on other systems. Only what is a link is resolved: there are
 * disks that cannot say their paths. */
static bool find_target(const char *path, target *out, const char **why)
{
    out->attributes = 0;
    if (!widen(path, &out->path)) {
        *why = reason(GetLastError());
        return false;
    }
    const DWORD attributes = GetFileAttributesW(out->path.text);
    const bool is_link =
        attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT);
    HANDLE file = open_path(path, FILE_READ_ATTRIBUTES);
    if (file == INVALID_HANDLE_VALUE) {
        const DWORD error = GetLastError();
        const bool none = error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND;
        *why = none ? "it is a link to a file that does not exist" : reason(error);
        return none && !is_link;
    }
    bool good = check_target(file, out, why);
    if (good && is_link && !resolve(file, &out->path)) {
        *why = reason(GetLastError());
        good = false;
    }
    CloseHandle(file);
    return good;
}

/* Creates a file beside the target. */
static HANDLE open_beside(const target *to, wide_path *name)
{
    HANDLE file = INVALID_HANDLE_VALUE;
    SetLastError(ERROR_FILE_EXISTS);
    for (unsigned n = 0; n < MOST_ATTEMPTS && file == INVALID_HANDLE_VALUE &&
                         GetLastError() == ERROR_FILE_EXISTS;
         ++n) {
        const int length = _snwprintf(name->text, PATH_UNITS - 1, L"%ls.%lu-%u.tmp",
                                      to->path.text, GetCurrentProcessId(), n);
        if (length < 0 || length >= PATH_UNITS - 1) {
            SetLastError(ERROR_FILENAME_EXCED_RANGE);
            return INVALID_HANDLE_VALUE;
        }
        file = CreateFileW(name->text, GENERIC_WRITE, FILE_SHARE_READ, NULL, CREATE_NEW,
                           to->attributes | FILE_ATTRIBUTE_NORMAL, NULL);
    }
    return file;
}

static bool write_all(HANDLE file, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        const DWORD part = left < 1u << 30 ? (DWORD)left : 1u << 30;
        DWORD written;
        if (!WriteFile(file, text, part, &written, NULL))
            return false;
        text += written;
        left -= written;
    }
    return FlushFileBuffers(file);
}

#define MOST_WAITS 50
#define WAIT_MS 10

/* While anyone reads the old file, a virus scanner for example, it may not be replaced. So this
 * waits for up to a second. */
static bool move_over(const wide_path *from, const wide_path *to)
{
    for (int wait = 0;; ++wait) {
        if (MoveFileExW(from->text, to->text,
                        MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
            return true;
        const DWORD error = GetLastError();
        if ((error != ERROR_ACCESS_DENIED && error != ERROR_SHARING_VIOLATION) ||
            wait == MOST_WAITS)
            return false;
        Sleep(WAIT_MS);
    }
}

bool rio_disk_replace(const char *path, const char *text, const char **why)
{
    target to;
    wide_path beside;
    if (!find_target(path, &to, why))
        return false;
    HANDLE file = open_beside(&to, &beside);
    if (file == INVALID_HANDLE_VALUE) {
        *why = reason(GetLastError());
        return false;
    }
    bool written = write_all(file, text);
    DWORD error = GetLastError();
    CloseHandle(file);
    *why = reason(error);
    if (written) {
        written = move_over(&beside, &to.path);
        error = GetLastError();
        *why = error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION
                   ? "Permission denied, or another program has it open"
                   : reason(error);
    }
    if (!written)
        DeleteFileW(beside.text);
    return written;
}
