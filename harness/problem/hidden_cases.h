// Hidden shapes: cases that stand in no file, drawn from the ranges of `fuzz` by a private seed, so that a
// candidate has to be right on shapes that it cannot prepare for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "problem/case.h"

namespace kgrade {

// Of one run.
inline constexpr std::size_t most_hidden_cases = 1000;

struct HiddenOptions {
  std::uint64_t seed = 0;
  std::size_t count = 4;
  std::int64_t element_size = 4;  // of the element type under test, in bytes
  // What a case may cost at most; without a value as hidden_limits() derives it. Zero and less refuse all.
  std::optional<std::int64_t> most_bytes;  // of all its tensors
  std::optional<std::int64_t> most_flops;  // for problems that say their `flops`
  // Only cases that the problem's `torch` section can state; the problem must have one.
  bool for_module = false;
  std::size_t most_tries = 4096;  // for one case; at most so many draws are looked at
};

struct HiddenLimits {
  std::int64_t bytes = 0;
  std::int64_t flops = 0;
};

// Twice what the largest `test` case costs, which every device has to run anyhow (without one: the largest
// `sample`, or else `bench`), and at least 64 KiB and 1,000,000 operations, so that tiny cases do not shut
// out all others.
HiddenLimits hidden_limits(const Problem& problem, const HiddenOptions& options);

// Draws `count` cases of role `hidden`, named hidden-1, hidden-2 and so on, without names of the file's
// cases.
// - Each one resolves as resolve_case() asks, costs no more than the limits, and has other integers than
//   every case of the file and every other hidden case; where the ranges allow, other shapes as well.
// - Integers that `fuzz` leaves out, and reals, have the values of a `test` case (without one: of a `sample`,
//   or else a `bench`) that the seed chooses.
// - Where the ranges allow, every output has 32 elements or more, or as many as in any case of the file where
//   that is less: an error is given in units of the output's norm, and over fewer elements that is nearly
//   zero too often.
// - In turn the cases favour the ends of the ranges, odd extents, values that no case of the file has, and
//   large values.
// - Where `fuzz` scales inputs, the second case and every fourth one after it multiply all of them, or one,
// with an end
//   of their ranges. The fourth and every fourth one after it multiply them with anything in the ranges, or
//   with nothing, and one of them by blocks. Of float16 none does.
// - For a module, parameters that a condition wants to be equal, of the problem or of its `torch` section,
// are
//   made equal: independent draws would hardly ever be. A number that a condition names need not lie in the
//   range of `fuzz`.
// - The same problem, seed and limits give the same cases on every machine, others for a module; a smaller
//   `count` gives the first of them.
// A problem without `fuzz` has none. There are fewer than `count` when the ranges hold fewer legal cases, and
// never none: an Error, which points to `fuzz` and says what refused most draws, when no try was legal, and
// when `fuzz` leaves out a parameter to which no case gives a value.
//
// The problem must be as parse_problem() yields it. Inputs must not be drawn from the same seed: a candidate
// sees the shapes.
Result<std::vector<Case>> draw_hidden_cases(const Problem& problem, const HiddenOptions& options);

// How many of the draws that draw_hidden_cases() begins with are legal cases, whatever they cost.
struct HiddenSurvey {
  std::size_t draws = 0;
  std::size_t legal = 0;
  Error commonest;  // of those that are not: what refused most, with its place where it has one
};

// A whole cycle of draws of each bias. None where a problem has no `fuzz`.
HiddenSurvey survey_hidden_draws(const Problem& problem, std::uint64_t seed);

}  // namespace kgrade
