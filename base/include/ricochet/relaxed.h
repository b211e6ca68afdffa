/* relaxed.h - private: the two accesses to words of several threads that inline functions of public
 * headers need, and of plain arrays that others may read as a hint. Everything else goes through
 * base/atomics.h, which is not installed. The model checker defines its own. */
#ifndef RICOCHET_RELAXED_H
#define RICOCHET_RELAXED_H

#ifndef RICO__LOAD_RELAXED
#define RICO__LOAD_RELAXED(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define RICO__STORE_RELAXED(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)
#endif

/* Of a word that is read before it is known whether it may be, and then not used. No matter for the model. */
#define RICO__LOAD_UNSURE(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define RICO__STORE_UNSURE(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)

#endif
