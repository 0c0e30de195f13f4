// Draws the values of hidden cases (problem/hidden_cases.h) from the ranges of `fuzz`: the parameters, and
// the factors of inputs. A draw need not be a legal case. Each pair of a seed and a case's index has its own
// random numbers. They give the same values on every machine: the standard fixes what std::mt19937_64 yields,
// but not the results of its distributions, so the mapping to integers is done here.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "problem/problem.h"

namespace kgrade {

// The values that a draw favours. Kernels fail at the ends of ranges, at extents that are not a multiple of a
// vector or a tile, and when more than one block has work to do. A kernel cannot prepare for values that no
// case in the file has.
enum class Bias { ends, odd, fresh, large };

constexpr std::size_t biases = 4;

// Hidden cases take the biases in turn.
Bias bias_of(std::size_t index);

// Draws the parameters of one hidden case.
class HiddenDraw {
 public:
  // `bases` are the cases that give values to parameters that `fuzz` leaves out. It may be empty. Problem and
  // bases must outlive the object.
  HiddenDraw(const Problem& problem, const std::vector<const CaseSpec*>& bases, std::uint64_t seed,
             std::size_t index);

  // The next draw, without name and role. Draws go through cycles, from whole ranges down to the two or three
  // values nearest to 1. So a narrow draw is still found if large values are refused for their cost, or if
  // two values have to be equal.
  static constexpr unsigned cycle = 64;
  CaseSpec next();

 private:
  // Values from low to high. For a range with a list of values, indices into the list.
  struct Window {
    std::int64_t low;
    std::int64_t high;
  };

  Window window_of(const FuzzRange& range) const;
  double real_in(const FuzzRange& range);
  std::int64_t value_in(const FuzzRange& range, const Window& window);
  std::int64_t biased_value(const Window& window);
  std::int64_t between(std::int64_t low, std::int64_t high);
  std::uint64_t below(std::uint64_t bound);
  bool chance(std::uint64_t eighths) { return below(8) < eighths; }
  static bool holds(const FuzzRange& range, const Window& window, std::int64_t value);

  const Problem& problem_;
  const std::vector<const CaseSpec*>& bases_;
  Bias bias_;
  std::mt19937_64 generator_;
  unsigned step_ = 0;                // of the cycle
  std::vector<std::int64_t> drawn_;  // values of this draw so far
};

// Draws the factors of inputs. One of four hidden cases takes an end of the ranges, for all inputs or for
// only one input. Another one of four takes any factors of the ranges, or no factors, and the blocks of one
// of its inputs differ by factors of up to 2^8. Only one input has such blocks. If two inputs had them along
// a sum, the errors of some kernels would grow by these factors: kernels whose errors depend on the norms of
// their operands, as when operands are split at one scale or in Strassen's product. The errors of plain
// kernels would not grow.
Scalings draw_scalings(const Problem& problem, std::uint64_t seed, std::size_t index);

}  // namespace kgrade
