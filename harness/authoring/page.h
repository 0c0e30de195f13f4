// A problem as one HTML page that needs nothing else: no scripts, no fonts, no network.
#pragma once

#include <string>
#include <vector>

#include "problem/case.h"
#include "problem/problem.h"

namespace kgrade::authoring {

// In the problem's element type (with_dtype() chooses another): title, entry point, statement, parameters,
// values, requirements and cases. `cases` are those of the problem that could be worked out, in file order.
// Whatever the file holds stands there as text: no markup of its own gets into the page (see markdown.h). An
// Error when the statement is larger than 1 MiB.
Result<std::string> problem_page(const Problem& problem, const std::vector<Case>& cases);

}  // namespace kgrade::authoring
