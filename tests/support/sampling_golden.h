// What the tests of sampling share: its reference values.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "tensor/array.h"

namespace tintype::test {

// One part of tests/golden/sampling/FILE.json, made by tools/golden/sampling.py.
nlohmann::json sampling_golden(const std::string& file, const std::string& part);

// `scale` times the listed numbers.
Array array_from(const nlohmann::json& values, const Shape& shape, float scale = 1);

}  // namespace tintype::test
