#include "selftest/selftest_record.h"

#include <algorithm>

namespace kgrade {

std::string_view to_string(CriterionOutcome outcome) {
  constexpr std::string_view words[] = {"holds", "does not hold", "too few to say"};
  return words[static_cast<int>(outcome)];
}

bool any_fails(const SelftestRecord& record) {
  return std::any_of(record.criteria.begin(), record.criteria.end(),
                     [](const Criterion& c) { return c.outcome == CriterionOutcome::fails; });
}

bool all_hold(const SelftestRecord& record) {
  return std::all_of(record.criteria.begin(), record.criteria.end(),
                     [](const Criterion& c) { return c.outcome == CriterionOutcome::holds; });
}

}  // namespace kgrade
