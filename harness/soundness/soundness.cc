#include "soundness/soundness.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <span>

#include "base/text.h"
#include "check/check.h"
#include "check/check_candidate.h"
#include "check/emulated_findings.h"
#include "check/sanitizer_findings.h"
#include "contest/contest.h"
#include "contest/contestant_runner.h"
#include "draw/seed.h"
#include "grade/contestants.h"
#include "problem/hidden_cases.h"
#include "soundness/case_limits.h"
#include "soundness/case_soundness.h"
#include "soundness/lint_findings.h"
#include "soundness/short_cut_search.h"
#include "soundness/short_cuts.h"

namespace kgrade {
namespace {

bool is_about_memory(const Finding& finding) {
  return finding.kind == "out_of_bounds" || finding.kind == "invalid_address";
}

std::string describe(const Finding& finding) {
  if (!finding.place) return fmt::format("{}: {}", finding.kind, finding.message);
  return fmt::format("{}:{}: {}: {}", finding.place->file, finding.place->line, finding.kind,
                     finding.message);
}

// Checks that the reference stays within its own memory: runs the oracle like a candidate of `kgrade check`,
// on one case. The emulated device reports every access. On a GPU the oracle runs under memcheck of
// compute-sanitizer.
class ReferenceCheck {
 public:
  // Keeps references to the first two. `all_orders`: in all orders of threads, otherwise only forward.
  ReferenceCheck(SoundnessContext& context, ProblemBuilds& builds, bool all_orders,
                 std::function<void(const std::string&)> progress)
      : context_(context),
        builds_(builds),
        all_orders_(all_orders),
        progress_(std::move(progress)),
        on_gpu_(context.device().info().kind == "cuda"),
        own_{std::filesystem::absolute(builds.source()), builds.source().string(),
             builds.checked_build()->directory()} {}

  // Adds reference-out-of-bounds and reference-unsafe. Returns why nothing was checked; no text if it was. An
  // Error is the machine's.
  Result<std::optional<std::string>> run(const Case& bound, LintFindings& findings) {
    std::optional<Sanitizer> sanitizer;
    if (on_gpu_) {
      auto found = Sanitizer::find();
      if (!found) return std::optional(found.error().message);
      sanitizer = std::move(*found);
    }
    const auto& built = builds_.checked_build()->finish();
    if (!built) return built.errors();
    if (built->status != BuildStatus::built) return std::optional("the checked build: " + built->message);
    Contest contest(context_.device(), builds_.problem(), builds_.oracle(), nullptr, context_.options().seed);
    contest.set_checked(
        std::make_unique<PassWorkers>(context_.device(), builds_.problem(), sanitizer ? &*sanitizer : nullptr,
                                      context_.options().seed, PassWorkers::Candidate{built->library}),
        {});
    const auto checked = check(contest, *built, bound);
    builds_.oracle().take_back();  // the buffers of the check
    if (!checked) return checked.errors();
    // A lack of memory on a GPU may come from other programs.
    if (on_gpu_ && checked->findings.size() == 1 &&
        checked->findings.front().kind == to_string(Verdict::memory_limit))
      return std::optional("the checked run: " + checked->findings.front().message);
    const bool any_about_memory =
        std::any_of(checked->findings.begin(), checked->findings.end(), is_about_memory);
    for (const Finding& finding : checked->findings) {
      // A wrong answer after an access out of bounds is not reported, because it follows from the access.
      if (is_about_memory(finding) || !any_about_memory)
        findings.add(is_about_memory(finding) ? "reference-out-of-bounds" : "reference-unsafe",
                     describe(finding), bound, describe(finding), remedy_for_author(finding));
    }
    return std::optional<std::string>();
  }

