// What a statement says about shapes: which text gives the shape of which tensor, what symbols are called,
// and which formulas it gives. Nothing is interpreted yet.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "authoring/shape_text.h"

namespace kgrade::authoring {

struct ShapeClaim {
  std::string tensor;
  SymbolicShape shape;     // without extents: a shape that cannot be read
  std::string source;      // as written: "(B, C_{\text{in}}, H, W)"
  bool described = false;  // the tensor is not named: "BatchNorm weights of shape ..."
};

struct Equation {
  Symbol left;
  SymbolicExtent right;
  std::string source;
};

struct StatementClaims {
  std::vector<ShapeClaim> shapes;  // one a tensor, the first that the statement gives
  std::vector<Equation> equations;
  std::map<std::string, std::vector<std::string>> descriptions;  // words, by Symbol::text()
};

// `tensors` and `scalars` are names of parameters.
StatementClaims read_statement(std::string_view statement, const std::vector<std::string>& tensors,
                               const std::vector<std::string>& scalars);

}  // namespace kgrade::authoring
