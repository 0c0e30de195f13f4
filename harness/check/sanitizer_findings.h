// From a report of compute-sanitizer to findings in words, in the form of those of the emulated device.
#pragma once

#include <string>
#include <vector>

#include "check/finding.h"
#include "check/quoted_source.h"
#include "compile/source_places.h"
#include "problem/case.h"

namespace kgrade {

// Of one pass with `calls` calls. `places` finds lines of host code and may be null. What follows from an
// invalid access (errors of calls to the runtime) is no finding; a leak is one when every call has left the
// same.
std::vector<Finding> findings_of_report(const std::string& report, const Case& bound, int calls,
                                        const OwnSources& own, PlaceFinder* places, QuotedSource& source);

}  // namespace kgrade
