// What a scalar parameter is, by the conventions of its name: PyTorch's and ONNX's arguments and their usual
// abbreviations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgrade::authoring {

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

// "in_channels" and "inChannels" as in, channels: in lower case.
std::vector<std::string> words_of_name(std::string_view name);

}  // namespace kgrade::authoring
