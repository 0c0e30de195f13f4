#include "soundness/lint_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "authoring/draft.h"
#include "base/text.h"
#include "compile/module_file.h"
#include "draw/input_families.h"
#include "problem/catalogue.h"
#include "problem/module_file.h"
#include "problem/read_domain.h"
#include "soundness/short_cut_search.h"

namespace kgrade {
namespace {

LintFinding error_of_rule(const char* rule, Error what) {
  return {LintFinding::Severity::error, std::move(what), rule};
}

class LintRun {
 public:
  LintRun(const LintOptions& options, Bench& bench) : options_(options), context_(options, bench) {}

  LintReport run() {
    for (const auto& file : options_.files) report_.files.push_back(read(file));
    find_clashes();
    if (options_.run) check_soundness();
    return std::move(report_);
  }

 private:
  FileReport read(const std::filesystem::path& path) {
    FileReport file;
    file.path = path;
    options_.progress(path.filename().string() + ": reading");
    auto problem = load_problem_file(path, options_.python, options_.layout, options_.inputs);
    if (!problem && exit_code_of(problem.errors()) != exit_usage) {
      // A fault of the machine is not a finding.
      report_.failure = problem.errors();
      file.notes.emplace_back("was not read");
      return file;
    }
    if (!problem) {
      for (const Error& error : problem.errors()) file.findings.push_back(error_of_rule("form", error));
      return file;
    }
    file.findings = lint(*problem);
    if (std::string note = note_on_fuzz(*problem); !note.empty()) file.notes.push_back(std::move(note));
    std::vector<Case> cases;
    for (const CaseSpec& spec : problem->cases) {
      if (auto bound = resolve_case(*problem, spec)) cases.push_back(std::move(*bound));
    }
    if (!is_module_file(path)) add_marks(file);
    LintFindings findings(*problem);
    find_cases_beyond_memory(findings, cases, options_.budget);
    find_entries_without_effect(findings, *problem);
    for (std::string& note : notes_on_families(*problem, cases)) file.notes.push_back(std::move(note));
    for (LintFinding& finding : findings.all()) file.findings.push_back(std::move(finding));
    if (!cases.empty()) file.costs = costs_table(*problem, cases);
    file.problem = std::move(*problem);
    return file;
  }

  // Adds findings about marks, which are only in the file's text and in no key.
  static void add_marks(FileReport& file) {
    const auto content = read_text_file(file.path);
    if (!content) return;
    for (const authoring::Mark& mark : authoring::marks_left_in(*content)) {
      Error what{mark.is_todo ? fmt::format("still to be done: {}", printable(mark.text))
                              : fmt::format("the statement still says: {}", printable(mark.text)),
                 mark.is_todo ? "write it, and take the comment away" : "write it",
                 {file.path.string(), mark.line, mark.column}};
      file.findings.push_back({LintFinding::Severity::warning, std::move(what), "unchecked"});
    }
  }

  void find_clashes() {
    std::vector<Problem> problems;
    std::set<std::filesystem::path> seen;  // so that a file that is named twice does not clash with itself
    for (const FileReport& file : report_.files) {
      if (is_module_file(file.path)) continue;  // known by its path
      if (file.problem && seen.insert(resolved(file.path)).second) problems.push_back(*file.problem);
    }
    for (const Error& clash : check_catalogue(problems)) {
      const auto file = std::find_if(report_.files.begin(), report_.files.end(), [&](const FileReport& f) {
        return f.path.string() == clash.location.file;
      });
      FileReport& told = file != report_.files.end() ? *file : report_.files.front();
      told.findings.push_back(error_of_rule("clashing-slug", clash));
    }
  }

  // A problem in one of its element types.
  struct Job {
    FileReport* file;
    std::unique_ptr<const Problem> problem;

    bool is_in_first_dtype() const { return problem->dtype == file->problem->dtype; }
  };

  // Compilers work on the next problem while the device works on this one.
  void check_soundness() {
    std::vector<Job> jobs;
    for (FileReport& file : report_.files) {
      if (!file.problem) continue;
      if (file.problem->has_property()) {
        file.notes.emplace_back("soundness was not checked: check() of the file judges its outputs");
      } else if (file.error_count() == 0) {
        add_jobs(file, jobs);
      } else if (file.problem) {
        file.notes.emplace_back("soundness was not checked: mend the errors first");
      }
    }
    if (jobs.empty()) return;
    if (auto failure = context_.open()) {
      report_.failure = std::move(failure);
      return pass_over(jobs);
    }
    leave_out_models_without_python(jobs);
    if (jobs.empty()) return;
    const Failure earlier = std::exchange(report_.failure, std::nullopt);
    run_jobs(jobs);
    if (!report_.failure) report_.failure = earlier;
  }

