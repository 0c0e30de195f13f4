#include "selftest/kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "selftest/sources.h"

namespace kgrade::selftest {
namespace {

// Threads of a block and elements of a thread, as in kernels_text().
constexpr std::int64_t arithmetic_threads = 128;
constexpr std::int64_t arithmetic_elements = 4;
constexpr std::int64_t memory_threads = 256;
constexpr std::int64_t memory_elements = 4;
// A block of arithmetic fills a multiprocessor's pipelines; it takes more to keep its memory busy.
constexpr std::int64_t memory_blocks = 4;

constexpr std::uint64_t element_bytes = sizeof(float);
// Beyond so many times the L2 cache, nothing of a pass is left when the next one begins.
constexpr double source_caches = 8;
constexpr double copy_caches = 4;
// Of what the nominal bandwidth reads within the kernel's time. What is read is not to come round before the
// pilot's longest run is over; what is copied is to come round twice at least.
constexpr double source_share = 1.6;
constexpr double copy_share = 0.25;
// One tensor of three contestants, each with several.
constexpr std::uint64_t most_of_memory = 32;

std::int64_t rounded_up(double value, std::int64_t step) {
  return (static_cast<std::int64_t>(value) + step - 1) / step * step;
}

// Elements of a tensor that a kernel streams through.
std::int64_t streamed(const Kernel& kernel, const DeviceInfo& device, std::uint64_t free_bytes,
                      std::int64_t threads) {
  const std::int64_t least = threads * memory_elements;
  if (!device.measures_speed) return least;
  const bool copies = kernel.kind == Kind::copy;
  double bytes = (copies ? copy_caches : source_caches) * static_cast<double>(device.l2_bytes);
  if (device.peak_bytes_per_second > 0) {
    const double within_time = device.peak_bytes_per_second * kernel.target_ms / 1000;
    bytes = std::min(bytes, (copies ? copy_share : source_share) * within_time);
  }
  bytes = std::min(bytes, static_cast<double>(free_bytes / most_of_memory));
  return std::max(least, rounded_up(bytes / element_bytes, memory_elements));
}

}  // namespace

std::vector<Kernel> all_kernels() {
  return {{"arithmetic-3us", Kind::arithmetic, 0.003},
          {"arithmetic-5us", Kind::arithmetic, 0.005},
          {"read-10us", Kind::read, 0.010},
          {"arithmetic-20us", Kind::arithmetic, 0.020},
          {"read-50us", Kind::read, 0.050},
          {"arithmetic-100us", Kind::arithmetic, 0.100},
          {"copy-500us", Kind::copy, 0.500},
          {"arithmetic-1ms", Kind::arithmetic, 1},
          {"copy-10ms", Kind::copy, 10},
          {"arithmetic-100ms", Kind::arithmetic, 100}};
}

Result<std::vector<Kernel>> select_kernels(const std::vector<std::string>& patterns) {
  const std::vector<Kernel> all = all_kernels();
  if (patterns.empty()) return all;
  const auto matches = [](const std::string& pattern, const Kernel& kernel) {
    return ::fnmatch(pattern.c_str(), kernel.name.c_str(), 0) == 0;
  };
  for (const std::string& pattern : patterns) {
    if (std::any_of(all.begin(), all.end(), [&](const Kernel& k) { return matches(pattern, k); })) continue;
    std::vector<std::string> names;
    for (const Kernel& kernel : all) names.push_back(kernel.name);
    return Error{fmt::format("--kernels: there is no kernel '{}'", pattern),
                 fmt::format("there are {}", fmt::join(names, ", ")),
                 {}};
  }
  std::vector<Kernel> selected;
  for (const Kernel& kernel : all) {
    const auto match = [&](const std::string& pattern) { return matches(pattern, kernel); };
    if (std::any_of(patterns.begin(), patterns.end(), match)) selected.push_back(kernel);
  }
  return selected;
}

std::string_view bound_by(Kind kind) {
  constexpr std::string_view words[] = {"launching", "arithmetic", "memory", "memory"};
  return words[static_cast<int>(kind)];
}

Sizes sizes_of(const Kernel& kernel, const DeviceInfo& device, std::uint64_t free_bytes) {
  const std::int64_t multiprocessors = device.measures_speed ? std::max(1, device.multiprocessors) : 1;
  const std::int64_t streaming_blocks = (device.measures_speed ? memory_blocks : 1) * multiprocessors;
  const std::int64_t streaming_threads = streaming_blocks * memory_threads;
  switch (kernel.kind) {
    case Kind::arithmetic:
      return {multiprocessors * arithmetic_threads * arithmetic_elements, memory_elements, multiprocessors,
              0};
    case Kind::read:
      return {streaming_threads, streamed(kernel, device, free_bytes, streaming_threads), streaming_blocks,
              0};
    case Kind::copy: {
      const std::int64_t elements = streamed(kernel, device, free_bytes, streaming_threads);
      return {elements, memory_elements, streaming_blocks, elements / memory_elements};
    }
    case Kind::nothing:
      break;
  }
  return {memory_elements, memory_elements, 1, 0};
}

Problem selftest_problem() {
  auto problem = parse_problem(problem_text(), "kgrade-selftest.md");
  if (!problem) throw std::logic_error(to_string(problem.errors()));
  return std::move(*problem);
}

Case case_of(const Problem& problem, const Kernel& kernel, const Sizes& sizes, std::int64_t length) {
  CaseSpec spec;
  spec.name = kernel.name;
  spec.role = CaseRole::bench;
  spec.integers = {{"n", sizes.elements},
                   {"m", sizes.source_elements},
                   {"kind", static_cast<std::int64_t>(kernel.kind)},
                   {"blocks", sizes.blocks},
                   {"length", length}};
  spec.reals = {{"one", 1}, {"zero", 0}};
  auto bound = resolve_case(problem, spec);
  if (!bound) throw std::logic_error(to_string(bound.errors()));
  return std::move(*bound);
}

}  // namespace kgrade::selftest
