// Chooses the cases on which lint tries short cuts (soundness/short_cut_search.h).
#pragma once

#include <functional>
#include <vector>

#include "problem/case.h"

namespace kgrade {

// The first one is for all short cuts: on a GPU, the smallest measured case that `fits` allows, or else the
// largest of `checked`; on the emulated device, the largest of `checked` that is quick there, or else the
// smallest. The others are for the short cut that computes in the class below: all other cases of `checked`,
// and the measured ones on a GPU. Extents of a measured case that would take long are halved: first large
// ones that leave the terms of sums as they are, such as rows, then other ones that do, and then any. A
// Model's case stays as it is.
std::vector<Case> cases_of_short_cuts(const Problem& problem, const std::vector<Case>& checked, bool emulated,
                                      const std::function<bool(const Case&)>& fits);

}  // namespace kgrade
