// In which order several candidates are graded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kgrade {

// The numbers below `count`, any order as likely as any other and the same for the same seed on every
// machine: a device that warms up or slows down in the course of a run favours no place in the
// command line.
std::vector<std::size_t> grading_order(std::size_t count, std::uint64_t seed);

}  // namespace kgrade
