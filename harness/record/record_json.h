// Writes a record as JSON and reads it back. Numbers are written unrounded.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "record/record.h"

namespace kgrade {

// The version goes up when a reader of older files would misread a newer file. Since 2, the referee's times
// of calls end when the device is idle, and hashes of candidates cover their headers. Since 4, samples are
// written together with the times that the worker reported and the times that the referee's clock attests.
constexpr int record_schema_version = 4;

nlohmann::ordered_json to_json(const Record& record);

// The schema of these documents: results/record.schema.json.
nlohmann::ordered_json record_schema();

// The JSON as text, with a line break at the end. Bytes that are not UTF-8 (a path, a compiler's log) are
// replaced by U+FFFD.
std::string to_text(const Record& record);

// `results` leaves out what is needed only to look at a single record: samples (their summaries stay),
// evidence, checks, baselines, telemetry, host, sandbox, and the compiler's output.
enum class RecordDetail { all, results };

// The record that the text holds. Nothing for a JSON document with another schema. Errors are at `from`, name
// the place in the document by its JSON pointer, and say what to do. Only the present version is read.
Result<std::optional<Record>> parse_record(std::string_view text, const Location& from,
                                           RecordDetail detail = RecordDetail::all);

}  // namespace kgrade
