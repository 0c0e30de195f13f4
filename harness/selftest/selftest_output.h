// The record of a self-test as JSON and as tables that a person reads. The schema is
// results/selftest.schema.json; JSON has unrounded numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "record/terminal.h"
#include "selftest/selftest_record.h"

namespace kgrade {

// Raised whenever a reader of older files would misread a newer one.
constexpr int selftest_schema_version = 1;

nlohmann::ordered_json to_json(const SelftestRecord& record);

// The same as text, with a line break at the end. What is not UTF-8 is replaced by U+FFFD.
std::string to_text(const SelftestRecord& record);

// The time of an empty kernel, a row for each kernel with the same binary on both sides, a row for each
// kernel and slow-down, then the criteria and the conclusion. Where times do not measure speed no figure of
// speed is shown.
std::string render_table(const SelftestRecord& record, const Style& style);

}  // namespace kgrade
