#include <algorithm>
#include <iostream>
#include <set>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "commands/byte_sizes.h"
#include "commands/commands.h"
#include "commands/layer_table.h"
#include "commands/plan_text.h"
#include "engine/settings.h"
#include "pipeline/components.h"
#include "pipeline/strangers.h"

namespace tintype {
namespace {

using Json = nlohmann::ordered_json;

LoadReport load_report(const Component& component) {
  switch (component.role) {
    case Role::kDenoiser:
      return load_denoiser(component, /*strict=*/false).report;
    case Role::kText:
      return load_text_encoder(component, /*strict=*/false).report;
    case Role::kVae:
      return load_vae(component, /*strict=*/false).report;
  }
  return {};
}

Json component_json(const Component& c, const LoadReport& report) {
  return {{"role", name(c.role)},        {"family", c.family_name()},
          {"prefix", c.prefix},          {"layout", c.layout->name},
          {"tensors_used", report.used}, {"unused", report.unused},
          {"formats", report.formats},   {"weight_bytes", report.weight_bytes}};
}

Json layer_json(const LayerLine& line) {
  const auto dims = line.shape.dims();
  Json json = {{"name", line.name},
               {"shape", std::vector<Dim>(dims.begin(), dims.end())},
               {"format", line.format},
               {"bytes", line.bytes}};
  if (!line.route.empty()) json["route"] = line.route;
  if (!line.row_route.empty()) json["one_row_route"] = line.row_route;
  return json;
}

// What painting needs beside the parts that there are.
std::vector<std::string> missing_parts(const std::vector<Component>& components) {
  std::set<std::string_view> there;
  for (const Component& c : components) there.insert(c.family_name());
  std::vector<std::string> missing;
  const auto need = [&](std::string_view part) {
    if (!there.contains(part)) missing.emplace_back(part);
  };
  for (const Component& c : components) {
    if (c.role != Role::kDenoiser) continue;
    std::ranges::for_each(c.family->text_encoders, need);
    need(c.family->vae);
  }
  return missing;
}

class InspectCommand final : public Command {
 public:
  void declare(Options& options, Settings& settings) override {
    options.group("What to show");
    options.add("FILE", files_, "FILE", "weight files");
    options.add("--why", why_, "also show how the parts were recognised");
    options.add("--layers", layers_, "show every tensor by itself");
    declare_engine(options, settings);
  }

  void run(const Options&, const Settings& settings) override {
    check(!files_.empty(), ErrorCode::kUsage, "inspect: needs a weight file");
    const EngineOptions engine = engine_options(settings);
    const RunSettings run_with = run_settings(engine);
    Json files = Json::array();
    std::vector<Component> components;
    for (const std::string& path : files_) {
      const std::shared_ptr<const WeightIndex> index = read_weights(path, load_mode(engine));
      const std::vector<LayerLine> lines = layer_lines(*index, run_with);
      if (!settings.json) print_file(*index, lines);
      std::vector<std::string> why;
      const std::vector<Component> found = detected(index, why, settings.json);
      components.insert(components.end(), found.begin(), found.end());
      if (settings.json)
        files.push_back(file_json(*index, lines, found, why));
      else
        print_components(*index, found);
    }
    const std::vector<std::string> missing = missing_parts(components);
    if (settings.json)
      std::cout << Json({{"files", files}, {"missing", missing}})
                       .dump(-1, ' ', false, Json::error_handler_t::replace)
                << "\n";
    else
      for (const std::string& part : missing)
        std::cout << "to paint, there must also be: " << part << "\n";
  }

 private:
  void print_file(const WeightIndex& index, const std::vector<LayerLine>& lines) const {
    std::cout << index.path() << ": " << index.container << ", " << format_bytes(index.file_bytes())
              << ", " << lines.size() << " weights (" << counts_text(index.format_counts())
              << "), header " << index.header_hash.substr(0, 10) << "\n";
    print_layers(std::cout, layers_ ? lines : abbreviated(lines));
    for (const auto& [name, tensor] : index.others)
      std::cout << "  " << name << "  " << tensor.dtype << " " << tensor.shape << ", no weight\n";
    for (const std::string& notice : index.notices) std::cout << "  note: " << notice << "\n";
  }

  // What is in the file, with the reasons told first: they matter most where it is refused.
  std::vector<Component> detected(const std::shared_ptr<const WeightIndex>& index,
                                  std::vector<std::string>& why, bool json) const {
    const auto tell = [&] {
      if (why_ && !json)
        for (const std::string& line : why) std::cout << "  why: " << line << "\n";
    };
    try {
      std::vector<Component> found = detect(index, &why);
      if (std::ranges::find(found, Role::kDenoiser, &Component::role) == found.end())
        refuse_stranger(*index);
      tell();
      return found;
    } catch (...) {
      tell();
      throw;
    }
  }

  void print_components(const WeightIndex& index, const std::vector<Component>& found) const {
    if (found.empty()) std::cout << "  no part of a model that tintype runs\n";
    for (const Component& c : found) {
      const LoadReport report = load_report(c);
      std::cout << "  " << name(c.role) << ": " << c.family_name() << ", " << c.layout->name
                << " names" << (c.prefix.empty() ? "" : " below " + c.prefix) << ", " << report.used
                << " weights, " << format_bytes(report.weight_bytes) << "\n";
      for (const std::string& unused : report.unused) std::cout << "    unused: " << unused << "\n";
    }
    for (const std::string& name : orphans(index, found)) std::cout << "  unused: " << name << "\n";
  }

  Json file_json(const WeightIndex& index, const std::vector<LayerLine>& lines,
                 const std::vector<Component>& found, const std::vector<std::string>& why) const {
    Json file = {{"path", index.path()},
                 {"container", index.container},
                 {"file_bytes", index.file_bytes()},
                 {"header_sha256", index.header_hash},
                 {"formats", index.format_counts()},
                 {"notices", index.notices},
                 {"components", Json::array()},
                 {"layers", Json::array()}};
    file["unused"] = orphans(index, found);
    for (const Component& c : found)
      file["components"].push_back(component_json(c, load_report(c)));
    for (const LayerLine& line : lines) file["layers"].push_back(layer_json(line));
    if (why_) file["why"] = why;
    return file;
  }

  std::vector<std::string> files_;
  bool why_ = false, layers_ = false;
};

}  // namespace

const CommandEntry kInspectCommand{"inspect", "what is in weight files, and how it would run",
                                   "  tintype inspect flux1-dev-Q6_K.gguf\n"
                                   "  tintype inspect --why --layers model.safetensors\n",
                                   make_command<InspectCommand>};

}  // namespace tintype
