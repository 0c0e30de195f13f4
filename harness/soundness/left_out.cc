#include "soundness/left_out.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "draw/input_families.h"
#include "problem/read_domain.h"
#include "soundness/short_cut_search.h"

namespace kgrade {
namespace {

// A problem in one of its types, with its cases and nothing left out.
struct TypedProblem {
  Problem problem;
  std::vector<Case> cases;
};

std::vector<TypedProblem> in_each_type(const Problem& problem) {
  std::vector<TypedProblem> all;
  for (const std::string& dtype : problem.dtypes) {
    auto typed = with_dtype(problem, dtype);
    if (!typed) continue;
    for (Parameter& parameter : typed->parameters) parameter.without.clear();
    std::vector<Case> cases;
    for (const CaseSpec& spec : typed->cases) {
      auto bound = resolve_case(*typed, spec);
      if (!bound) continue;
      bound->terms = 1;  // hidden cases may have shorter sums, and these more families
      cases.push_back(std::move(*bound));
    }
    all.push_back({std::move(*typed), std::move(cases)});
  }
  return all;
}

std::set<Family> families_in(const std::vector<TypedProblem>& all, std::size_t parameter) {
  std::set<Family> families;
  for (const auto& [problem, cases] : all) {
    for (const Case& bound : cases) {
      for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
        if (bound.tensors[i].parameter != parameter) continue;
        const std::vector<Family> found = families_of(problem, bound, i);
        families.insert(found.begin(), found.end());
      }
    }
  }
  return families;
}

void check_without(LintFindings& findings, const Parameter& parameter, const std::set<Family>& known) {
  // `all` names every family in one place.
  using Place = std::tuple<std::string, int, int>;
  std::set<Place> seen;
  const auto place_of = [](const LeftOut& entry) {
    return Place(entry.location.file, entry.location.line, entry.location.column);
  };
  for (const auto& [family, entry] : parameter.without) {
    if (known.contains(family)) seen.insert(place_of(entry));
  }
  std::vector<std::string_view> names;
  for (const Family family : known) names.push_back(to_string(family));
  for (const auto& [family, entry] : parameter.without) {
    if (!seen.insert(place_of(entry)).second) continue;
    findings.add(
        "family-not-drawn",
        known.empty()
            ? fmt::format("'without' of '{0}' leaves out nothing: '{0}' has no families", parameter.name)
            : fmt::format("'without' of '{}' names '{}', which this input never has", parameter.name,
                          to_string(family)),
        known.empty() ? "remove the entry, or state a `domain` that gives it families"
                      : fmt::format("remove the entry, or state a wider `domain`; its families are: {}",
                                    fmt::join(names, ", ")),
        entry.location);
  }
}

void check_harmless(LintFindings& findings, const std::vector<TypedProblem>& all, const std::string& name,
                    const LeftOut& entry) {
  const ShortCut* const short_cut = find_short_cut(name);
  if (short_cut == nullptr) {
    findings.add("short-cut-unknown", fmt::format("`harmless` names '{}', which is no short cut", name),
                 "write the name as `kgrade lint` prints it, or remove the entry", entry.location);
    return;
  }
  const bool applies = std::any_of(all.begin(), all.end(), [&](const TypedProblem& typed) {
    return std::any_of(typed.cases.begin(), typed.cases.end(), [&](const Case& bound) {
      return !tensors_of(*short_cut, typed.problem, bound).empty();
    });
  });
  if (!applies)
    findings.add(
        "short-cut-unknown",
        fmt::format("`harmless` names '{}', which lint never tries here: no tensor is of its kind, or "
                    "the problem's class allows it",
                    name),
        "remove the entry", entry.location);
}

}  // namespace

void find_entries_without_effect(LintFindings& findings, const Problem& problem) {
  const std::vector<TypedProblem> all = in_each_type(problem);
  if (std::all_of(all.begin(), all.end(), [](const TypedProblem& typed) { return typed.cases.empty(); }))
    return;
  for (std::size_t i = 0; i < problem.parameters.size(); ++i) {
    if (!problem.parameters[i].without.empty())
      check_without(findings, problem.parameters[i], families_in(all, i));
  }
  for (const auto& [name, entry] : problem.harmless) check_harmless(findings, all, name, entry);
}

std::vector<std::string> notes_on_families(const Problem& problem, const std::vector<Case>& cases) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < problem.parameters.size(); ++i) {
    const Parameter& parameter = problem.parameters[i];
    std::vector<std::string> without_families;
    std::size_t drawn = 0;
    for (const Case& bound : cases) {
      const auto tensor = std::find_if(bound.tensors.begin(), bound.tensors.end(), [&](const Tensor& each) {
        return each.parameter == i && may_have_families(problem, each);
      });
      if (tensor == bound.tensors.end()) continue;
      ++drawn;
      if (families_of(problem, bound, static_cast<std::size_t>(tensor - bound.tensors.begin())).empty())
        without_families.push_back(bound.name);
    }
    if (without_families.empty()) continue;
    notes.push_back(fmt::format(
        "'{}' has no families of inputs{}, so that grading draws only what `init` says{}", parameter.name,
        without_families.size() == drawn ? "" : fmt::format(" in {}", fmt::join(without_families, ", ")),
        parameter.without.empty() ? "; state `domain` to change that" : ": `without` leaves them out"));
  }
  return notes;
}

}  // namespace kgrade
