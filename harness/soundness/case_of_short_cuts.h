// Chooses the cases on which lint tries short cuts (soundness/short_cut_search.h).
#pragma once

#include <functional>
#include <vector>

#include "problem/case.h"

namespace kgrade {

// The first case is for all short cuts. On a GPU, it is the smallest measured case that `fits` allows, or if
// there is none, the largest of `checked`. On the emulated device, it is the largest of `checked` that is
// quick there, or if none is, the smallest. The further cases are for the short cut that computes in the
// class below: all other cases of `checked`, and on a GPU also the measured cases. If a measured case would
// take long, its extents are halved: first large extents that do not change the number of terms in sums, such
// as rows, then smaller extents that do not change it, and then any extents. A Model's case stays as it is.
std::vector<Case> cases_of_short_cuts(const Problem& problem, const std::vector<Case>& checked, bool emulated,
                                      const std::function<bool(const Case&)>& fits);

}  // namespace kgrade
