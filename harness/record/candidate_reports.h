// Makes what comes from a candidate's process fit for records and tables: the report on the rehearsal of a
// Python candidate, which is JSON, and what was printed. Neither is trusted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/record.h"

namespace kgrade {

// Copies headers and functions from the report. Leaves out texts that are not names, and entries beyond the
// limits.
void read_python_report(const std::string& report, PythonRecord& record);

// "PyTorch computed conv1d, relu (as seen in the rehearsal)". Empty if it computed nothing.
std::string functions_note(const PythonRecord& record);

// "ModelNew has no parameter for fc_weight: ...", for weights that the report says are left out. Empty
// without such weights.
std::string left_out_note(const std::string& report);

// The bytes of the compiled kernels in the report (harness/python/kgrade_python/matrix_kernels.py). Nothing
// if the report does not say which kernels there are.
std::optional<std::vector<std::string>> kernels_in_report(const std::string& report);

// How much printed output is kept. People look for a few values in it.
inline constexpr std::size_t most_printed_lines = 40;
inline constexpr std::size_t longest_printed_line = 300;  // bytes

// Splits any bytes into lines without control characters (base/text.h, printable()). Keeps the first
// most_printed_lines, and cuts longer lines off with "...". Empty lines at the end do not count. `all_room`:
// the output filled all its room, so there may have been more than `text`.
Printed lines_printed(std::string_view text, bool all_room);

}  // namespace kgrade
