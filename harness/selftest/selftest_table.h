// The record of a self-test as tables that a person reads.
#pragma once

#include <string>

#include "record/terminal.h"
#include "selftest/selftest_record.h"

namespace kgrade {

// The floor, a row a kernel for the same binary on both sides, a row a kernel and slow-down, then the
// criteria and what they come to. Where times are no speed no figure of speed is shown.
std::string render_table(const SelftestRecord& record, const Style& style);

}  // namespace kgrade
