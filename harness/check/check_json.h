// A record of `kgrade check` as JSON. The schema is results/check.schema.json.
#pragma once

#include <nlohmann/json.hpp>

#include "check/finding.h"

namespace kgrade {

// Raised whenever a reader of older files would misread a newer one. Since 2 hashes of candidates cover their
// headers.
constexpr int check_schema_version = 2;

nlohmann::ordered_json to_json(const CheckRecord& record);

// The same as text, with a line break at the end. What is not UTF-8 is replaced by U+FFFD.
std::string to_text(const CheckRecord& record);

}  // namespace kgrade
