// What looks at a candidate on a GPU, in two passes. In the pass `activity`, CUPTI records times and
// resources of kernels from within the worker. In the pass `counters`, Nsight Compute runs the worker and
// replays each kernel of one call until all counters are read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "contest/worker_tool.h"

namespace kgrade {

inline constexpr const char* activity_pass = "activity";
inline constexpr const char* counters_pass = "counters";

// Instructions are counted by code that Nsight Compute puts into the kernel, which makes it slower by far. In
// a call that takes longer than this on the GPU, they are not counted.
inline constexpr double longest_call_with_instructions_us = 20'000;

// The most kernels of a call that Nsight Compute counts. PyTorch's programs launch hundreds.
inline constexpr int most_counted_launches = 40;

class Profiler : public WorkerTool {
 public:
  // Finds the parts that this machine has.
  static Profiler find();

  // Empty: it is not installed.
  const std::filesystem::path& ncu() const { return ncu_; }
  const std::string& ncu_version() const { return version_; }  // "2025.3.1.0"
  const std::filesystem::path& cupti() const { return cupti_; }
  std::vector<std::string> passes() const;
  // The candidate's text under the name of its file: Nsight Compute shows its lines. It was compiled under a
  // path that may no longer exist, or that the sandbox hides.
  void set_source(std::string name, std::string text) { source_ = {std::move(name), std::move(text)}; }

  // Whether the pass `counters` counts instructions, and by lines of the source: the default.
  void count_instructions(bool whether) { counts_instructions_ = whether; }
  bool counts_instructions() const { return counts_instructions_; }

  std::vector<std::string> command(const std::string& pass, const std::filesystem::path& folder,
                                   const std::vector<std::string>& worker) const override;
  std::vector<std::filesystem::path> needs() const override;
  bool starts_threads() const override { return true; }  // CUPTI does
  // Of the pass `counters`: the pages of split_report(). Of the pass `activity`: the worker's file.
  std::string report(const std::string& pass, const std::filesystem::path& folder,
                     const Confine& confined) const override;

 private:
  std::filesystem::path ncu_;
  std::string version_;
  std::filesystem::path cupti_;
  std::pair<std::string, std::string> source_;  // name and text
  bool counts_instructions_ = true;
};

// Whether Nsight Compute may read the GPU's counters, tried on `program`, which launches one kernel. The text
// says what it counted.
Result<std::string> try_counters(const Profiler& profiler, const std::vector<std::string>& program);

// What Nsight Compute left: its own lines, and two pages in CSV.
struct NcuPages {
  std::string log;
  std::string raw;
  std::string source;  // by line, where the binary has line information
};
NcuPages split_report(const std::string& report);

}  // namespace kgrade
