// A leaderboard as JSON. The schema is results/leaderboard.schema.json; numbers are written unrounded.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "leaderboard/leaderboard.h"

namespace kgrade {

constexpr int leaderboard_schema_version = 1;

nlohmann::ordered_json to_json(const Leaderboard& leaderboard);

// The same as text, with a line break at the end; what is not UTF-8 is replaced by U+FFFD. Only what is in
// the entries is in it, no clock: the same entries give the same bytes.
std::string to_text(const Leaderboard& leaderboard);

}  // namespace kgrade
