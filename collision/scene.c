#include <ricochet/scene.h>
