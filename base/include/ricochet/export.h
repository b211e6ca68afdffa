/* export.h - symbol visibility. Everything is hidden but what carries RICO_API. */
#ifndef RICOCHET_EXPORT_H
#define RICOCHET_EXPORT_H

#if defined(_WIN32) && defined(RICO_EXPORTS) /* when the library itself is built */
#define RICO_API __declspec(dllexport)
#elif defined(_WIN32) || !(defined(__GNUC__) || defined(__clang__))
#define RICO_API
#else
#define RICO_API __attribute__((visibility("default")))
#endif

#if defined(__MINGW32__) && !defined(__clang__) /* else it is taken for Microsoft's */
#define RICO_PRINTF(format_index, first_index)                                                 \
    __attribute__((format(gnu_printf, format_index, first_index)))
#elif defined(__GNUC__) || defined(__clang__)
#define RICO_PRINTF(format_index, first_index)                                                 \
    __attribute__((format(printf, format_index, first_index)))
#else
#define RICO_PRINTF(format_index, first_index)
#endif

#endif
