// Cases and hidden ranges for a problem that has none yet.
#pragma once

#include <vector>

#include "authoring/draft.h"

namespace kgrade::authoring {

// A sample, tests that vary what the parameters' names allow (strides, padding, dilation, groups, a kernel of
// 1, prime extents, long and short rows), and one bench of at most 1 GiB. Only cases that `require` and the
// shapes allow; when a tensor has no shape yet, all of them unchecked. Parameters of real types are 1.
std::vector<CaseSpec> propose_cases(const Problem& problem);

// A range for every integer parameter; nothing when hidden cases could not be drawn from them. The problem's
// cases give the values of real types.
std::vector<FuzzRange> propose_fuzz(const Problem& problem);

// All of it for a draft that parses as `problem`. Parameters of real types, which `fuzz` cannot hold, go
// under `defaults`.
void add_proposals(Draft& draft, Problem problem);

}  // namespace kgrade::authoring
