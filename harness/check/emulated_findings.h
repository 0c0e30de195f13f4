// Turns the finding book of a worker on the emulated device into findings in words, with lines of the
// candidate's source.
#pragma once

#include <vector>

#include "check/finding.h"
#include "device/finding_book.h"
#include "problem/problem.h"

namespace kgrade {

// `places` may be null; then findings have no lines. Findings have no case and no pass. A barrier that all
// threads of the block reach at the same line is not a finding.
std::vector<Finding> findings_of(const std::vector<FindingEntry>& entries, const Problem& problem,
                                 PlaceFinder* places, QuotedSource& source);

}  // namespace kgrade
