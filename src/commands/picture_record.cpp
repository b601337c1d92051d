#include "commands/picture_record.h"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "commands/request_json.h"
#include "commands/settings.h"
#include "tintype/version.h"

namespace tintype {
namespace {

constexpr std::string_view kOurChunk = "tintype";

std::string role_option(const ComponentReport& component) {
  if (component.role != "text") return component.role;
  return component.family.starts_with("clip") ? "clip" : "t5";
}

// ---- our JSON ----

std::string record_json(const PictureRecord& record) {
  nlohmann::ordered_json root;
  root["version"] = record.version;
  root["request"] = nlohmann::ordered_json::parse(request_json(record.request));
  nlohmann::ordered_json& engine = root["engine"];
  for (const EngineField& field : engine_fields()) engine[field.key] = record.engine.*field.member;
  engine["excluded"] = record.engine.excluded_kernels;
  engine["routes"] = record.engine.routes;
  for (const FileRecord& file : record.files)
    root["files"].push_back({{"role", file.role},
                             {"name", file.name},
                             {"bytes", file.bytes},
                             {"header_sha256", file.header_hash}});
  return root.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

// Reads a record, naming the file where a member is missing or of another kind.
class RecordReader {
 public:
  explicit RecordReader(const std::string& path) : path_(path) {}

  const Json& member(const Json& object, std::string_view key, Json::Kind kind) const {
    const Json* found = object.is(Json::Kind::kObject) ? object.find(key) : nullptr;
    check(found != nullptr && found->is(kind), ErrorCode::kBadFile, path_, ": its record has no \"",
          key, "\" of the right kind");
    return *found;
  }
  const std::string& text(const Json& object, std::string_view key) const {
    return member(object, key, Json::Kind::kString).text;
  }
  const std::vector<Json>& list(const Json& object, std::string_view key) const {
    return member(object, key, Json::Kind::kArray).items;
  }
  // A text of a list.
  const std::string& element(const Json& value) const {
    check(value.is(Json::Kind::kString), ErrorCode::kBadFile, path_,
          ": its record has a list with something else than texts");
    return value.text;
  }

  EngineOptions engine(const Json& object) const {
    EngineOptions engine;
    for (const EngineField& field : engine_fields()) engine.*field.member = text(object, field.key);
    for (const Json& id : list(object, "excluded")) engine.excluded_kernels.push_back(element(id));
    for (const Json& route : list(object, "routes")) {
      check(route.items.size() == 2, ErrorCode::kBadFile, path_, ": its record has a broken route");
      engine.routes.emplace_back(element(route.items[0]), element(route.items[1]));
    }
    return engine;
  }

  FileRecord file(const Json& object) const {
    return {text(object, "role"), text(object, "name"),
            member(object, "bytes", Json::Kind::kWhole).whole, text(object, "header_sha256")};
  }

 private:
  const std::string& path_;
};

// ---- stable-diffusion-webui's text ----

std::string label(std::string_view name) {
  if (name == "dpmpp_2m") return "DPM++ 2M";
  std::string text(name);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// Values with a comma, a colon or a line break are written as JSON.
std::string quoted(const std::string& value) {
  return value.find_first_of(",:\n\"") == std::string::npos ? value : json_quote(value);
}

std::string parameters_text(const PictureRecord& record) {
  const Request& r = record.request;
  std::string text = r.prompt + "\n";
  if (!r.negative.empty()) text += "Negative prompt: " + r.negative + "\n";
  text += concat_text("Steps: ", r.steps, ", Sampler: ", label(r.sampler),
                      ", Schedule type: ", label(r.scheduler), ", CFG scale: ", r.cfg);
  if (r.guidance > 0) text += concat_text(", Distilled CFG Scale: ", r.guidance);
  text += concat_text(", Seed: ", r.seed, ", Size: ", r.width, "x", r.height);
  int modules = 0;
  for (const FileRecord& file : record.files) {
    const std::string stem = std::filesystem::path(file.name).stem().string();
    const std::string key = file.role == "denoiser" ? "Model"
                            : file.role == "vae"    ? "VAE"
                                                    : concat_text("Module ", ++modules);
    text += ", " + key + ": " + quoted(stem);
  }
  return text + concat_text(", RNG: ", r.rng == "nv" ? "NV" : "CPU", ", Shift: ", quoted(r.shift),
                            ", Version: tintype ", record.version);
}

}  // namespace

PictureRecord record_of(const Result& result, const EngineOptions& engine) {
  PictureRecord record{std::string(kVersion), result.request, engine, {}};
  record.engine.compute = result.report.compute;
  record.engine.isa = result.report.isa;
  for (const ComponentReport& c : result.report.components)
    record.files.push_back({role_option(c), std::filesystem::path(c.file).filename().string(),
                            c.file_bytes, c.header_hash});
  return record;
}

std::vector<TextChunk> record_texts(const PictureRecord& record) {
  return {{"parameters", parameters_text(record)}, {std::string(kOurChunk), record_json(record)}};
}

PictureRecord read_record(const std::vector<TextChunk>& texts, const std::string& path) {
  const auto chunk = std::ranges::find(texts, kOurChunk, &TextChunk::key);
  check(chunk != texts.end(), ErrorCode::kUsage, path,
        ": does not say how it was made; --from needs a PNG that tintype wrote");
  const Json root = parse_json(chunk->text, path + ": its record");
  const RecordReader read(path);

  PictureRecord record;
  record.version = read.text(root, "version");
  read_request(read.member(root, "request", Json::Kind::kObject), path + ": request",
               record.request);
  record.engine = read.engine(read.member(root, "engine", Json::Kind::kObject));
  for (const Json& file : read.list(root, "files")) record.files.push_back(read.file(file));
  return record;
}

}  // namespace tintype
