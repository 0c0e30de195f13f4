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

ElementErrors compare_part(std::span<const float> actual, std::span<const float> expected, Dtype dtype,
                           std::size_t first, std::size_t begin, std::size_t end) {
  ElementErrors total;
  for (std::size_t i = begin; i < end; ++i)
    device::accumulate(total, rounded_to(dtype, actual[i]), expected[i], first + i, dtype);
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

ElementErrors compare(std::span<const float> actual, std::span<const float> expected, Dtype dtype,
                      std::size_t first) {
  const std::size_t count = actual.size();
  const std::size_t parts =
      count < least_for_threads ? 1 : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::vector<std::future<ElementErrors>> rest;
  for (std::size_t part = 1; part < parts; ++part) {
    rest.push_back(std::async(std::launch::async, [=] {
      return compare_part(actual, expected, dtype, first, count * part / parts, count * (part + 1) / parts);
    }));
  }
  ElementErrors total = compare_part(actual, expected, dtype, first, 0, count / parts);
  for (auto& part : rest) device::merge(total, part.get());
  return total;
}

ElementErrors compare_made(const SliceMaker& make, std::span<const float> expected, Dtype dtype) {
  ElementErrors total;
  Values slice(std::min(expected.size(), slice_elements));
  for (std::size_t first = 0; first < expected.size(); first += slice_elements) {
    const std::span<float> made(slice.data(), std::min(slice_elements, expected.size() - first));
    make(first, made);
    device::merge(total, compare(made, expected.subspan(first, made.size()), dtype, first));
  }
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

// Of `width` neighbours, each `stride` elements before the next of its own row.
std::vector<float> column_means(std::span<const float> values, std::size_t width, std::size_t stride,
                                std::size_t extent) {
  std::vector<double> sums(width);
  std::vector<std::size_t> counts(width);
  for (std::size_t row = 0; row < extent; ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      const float value = values[row * stride + i];
      if (!std::isfinite(value)) continue;
      sums[i] += static_cast<double>(value);
      counts[i] += 1;
    }
  }
  std::vector<float> means(width);
  for (std::size_t i = 0; i < width; ++i)
    means[i] = static_cast<float>(sums[i] / static_cast<double>(std::max<std::size_t>(1, counts[i])));
  return means;
}

// Short rows are compared many at a time, long ones in parts.
ElementErrors compare_axis_means(std::span<const float> values, const std::vector<std::int64_t>& shape,
                                 std::size_t axis, Dtype dtype) {
  const auto inner = static_cast<std::size_t>(product(shape, axis + 1, shape.size()));
  const auto extent = static_cast<std::size_t>(shape[axis]);
  const std::size_t most_rows = std::clamp<std::size_t>(slice_elements / inner, 1, extent);
  ElementErrors total;
  for (std::size_t block = 0; block < values.size(); block += extent * inner) {
    for (std::size_t column = 0; column < inner; column += slice_elements) {
      const std::size_t width = std::min(slice_elements, inner - column);
      Values means = column_means(values.subspan(block + column), width, inner, extent);
      means.reserve(most_rows * width);
      for (std::size_t row = 1; row < most_rows; ++row)
        means.insert(means.end(), means.begin(), means.begin() + static_cast<std::ptrdiff_t>(width));
      for (std::size_t row = 0; row < extent; row += most_rows) {
        const std::size_t count = std::min(most_rows, extent - row) * width;
        const std::size_t first = block + row * inner + column;
        device::merge(total, compare(std::span<const float>(means).first(count), values.subspan(first, count),
                                     dtype, first));
      }
    }
  }
  return total;
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
