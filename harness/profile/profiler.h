// Profiles a candidate on a GPU, in two passes. In the pass `activity`, CUPTI records times and resources of
// kernels from within the worker. In the pass `counters`, Nsight Compute runs the worker and replays each
// kernel of one call until all counters are read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "contest/toolkit.h"

namespace kgrade {

inline constexpr const char* activity_pass = "activity";
inline constexpr const char* counters_pass = "counters";

// Instructions are counted by code that Nsight Compute puts into the kernel, which makes the kernel much
// slower. In a call that takes longer than this on the GPU, instructions are not counted.
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
  // Sets the candidate's text and the name of its file, because Nsight Compute shows lines of it. The path
  // under which it was compiled may no longer exist, or the sandbox may hide it.
  void set_source(std::string name, std::string text) { source_ = {std::move(name), std::move(text)}; }

  // Sets whether the pass `counters` counts instructions, also for each line of the source. By default it
  // does.
  void count_instructions(bool whether) { counts_instructions_ = whether; }
  bool counts_instructions() const { return counts_instructions_; }

  std::vector<std::string> command(const std::string& pass, const std::filesystem::path& folder,
                                   const std::vector<std::string>& worker) const override;
  std::vector<std::filesystem::path> needs() const override;
  bool starts_threads() const override { return true; }  // CUPTI does
  // The result of a pass. For `counters`: the pages for split_report(). For `activity`: the file that the
  // worker wrote.
  std::string report(const std::string& pass, const std::filesystem::path& folder,
                     const Confine& confined) const override;

 private:
  std::filesystem::path ncu_;
  std::string version_;
  std::filesystem::path cupti_;
  std::pair<std::string, std::string> source_;  // name and text
  bool counts_instructions_ = true;
};

// Tries whether Nsight Compute may read the GPU's counters. `program` launches one kernel. The text says what
// was counted.
Result<std::string> try_counters(const Profiler& profiler, const std::vector<std::string>& program);

// The output of Nsight Compute: its own lines, and two pages in CSV.
struct NcuPages {
  std::string log;
  std::string raw;
  std::string source;  // by line, where the binary has line information
};
NcuPages split_report(const std::string& report);

}  // namespace kgrade
