#include "soundness/lint_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kgrade {

const std::vector<LintRule>& lint_rules() {
  static const std::vector<LintRule> rules = {
      {"form", "the file cannot be read: YAML, keys, types, names"},
      {"incomplete", "shapes, distributions, dtypes or cases that grading needs are missing"},
      {"shape-not-positive", "a case makes an extent of a tensor zero or negative"},
      {"illegal-case", "a case breaks `require`, overflows, or cannot be evaluated"},
      {"unused-parameter",
       "no expression names an integer parameter, or no shape and no output depends on a scalar"},
      {"equal-cases", "two cases have the same values"},
      {"fuzz", "no draw from `fuzz`, or hardly one, is legal, or it leaves out a parameter (a warning)"},
      {"module",
       "`torch` cannot be evaluated on a case, or states no `test`, no `bench` or no hidden case (a "
       "warning)"},
      {"exact-class", "no output can be off by rounding, and `precision` is not exact (a warning)"},
      {"reader", "something that readers miss: a sample case, `flops`, a statement (a warning)"},
      {"unchecked",
       "a TODO of `kgrade import` or a placeholder of `kgrade new` still stands there (a warning)"},
      {"beyond-memory", "a case does not fit three times into the device, or a GPU of 80 GB"},
      {"clashing-slug", "two files have one slug, or a file is not named after its slug"},
      {"reference-missing", "there is no reference/<slug>.cu"},
      {"no-small-case", "no case is small enough for the device, or for a run without --deep", true},
      {"reference-fails", "the reference does not build, load or run", true},
      {"reference-out-of-bounds", "the reference reads or writes memory that is not its own", true},
      {"reference-unwritten", "the reference leaves elements of an output as they were before the call",
       true},
      {"reference-unsafe", "the reference races, or has another fault that `kgrade check` finds", true},
      {"reference-unsteady", "the oracle's answer changes although its inputs stay the same", true},
      {"reference-imprecise", "the reference, in single precision, is not close to the oracle", true},
      {"ill-conditioned",
       "a Model in float32 is further from float64 than the class allows: no answer can be judged", true},
      {"not-finite", "expected values are infinite or not a number, or too large for the element type", true},
      {"too-many-magnitudes",
       "more than a tenth of an output's elements are too small beside the others to be judged (a warning)",
       true},
      {"class-not-offered",
       "the answer to other inputs of a Model is so near that a lower class allows less than its threshold "
       "(a warning)",
       true},
      {"constant-output", "all elements of an output have one value", true},
      {"aliasing-output", "an output holds what another output or an input holds", true},
      {"zeros-pass", "zeros are accepted", true},
      {"ones-pass", "ones are accepted", true},
      {"mean-passes", "the mean of the output, in every element, is accepted", true},
      {"other-seed-passes", "the output for other inputs is accepted", true},
      {"shuffle-passes", "the output with its elements in another order is accepted", true},
      {"input-passes", "an input copied into the output is accepted", true},
      {"stale-passes", "the answer of the call before is accepted, when few elements of an input change",
       true},
      {"sample-passes", "the output is accepted when half of an input is replaced by its mean", true},
      {"short-cut-passes",
       "a short cut is accepted on one case, whatever inputs are drawn, and `harmless` does not say why",
       true},
      {"short-cut-unknown", "`harmless` names a short cut that lint does not try here"},
      {"family-not-drawn", "`without` names a family that the input never has"},
      {"axis-constant", "the output is the same all along an axis, as far as the comparison can tell", true},
      {"input-ignored", "nothing in an input changes the output beyond the tolerance", true},
      {"element-ignored",
       "single elements of an input do not change the output beyond the tolerance, on any case", true},
      {"beginning-ignored", "what an output begins as changes no output (a warning)", true},
      {"classes-overlap",
       "the errors of two neighbouring precision classes differ by less than a factor of 4", true},
  };
  return rules;
}

void LintFindings::add(std::string_view rule, const std::string& subject, const Case& bound,
                       std::string message, std::string remedy, LintFinding::Severity severity) {
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
                      {std::move(message), std::move(remedy), place_of(bound)},
                      severity});
}

