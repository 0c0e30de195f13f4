// A problem made in code, without a file: the output is twice the input.
#pragma once

#include <string>

#include "behaviour.h"
#include "contest/contest.h"
#include "problem/case.h"

namespace kgrade {

// How long tests wait for a worker that answers at once on an idle machine.
constexpr Patience ample_patience{60'000};

}  // namespace kgrade

namespace kgrade::test {

inline Parameter tensor_parameter(const std::string& name, bool is_const) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = "[VAR]";
  parameter.pointer = true;
  parameter.is_const = is_const;
  return parameter;
}

inline Parameter scalar_parameter(const std::string& name, const std::string& type) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = type;
  return parameter;
}

constexpr std::int64_t sample_elements = 1000;

inline Problem doubling() {
  Problem problem;
  problem.slug = "doubling";
  problem.parameters = {tensor_parameter("input", true), scalar_parameter("behaviour", "int"),
                        tensor_parameter("output", false), scalar_parameter("n", "long")};
  return problem;
}

// The sample contestant has this behaviour in the case's calls.
inline Case doubling_case(Behaviour behaviour) {
  Case bound;
  bound.name = "small";
  bound.integers["behaviour"] = static_cast<int>(behaviour);
  bound.integers["n"] = sample_elements;
  bound.tensors = {
      {"input", 0, false, {sample_elements}, sample_elements, {ResolvedInit::Kind::uniform, 0, 1}},
      {"output", 2, true, {sample_elements / 10, 10}, sample_elements, {}}};
  return bound;
}

}  // namespace kgrade::test
