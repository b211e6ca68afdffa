/* version.h - the version's home is meson.build; a test compares the two. */
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

/* In one number, which grows with the version: 0xMMmmpp; also in #if. */
#define RICO_VERSION                                                                           \
    (RICO_VERSION_MAJOR * 0x10000u + RICO_VERSION_MINOR * 0x100u + RICO_VERSION_PATCH)

/* RICO_VERSION of the library that runs. That of the headers may be another one, where the library is shared:
 * before 1.0 they have to be equal but for the patch. Threads: any. */
RICO_API uint32_t rico_version(void);

#ifdef __cplusplus
}
#endif
#endif
