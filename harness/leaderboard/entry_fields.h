// Parts that documents with results have in common, read as JsonValue reads.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/intervals.h"
#include "record/json_reader.h"
#include "record/verdict.h"

namespace kgrade {

inline constexpr std::size_t most_text = 64 << 10;  // of a title, a message
inline constexpr std::size_t most_name = 4 << 10;   // of a path
inline constexpr std::size_t most_cases = 10'000;
inline constexpr std::size_t most_comparisons = 100;

// The value among these that is called so.
template <class Value>
auto one_of(std::initializer_list<Value> values) {
  return [values = std::vector<Value>(values)](std::string_view text) -> std::optional<Value> {
    for (const Value& value : values) {
      if (to_string(value) == text) return value;
    }
    return std::nullopt;
  };
}

// One of these words.
std::string word_of(const JsonValue& value, std::initializer_list<std::string_view> words);
Precision precision_of(const JsonValue& value);
// Of a problem or a case: pages make links of it.
std::string slug_of(const JsonValue& value);
std::string sha256_of(const JsonValue& value);
// Like 2026-01-31T12:00:00Z: sorted as text it is sorted by time.
std::string moment_of(const JsonValue& value);
// The member `interval`, which may be null.
std::optional<Interval> interval_in(const JsonValue& owner);

}  // namespace kgrade
