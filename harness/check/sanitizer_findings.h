// What a tool of compute-sanitizer wrote, as text, read into entries, and from these to findings in the form
// of those of the emulated device. The tool's words are those of CUDA 13.0; other lines are
// skipped.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/finding.h"
#include "problem/case.h"

namespace kgrade {

// "at void scale<(int)3>(const float *, int)+0xc0 in /path/scale.cu:7".
struct ReportPlace {
  std::string function;  // as it is written there
  std::string file;      // empty where the code has no line information
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
  std::optional<ReportPlace> other_place;  // of a race: the access that the headline names
  std::optional<std::array<std::uint32_t, 3>> thread;
  std::array<std::uint32_t, 3> block{};
  std::string reason;  // of an invalid access: "out of bounds", "misaligned"
  std::optional<std::uint64_t> address;
  // The nearest allocation, and how far behind its last byte (> 0) or before its first one (< 0) the access
  // is.
  std::optional<std::int64_t> beyond;
  std::uint64_t allocation_bytes = 0;
  std::uint64_t hazards = 1;
  std::vector<ReportFrame> host_frames;
};

std::vector<ReportEntry> parse_sanitizer_report(const std::string& text);

// Of one pass with `calls` calls. `places` finds lines of host code and may be null. What follows from an
// invalid access (errors of calls to the runtime) is no finding. A leak is one when every call has left the
// same.
std::vector<Finding> findings_of_report(const std::string& report, const Case& bound, int calls,
                                        const OwnSources& own, PlaceFinder* places, QuotedSource& source);

}  // namespace kgrade
