// The values of a request that are set by name. One table serves the command line, the defaults of
// a recipe and the metadata of a picture.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "tintype/request.h"

namespace tintype {

struct RequestField {
  std::string_view key;  // "t5_length"; on the command line --t5-length
  std::string_view placeholder, help;
  std::variant<int Request::*, uint64_t Request::*, double Request::*, std::string Request::*>
      member;
};

// Prompts and seed first, which the command line reads in its own way.
std::span<const RequestField> request_fields();
// Those that are options as they are.
std::span<const RequestField> plain_request_fields();

// The field of that key; null if there is none.
const RequestField* find_request_field(std::string_view key);
// Copies the values that `keys` name.
void assign_fields(const Request& from, std::span<const std::string> keys, Request& to);

std::string flag_of(const RequestField& field);  // "--t5-length"

}  // namespace tintype