Location LintFindings::place_of(const Case& bound) const {
  if (const CaseSpec* const spec = problem_.find_case(bound.name)) return spec->location;
  if (bound.role == CaseRole::hidden && !problem_.fuzz.empty()) return problem_.fuzz.front().location;
  return {problem_.path.string(), 0, 0};
}

LintFindings::NamedCase LintFindings::name_of(const Case& bound) const {
  const CaseSpec* const spec = problem_.find_case(bound.name);
  const bool is_smaller =
      spec != nullptr && std::any_of(spec->integers.begin(), spec->integers.end(), [&](const auto& own) {
        const auto value = bound.integers.find(own.first);
        return value != bound.integers.end() && value->second != own.second;
      });
  if (bound.role != CaseRole::hidden && !is_smaller) return {bound.name, ""};
  std::vector<std::string> values;
  for (const Parameter& parameter : problem_.parameters) {
    const auto value = bound.integers.find(parameter.name);
    if (value != bound.integers.end()) values.push_back(fmt::format("{}: {}", parameter.name, value->second));
  }
  if (std::string scales = scalings_text(bound); !scales.empty()) values.push_back(std::move(scales));
  return {bound.name, fmt::format(" {} ({})", bound.role == CaseRole::hidden ? "of `fuzz`" : "made smaller",
                                  fmt::join(values, ", "))};
}

void LintFindings::add_unwritten(const Case& bound, const std::string& elements) {
  add("reference-unwritten", "", bound,
      fmt::format("the reference does not write {}: they hold whatever was there before the call", elements),
      "write every element of every output, or give the output the shape that is written");
}

void LintFindings::add(std::string_view rule, std::string message, std::string remedy,
                       std::optional<Location> place) {
  const Location location = place.value_or(Location{problem_.path.string(), 1, 1});
  entries_.push_back({std::string(rule), "", {}, {std::move(message), std::move(remedy), location}});
}

void LintFindings::explain(std::size_t first, const std::string& reason, const std::string& remedy) {
  for (std::size_t i = first; i < entries_.size(); ++i) {
    entries_[i].what.message += reason;
    entries_[i].what.remedy = remedy;
  }
}

std::string LintFindings::message_of(const Entry& entry) {
  if (entry.cases.empty()) return entry.what.message;
  const NamedCase& first = entry.cases.front();
  std::string message = fmt::format("case '{}'{}: {}", first.name, first.values, entry.what.message);
  for (std::size_t i = 1; i < entry.cases.size(); ++i)
    message += (i == 1 ? "; also " : ", ") + entry.cases[i].name + entry.cases[i].values;
  return message;
}

bool LintFindings::is_measured(const NamedCase& named) const {
  const CaseSpec* const spec = problem_.find_case(named.name);
  return spec != nullptr && spec->role == CaseRole::bench;
}

bool LintFindings::is_degenerate(const Entry& entry) const {
  // One element of a long sum matters little, whether the case is measured or not.
  if (entry.rule == "element-ignored") return true;
  // A copy in a measured case is a fault, because its speed means nothing.
  return entry.rule == "aliasing-output" &&
         std::none_of(entry.cases.begin(), entry.cases.end(),
                      [&](const NamedCase& named) { return is_measured(named); });
}

std::vector<std::string> LintFindings::take_degenerate(std::size_t cases) {
  std::vector<std::string> notes;
  std::erase_if(entries_, [&](const Entry& entry) {
    if (entry.cases.size() >= cases || !is_degenerate(entry)) return false;
    notes.push_back(message_of(entry) + "; the other cases ask for more");
    return true;
  });
  return notes;
}

std::vector<LintFinding> LintFindings::all() const {
  std::vector<LintFinding> findings;
  for (const Entry& entry : entries_) {
    Error what = entry.what;
    what.message = message_of(entry);
    findings.push_back({entry.severity, std::move(what), entry.rule});
  }
  return findings;
}

}  // namespace kgrade
