#include "testing.h"
TEST(collision, placeholder) { CHECK(1); }
