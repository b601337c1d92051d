#include "formats/marker.h"

#include "base/error.h"
#include "formats/checked.h"
#include "formats/json.h"

namespace tintype {
namespace {

constexpr size_t kMaxMarker = 64 * 1024;  // bytes
constexpr size_t kMaxMetadata = size_t{4} << 20;

struct KnownFormat {
  std::string_view name;
  Marker::Kind kind;
};
// Per-row scales are told by their shape; the type of an fp8 weight by its dtype.
constexpr KnownFormat kRead[] = {{"float8_e4m3fn", Marker::Kind::kFp8Codes},
                                 {"float8_e5m2", Marker::Kind::kFp8Codes},
                                 {"float8_e4m3fn_rowwise", Marker::Kind::kFp8Codes},
                                 {"int8_tensorwise", Marker::Kind::kInt8Codes}};

struct OtherFormat {
  std::string_view name, title;
};
constexpr OtherFormat kNotRead[] = {{"nvfp4", "NVFP4"},
                                    {"mxfp8", "MXFP8"},
                                    {"convrot_w4a4", "ConvRot W4A4"},
                                    {"asym_w4a8_int8", "asymmetric W4A8"},
                                    {"awq_w4a16", "AWQ W4A16"},
                                    {"svdquant_w4a4", "SVDQuant W4A4"},
                                    {"float8_e4m3fn_blockwise", "blockwise FP8"},
                                    {"int8_blockwise", "blockwise INT8"}};

// Some writers nest the fields in `params`.
const Json* field(const Json& marker, std::string_view key) {
  if (const Json* value = marker.find(key)) return value;
  const Json* params = marker.find("params");
  return params != nullptr ? params->find(key) : nullptr;
}

bool flag(const Json& marker, std::string_view key, const std::string& where) {
  const Json* value = field(marker, key);
  if (value == nullptr) return false;
  check(value->is(Json::Kind::kBool), ErrorCode::kBadFile, where, ": needs true or false as ", key);
  return value->whole != 0;
}

Marker::Kind kind_of(std::string_view format, const std::string& where) {
  for (const KnownFormat& known : kRead)
    if (known.name == format) return known.kind;
  for (const OtherFormat& other : kNotRead)
    check(other.name != format, ErrorCode::kBadFile, where, ": has the format ", format, " (",
          other.title, "), which this version does not read");
  fail(ErrorCode::kBadFile, where, ": has the unknown format ", excerpt(format));
}

Marker marker_of(const Json& json, const std::string& where) {
  if (json.is(Json::Kind::kString)) {  // a bare format name, or JSON inside JSON
    const Json inner = json.text.starts_with('{')
                           ? parse_json(json.text, where)
                           : Json{.kind = Json::Kind::kObject,
                                  .keys = {"format"},
                                  .items = {{.kind = Json::Kind::kString, .text = json.text}}};
    return marker_of(inner, where);
  }
  check(json.is(Json::Kind::kObject), ErrorCode::kBadFile, where, ": needs a JSON object");

  Marker marker;
  marker.where = where;
  if (const Json* format = field(json, "format")) {
    check(format->is(Json::Kind::kString), ErrorCode::kBadFile, where,
          ": needs a string as format");
    marker.kind = kind_of(format->text, where);
  } else {  // INT8-Fast left it out
    check(field(json, "convrot") || field(json, "quarot") || field(json, "per_row"),
          ErrorCode::kBadFile, where, ": has no format, needs one such as int8_tensorwise");
    marker.kind = Marker::Kind::kInt8Codes;
  }
  marker.full_precision = flag(json, "full_precision_matrix_mult", where);
  marker.rotated = flag(json, "convrot", where) || flag(json, "quarot", where);
  check(!marker.rotated || marker.kind == Marker::Kind::kInt8Codes, ErrorCode::kBadFile, where,
        ": asks for a rotation (convrot), which only int8_tensorwise has");

  for (const std::string_view key : {"convrot_groupsize", "quarot_groupsize"}) {
    const Json* group = field(json, key);
    if (group == nullptr) continue;
    check(group->is(Json::Kind::kWhole) && group->whole <= 1024, ErrorCode::kBadFile, where,
          ": needs 4, 16, 64, 256 or 1024 as ", key);
    marker.group = static_cast<Dim>(group->whole);
  }
  return marker;
}

}  // namespace

Marker parse_marker(std::string_view text, const std::string& where) {
  check(text.size() <= kMaxMarker, ErrorCode::kBadFile, where, ": has ", text.size(),
        " bytes, at most ", kMaxMarker, " are allowed");
  text = text.substr(0, text.find_last_not_of('\0') + 1);
  if (text.empty()) return {.where = where};
  return marker_of(parse_json(text, where), where);
}

std::map<std::string, Marker> parse_quantization_metadata(std::string_view text,
                                                          const std::string& path) {
  const std::string where = path + ": _quantization_metadata";
  check(text.size() <= kMaxMetadata, ErrorCode::kBadFile, where, ": has ", text.size(),
        " bytes, at most ", kMaxMetadata, " are allowed");
  const Json root = parse_json(text, where);
  const Json* layers = root.find("layers");
  check(layers != nullptr && layers->is(Json::Kind::kObject), ErrorCode::kBadFile, where,
        ": needs an object named layers");
  std::map<std::string, Marker> markers;
  for (size_t i = 0; i < layers->keys.size(); ++i)
    markers[layers->keys[i]] = marker_of(layers->items[i], where + ": " + excerpt(layers->keys[i]));
  return markers;
}

}  // namespace tintype
