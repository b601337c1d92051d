#include "commands/request_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/nearest_name.h"
#include "commands/numbers.h"
#include "commands/request_fields.h"

namespace tintype {
namespace {

std::string_view wanted(int) { return "a whole number"; }
std::string_view wanted(uint64_t) { return "a whole number from 0 up"; }
std::string_view wanted(double) { return "a number"; }
std::string_view wanted(const std::string&) { return "a text"; }

template <class T>
bool read_value(const Json& json, T& value) {
  if (json.is(Json::Kind::kWhole)) return parse_number(std::to_string(json.whole), value);
  return json.is(Json::Kind::kOtherNumber) && parse_number(json.text, value);
}
bool read_value(const Json& json, std::string& value) {
  value = json.text;
  return json.is(Json::Kind::kString);
}

const RequestField& find_field(const std::string& key, const std::string& where) {
  if (const RequestField* field = find_request_field(key)) return *field;
  std::vector<std::string_view> keys;
  for (const RequestField& field : request_fields()) keys.push_back(field.key);
  const std::string_view near = nearest_name(key, keys);
  throw Error(ErrorCode::kBadFile, concat_text(where, ".", key, " is unknown"),
              near.empty() ? std::string() : concat_text("did you mean ", near, "?"));
}

}  // namespace

std::vector<std::string> read_request(const Json& object, const std::string& where,
                                      Request& request) {
  check(object.is(Json::Kind::kObject), ErrorCode::kBadFile, where, " needs a JSON object");
  for (size_t i = 0; i < object.keys.size(); ++i) {
    const std::string& key = object.keys[i];
    const auto read = [&](auto member) {
      check(read_value(object.items[i], request.*member), ErrorCode::kBadFile, where, ".", key,
            " needs ", wanted(request.*member));
    };
    std::visit(read, find_field(key, where).member);
  }
  return object.keys;
}

std::string request_json(const Request& request) {
  nlohmann::ordered_json object;
  for (const RequestField& field : request_fields())
    std::visit([&](auto member) { object[std::string(field.key)] = request.*member; },
               field.member);
  return object.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tintype
