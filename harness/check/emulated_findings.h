// From the entries of a checked worker's book on the emulated device to findings in words, with lines of the
// candidate's source.
#pragma once

#include <vector>

#include "check/finding.h"
#include "device/finding_book.h"
#include "problem/problem.h"

namespace kgrade {

// `places` may be null: then findings have no lines. Findings come without case and pass. A barrier that all
// threads of the block reach at the same line is no finding.
std::vector<Finding> findings_of(const std::vector<FindingEntry>& entries, const Problem& problem,
                                 PlaceFinder* places, QuotedSource& source);

}  // namespace kgrade
