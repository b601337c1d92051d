// Where the tests find their data, wherever they are run.
#pragma once

#include <string>

namespace tintype::test {

std::string golden(const std::string& name);  // the path of tests/golden/NAME
std::string asset(const std::string& name);   // the path of assets/NAME

}  // namespace tintype::test
