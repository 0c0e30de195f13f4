// Draws hidden cases for the tests, and describes them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "problem/hidden_cases.h"

namespace kgrade::test {

inline HiddenOptions with_seed(std::uint64_t seed) {
  HiddenOptions options;
  options.seed = seed;
  return options;
}

inline std::vector<Case> drawn(const Problem& problem, const HiddenOptions& options) {
  const auto cases = draw_hidden_cases(problem, options);
  if (cases) return *cases;
  ADD_FAILURE() << to_string(cases.errors());
  return {};
}

// "hidden-1: batch_size=1 in_channels=4 ... scale=0.5", parameters in file order.
inline std::string line_of(const Problem& problem, const Case& bound) {
  std::string line = bound.name + ":";
  for (const Parameter& parameter : problem.parameters) {
    if (const auto value = bound.integers.find(parameter.name); value != bound.integers.end()) {
      line += fmt::format(" {}={}", parameter.name, value->second);
    }
    if (const auto value = bound.reals.find(parameter.name); value != bound.reals.end()) {
      line += fmt::format(" {}={}", parameter.name, value->second);
    }
  }
  return line;
}

inline std::vector<std::string> lines_of(const Problem& problem, const std::vector<Case>& cases) {
  std::vector<std::string> lines;
  for (const Case& bound : cases) lines.push_back(line_of(problem, bound));
  return lines;
}

// As it would appear in the file.
inline CaseSpec spec_of(const Problem& problem, const Case& bound) {
  CaseSpec spec{bound.name, bound.role, {}, bound.reals, {}};
  for (const Parameter& parameter : problem.parameters) {
    const auto value = bound.integers.find(parameter.name);
    if (value != bound.integers.end()) spec.integers.insert(*value);
  }
  return spec;
}

inline std::vector<std::vector<std::int64_t>> shapes_of(const Case& bound) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const Tensor& tensor : bound.tensors) shapes.push_back(tensor.shape);
  return shapes;
}

}  // namespace kgrade::test
