#include "soundness/answers.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <numeric>
#include <random>
#include <thread>

#include "device/element_operations.h"

namespace kgrade {
namespace {

// Below it one thread is done before others have started.
constexpr std::size_t least_for_threads = std::size_t{1} << 22;

Comparison compare_part(const Values& actual, const Values& expected, Dtype dtype, std::size_t begin,
                        std::size_t end) {
  Comparison total;
  for (std::size_t i = begin; i < end; ++i)
    device::accumulate(total, rounded_to(dtype, actual[i]), expected[i], i, dtype);
  return total;
}

// The standard fixes what the generator yields, but not what std::shuffle makes of it.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : generator_(seed) {}
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(generator_() % bound); }

 private:
  std::mt19937_64 generator_;
};

std::int64_t product(const std::vector<std::int64_t>& shape, std::size_t begin, std::size_t end) {
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(begin),
                         shape.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{1},
                         std::multiplies<>());
}

}  // namespace

Comparison compare(const Values& actual, const Values& expected, Dtype dtype) {
  const std::size_t count = actual.size();
  const std::size_t parts =
      count < least_for_threads ? 1 : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::vector<std::future<Comparison>> rest;
  for (std::size_t part = 1; part < parts; ++part) {
    rest.push_back(std::async(std::launch::async, [&actual, &expected, dtype, count, part, parts] {
      return compare_part(actual, expected, dtype, count * part / parts, count * (part + 1) / parts);
    }));
  }
  Comparison total = compare_part(actual, expected, dtype, 0, count / parts);
  for (auto& part : rest) device::merge(total, part.get());
  return total;
}

double mean_of(const Values& values) {
  double sum = 0;
  std::size_t count = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    sum += static_cast<double>(value);
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

bool is_constant(const Values& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

// Within pieces that a cache holds, or large outputs would take minutes.
Values shuffled(Values values, std::uint64_t seed) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  const Values before = values;
  Chance chance(seed);
  for (std::size_t begin = 0; begin < values.size(); begin += piece) {
    const std::size_t count = std::min(piece, values.size() - begin);
    for (std::size_t i = count; i > 1; --i) std::swap(values[begin + i - 1], values[begin + chance.below(i)]);
  }
  if (values == before && !values.empty()) std::rotate(values.begin(), values.begin() + 1, values.end());
  return values;
}

// In the order in which the elements lie, which for large outputs matters.
Values axis_means(const Values& values, const std::vector<std::int64_t>& shape, std::size_t axis) {
  const auto outer = static_cast<std::size_t>(product(shape, 0, axis));
  const auto inner = static_cast<std::size_t>(product(shape, axis + 1, shape.size()));
  const auto extent = static_cast<std::size_t>(shape[axis]);
  Values means(values.size());
  for (std::size_t o = 0; o < outer; ++o) {
    const std::size_t first = o * extent * inner;
    std::vector<double> sums(inner);
    std::vector<std::size_t> counts(inner);
    for (std::size_t i = 0; i < extent * inner; ++i) {
      if (!std::isfinite(values[first + i])) continue;
      sums[i % inner] += static_cast<double>(values[first + i]);
      counts[i % inner] += 1;
    }
    for (std::size_t i = 0; i < extent * inner; ++i) {
      const auto count = static_cast<double>(std::max<std::size_t>(1, counts[i % inner]));
      means[first + i] = static_cast<float>(sums[i % inner] / count);
    }
  }
  return means;
}

// One of every two neighbours, so that nothing has to be kept for large tensors.
Values half_replaced_by_mean(Values values, std::uint64_t seed) {
  const auto mean = static_cast<float>(mean_of(values));
  Chance chance(seed);
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) values[i + chance.below(2)] = mean;
  return values;
}

float flipped(float value, const ResolvedInit& init) {
  const double old = static_cast<double>(value);
  const double larger = old + std::max(1.0, std::fabs(old));
  switch (init.kind) {
    case ResolvedInit::Kind::uniform: {
      const double middle = (init.first + init.second) / 2;
      // The upper end is excluded.
      const double high = init.second - (init.second - init.first) / 1024;
      return static_cast<float>(old < middle ? high : init.first);
    }
    case ResolvedInit::Kind::normal:
      if (init.second == 0) break;
      return static_cast<float>(init.first + (old < init.first ? 3 : -3) * init.second);
    case ResolvedInit::Kind::integers:
      if (init.first == init.second) break;
      return static_cast<float>(old < init.second ? init.second : init.first);
    case ResolvedInit::Kind::constant:
      break;
  }
  return static_cast<float>(larger);
}

}  // namespace kgrade
