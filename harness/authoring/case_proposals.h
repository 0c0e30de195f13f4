// Cases and hidden ranges for a problem that has none yet, by what its parameters' names mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "authoring/draft.h"

namespace kgrade::authoring {

// What a scalar parameter is, by the conventions of its name: PyTorch's and ONNX's arguments and their usual
// abbreviations.
enum class ParameterRole {
  batch,
  in_channels,
  out_channels,
  channels,
  extent,  // height, rows, n: whatever has no other role
  kernel,
  stride,
  padding,
  output_padding,
  dilation,
  groups,       // of a convolution
  norm_groups,  // of a group norm
};

struct ParameterMeaning {
  ParameterRole role = ParameterRole::extent;
  char axis = 0;         // 'd', 'h' or 'w'; 0 for one that counts for all axes or for none
  bool of_pool = false;  // its name says so: pool_size
};

ParameterMeaning meaning_of(std::string_view name);

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
