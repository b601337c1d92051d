#include "support/sampling_golden.h"

#include <fstream>
#include <vector>

#include "support/test_data.h"

namespace tintype::test {

nlohmann::json sampling_golden(const std::string& file, const std::string& part) {
  std::ifstream in(golden("sampling/" + file + ".json"));
  return nlohmann::json::parse(in).at(part);
}

Array array_from(const nlohmann::json& values, const Shape& shape, float scale) {
  return scale * Array(shape, values.get<std::vector<float>>());
}

}  // namespace tintype::test
