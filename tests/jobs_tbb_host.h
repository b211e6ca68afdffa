/* jobs_tbb_host.h - oneTBB as a host of the job pool: each helper is a task of its own group. */
#ifndef RICO_JOBS_TBB_HOST_H
#define RICO_JOBS_TBB_HOST_H

#ifdef __cplusplus
extern "C" {
#endif

/* Makes an arena of that many threads, including the caller. It does not grow beyond. */
void *tbb_host_open(unsigned threads);
void tbb_host_close(void *host);
void *tbb_host_enqueue(void *host, void (*fn)(void *context), void *context);
void tbb_host_finish(void *host, void *handle);

#ifdef __cplusplus
}
#endif
#endif
