#include "soundness/soundness.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "check/check.h"
#include "problem/hidden_cases.h"
#include "soundness/case_soundness.h"
#include "soundness/host_memory.h"
#include "soundness/reference_check.h"

namespace kgrade {
namespace {

class SoundnessRun {
 public:
  SoundnessRun(Workshop& workshop, ProblemBuilds& builds, const SoundnessScope& scope)
      : workshop_(workshop),
        builds_(builds),
        problem_(builds.problem()),
        scope_(scope),
        emulated_(workshop.device().info().kind == "emulated"),
        book_(problem_) {}

  SoundnessReport run() {
    look();
    for (LintFinding& finding : book_.findings()) report_.findings.push_back(std::move(finding));
    return std::move(report_);
  }

 private:
  void look() {
    progress("compiling");
    if (auto failure = builds_.load()) return note(*failure);
    choose_cases();
    if (cases_.empty()) return tell_of_no_case();
    if (!check_memory_accesses()) return;
    draw_hidden();
    look_at_cases();
    if (report_.cases == 0 && book_.empty()) report_.cannot_run = true;
  }

  // A case that was not examined is not sound.
  void tell_of_no_case() {
    if (lacks_host_memory_) {
      report_.cannot_run = true;
      report_.notes.push_back(
          "soundness was not looked at: no case fits into the host's memory; free some, or allow more with "
          "--host-memory");
      return;
    }
    const SoundnessLimits limits = soundness_limits(scope_.deep, emulated_);
    book_.add("no-small-case", "no case is small enough to be looked at here",
              scope_.deep
                  ? "add a case that this device can run, or look at the problem on a GPU"
                  : fmt::format("add a `role: test` of at most {} operations and {} of tensors, or look at "
                                "larger ones with --deep",
                                limits.flops, format_bytes(static_cast<std::uint64_t>(limits.bytes))));
  }

  // What the author can mend is a finding, what the machine lacks is not.
  void note(const GradeFailure& failure) {
    if (builds_.is_unsupported()) {
      report_.cannot_run = true;
      report_.notes.push_back("soundness was not looked at: " + failure.errors.front().message);
      return;
    }
    if (failure.exit_code != exit_usage) {
      report_.failure = failure;
      return;
    }
    const bool missing = builds_.checked_build() == nullptr;
    for (const Error& error : failure.errors) {
      report_.findings.push_back(
          {LintFinding::Severity::error, error, missing ? "reference-missing" : "reference-fails"});
    }
  }

  void choose_cases() {
    for (const CaseSpec& spec : problem_.cases) {
      if (auto bound = resolve_case(problem_, spec)) choose(std::move(*bound));
    }
  }

  void choose(Case bound) {
    std::string reason = why_passed_over(bound, soundness_limits(scope_.deep, emulated_));
    if (reason.empty()) {
      reason = why_beyond_host(bound, copies_of_lint, workshop_.options().host_bytes);
      lacks_host_memory_ = lacks_host_memory_ || !reason.empty();
    }
    if (reason.empty()) {
      cases_.push_back(std::move(bound));
    } else if (scope_.deep || bound.role != CaseRole::bench) {
      report_.notes.push_back(fmt::format("case '{}' was not looked at: {}", bound.name, reason));
    }
  }

  // The very shapes that `kgrade grade --hidden-seed` draws.
  void draw_hidden() {
    HiddenOptions options;
    options.seed = scope_.hidden_seed;
    options.count = scope_.hidden;
    auto drawn = draw_hidden_cases(problem_, options);
    if (!drawn) return;  // a finding of its meaning
    for (Case& bound : *drawn) choose(std::move(bound));
  }

