// How fast the reference is when no candidate is there: a candidate that slows the reference down beside it
// would seem fast.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grade/preparation.h"
#include "grade/session.h"

namespace kgrade {

// Calls the reference alone on each case whose speed is measured. An Error is not a candidate's.
Result<ReferenceAlone> time_reference_alone(Session& session, const std::vector<PlannedCase>& cases);

}  // namespace kgrade
