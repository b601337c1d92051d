#include "support/text_vectors.h"

#include <nlohmann/json.hpp>

#include "base/os.h"
#include "support/test_data.h"

namespace tintype::test {
namespace {

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

TextVector read_case(const nlohmann::json& item) {
  TextVector found;
  found.text = item.contains("text") ? item["text"].get<std::string>()
                                     : from_hex(item["bytes_hex"].get<std::string>());
  found.name = item.value("name", found.text);
  item["ids"].get_to(found.ids);
  if (item.contains("framed")) {
    const auto& frame = item["framed"];
    frame["ids"].get_to(found.framed);
    if (frame["args"].size() > 1) found.frame_pad = frame["args"][1].get<int32_t>();
  }
  return found;
}

}  // namespace

TextVectors read_text_vectors(const std::string& name) {
  const auto bytes = read_text_data(name);
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  const auto json = nlohmann::json::parse(text, text + bytes.size());
  TextVectors vectors{json.value("rows", 0), json.value("eos", 0), json.value("pad", 0), {}};
  for (const auto& item : json["cases"]) vectors.cases.push_back(read_case(item));
  return vectors;
}

std::vector<std::byte> read_text_data(const std::string& name) {
  const auto file = File::open(golden("text/" + name), LoadMode::kRead);
  return {file->bytes().begin(), file->bytes().end()};
}

}  // namespace tintype::test
