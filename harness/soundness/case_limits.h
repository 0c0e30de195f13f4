// Estimates what each case costs before it is run, in memory of the device and of the host and in arithmetic,
// and decides whether it fits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "problem/case.h"
#include "soundness/lint_findings.h"

namespace kgrade {

// The device memory that every case must fit into.
struct MemoryBudget {
  std::uint64_t bytes = 0;
  std::string owner;  // "NVIDIA H200", "a GPU of 80 GB"
};

// The budget if there is no GPU: the memory of an A100 or H100.
MemoryBudget usual_budget();

// The memory for oracle, reference and candidate. Each of the three has all tensors of a case.
std::uint64_t bytes_lent(const Case& bound);

void find_cases_beyond_memory(LintFindings& findings, const std::vector<Case>& cases,
                              const MemoryBudget& budget);

// A table of cases: role, memory of every tensor and in total, arithmetic, operations per byte.
std::string costs_table(const Problem& problem, const std::vector<Case>& cases);

// How many sets of a case's outputs and inputs are on the host at the same time.
struct HostCopies {
  std::uint64_t outputs = 0;
  std::uint64_t inputs = 0;
};
inline constexpr HostCopies copies_of_lint = {2, 2};
inline constexpr HostCopies copies_of_calibrate = {5, 2};
// The copies for a Model, which also runs on inputs of another distribution.
inline constexpr HostCopies copies_of_model_lint = {4, 3};

// The host memory that a case needs. Copies are floats for every element type. Wide integers also have exact
// copies. Of a tensor with more than `most_elements` elements, only a sample of that size is copied.
std::uint64_t host_bytes_needed(const Case& bound, const HostCopies& copies,
                                std::uint64_t most_elements = std::numeric_limits<std::uint64_t>::max());

// The memory that the machine and the control groups of this process have left. Cached pages of files count
// as free. The largest number if nothing can be read (not Linux, no /proc).
std::uint64_t host_bytes_available(const std::filesystem::path& root = "/");

// Why a case does not fit, with both figures. Empty if it fits.
std::string why_beyond_host(const Case& bound, const HostCopies& copies, std::uint64_t available,
                            std::uint64_t most_elements = std::numeric_limits<std::uint64_t>::max());

// The most that a call of the oracle may cost for lint to run the case. Lint makes about thirty calls.
struct SoundnessLimits {
  std::int64_t flops = 0;
  std::int64_t bytes = 0;
  bool bench = false;  // also cases of role bench
};

// The limits for cases on which lint only checks the reference's precision, with one call of the oracle and
// one of the reference. Errors grow with the terms of a sum, so larger cases are worth checking.
SoundnessLimits precision_limits();

// The limits for other checks: small cases only, or with `deep` all that the device can run in reasonable
// time.
SoundnessLimits soundness_limits(bool deep, bool emulated);

// The limits for a problem whose reference is a Model. PyTorch is fast enough for larger cases, and a file in
// KernelBench's form has only one case, of role bench.
SoundnessLimits model_limits(bool deep, bool emulated);

// Why lint does not run a case. Empty if it does.
std::string why_skipped(const Case& bound, const SoundnessLimits& limits);

}  // namespace kgrade
