// A record as JSON. The schema is results/record.schema.json; numbers are written unrounded.
#pragma once

#include <nlohmann/json.hpp>

#include "report/record.h"

namespace kgrade {

// Raised whenever a reader of older files would misread a newer one.
constexpr int record_schema_version = 1;

nlohmann::ordered_json to_json(const Record& record);

}  // namespace kgrade
