#include "testing.h"
TEST(runtime, placeholder) { CHECK(1); }
