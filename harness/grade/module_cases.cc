#include "grade/module_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "problem/module_call.h"

namespace kgrade {
namespace {

struct Counts {
  std::size_t run = 0;
  std::size_t unstated = 0;
  std::size_t too_large = 0;  // a module can state these, but they are skipped (too large, too long)
};

constexpr std::size_t most_named = 8;

// The cases of the file that a module can state.
std::vector<std::string> stated_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const CaseSpec& spec : problem.cases) {
    const auto bound = resolve_case(problem, spec);
    if (bound && module_call(problem, *bound)) names.push_back(spec.name);
  }
  return names;
}

// "plain, stride-2, and 7 more".
std::string in_words(std::vector<std::string> names) {
  const std::size_t all = names.size();
  names.resize(std::min(all, most_named));
  const std::string more = all > most_named ? fmt::format(", and {} more", all - most_named) : "";
  return fmt::format("{}{}", fmt::join(names, ", "), more);
}

std::string note_of(const Counts& counts) {
  if (counts.unstated == 0 || counts.run == 0) return "";
  std::string note =
      fmt::format("{} of {} can run here: the problem's module cannot state {}", counts.run,
                  counted(counts.run + counts.unstated + counts.too_large, "case"), counts.unstated);
  if (counts.too_large > 0)
    note += fmt::format(", and {} left out for {}",
                        counts.too_large == 1 ? "1 is" : fmt::format("{} are", counts.too_large),
                        counts.too_large == 1 ? "its size" : "their sizes");
  return note;
}

std::string why_none_runs(const Problem& problem, const Counts& counts) {
  if (counts.too_large > 0)
    return "the only cases here that the problem's module can state are too large; name one with --case and "
           "add --force";
  const std::vector<std::string> names = stated_names(problem);
  const std::string none = "none of the cases can be stated by the problem's module";
  return names.empty() ? none + ", and no other case of the problem's file can"
                       : fmt::format("{}; cases of the problem's file that can: {}", none, in_words(names));
}

}  // namespace

ModuleCases stated_cases(const Problem& problem, std::vector<PlannedCase> cases) {
  ModuleCases result;
  Counts counts;
  for (PlannedCase& planned : cases) {
    if (!module_call(problem, planned.bound)) {
      counts.unstated += 1;
      // Replaces any other reason: --case and --force would not help.
      planned.skipped = "not run: the problem's module cannot state it";
    } else {
      (planned.skipped.empty() ? counts.run : counts.too_large) += 1;
    }
  }
  result.note = note_of(counts);
  if (counts.run == 0) result.unsupported = why_none_runs(problem, counts);
  result.cases = std::move(cases);
  return result;
}

}  // namespace kgrade
