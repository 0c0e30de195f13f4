#include "problem/hidden_draw.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/split_mix.h"

namespace kgrade {
namespace {

std::uint64_t stream_of(std::uint64_t seed, std::size_t index) {
  return mixed(mixed(seed + golden_gamma) + golden_gamma * (std::uint64_t{index} + 1));
}

// high - low. The difference may not fit into 63 bits.
std::uint64_t span_of(std::int64_t low, std::int64_t high) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

std::int64_t plus(std::int64_t value, std::uint64_t offset) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) + offset);
}

std::int64_t nearest_to_one(const FuzzRange& range) {
  const auto& values = range.values;
  const auto at = std::lower_bound(values.begin(), values.end(), std::int64_t{1});
  return at == values.end() ? static_cast<std::int64_t>(values.size()) - 1 : at - values.begin();
}

std::int64_t value_at(const FuzzRange& range, std::int64_t place) {
  return range.values.empty() ? place : range.values[static_cast<std::size_t>(place)];
}

class ScaleDraw {
 public:
  ScaleDraw(const Problem& problem, std::uint64_t seed, std::size_t index)
      : problem_(problem), index_(index), generator_(stream_of(~seed, index)) {
    for (const ScaleRange& scale : problem.scales) {
      if (scale.factors.empty()) ranges_.push_back(&scale);
    }
  }

  Scalings next() {
    // float16 has normal numbers from 2^-14 to 2^16: unscaled inputs and outputs fill that range.
    if (index_ % 2 == 0 || ranges_.empty() || !has_exponents_of_float(problem_.dtype)) return {};
    Scalings scalings;
    const ScaleRange& one = *ranges_[below(ranges_.size())];
    if (index_ % 4 == 1) {
      choose_ends(one, scalings);
    } else {
      choose_anywhere(scalings);
      scalings[one.input].spread = spread;
    }
    for (const ScaleRange& scale : problem_.scales) {
      for (const std::string& factor : scale.factors)
        scalings[scale.input].exponent += scalings[factor].exponent;
    }
    return scalings;
  }

 private:
  static constexpr int spread = 4;

  // Chooses the lower end more often: a bug with large values shows anyway, as an infinity or NaN.
  void choose_ends(const ScaleRange& one, Scalings& scalings) {
    const bool is_low = below(4) < 3;
    const bool all = below(2) == 0;
    for (const ScaleRange* range : ranges_) {
      const int end = is_low ? range->lowest : range->highest;
      scalings[range->input].exponent = all || range == &one ? end : nearest_to_zero(*range);
    }
  }

  void choose_anywhere(Scalings& scalings) {
    const bool nowhere = below(2) == 0;
    for (const ScaleRange* range : ranges_) {
      const auto span = static_cast<std::uint64_t>(range->highest - range->lowest);
      const int drawn = range->lowest + static_cast<int>(below(span + 1));
      scalings[range->input].exponent = nowhere ? nearest_to_zero(*range) : drawn;
    }
  }

  static int nearest_to_zero(const ScaleRange& range) { return std::clamp(0, range.lowest, range.highest); }

  // The bias of the remainder is negligible for so small a bound.
  std::uint64_t below(std::uint64_t bound) { return generator_() % bound; }

  const Problem& problem_;
  std::size_t index_;
  std::mt19937_64 generator_;
  std::vector<const ScaleRange*> ranges_;
};

}  // namespace

Bias bias_of(std::size_t index) {
  constexpr Bias order[biases] = {Bias::ends, Bias::odd, Bias::fresh, Bias::large};
  return order[index % biases];
}

HiddenDraw::HiddenDraw(const Problem& problem, const std::vector<const CaseSpec*>& bases, std::uint64_t seed,
                       std::size_t index)
    : problem_(problem), bases_(bases), bias_(bias_of(index)), generator_(stream_of(seed, index)) {}

