// The short cuts that `kgrade lint` tries: wrong ways to compute an output that are faster or simpler than
// the right one, and that people take. Each changes the elements of an input before the oracle is called, or
// those of the oracle's output, one by one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "record/verdict.h"

namespace kgrade {

// What a short cut knows of the tensor that it changes.
struct ShortCutTensor {
  std::uint64_t row = 1;       // elements along the last axis
  std::uint64_t elements = 1;  // of all axes
  float first = 0;             // its first element
  float mean = 0;              // of the elements that are finite
  float largest = 0;           // the largest size of those
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
  // The error, over the bound, from which on this short cut is refused for sure.
  double least_error = 1;
};

std::span<const ShortCut> short_cuts();
// The one that computes in the class below the one that a problem asks for. Empty if there is no class below.
std::span<const ShortCut> short_cut_of_class_below(Precision asked);
// Null if there is none of that name.
const ShortCut* find_short_cut(std::string_view name);

}  // namespace kgrade