 private:
  Result<CheckedCandidate> check(Contest& contest, const BuildOutcome& built, const Case& bound) {
    const auto limit = static_cast<long>(1000 * default_check_limit(on_gpu_));
    std::vector<CheckPass> passes;
    passes.push_back(on_gpu_ ? CheckPass{"memcheck"} : CheckPass{"forward", ThreadOrder::forward});
    for (const ThreadOrder order : {ThreadOrder::reverse, ThreadOrder::shuffled}) {
      if (!on_gpu_ && all_orders_) passes.push_back({std::string(to_string(order)), order});
    }
    CheckSession session{contest,  builds_.problem(), context_.options().seed, passes,
                         !on_gpu_, Patience(limit),   context_.stages(),       progress_};
    std::unique_ptr<PlaceFinder> places;
    if (const auto program = Addr2line::find_program())
      places = std::make_unique<Addr2line>(*program, built.library, own_, context_.sandbox());
    QuotedSource quoted;
    const EvidenceReader read = [&](const Evidence& evidence, const Case& checked, int calls) {
      if (!on_gpu_) return findings_of(evidence.entries, builds_.problem(), places.get(), quoted);
      return findings_of_report(evidence.tool_report, checked, calls, own_, places.get(), quoted);
    };
    return check_candidate(session, built, {PlannedCase{bound, ""}}, read, {});
  }

  // The remedies of `kgrade check` about wrong answers are for candidates, not for a reference.
  static std::string remedy_for_author(const Finding& finding) {
    if (finding.kind == to_string(Verdict::wrong_answer) || finding.kind == to_string(Verdict::low_precision))
      return "the reference's answer depends on the order of its threads, or on memory that was never "
             "written: mend it";
    return finding.remedy.empty() ? "mend the reference" : finding.remedy;
  }

  SoundnessContext& context_;
  ProblemBuilds& builds_;
  bool all_orders_;
  std::function<void(const std::string&)> progress_;
  bool on_gpu_;
  OwnSources own_;
};

class SoundnessRun {
 public:
  SoundnessRun(SoundnessContext& context, ProblemBuilds& builds, const SoundnessScope& scope)
      : context_(context),
        builds_(builds),
        problem_(builds.problem()),
        scope_(scope),
        emulated_(context.device().info().kind == "emulated"),
        findings_(problem_) {}

  SoundnessReport run() {
    check();
    for (LintFinding& finding : findings_.all()) report_.findings.push_back(std::move(finding));
    return std::move(report_);
  }

 private:
  void check() {
    progress("compiling");
    if (auto failure = builds_.load()) return note(*failure);
    choose_cases();
    if (cases_.empty()) {
      check_larger_cases();
      return report_no_case();
    }
    if (!check_memory_accesses()) return;
    draw_hidden();
    check_cases();
    if (report_.cases == 0 && findings_.empty()) report_.cannot_run = true;
  }

  // A problem is not sound if no case was checked.
  void report_no_case() {
    if (has_large_model_case_) {
      report_.cannot_run = true;
      return;
    }
    if (lacks_host_memory_) {
      report_.cannot_run = true;
      report_.notes.push_back(
          "soundness was not checked: no case fits into the host's memory; free some, or allow more with "
          "--host-memory");
      return;
    }
    const SoundnessLimits limits = this->limits();
    findings_.add("no-small-case", "no case is small enough to be checked here",
                  scope_.deep
                      ? "add a case that this device can run, or check the problem on a GPU"
                      : fmt::format("add a `role: test` of at most {} operations and {} of tensors, or check "
                                    "larger ones with --deep",
                                    limits.flops, format_bytes(static_cast<std::uint64_t>(limits.bytes))));
  }

  // A failure that the author can fix becomes a finding. A failure of the machine does not.
  void note(const Errors& errors) {
    if (builds_.is_unsupported()) {
      report_.cannot_run = true;
      report_.notes.push_back("soundness was not checked: " + errors.front().message);
      return;
    }
    if (exit_code_of(errors) != exit_usage) {
      report_.failure = errors;
      return;
    }
    const bool missing = !builds_.has_source();
    for (const Error& error : errors) {
      report_.findings.push_back(
          {LintFinding::Severity::error, error, missing ? "reference-missing" : "reference-fails"});
    }
  }

  void choose_cases() {
    for (const CaseSpec& spec : problem_.cases) {
      if (auto bound = resolve_case(problem_, spec)) choose(std::move(*bound));
    }
  }

  SoundnessLimits limits() const {
    return problem_.has_model() ? model_limits(scope_.deep, emulated_)
                                : soundness_limits(scope_.deep, emulated_);
  }

