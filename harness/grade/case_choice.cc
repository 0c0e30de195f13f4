#include "grade/case_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/defences.h"
#include "base/first_names.h"
#include "base/text.h"
#include "draw/input_families.h"
#include "draw/seed.h"
#include "problem/hidden_cases.h"
#include "problem/module_call.h"
#include "problem/untold.h"
#include "verify/judgement.h"

namespace kgrade {
namespace {

std::vector<std::string> case_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const CaseSpec& spec : problem.cases) names.push_back(spec.name);
  return names;
}

bool is_named(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether a case is small enough to run without a GPU. A KernelBench file has only one case, of any size, and
// it runs without a GPU only if it is small.
bool is_small(const Case& bound) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 24;
  return bound.tensor_bytes() <= most_bytes;
}

// The named cases of the file (all if none is named), then the cases that the user wrote as `n=1000,m=3`.
std::vector<CaseSpec> specs_of(const Problem& problem, const std::vector<std::string>& names,
                               Errors& errors) {
  std::vector<CaseSpec> specs;
  for (const CaseSpec& spec : problem.cases) {
    if (names.empty() || is_named(names, spec.name)) specs.push_back(spec);
  }
  for (const std::string& name : names) {
    if (problem.find_case(name) != nullptr) continue;
    auto written = is_written_case(name) ? parse_written_case(name, problem) : unknown_case(problem, name);
    if (!written) {
      errors.insert(errors.end(), written.errors().begin(), written.errors().end());
      continue;
    }
    const bool known = std::any_of(specs.begin(), specs.end(),
                                   [&](const CaseSpec& other) { return other.name == written->name; });
    if (!known) specs.push_back(std::move(*written));
  }
  return specs;
}

// The number of a hidden case: 2 for hidden-2. 0 for other names, and for a case of the file with such a
// name.
std::size_t hidden_number(const Problem& problem, const std::string& name) {
  constexpr std::string_view prefix = "hidden-";
  std::size_t number = 0;
  if (!name.starts_with(prefix) || problem.find_case(name) != nullptr) return 0;
  const char* const end = name.data() + name.size();
  const auto [rest, failure] = std::from_chars(name.data() + prefix.size(), end, number);
  return failure == std::errc() && rest == end ? number : 0;
}

// Names in the order of the options, with hidden cases apart.
struct Names {
  std::vector<std::string> others;
  std::vector<std::string> hidden;
  std::size_t highest = 0;  // largest number of a hidden case
};

Names names_of(const Problem& problem, const RunOptions& options) {
  Names names;
  for (const std::string& name : options.cases) {
    const std::size_t number = hidden_number(problem, name);
    (number > 0 ? names.hidden : names.others).push_back(name);
    names.highest = std::max(names.highest, number);
  }
  return names;
}

std::size_t hidden_count(const RunOptions& options, const Names& names, bool draws_by_itself) {
  if (!is_on(Defence::hidden_shapes)) return 0;
  if (!names.hidden.empty()) return names.highest;
  const bool usual = options.hidden_seed || (draws_by_itself && options.cases.empty());
  return options.hidden_cases.value_or(usual ? usual_hidden_cases : 0);
}

// Draws hidden cases, which come after the others.
Errors add_hidden(const Problem& problem, const RunOptions& options, const Names& names, std::size_t count,
                  bool for_modules, ChosenCases& chosen) {
  HiddenOptions hidden;
  hidden.for_module = for_modules && problem.torch.has_value();
  hidden.count = count;
  hidden.seed = options.hidden_seed ? *options.hidden_seed : random_seed();
  chosen.hidden_seed = hidden.seed;
  auto drawn = draw_hidden_cases(problem, hidden);
  if (!drawn) return drawn.errors();
  for (Case& bound : *drawn) {
    if (names.hidden.empty() || is_named(names.hidden, bound.name))
      chosen.cases.push_back({std::move(bound), ""});
  }
  return {};
}

}  // namespace

Error unknown_case(const Problem& problem, const std::string& name) {
  constexpr std::size_t most_names = 30;
  const std::vector<std::string> names = case_names(problem);
  const auto near = nearest(name, names);
  return {fmt::format("problem '{}' has no case '{}'", problem.slug, name),
          fmt::format(
              "{}its cases are: {}{}", near ? fmt::format("did you mean '{}'? ", *near) : "",
              first_names(names, most_names),
              names.size() > most_names ? fmt::format(", which `kgrade show {}` lists", problem.slug) : ""),
          {}};
}

Result<std::vector<PlannedCase>> select_cases(const Problem& problem, const std::vector<std::string>& names,
                                              bool measures_speed, Effort effort) {
  std::vector<PlannedCase> planned;
  Errors errors;
  for (const CaseSpec& spec : specs_of(problem, names, errors)) {
    auto bound = resolve_case(problem, spec);
    if (!bound) {
      errors.insert(errors.end(), bound.errors().begin(), bound.errors().end());
      continue;
    }
    const bool too_slow = !measures_speed && spec.role == CaseRole::bench && names.empty() &&
                          !(problem.has_model() && is_small(*bound));
    std::string skipped;
    if (too_slow) skipped = fmt::format("sized for a GPU; --case {} --force {}", spec.name, runs_when_named);
    if (effort == Effort::quick && !spec.quick && names.empty() && !too_slow)
      skipped = fmt::format("too long for --quick; --case {} {}", spec.name, runs_when_named);
    planned.push_back({std::move(*bound), std::move(skipped)});
  }
  if (!errors.empty()) return errors;
  return planned;
}

