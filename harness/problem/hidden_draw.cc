#include "problem/hidden_draw.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace kgrade {
namespace {

// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014):
// neighbouring seeds and indices become unrelated ones.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

std::uint64_t stream_of(std::uint64_t seed, std::size_t index) {
  constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15U;
  return mixed(mixed(seed + golden_gamma) + golden_gamma * (std::uint64_t{index} + 1));
}

// high - low, which may not fit into 63 bits.
std::uint64_t span_of(std::int64_t low, std::int64_t high) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

std::int64_t plus(std::int64_t value, std::uint64_t offset) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) + offset);
}

}  // namespace

HiddenLeaning leaning_of(std::size_t index) {
  constexpr HiddenLeaning order[hidden_leanings] = {HiddenLeaning::ends, HiddenLeaning::odd,
                                                    HiddenLeaning::fresh, HiddenLeaning::large};
  return order[index % hidden_leanings];
}

HiddenDraw::HiddenDraw(const Problem& problem, const std::vector<const CaseSpec*>& bases, std::uint64_t seed,
                       std::size_t index)
    : problem_(problem), bases_(bases), leaning_(leaning_of(index)), generator_(stream_of(seed, index)) {}

CaseSpec HiddenDraw::next() {
  CaseSpec spec;
  if (!bases_.empty()) {
    const CaseSpec& base = *bases_[below(bases_.size())];
    spec.integers = base.integers;
    spec.reals = base.reals;
  }
  drawn_.clear();
  for (const FuzzRange& range : problem_.fuzz) {
    const std::int64_t value = value_in(window_of(range));
    drawn_.push_back(value);
    spec.integers[range.parameter] = value;
  }
  step_ = (step_ + 1) % cycle;
  return spec;
}

HiddenDraw::Window HiddenDraw::window_of(const FuzzRange& range) const {
  const std::uint64_t span = span_of(range.low, range.high);
  const std::uint64_t reach = span >> (static_cast<unsigned>(std::bit_width(span)) * step_ / cycle);
  const std::int64_t centre = std::clamp<std::int64_t>(1, range.low, range.high);
  return {span_of(range.low, centre) <= reach ? range.low : plus(centre, -reach),
          span_of(centre, range.high) <= reach ? range.high : plus(centre, reach)};
}

// Parameters that `require` wants to be equal, or one to divide the other, would hardly ever be in wide
// ranges: now and then a value is the one of a parameter before.
std::int64_t HiddenDraw::value_in(const Window& window) {
  if (!drawn_.empty() && chance(1)) {
    const std::int64_t earlier = drawn_[below(drawn_.size())];
    if (earlier >= window.low && earlier <= window.high) return earlier;
  }
  return leaning_value(window);
}

// No leaning is absolute: a `require` may ask for the very opposite.
std::int64_t HiddenDraw::leaning_value(const Window& window) {
  switch (leaning_) {
    case HiddenLeaning::ends:
      if (chance(6)) return chance(4) ? window.low : window.high;
      break;
    case HiddenLeaning::odd: {
      const std::int64_t value = between(window.low, window.high);
      if (value % 2 != 0 || window.low == window.high || !chance(6)) return value;
      return value < window.high ? value + 1 : value - 1;
    }
    case HiddenLeaning::large:
      if (chance(6)) return between(plus(window.low, span_of(window.low, window.high) / 2), window.high);
      break;
    case HiddenLeaning::fresh:
      break;
  }
  return between(window.low, window.high);
}

std::int64_t HiddenDraw::between(std::int64_t low, std::int64_t high) {
  const std::uint64_t span = span_of(low, high);
  return plus(low, span == std::numeric_limits<std::uint64_t>::max() ? generator_() : below(span + 1));
}

// Numbers of the last, incomplete round of `bound` are drawn again: none is more likely than another.
std::uint64_t HiddenDraw::below(std::uint64_t bound) {
  const std::uint64_t rounds = std::numeric_limits<std::uint64_t>::max() / bound;
  std::uint64_t number = generator_();
  while (number / bound >= rounds) number = generator_();
  return number % bound;
}

bool HiddenDraw::chance(std::uint64_t eighths) { return below(8) < eighths; }

}  // namespace kgrade
