#include "testing.h"
TEST(base, placeholder) { CHECK(1); }
