#include "verify/by_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace kgrade {
namespace {

std::string limits_text(const SetRule& rule) {
  return fmt::format("{} {} {} |expected|", rule.absolute, rule.either ? "or" : "+", rule.relative);
}

// "accepted in fp32, with an error of at most 3.1e-07", "low_precision: case 'tiny': ...".
std::string own_verdict_text(const CandidateRecord& candidate) {
  if (candidate.verdict != Verdict::accepted)
    return fmt::format("{}: {}", to_string(candidate.verdict),
                       candidate.message.substr(0, candidate.message.find('\n')));
  double error = 0;
  for (const CaseRecord& c : candidate.cases) error = std::max(error, c.relative_error);
  return fmt::format("accepted in {}, with an error of at most {:.1e}", to_string(candidate.precision),
                     error);
}

std::string refusal_text(const CaseRecord& refused) {
  const CaseBySet& by_set = *refused.by_set;
  return fmt::format("case '{}': {} of {} elements are not within {}, and the largest error is {:.1e}",
                     refused.name, by_set.failed_elements, by_set.elements, limits_text(by_set.rule),
                     by_set.largest_error);
}

std::string acceptance_text(const CandidateRecord& candidate) {
  const SetRule* rule = nullptr;
  for (const CaseRecord& c : candidate.cases) {
    if (!c.by_set) continue;
    if (rule != nullptr && c.by_set->rule != *rule) return "each case satisfies its rule";
    rule = &c.by_set->rule;
  }
  std::string text = rule->matched < 1 ? fmt::format("at least {:g} % of the elements", 100 * rule->matched)
                                       : "every element";
  text += fmt::format(" within {}", limits_text(*rule));
  return rule->largest ? fmt::format("{}, and none off by more than {}", text, *rule->largest) : text;
}

}  // namespace

CaseBySet judge_by_set(const SetRule& rule, std::span<const RuleCount> outputs) {
  CaseBySet by_set;
  by_set.rule = rule;
  for (const RuleCount& output : outputs) {
    by_set.failed_elements += output.failed;
    by_set.elements += output.elements;
    by_set.largest_error = std::max(by_set.largest_error, output.largest_error);
    // 7 of 100 is the double that 0.07 is. The product of 100 and 0.07 is larger than 7.
    const auto passed = static_cast<double>(output.elements - output.failed);
    const bool enough = output.failed == 0 || passed / static_cast<double>(output.elements) >= rule.matched;
    const bool in_range = !rule.largest || output.largest_error <= *rule.largest;
    by_set.accepted = by_set.accepted && enough && in_range;
  }
  return by_set;
}

std::optional<CandidateBySet> verdict_by_set(const CandidateRecord& candidate, int all_cases,
                                             int planned_cases) {
  if (all_cases == 0) return std::nullopt;
  CandidateBySet by_set;
  by_set.all_cases = all_cases;
  const CaseRecord* first_refused = nullptr;
  for (const CaseRecord& c : candidate.cases) {
    if (!c.by_set) continue;
    by_set.cases += 1;
    if (c.by_set->accepted) continue;
    by_set.refused.push_back(c.name);
    if (first_refused == nullptr) first_refused = &c;
  }
  if (first_refused != nullptr) {
    by_set.verdict = SetVerdict::wrong_answer;
  } else if (by_set.cases < planned_cases || by_set.cases == 0) {
    by_set.verdict = SetVerdict::not_decided;
    return by_set;
  }
  const bool is_accepted = by_set.verdict == SetVerdict::accepted;
  if (is_accepted != (candidate.verdict == Verdict::accepted))
    by_set.differs = fmt::format("ours: {}; by the set: {}", own_verdict_text(candidate),
                                 is_accepted ? acceptance_text(candidate) : refusal_text(*first_refused));
  return by_set;
}

}  // namespace kgrade
