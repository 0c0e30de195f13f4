#include "soundness/lint_book.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace kgrade {

void LintBook::add(std::string_view rule, const std::string& subject, const Case& bound, std::string message,
                   std::string remedy) {
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.rule == rule && entry.subject == subject && !entry.cases.empty();
  });
  if (known != entries_.end()) {
    if (known->cases.back() != bound.name) known->cases.push_back(bound.name);
    return;
  }
  const CaseSpec* const spec = problem_.find_case(bound.name);
  const Location place = spec != nullptr ? spec->location : Location{problem_.path.string(), 0, 0};
  entries_.push_back(
      {std::string(rule), subject, {bound.name}, {std::move(message), std::move(remedy), place}});
}

void LintBook::add(std::string_view rule, std::string message, std::string remedy) {
  entries_.push_back(
      {std::string(rule), "", {}, {std::move(message), std::move(remedy), {problem_.path.string(), 1, 1}}});
}

std::vector<LintFinding> LintBook::findings() const {
  std::vector<LintFinding> findings;
  for (const Entry& entry : entries_) {
    Error what = entry.what;
    if (!entry.cases.empty()) what.message = fmt::format("case '{}': {}", entry.cases.front(), what.message);
    if (entry.cases.size() > 1) {
      const auto others = std::span(entry.cases).subspan(1);
      what.message += fmt::format("; likewise {}", fmt::join(others, ", "));
    }
    findings.push_back({LintFinding::Severity::error, std::move(what), entry.rule});
  }
  return findings;
}

}  // namespace kgrade