Result<ChosenCases> choose_cases(const Problem& problem, const RunOptions& options, bool measures_speed,
                                 bool draws_by_itself, bool for_modules) {
  const Names names = names_of(problem, options);
  const std::size_t count = hidden_count(options, names, draws_by_itself);
  const bool asked = options.hidden_cases || options.hidden_seed || !names.hidden.empty();
  if (!names.hidden.empty() && !options.hidden_seed)
    return Error{fmt::format("--case {}: hidden shapes are drawn anew in every run", names.hidden.front()),
                 "add --hidden-seed with the seed that the record or the table of the other run names",
                 {}};
  ChosenCases chosen;
  if (names.hidden.empty() || !names.others.empty()) {
    auto cases = select_cases(problem, names.others, measures_speed, options.effort);
    if (!cases) return cases.errors();
    chosen.cases = std::move(*cases);
  }
  if (count == 0) return chosen;
  if (problem.fuzz.empty() && asked)
    return Error{
        fmt::format("problem '{}' has no ranges that hidden shapes could be drawn from", problem.slug),
        "leave out --hidden and --hidden-seed, or give the problem a `fuzz` section",
        {problem.path.string(), 0, 0}};
  if (problem.fuzz.empty()) return chosen;
  if (Errors errors = add_hidden(problem, options, names, count, for_modules, chosen); !errors.empty())
    return errors;
  return chosen;
}

namespace {

struct Counts {
  std::size_t run = 0;
  std::size_t unstated = 0;
  std::size_t too_large = 0;  // a module can state these, but they are skipped (too large, too long)
};

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
  std::vector<std::string> names;
  for (const CaseSpec& spec : problem.cases) {
    const auto bound = resolve_case(problem, spec);
    if (bound && module_call(problem, *bound)) names.push_back(spec.name);
  }
  const std::string none = "none of the cases can be stated by the problem's module";
  if (names.empty()) return none + ", and no other case of the problem's file can";
  constexpr std::size_t most_named = 8;
  return fmt::format("{}; cases of the problem's file that can: {}", none, first_names(names, most_named));
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

ModuleCases cases_for(const BuildOutcome& built, const Problem& problem, std::vector<PlannedCase> cases) {
  if (built.is_module) return stated_cases(problem, std::move(cases));
  ModuleCases result{std::move(cases), "", ""};
  if (built.gets_forward) return result;
  std::vector<Case> bound;
  for (const PlannedCase& planned : result.cases) bound.push_back(planned.bound);
  const bool is_cuda = built.python_entry.empty();
  result.unsupported = untold(problem, bound, is_cuda ? Given::pointers : Given::tensors);
  if (!result.unsupported.empty())
    result.unsupported += is_cuda ? "; write it in Python" : "; write `class ModelNew`";
  return result;
}

int varied_rounds(const Problem& problem, const Case& bound, bool measures_speed) {
  constexpr int most_rounds = 20;  // twice as many as an input of a Model has families
  // Calls on larger tensors would take more than a tenth of a grade.
  constexpr std::int64_t largest_on_gpu = std::int64_t{256} << 20;
  constexpr std::int64_t largest_on_cpu = std::int64_t{1} << 20;
  const bool is_small = bound.tensor_bytes() <= (measures_speed ? largest_on_gpu : largest_on_cpu);
  return problem.cases.size() == 1 && is_small ? most_rounds : least_varied_rounds;
}

std::uint32_t first_family(const Problem& problem, const Case& bound) {
  const CaseSpec* const spec = problem.find_case(bound.name);
  const auto place =
      spec != nullptr ? static_cast<std::size_t>(spec - problem.cases.data()) : problem.cases.size();
  auto before = static_cast<std::uint32_t>(place);
  if (spec == nullptr) {
    const std::size_t digits = bound.name.find_last_not_of("0123456789") + 1;
    std::uint32_t number = 0;
    std::from_chars(bound.name.data() + digits, bound.name.data() + bound.name.size(), number);
    before += number;
  }
  return 1 + static_cast<std::uint32_t>(least_varied_rounds) * before;
}

CaseRecord blank_record(const Problem& problem, const Case& bound) {
  CaseRecord record;
  record.name = bound.name;
  record.role = bound.role;
  record.tensor_bytes = bound.tensor_bytes();
  record.flops = bound.flops;
  record.weight = bound.weight;
  record.precision = best_class(problem);
  for (const Parameter& parameter : problem.parameters) {
    if (const auto found = bound.integers.find(parameter.name); found != bound.integers.end())
      record.parameters.insert(*found);
  }
  record.real_parameters = bound.reals;
  record.scales = scalings_text(bound);
  return record;
}

}  // namespace kgrade
