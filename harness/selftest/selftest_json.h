// The record of a self-test as JSON. The schema is results/selftest.schema.json; numbers are written
// unrounded.
#pragma once

#include <nlohmann/json.hpp>

#include "selftest/selftest_record.h"

namespace kgrade {

// Raised whenever a reader of older files would misread a newer one.
constexpr int selftest_schema_version = 1;

nlohmann::ordered_json to_json(const SelftestRecord& record);

// The same as text, with a line break at the end. What is not UTF-8 is replaced by U+FFFD.
std::string to_text(const SelftestRecord& record);

}  // namespace kgrade
