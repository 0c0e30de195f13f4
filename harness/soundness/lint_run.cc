#include "soundness/lint_run.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "spec/catalogue.h"

namespace kgrade {
namespace {

LintFinding error_of_rule(const char* rule, Error what) {
  return {LintFinding::Severity::error, std::move(what), rule};
}

class LintRun {
 public:
  LintRun(const LintOptions& options, const Machinery& machinery)
      : options_(options), workshop_(options, machinery) {}

  LintReport run() {
    for (const auto& file : options_.files) report_.files.push_back(read(file));
    if (options_.whole_catalogue) find_clashes();
    if (options_.run) look_at_soundness();
    return std::move(report_);
  }

 private:
  FileReport read(const std::filesystem::path& path) const {
    FileReport file;
    file.path = path;
    auto problem = load_problem(path);
    if (!problem) {
      for (const Error& error : problem.errors()) file.findings.push_back(error_of_rule("form", error));
      return file;
    }
    file.findings = lint(*problem);
    std::vector<Case> cases;
    for (const CaseSpec& spec : problem->cases) {
      if (auto bound = resolve_case(*problem, spec)) cases.push_back(std::move(*bound));
    }
    LintBook book(*problem);
    find_cases_beyond_memory(book, *problem, cases, options_.budget);
    for (LintFinding& finding : book.findings()) file.findings.push_back(std::move(finding));
    if (!cases.empty()) file.costs = costs_table(*problem, cases);
    file.problem = std::move(*problem);
    return file;
  }

  void find_clashes() {
    std::vector<Problem> problems;
    for (const FileReport& file : report_.files) {
      if (file.problem) problems.push_back(*file.problem);
    }
    for (const Error& clash : check_catalogue(problems)) {
      const auto file = std::find_if(report_.files.begin(), report_.files.end(), [&](const FileReport& f) {
        return f.path.string() == clash.location.file;
      });
      FileReport& told = file != report_.files.end() ? *file : report_.files.front();
      told.findings.push_back(error_of_rule("clashing-slug", clash));
    }
  }

  // Compilers work on the next problem while the device works on this one.
  void look_at_soundness() {
    std::vector<FileReport*> sound;
    for (FileReport& file : report_.files) {
      if (file.error_count() == 0) {
        sound.push_back(&file);
      } else {
        file.notes.emplace_back("soundness was not looked at: mend the errors first");
      }
    }
    if (sound.empty()) return;
    report_.failure = workshop_.open();
    if (report_.failure) return pass_over(sound);
    report_.device = workshop_.device().info().name;
    std::unique_ptr<ProblemBuilds> next = build(*sound.front());
    for (std::size_t i = 0; i < sound.size() && !report_.failure; ++i) {
      const std::unique_ptr<ProblemBuilds> builds = std::move(next);
      if (i + 1 < sound.size()) next = build(*sound[i + 1]);
      take(*sound[i], kgrade::look_at_soundness(workshop_, *builds, options_.deep));
      if (report_.failure) pass_over(std::span(sound).subspan(i));
    }
  }

  std::unique_ptr<ProblemBuilds> build(const FileReport& file) {
    return std::make_unique<ProblemBuilds>(workshop_, *file.problem, true);
  }

  void take(FileReport& file, SoundnessReport found) {
    file.findings.insert(file.findings.end(), found.findings.begin(), found.findings.end());
    file.notes.insert(file.notes.end(), found.notes.begin(), found.notes.end());
    file.cases = found.cases;
    file.errors = found.errors;
    report_.cannot_run = report_.cannot_run || found.cannot_run;
    report_.failure = std::move(found.failure);
  }

  static void pass_over(std::span<FileReport* const> files) {
    for (FileReport* const file : files) file->notes.emplace_back("soundness was not looked at");
  }

  const LintOptions& options_;
  Workshop workshop_;
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

LintReport lint_files(const LintOptions& options, const Machinery& machinery) {
  return LintRun(options, machinery).run();
}

}  // namespace kgrade
