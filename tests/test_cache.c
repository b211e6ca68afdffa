#include "testing.h"
TEST(cache, placeholder) { CHECK(1); }
