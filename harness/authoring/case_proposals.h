// Proposes cases and hidden ranges for a problem that has none yet. The names of its parameters say what they
// mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "authoring/draft.h"

namespace kgrade::authoring {

// The role of a scalar parameter. It follows from the conventions for its name: the argument names of PyTorch
// and ONNX and their usual abbreviations.
enum class ParameterRole {
  batch,
  in_channels,
  out_channels,
  channels,
  extent,  // height, rows, n: any other name
  kernel,
  stride,
  padding,
  output_padding,
  dilation,
  groups,       // in a convolution
  norm_groups,  // in a group norm
};

struct ParameterMeaning {
  ParameterRole role = ParameterRole::extent;
  bool of_pool = false;  // the name says so: pool_size
};

ParameterMeaning meaning_of(std::string_view name);

// The extent from which a parameter such as `k` or `top_k` chooses. The parameter is in the shape of an
// output and of no input. The extent is in the shape of an input and of no output. Empty for other
// parameters.
std::string chosen_from(const Problem& problem, std::string_view name);

// Proposes a sample, tests and one bench. The bench's largest tensor has millions of elements, and the bench
// takes at most 1 GiB. The tests vary strides, padding, dilation and groups as far as there are such
// parameters, and have a kernel of 1, prime extents, and long and short rows. Only cases that `require` and
// the shapes allow are proposed. If a tensor has no shape yet, all cases are proposed unchecked. Parameters
// of real types are 1.
std::vector<CaseSpec> propose_cases(const Problem& problem);

// A range for every integer parameter. Nothing if hidden cases could not be drawn from the ranges. Values of
// real types come from the problem's cases.
std::vector<FuzzRange> propose_fuzz(const Problem& problem);

// Adds cases and ranges to a draft that parses as `problem`. Parameters of real types go under `defaults`,
// because `fuzz` cannot hold them.
void add_proposals(Draft& draft, Problem problem);

}  // namespace kgrade::authoring
