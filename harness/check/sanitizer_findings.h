// Runs compute-sanitizer. Reads the text output of compute-sanitizer's tools into entries, and turns them
// into findings like those of the emulated device. It knows the wording of CUDA 13.0 and skips other lines.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/finding.h"
#include "contest/toolkit.h"
#include "problem/case.h"

namespace kgrade {

// compute-sanitizer of the CUDA Toolkit: a pass runs one of its tools.
class Sanitizer : public WorkerTool {
 public:
  // An Error says what to install.
  static Result<Sanitizer> find();

  const std::string& version() const { return version_; }  // "2025.3.1.0"

  std::vector<std::string> command(const std::string& pass, const std::filesystem::path& folder,
                                   const std::vector<std::string>& worker) const override;
  std::vector<std::filesystem::path> needs() const override { return needs_of_tool(program_); }
  std::string report(const std::string& pass, const std::filesystem::path& folder,
                     const Confine& confined) const override;

 private:
  Sanitizer(std::filesystem::path program, std::string version)
      : program_(std::move(program)), version_(std::move(version)) {}

  std::filesystem::path program_;
  std::string version_;
};

inline constexpr std::array<std::string_view, 4> sanitizer_tools = {"memcheck", "racecheck", "initcheck",
                                                                    "synccheck"};

// "at void scale<(int)3>(const float *, int)+0xc0 in /path/scale.cu:7".
struct ReportPlace {
  std::string function;  // as written in the report
  std::string file;      // empty if the code has no line information
  int line = 0;
};

// "Host Frame: solution [0x9130] in contestant.so".
struct ReportFrame {
  std::string function;
  std::uint64_t offset = 0;
  std::string module;
};

struct ReportEntry {
  std::string headline;  // "Invalid __global__ read of size 4 bytes"
  std::optional<ReportPlace> place;
  std::optional<ReportPlace> other_place;  // for a race: the access that the headline names
  std::optional<std::array<std::uint32_t, 3>> thread;
  std::array<std::uint32_t, 3> block{};
  std::string reason;  // for an invalid access: "out of bounds", "misaligned"
  std::optional<std::uint64_t> address;
  // The distance of the access from the nearest allocation: after its last byte (> 0) or before its first
  // byte (< 0).
  std::optional<std::int64_t> beyond;
  std::uint64_t allocation_bytes = 0;
  std::uint64_t hazards = 1;
  std::vector<ReportFrame> host_frames;
};

std::vector<ReportEntry> parse_sanitizer_report(const std::string& text);

// The findings of one pass with `calls` calls. `places` finds lines of host code and may be null. Errors that
// follow from an invalid access, in later calls to the runtime, are not findings. A leak is a finding only if
// every call leaves the same one.
std::vector<Finding> findings_of_report(const std::string& report, const Case& bound, int calls,
                                        const OwnSources& own, PlaceFinder* places, QuotedSource& source);

}  // namespace kgrade
