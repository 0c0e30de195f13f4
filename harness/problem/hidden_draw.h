// Draws the values of one hidden case from the ranges of `fuzz`, legal or not; internal to spec.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "problem/problem.h"

namespace kgrade {

// What a draw leans to. Kernels fail at the ends of ranges, where nothing divides evenly, and where more than
// one block has work to do; values that no case in the file has are those that a kernel cannot prepare for.
enum class HiddenLeaning { ends, odd, fresh, large };

inline constexpr std::size_t hidden_leanings = 4;

// Hidden cases take them in turn.
HiddenLeaning leaning_of(std::size_t index);

// The standard fixes what std::mt19937_64 yields, but not what its distributions make of that: the mapping to
// integers is done here, so that a seed means the same on every machine.
class HiddenDraw {
 public:
  // `bases` are the cases that give what `fuzz` leaves out; there may be none. Problem and bases must outlive
  // the object. Each (seed, index) has random numbers of its own.
  HiddenDraw(const Problem& problem, const std::vector<const CaseSpec*>& bases, std::uint64_t seed,
             std::size_t index);

  // The draws go through cycles, from whole ranges down to the two or three values nearest to 1: where
  // large values are refused for their cost, or two have to be equal, a narrower draw is still found. Without
  // name and role.
  CaseSpec next();
  static constexpr unsigned cycle = 64;

 private:
  struct Window {
    std::int64_t low;
    std::int64_t high;
  };
  Window window_of(const FuzzRange& range) const;
  std::int64_t value_in(const Window& window);
  std::int64_t leaning_value(const Window& window);
  std::int64_t between(std::int64_t low, std::int64_t high);  // both included
  std::uint64_t below(std::uint64_t bound);                   // bound > 0
  bool chance(std::uint64_t eighths);

  const Problem& problem_;
  const std::vector<const CaseSpec*>& bases_;
  HiddenLeaning leaning_;
  std::mt19937_64 generator_;
  unsigned step_ = 0;                // in the cycle
  std::vector<std::int64_t> drawn_;  // by this draw so far
};

}  // namespace kgrade
