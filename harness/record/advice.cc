#include "record/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace kgrade {
namespace {

bool is_failure(const CaseRecord& c) { return c.run && c.verdict != Verdict::accepted; }

// Bugs of which `kgrade check` shows the line.
bool may_be_found_by_check(Verdict verdict) {
  switch (verdict) {
    case Verdict::wrong_answer:
    case Verdict::runtime_error:
    case Verdict::out_of_bounds:
    case Verdict::input_modified:
    case Verdict::time_limit:
      return true;
    default:
      return false;
  }
}

// What selects the case again.
std::string selection(const CaseRecord& c, const CandidateRecord& candidate, const Record& record) {
  if (c.role != CaseRole::hidden || !record.hidden_seed) return "--case " + shell_word(c.name);
  const auto hidden = std::count_if(candidate.cases.begin(), candidate.cases.end(),
                                    [](const CaseRecord& other) { return other.role == CaseRole::hidden; });
  return fmt::format("--hidden {} --hidden-seed {}", hidden, *record.hidden_seed);
}

}  // namespace

const CaseRecord* smallest_failure(const CandidateRecord& candidate) {
  const CaseRecord* smallest = nullptr;
  for (const CaseRecord& c : candidate.cases) {
    if (!is_failure(c)) continue;
    const auto size = [](const CaseRecord& of) {
      return std::pair(of.role == CaseRole::hidden, of.tensor_bytes);
    };
    if (smallest == nullptr || size(c) < size(*smallest)) smallest = &c;
  }
  return smallest;
}

Advice advice_for(const CandidateRecord& candidate, const Record& record) {
  const CaseRecord* const failed = smallest_failure(candidate);
  if (failed == nullptr || !may_be_found_by_check(failed->verdict)) return {};
  const std::string which = fmt::format("{} {} {}", record.problem_slug, shell_word(candidate.path),
                                        selection(*failed, candidate, record));
  return {{"kgrade check " + which, "kgrade grade " + which}};
}

std::string shell_word(const std::string& word) {
  const bool usual = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./=,+:@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (usual) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace kgrade
