/* version.h - the version's home is meson.build; a test compares the two. */
#ifndef RICOCHET_VERSION_H
#define RICOCHET_VERSION_H

#define RICO_VERSION_MAJOR 0
#define RICO_VERSION_MINOR 1
#define RICO_VERSION_PATCH 0
#define RICO_VERSION_STRING "0.1.0"

#endif
