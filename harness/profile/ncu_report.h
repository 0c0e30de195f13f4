// Reads what Nsight Compute prints: `ncu --csv --page raw` (one row for each launch, after a row of names and
// a row of units), the lines that it prints about itself, and `--page source`. Nsight Compute reads the
// candidate's process, so its text may hold anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/source_places.h"
#include "profile/kernel_profile.h"

namespace kgrade {

// The rows of a CSV text (RFC 4180). Lines that begin with "==" are ncu's own and are left out.
std::vector<std::vector<std::string>> parse_csv(const std::string& text);

struct NcuReport {
  std::vector<KernelProfile> launches;  // in the order of ncu's ID
  std::size_t nulls = 0;                // counters that were not numbers
};

// `text` is the page "raw" with --print-units base and --print-kernel-base mangled.
NcuReport parse_raw_page(const std::string& text);

// Why ncu counts nothing, and a remedy, from ncu's own lines. Nothing if these lines give no reason.
std::optional<Error> complaint_of(const std::string& log);

// Finds the lines of the source that cost the most, in what `ncu --csv --page source --print-source
// cuda,sass` prints. Fills in the worst places of the launches, which are in ncu's order. Without line
// information (-lineinfo) there are none.
void add_places(const std::string& source_page, const OwnSources& own, QuotedSource& quoted,
                std::vector<KernelProfile>& launches);

}  // namespace kgrade
