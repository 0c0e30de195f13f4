#include "soundness/lint_book.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kgrade {

void LintBook::add(std::string_view rule, const std::string& subject, const Case& bound, std::string message,
                   std::string remedy) {
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.rule == rule && entry.subject == subject && !entry.cases.empty();
  });
  NamedCase named = name_of(bound);
  if (known != entries_.end()) {
    if (known->cases.back().name != bound.name) known->cases.push_back(std::move(named));
    return;
  }
  entries_.push_back({std::string(rule),
                      subject,
                      {std::move(named)},
                      {std::move(message), std::move(remedy), place_of(bound)}});
}

Location LintBook::place_of(const Case& bound) const {
  if (const CaseSpec* const spec = problem_.find_case(bound.name)) return spec->location;
  if (bound.role == CaseRole::hidden && !problem_.fuzz.empty()) return problem_.fuzz.front().location;
  return {problem_.path.string(), 0, 0};
}

LintBook::NamedCase LintBook::name_of(const Case& bound) const {
  if (bound.role != CaseRole::hidden) return {bound.name, ""};
  std::vector<std::string> values;
  for (const Parameter& parameter : problem_.parameters) {
    const auto value = bound.integers.find(parameter.name);
    if (value != bound.integers.end()) values.push_back(fmt::format("{}: {}", parameter.name, value->second));
  }
  return {bound.name, fmt::format(" of `fuzz` ({})", fmt::join(values, ", "))};
}

void LintBook::add_unwritten(const Case& bound, const std::string& elements) {
  add("reference-unwritten", "", bound,
      fmt::format("the reference does not write {}: they hold whatever was there before the call", elements),
      "write every element of every output, or give the output the shape that is written");
}

void LintBook::add(std::string_view rule, std::string message, std::string remedy) {
  entries_.push_back(
      {std::string(rule), "", {}, {std::move(message), std::move(remedy), {problem_.path.string(), 1, 1}}});
}

std::vector<LintFinding> LintBook::findings() const {
  std::vector<LintFinding> findings;
  for (const Entry& entry : entries_) {
    Error what = entry.what;
    if (!entry.cases.empty()) {
      const NamedCase& first = entry.cases.front();
      what.message = fmt::format("case '{}'{}: {}", first.name, first.values, what.message);
    }
    for (std::size_t i = 1; i < entry.cases.size(); ++i)
      what.message += (i == 1 ? "; likewise " : ", ") + entry.cases[i].name + entry.cases[i].values;
    findings.push_back({LintFinding::Severity::error, std::move(what), entry.rule});
  }
  return findings;
}

}  // namespace kgrade
