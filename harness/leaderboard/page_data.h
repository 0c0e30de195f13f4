// What the page's script reads: the leaderboard in columns, texts by number. 0 stands for a number that is
// not known; numbers have five significant digits, being for people (the JSON file has all of them).
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "leaderboard/page_rows.h"

namespace kgrade {

constexpr std::size_t most_suite_rows = 12;  // curves of fast_p, and the rows beside them

nlohmann::ordered_json page_data(const Leaderboard& leaderboard, const std::vector<PageRow>& rows);

}  // namespace kgrade
