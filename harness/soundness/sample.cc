#include "soundness/sample.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace kgrade {
namespace {

// Bounds the reads, because even a short read takes about ten microseconds.
constexpr std::uint64_t most_runs = 4096;

std::uint64_t product(const std::vector<std::uint64_t>& factors) {
  return std::accumulate(factors.begin(), factors.end(), std::uint64_t{1}, std::multiplies<>());
}

// Divides `extent` places into `count` equal parts and chooses one place in each, with room for `width`
// neighbours.
std::vector<std::uint64_t> places(std::uint64_t extent, std::uint64_t count, std::uint64_t width,
                                  std::mt19937_64& generator) {
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t part = 0; part < count; ++part) {
    const std::uint64_t begin = extent * part / count;
    const std::uint64_t end = extent * (part + 1) / count;
    chosen.push_back(begin + generator() % (end - begin - width + 1));
  }
  return chosen;
}

}  // namespace

TensorSample sample_of(const std::vector<std::int64_t>& shape, std::uint64_t most) {
  const std::vector<std::uint64_t> extents(shape.begin(), shape.end());
  const std::uint64_t elements = product(extents);
  if (elements <= most) return {shape, {0}, elements};
  // Elements along this axis and all later axes are adjacent in memory.
  std::size_t axis = extents.size() - 1;
  std::uint64_t inner = 1;
  const std::uint64_t least = std::max<std::uint64_t>(most / most_runs, 1);
  while (axis > 0 && inner * extents[axis] < least) inner *= extents[axis--];
  const std::uint64_t width = std::min(extents[axis], least / inner);
  std::vector<std::uint64_t> counts(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  counts.back() = extents[axis] / width;
  while (product(counts) > 1 && product(counts) * width * inner > most) {
    std::uint64_t& largest = *std::max_element(counts.begin(), counts.end());
    largest = (largest + 1) / 2;
  }
  std::mt19937_64 generator(elements);
  TensorSample sample{shape, {0}, width * inner};
  std::uint64_t stride = elements;
  for (std::size_t i = 0; i <= axis; ++i) {
    stride /= extents[i];
    const std::uint64_t together = i == axis ? width : 1;
    sample.shape[i] = static_cast<std::int64_t>(counts[i] * together);
    const std::vector<std::uint64_t> chosen = places(extents[i], counts[i], together, generator);
    std::vector<std::uint64_t> begins;
    for (const std::uint64_t outer : sample.begins) {
      for (const std::uint64_t place : chosen) begins.push_back(outer + place * stride);
    }
    sample.begins = std::move(begins);
  }
  return sample;
}

}  // namespace kgrade
