// Makes the output that a candidate printed fit for records and tables.
#pragma once

#include <string_view>

#include "record/record.h"

namespace kgrade {

// How much printed output is kept. People look for a few values in it.
inline constexpr std::size_t most_printed_lines = 40;
inline constexpr std::size_t longest_printed_line = 300;  // bytes

// Splits any bytes into lines without control characters (base/text.h, printable()). Keeps the first
// most_printed_lines, and cuts longer lines off with "...". Empty lines at the end do not count. `all_room`:
// the output filled all its room, so there may have been more than `text`.
Printed lines_printed(std::string_view text, bool all_room);

}  // namespace kgrade
