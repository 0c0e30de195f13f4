// Chooses the case on which lint tries short cuts (soundness/short_cut_search.h).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "problem/case.h"

namespace kgrade {

// On a GPU, the smallest measured case that `fits` allows, or else the largest of `checked`. Extents of a
// measured case that would take long are halved: first large ones that leave the terms of sums as they are,
// such as rows, then other ones that do, and then any. A Model's case stays as it is. On the emulated device,
// the largest of `checked` that is quick there, or else the smallest. Nothing if there is none.
std::optional<Case> case_of_short_cuts(const Problem& problem, const std::vector<Case>& checked,
                                       bool emulated, const std::function<bool(const Case&)>& fits);

}  // namespace kgrade
