#include "check/finding_list.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace kgrade {
namespace {

bool same_place(const std::optional<FindingPlace>& a, const std::optional<FindingPlace>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->is_at(*b);
}

bool are_equal(const Finding& a, const Finding& b) {
  if (a.kind != b.kind) return false;
  if (!a.place && !b.place && a.kernel != b.kernel) return false;
  if (a.kind != "race") return same_place(a.place, b.place);
  // Which of the two accesses comes first depends on the order of threads.
  return (same_place(a.place, b.place) && same_place(a.other_place, b.other_place)) ||
         (same_place(a.place, b.other_place) && same_place(a.other_place, b.place));
}

std::set<std::string_view> kinds_behind(Verdict seen) {
  switch (seen) {
    case Verdict::out_of_bounds:
    case Verdict::input_modified:
      return {"out_of_bounds"};
    case Verdict::runtime_error:
      return {"out_of_bounds",     "invalid_address", "misaligned_access",
              "divergent_barrier", "warp_mask",       "host_access"};
    case Verdict::time_limit:
      return {"divergent_barrier", "warp_mask"};
    case Verdict::memory_limit:
      return {"leak"};
    default:
      return {};
  }
}

}  // namespace

void FindingList::add(Finding finding, const std::string& case_name, const std::string& pass) {
  const auto known = std::find_if(findings_.begin(), findings_.end(),
                                  [&](const Finding& other) { return are_equal(other, finding); });
  if (known == findings_.end()) {
    finding.first_case = case_name;
    finding.passes = {pass};
    findings_.push_back(std::move(finding));
    return;
  }
  known->occurrences += finding.occurrences;
  if (std::find(known->passes.begin(), known->passes.end(), pass) == known->passes.end()) {
    known->passes.push_back(pass);
  }
}

std::vector<Finding> FindingList::findings() const {
  std::vector<Finding> sorted = findings_;
  std::stable_partition(sorted.begin(), sorted.end(),
                        [](const Finding& finding) { return finding.place.has_value(); });
  return sorted;
}

bool explains(const std::vector<Finding>& evidence, Verdict seen) {
  const auto kinds = kinds_behind(seen);
  return std::any_of(evidence.begin(), evidence.end(),
                     [&](const Finding& finding) { return kinds.contains(finding.kind); });
}

}  // namespace kgrade
