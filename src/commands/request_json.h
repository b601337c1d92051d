// A request's values as JSON, by the keys of request_fields.h.
#pragma once

#include <string>
#include <vector>

#include "formats/json.h"
#include "tintype/request.h"

namespace tintype {

// Sets what the object names; returns its keys. Throws kBadFile, beginning with `where`, for an
// unknown key or a value of another type.
std::vector<std::string> read_request(const Json& object, const std::string& where,
                                      Request& request);

// Every value, as a JSON object in the order of the table.
std::string request_json(const Request& request);

}  // namespace tintype
