// The short cuts that `kgrade lint` tries: wrong ways to compute an output that people take because they are
// faster or simpler than the right way. Each changes single elements: those of an input before the oracle is
// called, or those of the oracle's output.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "problem/case.h"
#include "record/verdict.h"

namespace kgrade {

// The properties of a tensor that a short cut may use when it changes the tensor.
struct ShortCutTensor {
  std::uint64_t row = 1;       // elements along the last axis
  std::uint64_t elements = 1;  // of all axes
  float first = 0;             // its first element
  float mean = 0;              // of the elements that are finite
  float largest = 0;           // the largest magnitude of these
};

enum class ShortCutOf {
  operands,  // all inputs of real numbers together
  reals,     // one input of real numbers
  integers,  // one input of integers
  output     // one output
};

struct ShortCut {
  std::string_view name;  // as in `harmless` of a problem file
  ShortCutOf of;
  std::string_view what;  // "the second half of {} at 0", with a place for the tensor
  float (*element)(float value, std::uint64_t place, const ShortCutTensor& tensor);
  // The short cut is certainly refused if its error divided by the bound is at least this.
  double least_error = 1;
};

std::span<const ShortCut> short_cuts();
// The short cut that computes in the class below the asked one. Empty if there is no lower class.
std::span<const ShortCut> short_cut_of_class_below(Precision asked);
// The short cut with that name. Null if there is none.
const ShortCut* find_short_cut(std::string_view name);

// Chooses the cases on which lint tries short cuts (soundness/short_cut_search.h). The first case is for all
// short cuts. On a GPU, it is the smallest measured case that `fits` allows, or if there is none, the largest
// of `checked`. On the emulated device, it is the largest of `checked` that is quick there, or if none is,
// the smallest. The further cases are for the short cut that computes in the class below: all other cases of
// `checked`, and on a GPU also the measured cases. If a measured case would take long, its extents are
// halved: first large extents that do not change the number of terms in sums, such as rows, then smaller
// extents that do not change it, and then any extents. A Model's case stays as it is.
std::vector<Case> cases_of_short_cuts(const Problem& problem, const std::vector<Case>& checked, bool emulated,
                                      const std::function<bool(const Case&)>& fits);

}  // namespace kgrade
