#include "commands/request_options.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <random>

#include "base/error.h"
#include "base/os.h"
#include "commands/assets.h"
#include "commands/byte_sizes.h"
#include "commands/model_files.h"
#include "commands/numbers.h"
#include "commands/recorded_files.h"
#include "commands/request_fields.h"
#include "image/png.h"
#include "text/unicode.h"
#include "tintype/version.h"

namespace tintype {
namespace {

// The files that have an option of their own.
struct FileOption {
  std::string_view role;  // in a picture's record
  std::string flag, help;
  std::string Request::*member;
};
const FileOption kFileOptions[] = {
    {"denoiser", "--denoiser", "the denoiser's file", &Request::denoiser},
    {"clip", "--clip", "the CLIP text encoder's file", &Request::clip},
    {"t5", "--t5", "the T5 text encoder's file", &Request::t5},
    {"vae", "--vae", "the image decoder's file", &Request::vae},
};

uint64_t draw_seed() { return std::random_device()(); }  // 32 bits, as other programs' seeds

std::string without_line_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

PictureRecord record_in(const std::string& path) {
  const auto file = File::open(path, LoadMode::kRead);
  return read_record(decode_png(file->bytes(), path).texts, path);
}

}  // namespace

// Repaired where it is no UTF-8, as it will be recorded.
std::string read_prompt(const std::string& typed) {
  if (typed == "-")
    return repair_utf8(without_line_end({std::istreambuf_iterator<char>(std::cin), {}}));
  if (!typed.starts_with('@')) return repair_utf8(typed);
  const auto file = File::open(typed.substr(1), LoadMode::kRead);
  const auto bytes = file->bytes();
  return repair_utf8(without_line_end({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

void RequestOptions::declare(Options& options, Settings& settings) {
  options.group("Picture");
  options.add("-p,--prompt", typed_.prompt, "TEXT", "what to paint; - reads it, @FILE too");
  options.add("--negative", typed_.negative, "TEXT", "what not to paint; needs --cfg above 1");
  options.add("--seed", seed_, "N", "start of the noise; -1 draws one");
  for (const RequestField& field : plain_request_fields()) {
    const auto add = [&](auto member) {
      options.add(flag_of(field), typed_.*member, std::string(field.placeholder),
                  std::string(field.help));
    };
    std::visit(add, field.member);
  }
  options.add("--from", from_, "OUT.png", "as this picture says; other options override it");
  options.group("Files");
  options.add("-m,--model", models_, "FILE|FOLDER|RECIPE",
              "weights, a folder of them, or a recipe (JSON); may be repeated");
  for (const FileOption& file : kFileOptions)
    options.add(file.flag, typed_.*file.member, "FILE", file.help);
  options.add("--assets", settings.assets, "FOLDER", "where the model that comes with tintype is");
  declare_engine(options, settings);
}

bool RequestOptions::names_files() const {
  return !models_.empty() || std::ranges::any_of(kFileOptions, [&](const FileOption& file) {
    return !(typed_.*file.member).empty();
  });
}

void RequestOptions::place_recorded(const PictureRecord& record, const Settings& settings,
                                    Request& request) const {
  std::vector<std::string> places = expand_models(models_).files;
  places.push_back(default_model_folder(settings.assets));
  places.push_back(std::filesystem::absolute(from_).parent_path().string());
  places.push_back(".");
  for (const FileRecord& file : record.files) {
    const auto option = std::ranges::find(kFileOptions, file.role, &FileOption::role);
    check(option != std::end(kFileOptions), ErrorCode::kBadFile, from_, ": \"", file.role,
          "\" is no role of a file");
    std::string& path = request.*option->member;
    path = typed_.*option->member;
    if (path.empty()) path = find_recorded(file, places);
    if (path.empty())
      throw Error(ErrorCode::kUsage,
                  concat_text(from_, ": was made with ", file.name, " (", format_bytes(file.bytes),
                              ", header ", file.header_hash.substr(0, 10),
                              "), which is neither beside it nor here"),
                  concat_text("name that file with -m, or another one with ", option->flag));
  }
}

void RequestOptions::repeat(const Options& options, const Settings& settings, Job& job) const {
  const PictureRecord record = record_in(from_);
  job.request = record.request;
  place_recorded(record, settings, job.request);
  for (const EngineField& field : engine_fields())
    if (!options.given("--" + field.key)) job.engine.*field.member = record.engine.*field.member;
  if (!options.given("--exclude")) job.engine.excluded_kernels = record.engine.excluded_kernels;
  if (!options.given("--route")) job.engine.routes = record.engine.routes;
  if (record.version != kVersion)
    job.notices.push_back(concat_text(from_, " was made by tintype ", record.version, ", this is ",
                                      kVersion, ": the picture may differ"));
}

void RequestOptions::apply_typed(const Options& options, Request& request) const {
  if (options.given("--prompt")) request.prompt = read_prompt(typed_.prompt);
  if (options.given("--negative")) request.negative = typed_.negative;
  for (const RequestField& field : plain_request_fields()) {
    if (!options.given(flag_of(field))) continue;
    std::visit([&](auto member) { request.*member = typed_.*member; }, field.member);
  }
  for (const FileOption& file : kFileOptions)
    if (options.given(file.flag)) request.*file.member = typed_.*file.member;
}

Job RequestOptions::resolve(const Options& options, const Settings& settings) const {
  Job job{{}, engine_options(settings), {}};
  bool seeded = !from_.empty();
  if (from_.empty()) {
    Recipe recipe =
        expand_models(names_files() ? models_ : std::vector{default_recipe(settings.assets)});
    assign_fields(recipe.defaults, recipe.keys, job.request);
    job.request.files = std::move(recipe.files);
    seeded = std::ranges::find(recipe.keys, "seed") != recipe.keys.end();
  } else {
    repeat(options, settings, job);
  }
  apply_typed(options, job.request);
  if (seed_ == "-1" && (!seeded || options.given("--seed")))
    job.request.seed = draw_seed();
  else if (seed_ != "-1")
    parse_value("--seed", seed_, job.request.seed);
  return job;
}

}  // namespace tintype
