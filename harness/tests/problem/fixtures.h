// Problem files for the tests of this folder: one sound text, and edits of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "problem/catalogue.h"
#include "problem/problem.h"

namespace kgrade::test {

// Sound and gradable; the tests count its lines, so that a change here moves their expectations.
inline constexpr std::string_view row_sum = R"(---
slug: row-sum
title: Row sums
difficulty: EASY
parameters:
  - name: input
    type: "[VAR]"
    pointer: true
    const: true
    shape: [rows, columns]
    init: uniform(0, 1)
  - name: output
    type: "[VAR]"
    pointer: true
    const: false
    shape: [kept]
  - {name: rows, type: size_t, pointer: false}
  - {name: columns, type: int, pointer: false}
  - {name: scale, type: float, pointer: false}
dtypes: [float32]
let:
  half: rows / 2
  kept: rows - half
require:
  - columns > 0
cases:
  - {name: tiny, role: test, rows: 2, columns: 3, scale: 1.5}
  - {name: large, role: bench, rows: 64, columns: 32, scale: 1}
fuzz:
  rows: 1..3
flops: rows * columns
precision: fp32
thresholds: {fp32: 1e-6}
---
Sum every row.
)";

// `text` with its first `from` replaced, which must be there.
inline std::string edited(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const std::size_t at = result.find(from);
  EXPECT_NE(at, std::string::npos) << "the text holds no '" << from << "'";
  if (at != std::string::npos) result.replace(at, from.size(), to);
  return result;
}

// A problem that must parse; if it does not, the test fails with its errors.
inline Problem parsed(std::string_view text) {
  const auto problem = parse_problem(text, "problem.md");
  if (problem) return *problem;
  ADD_FAILURE() << to_string(problem.errors());
  return {};
}

inline std::filesystem::path data_folder() {
  return std::filesystem::path(KGRADE_SOURCE_DIR) / "harness/tests/fixtures/problem";
}

// Files of the shipped problems that are KernelBench's convolutions: those with the most parameters, which modules of
// PyTorch state.
inline std::vector<std::filesystem::path> kernelbench_convolutions() {
  auto files = problem_files(std::filesystem::path(KGRADE_SOURCE_DIR) / "problems");
  if (!files) return {};
  std::erase_if(*files, [](const auto& file) {
    const auto problem = load_problem(file);
    return !problem || !problem->source.starts_with("KernelBench") ||
           std::find(problem->tags.begin(), problem->tags.end(), "convolution") == problem->tags.end();
  });
  return *std::move(files);
}

}  // namespace kgrade::test
