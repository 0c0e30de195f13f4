// A record of `kgrade check` as a person reads it.
#pragma once

#include <string>

#include "check/finding.h"
#include "record/terminal.h"

namespace kgrade {

// A headline a candidate, a paragraph a finding with the line of source that is meant, then what was run.
// With `verbose` also every pass, the stages and the compiler's log.
std::string render_table(const CheckRecord& record, const Style& style, bool verbose);

}  // namespace kgrade
