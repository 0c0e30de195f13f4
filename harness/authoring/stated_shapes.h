// Shapes that a statement writes at a parameter: "- Tensor `input` of shape $(B, C_{in}, H, W)$".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kgrade::authoring {

// What a statement says of one tensor.
struct StatedShape {
  std::vector<std::string> extents;  // expressions of parameters; empty: it cannot be used
  std::string written;               // "(B, C_{in}, H, W)"; empty: the statement writes none
  std::string problem;               // why it cannot be used
};

// By tensor. A line counts that names one tensor, in backquotes or between dollars, and after that a shape
// between dollars: a list in parentheses or factors with \times. An extent is a number, a parameter's name, a
// symbol of the table in the source, or a quotient of these. A symbol that stands for no integer parameter
// makes the shape unusable: nothing is guessed.
std::map<std::string, StatedShape> stated_shapes(std::string_view statement,
                                                 const std::vector<std::string>& tensors,
                                                 const std::vector<std::string>& integers);

}  // namespace kgrade::authoring
