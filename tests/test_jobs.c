#include "testing.h"
TEST(jobs, placeholder) { CHECK(1); }
