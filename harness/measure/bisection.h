// Search over all doubles of a range, for inverses that have to be right to the last bit.
#pragma once

#include <bit>
#include <cstdint>

namespace kgrade {

// The doubles' own order as unsigned numbers: neighbours differ by one (IEEE 754-2019, 3.4; -0 before +0).
inline std::uint64_t order_of(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

inline double value_at(std::uint64_t order) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return std::bit_cast<double>((order & sign) != 0 ? order & ~sign : ~order);
}

// The least double in [low, high] for which `holds`, which must be false below some point and true from there
// on; `high` where it holds nowhere. At most 64 calls. low <= high, both finite.
template <class Predicate>
double least_double(double low, double high, const Predicate& holds) {
  std::uint64_t first = order_of(low);
  std::uint64_t last = order_of(high);
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (holds(value_at(middle))) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return value_at(last) + 0.0;  // -0 becomes +0
}

}  // namespace kgrade
