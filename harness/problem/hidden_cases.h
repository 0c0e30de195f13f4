// Hidden cases: cases that are in no file. They are drawn from the ranges of `fuzz` with a private seed, so
// that a candidate has to be right on shapes that it cannot prepare for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "problem/case.h"

namespace kgrade {

// The most hidden cases of one run.
inline constexpr std::size_t most_hidden_cases = 1000;

struct HiddenOptions {
  std::uint64_t seed = 0;
  std::size_t count = 4;
  std::int64_t element_size = 4;  // of the element type under test, in bytes
  // The most that a case may cost. Without a value hidden_limits() derives it. With zero or less, every case
  // is refused.
  std::optional<std::int64_t> most_bytes;  // bytes of all tensors of a case
  std::optional<std::int64_t> most_flops;  // for problems that give `flops`
  // Draw only cases that the problem's `torch` section can state. The problem must have one.
  bool for_module = false;
  std::size_t most_tries = 4096;  // draws for one case
};

struct HiddenLimits {
  std::int64_t bytes = 0;
  std::int64_t flops = 0;
};

// Twice the cost of the largest `test` case, which every device has to run anyhow. Without a `test` case, the
// limits come from the largest `sample` case, or else from the largest `bench` case. The limits are at least
// 64 KiB and 1,000,000 operations, so that a problem with tiny cases gets hidden cases too.
HiddenLimits hidden_limits(const Problem& problem, const HiddenOptions& options);

// Draws `count` cases of role `hidden`, named hidden-1, hidden-2 and so on. Names of the file's cases are
// left out.
// - Each case is accepted by resolve_case(), costs no more than the limits, and has other integers than every
//   case of the file and every other hidden case. Where the ranges allow, its shapes are new as well.
// - Scalars that `fuzz` leaves out have the values of a `test` case that the seed chooses. If there is no
//   `test` case, a `sample` case gives them, or else a `bench` case.
// - Where the ranges allow, every output has at least 32 elements, or as many as in the file's largest case.
//   Errors are measured in units of the output's norm, and the norm of few elements is too often nearly zero.
// - The cases take turns in what they favour: the ends of the ranges, odd extents, values that no case of the
//   file has, or large values.
// - Where `fuzz` scales inputs, the second case and every fourth one after it multiply all inputs, or one
//   input, by an end of their ranges. The fourth case and every fourth one after it multiply inputs by any
//   factors in the ranges, or by none, and one input by different factors for its blocks. Cases of float16 do
//   not scale.
// - For a module, parameters are made equal if a condition requires this, because independent draws would
//   hardly ever be equal. The conditions of the problem and of its `torch` section count. A number in such a
//   condition may lie outside of the range of `fuzz`.
// - The same problem, seed and limits give the same cases on every machine, but other cases for a module. A
//   smaller `count` gives the first of these cases.
//
// There are fewer than `count` cases if the ranges hold fewer legal ones, and none for a problem without
// `fuzz`. If no try was legal, an Error points to `fuzz` and says what refused most draws. Another Error is
// for a parameter that `fuzz` leaves out and to which no case gives a value.
//
// The problem must be as parse_problem() yields it. Inputs must not be drawn from the same seed, because a
// candidate sees the shapes.
Result<std::vector<Case>> draw_hidden_cases(const Problem& problem, const HiddenOptions& options);

// Counts how many of the first draws of draw_hidden_cases() are legal cases, whatever they cost.
struct HiddenSurvey {
  std::size_t draws = 0;
  std::size_t legal = 0;
  Error commonest;  // what refused most of the illegal draws, with its place if it has one
};

// Makes a whole cycle of draws for each bias. Makes no draws if the problem has no `fuzz`.
HiddenSurvey survey_hidden_draws(const Problem& problem, std::uint64_t seed);

}  // namespace kgrade
