/* jobs_alone.c - the job pool without the rest of the library. The README of jobs/ shows it. */
#include <ricochet/jobs.h>
#include <stdio.h>

static void square(rico_worker *worker, void *context, uint32_t begin, uint32_t end)
{
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        ((uint64_t *)context)[i] = (uint64_t)i * i;
}

int main(void)
{
    static uint64_t squares[100000];
    rico_jobs_def def = rico_jobs_def_default();
    rico_jobs *jobs;
    if (rico_jobs_create(&def, &jobs) != RICO_OK)
        return 1;
    rico_jobs_for(jobs, 0, 100000, 0, square, squares);
    printf("%llu\n", (unsigned long long)squares[99999]);
    rico_jobs_destroy(jobs);
    return squares[99999] == UINT64_C(9999800001) ? 0 : 1;
}
