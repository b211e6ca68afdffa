/* thread.h on Windows. */
#include "thread.h"

#include <errno.h>
#include <process.h>
#include <stdio.h>
#include <windows.h>

/* A group of processors has 64 at most. Where there are several groups, a thread may run on
 * those of one; which one is left to the system. */
static DWORD_PTR own_group(void)
{
    DWORD_PTR process = 0, system = 0;
    if (GetActiveProcessorGroupCount() != 1 ||
        !GetProcessAffinityMask(GetCurrentProcess(), &process, &system))
        return 0;
    return process;
}

static unsigned __stdcall begin(void *thread)
{
    const rico__thread *self = thread;
    (void)self->main(self->argument);
    return 0;
}

int rico__thread_start(void *user, rico__thread *thread, rico__thread_main *main,
                       void *argument)
{
    (void)user;
    thread->main = main;
    thread->argument = argument;
    errno = 0;
    uintptr_t handle = _beginthreadex(NULL, 0, begin, thread, 0, NULL);
    if (handle == 0)
        return errno != 0 ? errno : EAGAIN;
    thread->handle = (void *)handle;
    return 0;
}

void rico__thread_join(rico__thread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

/* Windows 10 and later have it. */
typedef HRESULT WINAPI set_description(HANDLE thread, PCWSTR text);

void rico__thread_set_name(const char *name, uint32_t number)
{
    char text[64];
    wchar_t wide[64];
    int length = snprintf(text, sizeof text, "%.48s-%u", name, number);
    FARPROC found = GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "SetThreadDescription");
    set_description *call = (set_description *)(void (*)(void))found;
    if (call != NULL && length > 0 &&
        MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, (int)(sizeof wide / sizeof *wide)) > 0)
        call(GetCurrentThread(), wide);
}

rico__cpu_set rico__thread_cpus(void)
{
    return (rico__cpu_set){{own_group()}};
}

uint32_t rico__thread_current_cpu(void)
{
    return own_group() != 0 ? GetCurrentProcessorNumber() : RICO__NO_CPU;
}

void rico__thread_keep_off(const rico__thread *thread, const rico__cpu_set *cpus, uint32_t cpu)
{
    DWORD_PTR left = cpus->words[0];
    if (cpu < 64)
        left &= ~((DWORD_PTR)1 << cpu);
    if (left != 0) /* a refusal leaves the thread where it may run now */
        SetThreadAffinityMask(thread->handle, left);
}

void rico__thread_yield(void)
{
    SwitchToThread();
}

uint32_t rico__thread_cpu_count(void)
{
    DWORD_PTR own = own_group();
    uint32_t count = 0;
    if (own == 0)
        return GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    for (; own != 0; own &= own - 1)
        ++count;
    return count;
}
