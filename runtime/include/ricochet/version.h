/* version.h - the version of the library.
 *
 * The number is kept in meson.build; a test compares it with this header.
 */
#ifndef RICOCHET_VERSION_H
#define RICOCHET_VERSION_H

#include <ricochet/export.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RICO_VERSION_MAJOR 0
#define RICO_VERSION_MINOR 1
#define RICO_VERSION_PATCH 0
#define RICO_VERSION_STRING "0.1.0"

/* The version of these headers as one number, 0xMMmmpp. It grows with the version, and may be
 * used in #if. */
#define RICO_VERSION                                                                           \
    (RICO_VERSION_MAJOR * 0x10000u + RICO_VERSION_MINOR * 0x100u + RICO_VERSION_PATCH)

/* Returns the RICO_VERSION of the library that runs. With a shared library it may differ from
 * that of the headers: before 1.0 both must be equal, except for the patch number.
 *
 * Threads: any. */
RICO_API uint32_t rico_version(void);

#ifdef __cplusplus
}
#endif
#endif
