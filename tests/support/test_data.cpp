#include "support/test_data.h"

namespace tintype::test {

std::string golden(const std::string& name) { return TINTYPE_TEST_DATA "/golden/" + name; }

std::string asset(const std::string& name) { return TINTYPE_ASSETS "/" + name; }

}  // namespace tintype::test