  void leave_out_models_without_python(std::vector<Job>& jobs) {
    const auto has_model = [](const Job& job) { return job.problem->has_model(); };
    if (std::none_of(jobs.begin(), jobs.end(), has_model)) return;
    auto failure = context_.find_python();
    if (!failure) return;
    for (const Job& job : jobs) {
      if (has_model(job)) add_note(job, "soundness was not checked");
    }
    std::erase_if(jobs, has_model);
    report_.failure = std::move(failure);
  }

  void run_jobs(std::vector<Job>& jobs) {
    report_.device = context_.device().info().name;
    auto next = std::make_unique<ProblemBuilds>(context_, *jobs.front().problem, true);
    for (std::size_t i = 0; i < jobs.size() && !report_.failure; ++i) {
      const std::unique_ptr<ProblemBuilds> builds = std::move(next);
      if (i + 1 < jobs.size()) next = std::make_unique<ProblemBuilds>(context_, *jobs[i + 1].problem, true);
      take(jobs[i], kgrade::check_soundness(context_, *builds, options_.scope));
      if (report_.failure) pass_over(std::span(jobs).subspan(i));
    }
  }

  void add_jobs(FileReport& file, std::vector<Job>& jobs) const {
    for (const std::string& dtype : dtypes_of(*file.problem)) {
      auto problem = with_dtype(*file.problem, dtype);
      if (problem) {
        jobs.push_back({&file, std::make_unique<const Problem>(std::move(*problem))});
      } else {
        Error error = problem.error();
        error.location = {file.path.string(), 0, 0};
        file.findings.push_back(error_of_rule("incomplete", std::move(error)));
      }
    }
  }

  std::vector<std::string> dtypes_of(const Problem& problem) const {
    if (options_.dtype) return {*options_.dtype};
    // A file in KernelBench's form lists no types. It works in float32, and perhaps in others.
    return is_module_file(problem.path) ? std::vector{problem.dtypes.front()} : problem.dtypes;
  }

  void take(const Job& job, SoundnessReport found) {
    FileReport& file = *job.file;
    for (LintFinding& finding : found.findings) {
      if (finding.rule == "no-small-case" && file.error_count() > 0) continue;
      if (!job.is_in_first_dtype())
        finding.what.message = fmt::format("in {}: {}", to_string(job.problem->dtype), finding.what.message);
      file.findings.push_back(std::move(finding));
    }
    for (const std::string& what : found.notes) add_note(job, what);
    if (job.is_in_first_dtype()) file.errors = found.errors;
    file.cases += found.cases;
    file.hidden += found.hidden;
    report_.cannot_run = report_.cannot_run || found.cannot_run;
    report_.failure = std::move(found.failure);
  }

  static void pass_over(std::span<const Job> jobs) {
    for (const Job& job : jobs) add_note(job, "soundness was not checked");
  }

  // Adds a note, unless the first type has the same note.
  static void add_note(const Job& job, const std::string& what) {
    std::vector<std::string>& notes = job.file->notes;
    if (std::find(notes.begin(), notes.end(), what) != notes.end()) return;
    notes.push_back(job.is_in_first_dtype() ? what
                                            : fmt::format("in {}: {}", to_string(job.problem->dtype), what));
  }

  const LintOptions& options_;
  SoundnessContext context_;
  LintReport report_;
};

}  // namespace

int FileReport::error_count() const {
  return static_cast<int>(std::count_if(findings.begin(), findings.end(), [](const LintFinding& finding) {
    return finding.severity == LintFinding::Severity::error;
  }));
}

int LintReport::error_count() const {
  return std::accumulate(files.begin(), files.end(), 0,
                         [](int sum, const FileReport& file) { return sum + file.error_count(); });
}

int LintReport::case_count() const {
  return std::accumulate(files.begin(), files.end(), 0,
                         [](int sum, const FileReport& file) { return sum + file.cases; });
}

int LintReport::hidden_count() const {
  return std::accumulate(files.begin(), files.end(), 0,
                         [](int sum, const FileReport& file) { return sum + file.hidden; });
}

LintReport lint_files(const LintOptions& options, Bench& bench) { return LintRun(options, bench).run(); }

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
