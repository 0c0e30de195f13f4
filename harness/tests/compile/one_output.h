// A problem whose entry point is solution(float* output).
#pragma once

#include "problem/problem.h"

namespace kgrade::test {

inline Problem one_output() {
  Problem problem;
  problem.slug = "one";
  problem.dtypes = {"float32"};
  Parameter output;
  output.name = "output";
  output.type = "[VAR]";
  output.pointer = true;
  problem.parameters = {output};
  return problem;
}

}  // namespace kgrade::test