  // The answers of a reference that strays are worth nothing. False when there is no sense in going on.
  bool check_memory_accesses() {
    const Case& smallest = *std::min_element(cases_.begin(), cases_.end(), [](const Case& a, const Case& b) {
      return a.tensor_bytes() < b.tensor_bytes();
    });
    if (!runs_at_all(smallest)) return false;
    progress("memory accesses");
    const auto skipped =
        check_reference({workshop_.device(), problem_, builds_.oracle(), *builds_.checked_build(),
                         scope_.deep, workshop_.options().seed, workshop_.stages(),
                         [this](const std::string& what) { progress(what); }, workshop_.sandbox()},
                        builds_.source(), smallest, book_);
    if (!skipped) {
      report_.failure = GradeFailure{exit_machine, skipped.errors()};
      return false;
    }
    if (*skipped)
      report_.notes.push_back("memory accesses of the reference were not looked at: " + **skipped);
    return book_.empty();
  }

  bool runs_at_all(const Case& bound) {
    if (const auto error = builds_.stand().sit(bound)) {
      report_.failure = GradeFailure{exit_machine, {*error}};
      return false;
    }
    const auto answer = builds_.stand().oracle({workshop_.options().seed, 0}, {});
    if (!answer) {
      book_.add("reference-fails", "", bound, answer.error().message, answer.error().remedy);
    } else if (const std::string unwritten = builds_.stand().unwritten(); !unwritten.empty()) {
      book_.add_unwritten(bound, unwritten);
    }
    return book_.empty();
  }

  void look_at_cases() {
    SoundnessSession session{builds_.stand(), problem_, book_, workshop_.options().seed,
                             [this](const std::string& what) { progress(what); }};
    for (const Case& bound : cases_) {
      const auto goes_on = look_at_case(session, bound);
      report_.hidden += goes_on && bound.role == CaseRole::hidden ? 1 : 0;
      if (!goes_on) {
        report_.notes.push_back(
            fmt::format("case '{}' was not looked at: {}", bound.name, goes_on.error().message));
        continue;
      }
      if (!*goes_on) return;
    }
    conclude(session);
    for (const std::string& name : session.ignored) {
      if (!session.varied.contains(name))
        report_.notes.push_back(
            fmt::format("whether '{}' is used cannot be seen: no shape depends on it, and no case can have "
                        "another value of it",
                        name));
    }
    report_.cases = session.cases;
    report_.errors = session.errors.root_mean_square();
  }

  void progress(const std::string& what) { workshop_.options().progress(problem_.slug + ": " + what); }

  Workshop& workshop_;
  ProblemBuilds& builds_;
  const Problem& problem_;
  SoundnessScope scope_;
  bool emulated_;
  LintBook book_;
  std::vector<Case> cases_;
  bool lacks_host_memory_ = false;  // for one of those that were passed over
  SoundnessReport report_;
};

}  // namespace

SoundnessLimits soundness_limits(bool deep, bool emulated) {
  if (!deep) return {most_checked_flops, most_checked_bytes, false};
  if (emulated) return {10 * most_checked_flops, 16 * most_checked_bytes, true};
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  return {all, all, true};
}

std::string why_passed_over(const Case& bound, const SoundnessLimits& limits) {
  if (bound.role == CaseRole::bench && !limits.bench)
    return "it is sized for a GPU's speed; --deep looks at it";
  if (bound.flops && *bound.flops > limits.flops)
    return fmt::format("it has {:.3g} operations, and up to {:.3g} are run here",
                       static_cast<double>(*bound.flops), static_cast<double>(limits.flops));
  const std::int64_t bytes = bound.tensor_bytes();
  if (bytes <= limits.bytes) return "";
  return fmt::format("it has {} of tensors, and up to {} are run here",
                     format_bytes(static_cast<std::uint64_t>(bytes)),
                     format_bytes(static_cast<std::uint64_t>(limits.bytes)));
}

SoundnessReport look_at_soundness(Workshop& workshop, ProblemBuilds& builds, const SoundnessScope& scope) {
  return SoundnessRun(workshop, builds, scope).run();
}

}  // namespace kgrade
