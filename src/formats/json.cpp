#include "formats/json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "formats/checked.h"

namespace tintype {
namespace {

constexpr size_t kMaxDepth = 16;
constexpr size_t kMaxValues = 2'000'000;  // a tensor takes eight: enough for 250,000 of them

// Builds the tree from the events of nlohmann's parser, which doesn't recurse.
class Builder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  bool null() { return add({}); }
  bool boolean(bool value) { return add({.kind = Json::Kind::kBool, .whole = value}); }
  bool number_unsigned(number_unsigned_t value) {
    return add({.kind = Json::Kind::kWhole, .whole = value});
  }
  bool number_integer(number_integer_t value) {
    return add({.kind = Json::Kind::kOtherNumber, .text = std::to_string(value)});
  }
  bool number_float(number_float_t, const string_t& text) {
    return add({.kind = Json::Kind::kOtherNumber, .text = text});
  }
  bool string(string_t& text) {
    return add({.kind = Json::Kind::kString, .text = std::move(text)});
  }
  bool binary(binary_t&) { return false; }

  bool start_array(size_t) { return open(Json::Kind::kArray); }
  bool start_object(size_t) { return open(Json::Kind::kObject); }
  bool key(string_t& text) {
    open_.back().keys.push_back(std::move(text));
    return true;
  }
  bool end_array() { return close(); }
  bool end_object() {
    std::vector<std::string_view> keys(open_.back().keys.begin(), open_.back().keys.end());
    std::sort(keys.begin(), keys.end());
    const auto twin = std::adjacent_find(keys.begin(), keys.end());
    if (twin != keys.end()) return refuse(concat_text("the key ", excerpt(*twin), " occurs twice"));
    return close();
  }
  bool parse_error(size_t at, const std::string&, const nlohmann::json::exception&) {
    return refuse(concat_text("there is an error near byte ", at));
  }

  Json root;
  std::string problem;

 private:
  bool refuse(std::string why) {
    problem = std::move(why);
    return false;
  }
  bool open(Json::Kind kind) {
    if (open_.size() == kMaxDepth)
      return refuse(concat_text("it is nested over ", kMaxDepth, " deep"));
    open_.push_back({.kind = kind});
    return true;
  }
  bool close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    return add(std::move(done));
  }
  bool add(Json value) {
    if (++values_ > kMaxValues) return refuse(concat_text("it has over ", kMaxValues, " values"));
    (open_.empty() ? root : open_.back().items.emplace_back()) = std::move(value);
    return true;
  }

  std::vector<Json> open_;  // the arrays and objects around the current value
  size_t values_ = 0;
};

}  // namespace

const Json* Json::find(std::string_view key) const {
  const auto it = std::find(keys.begin(), keys.end(), key);
  return it == keys.end() ? nullptr : &items[static_cast<size_t>(it - keys.begin())];
}

Json parse_json(std::string_view text, const std::string& what) {
  Builder builder;
  const bool ok = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  check(ok, ErrorCode::kBadFile, what, ": is not valid JSON: ", builder.problem);
  return std::move(builder.root);
}

std::string json_quote(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', /*ensure_ascii=*/false,
                                   nlohmann::json::error_handler_t::replace);
}

}  // namespace tintype
