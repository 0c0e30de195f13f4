#include "soundness/host_values.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <numeric>
#include <thread>

#include "device/element_operations.h"

namespace kgrade {
namespace {

// With fewer elements one thread is done before others have started.
constexpr std::size_t least_for_threads = std::size_t{1} << 22;

ElementErrors compare_part(std::span<const float> actual, std::span<const float> expected, Dtype dtype,
                           std::size_t first, std::size_t begin, std::size_t end) {
  ElementErrors total;
  for (std::size_t i = begin; i < end; ++i)
    device::accumulate(total, rounded_to(dtype, actual[i]), expected[i], first + i, dtype);
  return total;
}

std::int64_t product(const std::vector<std::int64_t>& shape, std::size_t begin, std::size_t end) {
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(begin),
                         shape.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{1},
                         std::multiplies<>());
}

// The means of `width` columns of `extent` rows, which lie `stride` elements apart.
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

double error_of(const std::vector<Values>& answer, const std::vector<Values>& expected, Dtype dtype) {
  double error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // The thresholds decide the class only.
    const Judgement judgement = judge(compare(answer[i], expected[i], dtype), {}, Precision::fp32);
    error = std::max(error, judgement.relative_error);
  }
  return error;
}

}  // namespace kgrade
