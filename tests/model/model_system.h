/* model_system.h - the system calls that the pool needs, as the model checker provides them. */
#ifndef RICO_MODEL_SYSTEM_H
#define RICO_MODEL_SYSTEM_H

/* Called before a pool is created: no threads exist yet. */
void model_system_begin(void);

/* Runs the pool's thread of that worker. */
void model_system_thread(unsigned index);

#endif
