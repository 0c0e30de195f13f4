// Tries the short cuts (soundness/short_cuts.h) on one case with the inputs that grading draws: from the
// inputs' own distributions, and from the families of inputs that tell right answers from wrong ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "soundness/reference_runner.h"
#include "soundness/short_cuts.h"

namespace kgrade {

// A short cut that no draw refuses, although its error is larger than rounding.
struct AcceptedShortCut {
  const ShortCut* short_cut = nullptr;
  std::string tensor;   // the one that it changes; "the operands" for all inputs
  double of_bound = 0;  // its largest error, over the bound
  std::string figures;  // of this error: "'y' is off by 3.7e-06 over ..., and fp32 allows 5.0e-06"
  std::string told_by;  // inputs that would refuse it, but on which the reference has too large an error
};

// The tensors that a short cut changes in a case. Each element is one try: the numbers of inputs, or the
// number of an output. Empty if the short cut does not apply, or if the problem's class allows it.
std::vector<std::vector<std::size_t>> tensors_of(const ShortCut& short_cut, const Problem& problem,
                                                 const Case& bound);

// The runner must have the case. An Error if a call fails or the device has no room. `tried` must outlive the
// call.
Result<std::vector<AcceptedShortCut>> find_accepted_short_cuts(
    ReferenceRunner& runner, const Problem& problem, const Case& bound, std::uint64_t seed,
    std::span<const ShortCut> tried = short_cuts());

}  // namespace kgrade
