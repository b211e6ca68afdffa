/* parker.h on Windows, which Concurrency Kit's event counts do not know: the same by
 * WaitOnAddress. */
#define _WIN32_WINNT 0x0602 /* Windows 8 */
#include "parker.h"

#include "clock.h"

#include <windows.h>

void rico__parker_init(rico__parker *parker)
{
    rico__atomic_store_relaxed32(&parker->event, 0);
    rico__atomic_store_relaxed32(&parker->waiting, 0);
}

uint32_t rico__parker_ticket(const rico__parker *parker)
{
    return rico__atomic_load32(&parker->event);
}

/* Milliseconds until that time, rounded up, 1000000 at most; INFINITE for 0. */
static DWORD milliseconds_until(uint64_t until_ns)
{
    const uint64_t now = rico__clock_ns(), most = 1000000;
    if (until_ns == 0)
        return INFINITE;
    if (until_ns <= now)
        return 0;
    const uint64_t left = (until_ns - now + 999999u) / 1000000u;
    return (DWORD)(left < most ? left : most);
}

/* A thread that wakes others counts first, and then looks whether one waits. Here it is the
 * other way round, and the system looks at the count once more. So one of the two sees the
 * other. */
void rico__parker_wait(rico__parker *parker, uint32_t ticket, uint64_t until_ns)
{
    (void)rico__atomic_fetch_add32(&parker->waiting, 1);
    if (rico__atomic_load32(&parker->event) == ticket)
        WaitOnAddress(&parker->event.value, &ticket, sizeof ticket,
                      milliseconds_until(until_ns));
    (void)rico__atomic_fetch_add32(&parker->waiting, UINT32_MAX);
}

void rico__parker_wake(rico__parker *parker)
{
    (void)rico__atomic_fetch_add32(&parker->event, 1);
    if (rico__atomic_load32(&parker->waiting) != 0)
        WakeByAddressAll(&parker->event.value);
}
