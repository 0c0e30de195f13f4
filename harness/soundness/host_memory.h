// What a case takes of the host's memory, before it is begun: answers and inputs of the largest cases have
// gigabytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "problem/case.h"

namespace kgrade {

// How many answers of a case, and sets of its inputs, are on the host at the same time.
struct HostCopies {
  std::uint64_t outputs = 0;
  std::uint64_t inputs = 0;
};
inline constexpr HostCopies copies_of_lint = {2, 2};
inline constexpr HostCopies copies_of_calibrate = {5, 2};

// Copies are floats, whatever the element type.
std::uint64_t host_bytes_needed(const Case& bound, const HostCopies& copies);

// What the machine and the control groups of this process have left; pages of files count as free. The most
// that there is where nothing can be read (not Linux, no /proc).
std::uint64_t host_bytes_available(const std::filesystem::path& root = "/");

// Why a case does not fit, with both figures; empty when it does.
std::string why_beyond_host(const Case& bound, const HostCopies& copies, std::uint64_t available);

}  // namespace kgrade
