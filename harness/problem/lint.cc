#include "problem/lint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/text.h"
#include "problem/case.h"
#include "problem/fields.h"
#include "problem/hidden_cases.h"
#include "problem/module_call.h"
#include "problem/module_file.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

// At least one draw in 32 has to be legal. For depthwise and transposed convolutions with ten parameters,
// between one draw in three and one in ten is legal.
constexpr std::size_t least_share_of_draws = 32;

class Linter {
 public:
  explicit Linter(const Problem& problem) : problem_(problem), whole_file_{problem.path.string(), 1, 1} {}

  std::vector<LintFinding> run() {
    if (is_bare_interface()) {
      fail("incomplete",
           {"this is a bare interface: it has no shapes, no inits and no cases",
            fmt::format("`kgrade import {}` makes a problem file of it, and lists what is left to write",
                        problem_.path.string()),
            whole_file_});
      return std::move(findings_);
    }
    // What is not written in a Python file cannot be mended there.
    const bool is_written = !is_module_file(problem_.path);
    check_grading();
    if (is_written) check_unused_parameters();
    if (is_written) check_equal_cases();
    if (problem_.torch) check_module();
    if (is_written) check_fuzz();
    check_class();
    if (is_written) check_what_readers_miss();
    std::stable_sort(findings_.begin(), findings_.end(), [](const LintFinding& a, const LintFinding& b) {
      return std::tie(a.what.location.file, a.what.location.line, a.what.location.column) <
             std::tie(b.what.location.file, b.what.location.line, b.what.location.column);
    });
    return std::move(findings_);
  }

 private:
  // Whether the problem has parameters and nothing else that grading needs, like the problems that other
  // sites publish. It may have `dtypes`, because `import` writes them.
  bool is_bare_interface() const {
    const bool says_more =
        std::any_of(problem_.parameters.begin(), problem_.parameters.end(), [&](const Parameter& p) {
          return !p.shape.empty() || p.init || (p.type == element_type_name && !problem_.dtypes.empty());
        });
    return !says_more && problem_.cases.empty();
  }

  void check_grading() {
    const Errors missing = missing_for_grading(problem_);
    for (const Error& error : missing) fail("incomplete", error);
    const bool shaped = std::none_of(problem_.parameters.begin(), problem_.parameters.end(),
                                     [](const Parameter& p) { return p.pointer && p.shape.empty(); });
    if (!shaped) return;
    for (const CaseSpec& spec : problem_.cases) {
      const auto resolved = resolve_case(problem_, spec);
      if (resolved) continue;
      const std::string_view rule = breaks_a_shape(spec) ? "shape-not-positive" : "illegal-case";
      for (const Error& error : resolved.errors()) fail(rule, error);
    }
  }

  // Whether a case cannot be resolved because of an extent.
  bool breaks_a_shape(const CaseSpec& spec) const {
    Bindings bindings = spec.integers;
    for (const auto& [name, expression] : problem_.let) {
      const auto value = expression.evaluate(bindings);
      if (!value) return false;
      bindings[name] = *value;
    }
    const bool legal =
        std::all_of(problem_.require.begin(), problem_.require.end(), [&](const auto& condition) {
          const auto holds = condition.holds(bindings, spec.reals);
          return holds && *holds;
        });
    return legal && has_extent_below_one(bindings);
  }

  bool has_extent_below_one(const Bindings& bindings) const {
    for (const Parameter& parameter : problem_.parameters) {
      for (const Expression& extent : parameter.shape) {
        const auto value = extent.evaluate(bindings);
        if (value && *value < 1) return true;
      }
    }
    return false;
  }

  void check_unused_parameters() {
    // If shapes are missing, parameters would wrongly count as unused.
    const std::set<std::string> used = used_names();
    if (used.empty()) return;
    // The function `inputs` of the reference gets all scalars.
    const bool any_is_computed = std::any_of(problem_.parameters.begin(), problem_.parameters.end(),
                                             std::mem_fn(&Parameter::is_computed));
    if (any_is_computed) return;
    for (const Parameter& parameter : problem_.parameters) {
      // A bool may switch between computations without being named in any formula.
      const bool is_bool = parameter.type == "bool";
      if (!parameter.is_integer() || is_bool || used.contains(parameter.name)) continue;
      fail("unused-parameter",
           {fmt::format("no shape or formula uses the parameter '{}'", parameter.name),
            "name it in `shape`, `init`, `let`, `require`, `flops` or `bytes`, or remove it; on a device a "
            "shape or an output has to depend on it as well",
            parameter.location});
    }
  }

