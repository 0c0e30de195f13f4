// A comparison as JSON. The schema is results/compare.schema.json; numbers are written unrounded.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "leaderboard/compare.h"

namespace kgrade {

constexpr int compare_schema_version = 1;

nlohmann::ordered_json to_json(const ComparedRecords& comparison);

// The same as text, with a line break at the end. What is not UTF-8 is replaced by U+FFFD.
std::string to_text(const ComparedRecords& comparison);

}  // namespace kgrade
