#include "commands/request_fields.h"

#include <algorithm>

namespace tintype {
namespace {

constexpr size_t kSpecialFields = 3;
constexpr RequestField kFields[] = {
    {"prompt", "TEXT", "what to paint", &Request::prompt},
    {"negative", "TEXT", "what not to paint; needs --cfg above 1", &Request::negative},
    {"seed", "N", "start of the noise", &Request::seed},
    {"width", "PIXELS", "a multiple of 8; 0: as the recipe or the file says", &Request::width},
    {"height", "PIXELS", "a multiple of 8; 0: as the recipe or the file says", &Request::height},
    {"steps", "N", "of the sampler; 0: what suits the model", &Request::steps},
    {"cfg", "X", "how far to go from --negative; 1: not at all", &Request::cfg},
    {"guidance", "X", "distilled guidance, if the model has it; below 0: what suits it",
     &Request::guidance},
    {"sampler", "NAME", "see --list samplers", &Request::sampler},
    {"scheduler", "NAME", "see --list schedulers", &Request::scheduler},
    {"shift", "auto|none|ALPHA|mu=X|tokens", "of the noise levels; tokens: by picture size",
     &Request::shift},
    {"rng", "cpu|nv", "noise as PyTorch makes it on a CPU, or on an Nvidia card", &Request::rng},
    {"t5_length", "N", "tokens to pad T5 prompts to; longer ones are never cut",
     &Request::t5_length},
};

}  // namespace

std::span<const RequestField> request_fields() { return kFields; }

std::span<const RequestField> plain_request_fields() {
  return request_fields().subspan(kSpecialFields);
}

const RequestField* find_request_field(std::string_view key) {
  const auto it = std::ranges::find(kFields, key, &RequestField::key);
  return it == std::end(kFields) ? nullptr : it;
}

void assign_fields(const Request& from, std::span<const std::string> keys, Request& to) {
  for (const std::string& key : keys)
    std::visit([&](auto member) { to.*member = from.*member; }, find_request_field(key)->member);
}

std::string flag_of(const RequestField& field) {
  std::string flag = "--" + std::string(field.key);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

}  // namespace tintype
