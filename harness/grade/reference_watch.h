// How fast the reference is when no candidate is there: a candidate that slows the reference down beside it
// would seem fast.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grade/preparation.h"
#include "grade/session.h"

namespace kgrade {

// Of each case whose speed is measured, by name: times of the reference alone, in milliseconds. An Error is
// not a candidate's.
using ReferenceAlone = std::map<std::string, std::vector<double>>;
Result<ReferenceAlone> time_reference_alone(Session& session, const std::vector<PlannedCase>& cases);

}  // namespace kgrade
