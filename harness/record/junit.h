// Results as JUnit XML, which CI systems show: a suite a problem (by element type and device), a test case a
// candidate. What is not accepted is a failure with its verdict as type; what has no verdict is an error.
#pragma once

#include <string>
#include <vector>

#include "record/record.h"
#include "record/ungraded.h"

namespace kgrade {

// Follows both schemas in wide use, that of Ant's reports (windyroad/JUnit-Schema) and that of Jenkins (xUnit
// plugin, junit-10.xsd). Characters that XML 1.0 cannot hold are replaced.
std::string junit_xml(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded = {});

}  // namespace kgrade