  std::set<std::string> used_names() const {
    std::set<std::string> used;
    const auto add = [&](const Expression& expression) {
      for (std::string& name : expression.names()) used.insert(std::move(name));
    };
    for (const Parameter& parameter : problem_.parameters) {
      for (const Expression& extent : parameter.shape) add(extent);
      if (!parameter.init) continue;
      for (const Expression& expression : parameter.init->expressions) add(expression);
    }
    for (const auto& [name, expression] : problem_.let) add(expression);
    for (const Expression& condition : problem_.require) add(condition);
    if (problem_.flops) add(*problem_.flops);
    if (problem_.terms) add(*problem_.terms);
    if (problem_.bytes) add(*problem_.bytes);
    return used;
  }

  void check_equal_cases() {
    using Values =
        std::tuple<Bindings, std::map<std::string, double, std::less<>>, std::map<std::string, std::string>>;
    std::map<Values, const CaseSpec*> seen;
    for (const CaseSpec& spec : problem_.cases) {
      std::map<std::string, std::string> inits;
      for (const auto& [input, init] : spec.inits) inits[input] = init.text;
      const auto [first, fresh] = seen.emplace(Values{spec.integers, spec.reals, std::move(inits)}, &spec);
      if (fresh) continue;
      fail("equal-cases",
           {fmt::format("case '{}' has the values of case '{}'", spec.name, first->second->name),
            "change a value, or remove one of the two", spec.location});
    }
  }

  void check_fuzz() {
    if (problem_.fuzz.empty()) return check_missing_fuzz();
    for (const Parameter& parameter : problem_.parameters) {
      const bool ranged =
          std::any_of(problem_.fuzz.begin(), problem_.fuzz.end(),
                      [&](const FuzzRange& range) { return range.parameter == parameter.name; });
      if (ranged || !parameter.is_integer()) continue;
      warn("fuzz", problem_.fuzz.front().location, fmt::format("'fuzz' leaves out '{}'", parameter.name),
           fmt::format("write `{}: 1..3`, or one integer", parameter.name));
    }
    check_hidden_cases();
  }

  // Without hidden cases, a kernel that is right only on the file's cases would pass.
  void check_missing_fuzz() {
    const auto first = std::find_if(problem_.parameters.begin(), problem_.parameters.end(),
                                    [](const Parameter& parameter) { return parameter.is_integer(); });
    if (first == problem_.parameters.end()) return;
    warn("fuzz", whole_file_, "there is no 'fuzz': hidden shapes are never drawn",
         fmt::format("write `fuzz: {{{}: 1..3}}`, with a range or one integer for every integer parameter",
                     first->name));
  }

  // Call this only for a problem without other faults. Otherwise faults of its cases would be reported twice.
  void check_hidden_cases() {
    const bool sound = std::none_of(findings_.begin(), findings_.end(), [](const LintFinding& finding) {
      return finding.severity == LintFinding::Severity::error;
    });
    if (!sound) return;
    HiddenOptions options;
    options.count = 1;
    const auto drawn = draw_hidden_cases(problem_, options);
    if (drawn) check_hidden_cases_of_module();
    if (drawn) return check_share_of_legal_draws();
    for (const Error& error : drawn.errors()) fail("fuzz", error);
  }

  void check_hidden_cases_of_module() {
    if (!problem_.torch) return;
    HiddenOptions options;
    options.count = 1;
    options.for_module = true;
    const auto drawn = draw_hidden_cases(problem_, options);
    if (drawn) return;
    for (const Error& error : drawn.errors())
      warn("module", error.location, "for a module " + error.message,
           "write conditions of 'torch' as `a == b`, or change the ranges");
  }

  // If hardly any draw is legal, the legal draws lie near 1, in a corner of the ranges.
  void check_share_of_legal_draws() {
    const HiddenSurvey survey = survey_hidden_draws(problem_, 0);
    if (survey.legal * least_share_of_draws >= survey.draws) return;
    fail("fuzz",
         {fmt::format("of {} draws from the ranges of 'fuzz' {} {} legal; the commonest reason: {}",
                      survey.draws, survey.legal, survey.legal == 1 ? "is" : "are", survey.commonest.message),
          "change the ranges so that a good part of what they hold satisfies `require` and gives "
          "positive extents",
          problem_.fuzz.front().location});
  }

