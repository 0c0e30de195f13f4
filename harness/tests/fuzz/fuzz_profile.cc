#include <fmt/format.h>

#include "profile/activity.h"
#include "profile/advice.h"
#include "profile/ncu_report.h"
#include "profile/ncu_source.h"
#include "profile/profile_record.h"
#include "profile/profiler.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {

// The pages of Nsight Compute, apart by form feeds, or the file of CUPTI's records.
int fuzz_profile(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const NcuPages pages = split_report(text);
  NcuReport report = parse_raw_page(pages.raw);
  QuotedSource source;
  add_places(pages.source, {"/project/mine/x.cu", "mine/x.cu", "/build-folder"}, source, report.launches);
  std::vector<KernelProfile> kernels = combined(std::move(report.launches));
  take_activity(combined(parse_activity(text).launches), kernels);
  add_shares(kernels, Ceilings{});
  for (KernelProfile& kernel : kernels) {
    promise(!kernel.name.empty() || kernel.mangled.empty(), "a kernel has a name");
    for (const WorstPlace& worst : kernel.worst) promise(worst.place.line > 0, "a place has a line");
    kernel.advice = advice_on(kernel, {true});
  }
  ProfileRecord record;
  record.candidates.resize(1);
  record.candidates[0].kernels = std::move(kernels);
  record.lacks = complaint_of(pages.log);
  promise(!to_text(record).empty() && !render_table(record, Style(false), true).empty(), "it can be printed");
  return 0;
}

}  // namespace kgrade::fuzz