  std::string why_beyond(const Case& bound, const HostCopies& copies) const {
    const SoundnessOptions& options = context_.options();
    return why_beyond_host(bound, copies, options.host_bytes, sample_elements(bound, options.whole_elements));
  }

  void choose(Case bound) {
    if (problem_.has_model()) return choose_of_model(std::move(bound));
    std::string reason = why_skipped(bound, limits());
    if (reason.empty()) {
      reason = why_beyond(bound, copies_of_lint);
      lacks_host_memory_ = lacks_host_memory_ || !reason.empty();
    }
    if (reason.empty()) return cases_.push_back(std::move(bound));
    const bool fits =
        why_beyond(bound, copies_of_lint).empty() && why_skipped(bound, precision_limits()).empty();
    if (scope_.deep || bound.role != CaseRole::bench)
      report_.notes.push_back(fmt::format("case '{}' was not checked{}: {}", bound.name,
                                          fits ? " but for the precision of the reference" : "", reason));
    if (fits) larger_cases_.push_back(std::move(bound));
  }

  void choose_of_model(Case bound) {
    std::string reason = why_skipped(bound, limits());
    const bool is_large = !reason.empty();
    if (!is_large) reason = why_beyond(bound, copies_of_model_lint);
    if (reason.empty()) return cases_.push_back(std::move(bound));
    report_.notes.push_back(fmt::format("case '{}' was not looked into: {}; {}", bound.name, reason,
                                        is_large ? "run lint on a GPU, or with --deep, which takes its time"
                                                 : "free some, or allow more with --host-memory"));
    has_large_model_case_ = true;
  }

  // Draws the same shapes as `kgrade grade --hidden-seed`.
  void draw_hidden() {
    HiddenOptions options;
    options.seed = scope_.hidden_seed;
    options.count = scope_.hidden;
    auto drawn = draw_hidden_cases(problem_, options);
    if (!drawn) return;  // the check of the file's meaning reports it
    for (Case& bound : *drawn) choose(std::move(bound));
  }

  // Checks the reference's memory accesses. False if nothing more can be checked, since a reference that
  // leaves its memory has no valid answers.
  bool check_memory_accesses() {
    const Case& smallest = *std::min_element(cases_.begin(), cases_.end(), [](const Case& a, const Case& b) {
      return a.tensor_bytes() < b.tensor_bytes();
    });
    if (!runs_at_all(smallest)) return false;
    if (problem_.has_model()) return true;  // PyTorch manages its own memory
    progress("memory accesses");
    ReferenceCheck reference_check(context_, builds_, scope_.deep,
                                   [this](const std::string& what) { progress(what); });
    const auto skipped = reference_check.run(smallest, findings_);
    if (!skipped) {
      report_.failure = skipped.errors();
      return false;
    }
    if (*skipped) report_.notes.push_back("memory accesses of the reference were not checked: " + **skipped);
    return findings_.empty();
  }

  bool runs_at_all(const Case& bound) {
    if (const auto error = builds_.runner().set_case(bound)) {
      report_.failure = Errors{*error};
      return false;
    }
    const auto answer = builds_.runner().oracle({context_.options().seed, 0}, {});
    if (!answer) {
      findings_.add_failure(bound, answer.error());
    } else if (const std::string unwritten = builds_.runner().unwritten(); !unwritten.empty()) {
      findings_.add_unwritten(bound, unwritten);
    }
    return findings_.empty();
  }

  SoundnessSession new_session() {
    return {builds_.runner(), problem_, findings_, context_.options().seed,
            [this](const std::string& what) { progress(what); }};
  }

  void check_larger_cases() {
    SoundnessSession session = new_session();
    for (const Case& bound : larger_cases_) {
      const auto goes_on = check_reference_precision(session, bound);
      if (!goes_on)
        report_.notes.push_back(
            fmt::format("case '{}' was not checked: {}", bound.name, goes_on.error().message));
    }
  }