CaseSpec HiddenDraw::next() {
  CaseSpec spec;
  if (!bases_.empty()) {
    const CaseSpec& base = *bases_[below(bases_.size())];
    spec.integers = base.integers;
    spec.reals = base.reals;
  }
  drawn_.clear();
  for (const FuzzRange& range : problem_.fuzz) {
    if (range.reals) {
      spec.reals[range.parameter] = real_in(range);
      continue;
    }
    const std::int64_t value = value_in(range, window_of(range));
    drawn_.push_back(value);
    spec.integers[range.parameter] = value;
  }
  step_ = (step_ + 1) % cycle;
  return spec;
}

HiddenDraw::Window HiddenDraw::window_of(const FuzzRange& range) const {
  const std::int64_t low = range.values.empty() ? range.low : 0;
  const std::int64_t high =
      range.values.empty() ? range.high : static_cast<std::int64_t>(range.values.size()) - 1;
  const std::uint64_t span = span_of(low, high);
  const std::uint64_t reach = span >> (static_cast<unsigned>(std::bit_width(span)) * step_ / cycle);
  const std::int64_t centre =
      range.values.empty() ? std::clamp<std::int64_t>(1, low, high) : nearest_to_one(range);
  return {span_of(low, centre) <= reach ? low : plus(centre, -reach),
          span_of(centre, high) <= reach ? high : plus(centre, reach)};
}

bool HiddenDraw::holds(const FuzzRange& range, const Window& window, std::int64_t value) {
  const bool is_within = value >= value_at(range, window.low) && value <= value_at(range, window.high);
  return is_within &&
         (range.values.empty() || std::binary_search(range.values.begin(), range.values.end(), value));
}

// The value is rounded to a float, the narrowest type of a real scalar.
double HiddenDraw::real_in(const FuzzRange& range) {
  const std::vector<double>& reals = *range.reals;
  if (range.is_list_of_reals) return reals[below(reals.size())];
  if (reals.front() == reals.back() || (bias_ == Bias::ends && chance(6))) return reals[below(2)];
  constexpr std::uint64_t steps = std::uint64_t{1} << 24;
  const double part = static_cast<double>(below(steps)) / static_cast<double>(steps);
  const auto value = static_cast<double>(static_cast<float>(std::lerp(reals.front(), reals.back(), part)));
  return std::clamp(value, reals.front(), reals.back());
}

// `require` may demand that two parameters are equal, or that one divides the other. Draws from wide ranges
// would hardly ever meet this, so a parameter sometimes gets the value of an earlier one.
std::int64_t HiddenDraw::value_in(const FuzzRange& range, const Window& window) {
  if (!drawn_.empty() && chance(1)) {
    const std::int64_t earlier = drawn_[below(drawn_.size())];
    if (holds(range, window, earlier)) return earlier;
  }
  return value_at(range, biased_value(window));
}

// No bias holds for all draws, because a `require` may ask for the opposite.
std::int64_t HiddenDraw::biased_value(const Window& window) {
  switch (bias_) {
    case Bias::ends:
      if (chance(6)) return chance(4) ? window.low : window.high;
      break;
    case Bias::odd: {
      const std::int64_t value = between(window.low, window.high);
      if (value % 2 != 0 || window.low == window.high || !chance(6)) return value;
      return value < window.high ? value + 1 : value - 1;
    }
    case Bias::large:
      if (chance(6)) return between(plus(window.low, span_of(window.low, window.high) / 2), window.high);
      break;
    case Bias::fresh:
      break;
  }
  return between(window.low, window.high);
}

// Draws a number from `low` to `high`, both included.
std::int64_t HiddenDraw::between(std::int64_t low, std::int64_t high) {
  const std::uint64_t span = span_of(low, high);
  return plus(low, span == std::numeric_limits<std::uint64_t>::max() ? generator_() : below(span + 1));
}

// Draws a number below `bound`, which is not 0. Numbers of the last, incomplete round of `bound` are drawn
// again, so that all results are equally likely.
std::uint64_t HiddenDraw::below(std::uint64_t bound) {
  const std::uint64_t rounds = std::numeric_limits<std::uint64_t>::max() / bound;
  std::uint64_t number = generator_();
  while (number / bound >= rounds) number = generator_();
  return number % bound;
}

Scalings draw_scalings(const Problem& problem, std::uint64_t seed, std::size_t index) {
  return ScaleDraw(problem, seed, index).next();
}

}  // namespace kgrade
