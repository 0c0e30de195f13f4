// The record of a self-test as JSON and as tables for people. JSON has unrounded numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "record/terminal.h"
#include "selftest/selftest_record.h"

namespace kgrade {

// Raised when a reader of older files would misread a newer file.
constexpr int selftest_schema_version = 1;

nlohmann::ordered_json to_json(const SelftestRecord& record);
// The schema of these documents: results/selftest.schema.json.
nlohmann::ordered_json selftest_schema();

// The JSON as text, with a line break at the end. Bytes that are not UTF-8 are replaced by U+FFFD.
std::string to_text(const SelftestRecord& record);

// The time of an empty kernel, a row for each kernel compared with itself, a row for each kernel and
// slow-down, the criteria and the conclusion. If times do not measure speed, no figures of speed are shown.
std::string render_table(const SelftestRecord& record, const Style& style);

// A picture of a self-test, with the estimates of all comparisons of a binary with itself. It is a
// self-contained SVG without scripts, readable on light and dark backgrounds. It has a column for each
// kernel, and in it a dot with an interval for each comparison, around 1 with a margin of 1 %. Intervals end
// at the edge of the scale. If times do not measure speed, a text says so.
std::string render_svg(const SelftestRecord& record);

}  // namespace kgrade
