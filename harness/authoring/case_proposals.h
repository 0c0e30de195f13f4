// Cases and hidden ranges for a problem that has none yet.
#pragma once

#include <vector>

#include "spec/problem.h"

namespace kgrade::authoring {

// A sample, tests that vary what the parameters' names allow (strides, padding, dilation, groups, a kernel of
// 1, prime extents, long and short rows), and one bench of at most 1 GiB. Only cases that `require` and the
// shapes allow; when a tensor has no shape yet, all of them unchecked. Parameters of real types are 1.
std::vector<CaseSpec> propose_cases(const Problem& problem);

// A range for every integer parameter; nothing when hidden cases could not be drawn from them.
std::vector<FuzzRange> propose_fuzz(const Problem& problem);

}  // namespace kgrade::authoring
