#include "thread.h"

static _Thread_local const void *owner_of_this;

const void *rico__thread_owner(void)
{
    return owner_of_this;
}

const void *rico__thread_set_owner(const void *owner)
{
    const void *before = owner_of_this;
    owner_of_this = owner;
    return before;
}
