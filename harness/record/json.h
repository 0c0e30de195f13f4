// A record as JSON. The schema is results/record.schema.json; numbers are written unrounded.
#pragma once

#include <nlohmann/json.hpp>

#include "record/record.h"

namespace kgrade {

// Raised whenever a reader of older files would misread a newer one. Since 2 the referee's times of calls end
// when the device is idle, and hashes of candidates cover their headers.
constexpr int record_schema_version = 3;

nlohmann::ordered_json to_json(const Record& record);

// The same as text, with a line break at the end. What is not UTF-8 (a path, a compiler's log) is replaced by
// U+FFFD.
std::string to_text(const Record& record);

}  // namespace kgrade
