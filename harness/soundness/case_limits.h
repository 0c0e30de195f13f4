// What each case costs, before it is run, and whether it fits: memory of the device and of the host, and
// arithmetic.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "problem/case.h"
#include "soundness/lint_findings.h"

namespace kgrade {

// Device memory that every case must fit into.
struct MemoryBudget {
  std::uint64_t bytes = 0;
  std::string owner;  // "NVIDIA H200", "a GPU of 80 GB"
};

// Where there is no GPU: an A100's or H100's.
MemoryBudget usual_budget();

// For oracle, reference and candidate, each of which has all tensors of a case.
std::uint64_t bytes_lent(const Case& bound);

void find_cases_beyond_memory(LintFindings& findings, const std::vector<Case>& cases,
                              const MemoryBudget& budget);

// A table: role, memory of every tensor and of all that is lent, arithmetic, operations per byte.
std::string costs_table(const Problem& problem, const std::vector<Case>& cases);

// How many answers of a case, and sets of its inputs, are on the host at the same time.
struct HostCopies {
  std::uint64_t outputs = 0;
  std::uint64_t inputs = 0;
};
inline constexpr HostCopies copies_of_lint = {2, 2};
inline constexpr HostCopies copies_of_calibrate = {5, 2};
// Of a Model: with the answers to inputs of another distribution.
inline constexpr HostCopies copies_of_model_lint = {4, 3};

// Copies are floats, whatever the element type; of wide integers there may be exact ones beside them.
// Of tensors with more than `most_elements` only a sample of so many is there.
std::uint64_t host_bytes_needed(const Case& bound, const HostCopies& copies,
                                std::uint64_t most_elements = std::numeric_limits<std::uint64_t>::max());

// What the machine and the control groups of this process have left; pages of files count as free. The
// largest number where nothing can be read (not Linux, no /proc).
std::uint64_t host_bytes_available(const std::filesystem::path& root = "/");

// Why a case does not fit, with both figures; empty when it does.
std::string why_beyond_host(const Case& bound, const HostCopies& copies, std::uint64_t available,
                            std::uint64_t most_elements = std::numeric_limits<std::uint64_t>::max());

// What a call of the oracle may cost for lint to run the case, which it calls some thirty times.
struct SoundnessLimits {
  std::int64_t flops = 0;
  std::int64_t bytes = 0;
  bool bench = false;  // cases of that role too
};

// Of a case that lint runs only to see whether the reference is precise on it, with one call of the oracle
// and one of the reference: their error grows with the terms of a sum.
SoundnessLimits precision_limits();

// The small cases alone; deep, all that the device can run in reasonable time.
SoundnessLimits soundness_limits(bool deep, bool emulated);

// Of a problem whose reference is a Model: PyTorch is fast enough for larger cases, and a file of others has
// one case, of role bench.
SoundnessLimits model_limits(bool deep, bool emulated);

// Why lint does not run a case; empty when it does.
std::string why_skipped(const Case& bound, const SoundnessLimits& limits);

}  // namespace kgrade
