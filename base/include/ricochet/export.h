/* export.h - symbol visibility. Everything is hidden but what carries RICO_API. */
#ifndef RICOCHET_EXPORT_H
#define RICOCHET_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define RICO_API __attribute__((visibility("default")))
#define RICO_PRINTF(format_index, first_index)                                                 \
    __attribute__((format(printf, format_index, first_index)))
#else
#define RICO_API
#define RICO_PRINTF(format_index, first_index)
#endif

#endif