  // A module that states no case of a role is never checked, or never measured.
  void check_module() {
    std::set<CaseRole> missed;
    std::set<CaseRole> stated;
    for (const CaseSpec& spec : problem_.cases) {
      const auto bound = resolve_case(problem_, spec);
      if (!bound) continue;
      const auto call = evaluate_module_call(problem_, *bound);
      if (!call) {
        for (const Error& error : call.errors()) fail("module", error);
        return;
      }
      (*call ? stated : missed).insert(spec.role);
    }
    for (const CaseRole role : {CaseRole::test, CaseRole::bench}) {
      if (stated.contains(role) || !missed.contains(role)) continue;
      fail("module", {fmt::format("no case of role {} satisfies `require` of 'torch'", to_string(role)),
                      "add one that a module can state, or change the conditions",
                      problem_.torch->require.front().location()});
    }
  }

  // Rounding does not affect integers that are computed from integers, values that are moved, and indices of
  // an input's elements. It does affect an index of computed values, although that is compared exactly.
  void check_class() {
    if (problem_.is_exact() || !problem_.compares_exactly()) return;
    const bool any_float = std::any_of(
        problem_.parameters.begin(), problem_.parameters.end(),
        [](const Parameter& parameter) { return !parameter.is_output() && is_floating(parameter); });
    const bool is_sound = std::all_of(problem_.parameters.begin(), problem_.parameters.end(),
                                      [any_float](const Parameter& output) {
                                        return !output.is_output() || !any_float || is_floating(output) ||
                                               output.compare.kind == Comparison::Kind::ties;
                                      });
    if (!is_sound) return;
    warn("exact-class", whole_file_,
         fmt::format("every output is compared exactly, and 'precision' is {}", problem_.precision),
         "write `precision: exact` and no `thresholds`: the problem then has one class");
  }

  // Whether a tensor or scalar has a real type.
  static bool is_floating(const Parameter& parameter) {
    const ScalarType* const type = find_scalar_type(parameter.type);
    return type == nullptr || !type->is_integer();
  }

  void check_what_readers_miss() {
    const bool sampled = std::any_of(problem_.cases.begin(), problem_.cases.end(),
                                     [](const CaseSpec& spec) { return spec.role == CaseRole::sample; });
    if (!sampled)
      warn("reader", whole_file_, "no case has the role sample", "give one small case `role: sample`");
    if (!problem_.flops) {
      warn("reader", whole_file_, "there is no 'flops'",
           "write `flops: 2 * ...`, the useful arithmetic of a case");
    }
    if (trimmed(problem_.statement).empty()) {
      warn("reader", whole_file_, "the statement is empty",
           "write below the frontmatter what the kernel computes");
    }
  }

  void fail(std::string_view rule, Error what) {
    findings_.push_back({LintFinding::Severity::error, std::move(what), std::string(rule)});
  }

  void warn(std::string_view rule, Location location, std::string message, std::string remedy) {
    findings_.push_back({LintFinding::Severity::warning,
                         Error{std::move(message), std::move(remedy), std::move(location)},
                         std::string(rule)});
  }

  const Problem& problem_;
  Location whole_file_;
  std::vector<LintFinding> findings_;
};

}  // namespace

std::string to_string(const LintFinding& finding) {
  Error what = finding.what;
  if (!finding.rule.empty()) what.message += " [" + finding.rule + "]";
  std::string text = to_string(what);
  if (finding.severity == LintFinding::Severity::error) return text;
  // The text of an error with another word before the message.
  const std::string tail = what.message + (what.remedy.empty() ? "" : "\n  hint: " + what.remedy);
  text.resize(text.size() - tail.size() - std::string_view("error: ").size());
  return text + "warning: " + tail;
}

std::vector<LintFinding> lint(const Problem& problem) { return Linter(problem).run(); }

std::string note_on_fuzz(const Problem& problem) {
  std::vector<std::string> beyond;
  for (const FuzzRange& range : problem.fuzz) {
    const Parameter* const parameter = problem.find_parameter(range.parameter);
    if (parameter == nullptr || !parameter->is_integer()) continue;
    std::optional<std::int64_t> most;
    for (const CaseSpec& spec : problem.cases) {
      const auto value = spec.integers.find(range.parameter);
      if (spec.role != CaseRole::bench && value != spec.integers.end())
        most = std::max(most.value_or(value->second), value->second);
    }
    if (most && range.high > *most)
      beyond.push_back(fmt::format("{} up to {} ({})", range.parameter, range.high, *most));
  }
  if (beyond.empty()) return "";
  return fmt::format("hidden shapes may be larger than every sample and test: {}", fmt::join(beyond, ", "));
}

}  // namespace kgrade
