/* export.h - symbol visibility: the library exports only what carries RICO_API. */
#ifndef RICOCHET_EXPORT_H
#define RICOCHET_EXPORT_H

#if defined(_WIN32) && defined(RICO_EXPORTS) /* while the library itself is built */
#define RICO_API __declspec(dllexport)
#elif defined(_WIN32) || !(defined(__GNUC__) || defined(__clang__))
#define RICO_API
#else
#define RICO_API __attribute__((visibility("default")))
#endif

/* Lets compilers check the arguments of functions that take a printf format. MinGW's gcc needs
 * gnu_printf: it takes printf for the format of Microsoft's C library. */
#if defined(__MINGW32__) && !defined(__clang__)
#define RICO_PRINTF(format_index, first_index)                                                 \
    __attribute__((format(gnu_printf, format_index, first_index)))
#elif defined(__GNUC__) || defined(__clang__)
#define RICO_PRINTF(format_index, first_index)                                                 \
    __attribute__((format(printf, format_index, first_index)))
#else
#define RICO_PRINTF(format_index, first_index)
#endif

#endif
