// What a candidate prints, made fit for records and tables.
#pragma once

#include <string_view>

#include "record/record.h"

namespace kgrade {

// So much of what was printed is kept: for people, who look for a few values.
inline constexpr std::size_t most_printed_lines = 40;
inline constexpr std::size_t longest_printed_line = 300;  // bytes

// Any bytes as lines without control characters (base/text.h, printable()): the first most_printed_lines, of
// longer lines the beginning and "...". Empty lines at the end do not count. `all_room`: there may have been
// more than `text`.
Printed lines_printed(std::string_view text, bool all_room);

}  // namespace kgrade
