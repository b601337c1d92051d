// Watches what `new` gives out, in every test program.
#pragma once

#include <cstddef>

namespace tintype::test {

// The largest single allocation since the last call, by any thread, in bytes.
size_t take_largest_allocation();

}  // namespace tintype::test
