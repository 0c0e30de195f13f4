#include "contest/failed_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/text.h"

namespace kgrade {
namespace {

// Text from a worker, made printable because it may hold any bytes.
template <std::size_t Size>
std::string text_of(const char (&text)[Size]) {
  return printable_line(std::string_view(text, ::strnlen(text, Size)));
}

std::string extent_text(const std::uint32_t (&extent)[3]) {
  return fmt::format("({}, {}, {})", extent[0], extent[1], extent[2]);
}

// "kernel scale at mine.cu:20, grid (0, 1, 1), block (256, 1, 1), 1024 bytes of dynamic shared memory".
std::string configuration_of(const FailedLaunch& launch) {
  const std::string kernel = text_of(launch.kernel), place = text_of(launch.place);
  std::string text = kernel.empty() ? "a kernel" : "kernel " + kernel;
  if (!place.empty()) text += " at " + place;
  text += fmt::format(", grid {}, block {}", extent_text(launch.grid), extent_text(launch.block));
  if (launch.dynamic_shared == 0) return text;
  return text + fmt::format(", {} of dynamic shared memory", counted(launch.dynamic_shared, "byte"));
}

// The first limit that the launch breaks, in words. Empty if it breaks none.
std::string broken_limit(const FailedLaunch& launch) {
  constexpr std::array<const char*, 3> axes = {"x", "y", "z"};
  constexpr std::uint64_t most_threads = 1024;
  constexpr std::array<std::uint64_t, 3> most_block = {1024, 1024, 64};
  constexpr std::array<std::uint64_t, 3> most_grid = {2147483647, 65535, 65535};
  constexpr std::uint64_t usual_shared = 48 * 1024;
  const auto above = [](const std::string& what, std::uint64_t value, std::uint64_t most) {
    return fmt::format("{} {}, of at most {}", what, with_commas(value), with_commas(most));
  };
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (launch.grid[i] == 0) return fmt::format("the grid has no blocks: its {} is 0", axes[i]);
    if (launch.block[i] == 0) return fmt::format("the block has no threads: its {} is 0", axes[i]);
  }
  // A double holds the product of three such numbers exactly enough for this comparison.
  const double threads = 1.0 * launch.block[0] * launch.block[1] * launch.block[2];
  if (threads > most_threads)
    return above("threads of a block:", static_cast<std::uint64_t>(std::min(threads, 0x1p62)), most_threads);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (launch.block[i] > most_block[i])
      return above(fmt::format("the block's {} is", axes[i]), launch.block[i], most_block[i]);
    if (launch.grid[i] > most_grid[i])
      return above(fmt::format("the grid's {} is", axes[i]), launch.grid[i], most_grid[i]);
  }
  if (launch.dynamic_shared <= usual_shared) return "";
  return above("bytes of dynamic shared memory:", launch.dynamic_shared, usual_shared) +
         " without cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)";
}

}  // namespace

std::string describe_launch(const FailedLaunch& launch) {
  if (launch.is_known == 0) return "";
  const std::string broken = broken_limit(launch);
  return configuration_of(launch) + (broken.empty() ? "" : ": " + broken);
}

}  // namespace kgrade
