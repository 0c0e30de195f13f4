// A record as the table that a person reads at a glance.
#pragma once

#include <string>

#include "record/record.h"
#include "record/terminal.h"

namespace kgrade {

// One block a candidate: the verdict first, then a row a case. With `verbose` also the checks, the stages and
// the compiler's log.
std::string render_table(const Record& record, const Style& style, bool verbose);

}  // namespace kgrade
