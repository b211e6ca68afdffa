/* model_system.h - what the pool asks of the system, as the model checker gives it. */
#ifndef RICO_MODEL_SYSTEM_H
#define RICO_MODEL_SYSTEM_H

/* Before a pool is created: there are no threads. */
void model_system_begin(void);

/* Is the pool's thread of that worker. */
void model_system_thread(unsigned index);

#endif