  void check_cases() {
    SoundnessSession session = new_session();
    for (const Case& bound : cases_) {
      note_sample(bound);
      const auto goes_on = check_case_soundness(session, bound);
      report_.hidden += goes_on && bound.role == CaseRole::hidden ? 1 : 0;
      if (!goes_on) {
        report_.notes.push_back(
            fmt::format("case '{}' was not checked: {}", bound.name, goes_on.error().message));
        continue;
      }
      if (!*goes_on) return;
    }
    check_larger_cases();
    try_short_cuts();
    for (std::string& note : findings_.take_degenerate(static_cast<std::size_t>(session.cases)))
      report_.notes.push_back(std::move(note));
    conclude(session);
    for (const std::string& name : session.scalars.not_varied())
      report_.notes.push_back(
          fmt::format("whether '{}' is used cannot be seen: no shape depends on it, and no case can have "
                      "another value of it",
                      name));
    for (const auto& [names, vary] : session.computed_vary) {
      if (vary) continue;
      report_.notes.push_back(
          fmt::format("whether outputs depend on {} cannot be seen: `inputs` computes the same under every "
                      "seed; a function `perturbed` in the reference could change it",
                      names));
    }
    report_.cases = session.cases;
    report_.errors = session.classes.errors().root_mean_square();
  }

  void try_short_cuts() {
    if (!findings_.empty()) return;
    const auto cases = cases_of_short_cuts(problem_, cases_, emulated_, [this](const Case& measured) {
      return why_beyond(measured, copies_of_lint).empty();
    });
    std::span<const ShortCut> tried = short_cuts();
    for (const Case& bound : cases) {
      if (!tried.empty()) try_on(bound, tried);
      tried = problem_.compares_exactly() ? std::span<const ShortCut>()
                                          : short_cut_of_class_below(precision_from(problem_.precision));
    }
  }

  void try_on(const Case& bound, std::span<const ShortCut> tried) {
    progress(bound.name + ": short cuts");
    if (auto error = builds_.runner().set_case(bound))
      return report_.notes.push_back(
          fmt::format("no short cuts were tried on case '{}': {}", bound.name, error->message));
    const auto accepted =
        find_accepted_short_cuts(builds_.runner(), problem_, bound, context_.options().seed, tried);
    if (!accepted)
      return report_.notes.push_back(fmt::format("not all short cuts were tried on case '{}': {}", bound.name,
                                                 accepted.error().message));
    for (const AcceptedShortCut& found : *accepted) note(found, bound);
  }

  void note(const AcceptedShortCut& found, const Case& bound) {
    const std::string what = fmt::format(fmt::runtime(found.short_cut->what), found.tensor);
    const std::string told =
        found.told_by.empty()
            ? ""
            : fmt::format("; inputs that would refuse it, where the reference is too far off: {}",
                          found.told_by);
    findings_.add(
        "short-cut-passes", fmt::format("{} {}", found.short_cut->name, found.tensor), bound,
        fmt::format("the short cut '{}' is {}: with {}, {}{}", found.short_cut->name,
                    found.of_bound > 1 ? "too near to be told" : "accepted", what, found.figures, told),
        fmt::format("state `domain` so that inputs tell, tighten `thresholds`, or say why it is no mistake: "
                    "`harmless: {{{}: why}}`",
                    found.short_cut->name),
        problem_.has_model() ? LintFinding::Severity::warning : LintFinding::Severity::error);
  }

  void note_sample(const Case& bound) {
    const std::uint64_t most = sample_elements(bound, context_.options().whole_elements);
    if (most == std::numeric_limits<std::uint64_t>::max()) return;
    report_.notes.push_back(
        fmt::format("case '{}' is large: answers that need no computation were tried on a sample, at most {} "
                    "elements of each tensor; "
                    "all else on every element",
                    bound.name, most));
  }

  void progress(const std::string& what) { context_.options().progress(problem_.slug + ": " + what); }

  SoundnessContext& context_;
  ProblemBuilds& builds_;
  const Problem& problem_;
  SoundnessScope scope_;
  bool emulated_;
  LintFindings findings_;
  std::vector<Case> cases_;
  std::vector<Case> larger_cases_;  // only the reference's precision is checked on them
  bool lacks_host_memory_ = false;  // a case was skipped for that reason
  bool has_large_model_case_ = false;
  SoundnessReport report_;
};

}  // namespace

SoundnessReport check_soundness(SoundnessContext& context, ProblemBuilds& builds,
                                const SoundnessScope& scope) {
  return SoundnessRun(context, builds, scope).run();
}

}  // namespace kgrade
