#include "check.h"

#include "atomics.h"

#include <stdio.h>
#include <stdlib.h>

static void print_and_abort(const char *expression, const char *file, int line)
{
    fprintf(stderr, "ricochet: %s:%d: assertion failed: %s\n", file, line, expression);
    abort();
}

/* The one mutable global of the library; see hooks.h. */
static rico__atomic_ptr handler_slot;

void rico_assert_set_handler(rico_assert_handler *handler)
{
    rico__atomic_store_ptr(&handler_slot, (void *)(uintptr_t)handler);
}

bool rico__assert_failed(const char *expression, const char *file, int line)
{
    rico_assert_handler *handler =
        (rico_assert_handler *)(uintptr_t)rico__atomic_load_ptr(&handler_slot);
    (handler != NULL ? handler : print_and_abort)(expression, file, line);
    return false;
}
