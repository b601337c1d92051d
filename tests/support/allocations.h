// Counts what `new` gives out, in every test program.
#pragma once

#include <cstddef>

namespace tintype::test {

size_t allocated_bytes();  // so far, by all threads; freed memory stays counted

}  // namespace tintype::test
