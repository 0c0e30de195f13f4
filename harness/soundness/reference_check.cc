#include "soundness/reference_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/check.h"
#include "check/emulated_findings.h"
#include "check/sanitizer_findings.h"
#include "contest/check_referee.h"
#include "draw/seed.h"

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

class ReferenceChecker {
 public:
  ReferenceChecker(const ReferenceCheck& check, const std::filesystem::path& source)
      : check_(check),
        on_gpu_(check.device.info().kind == "cuda"),
        own_{std::filesystem::absolute(source), source.string(), check.build.directory()} {}

  Result<std::optional<std::string>> run(const Case& bound, LintBook& book) {
    std::optional<Sanitizer> sanitizer;
    if (on_gpu_) {
      auto found = Sanitizer::find();
      if (!found) return std::optional(found.error().message);
      sanitizer = std::move(*found);
    }
    const auto& built = check_.build.finish();
    if (!built) return built.errors();
    if (built->status != BuildStatus::built) return std::optional("the checked build: " + built->message);
    CheckReferee referee(check_.device, check_.problem, check_.oracle, std::move(sanitizer),
                         order_seed(check_.seed));
    referee.set_candidate(built->library);
    const auto checked = look(referee, *built, bound);
    check_.oracle.take_back();  // from what belongs to the check
    if (!checked) return checked.errors();
    const bool strays = std::any_of(checked->findings.begin(), checked->findings.end(), is_about_memory);
    for (const Finding& finding : checked->findings) {
      // A wrong answer follows from what it reads.
      if (is_about_memory(finding) || !strays) note(finding, bound, book);
    }
    return std::optional<std::string>();
  }

 private:
  Result<CheckedCandidate> look(CheckReferee& referee, const BuildOutcome& built, const Case& bound) {
    CheckSession session{referee,       check_.problem,
                         check_.seed,   passes(),
                         !on_gpu_,      Patience(static_cast<long>(1000 * default_check_limit(on_gpu_))),
                         check_.stages, check_.progress};
    std::unique_ptr<PlaceFinder> places;
    if (const auto program = Addr2line::find_program())
      places = std::make_unique<Addr2line>(*program, built.library, own_, check_.sandbox);
    QuotedSource quoted;
    const EvidenceReader read = [&](const Evidence& evidence, const Case& looked_at, int calls) {
      if (!on_gpu_) return findings_of(evidence.entries, check_.problem, places.get(), quoted);
      return findings_of_report(evidence.tool_report, looked_at, calls, own_, places.get(), quoted);
    };
    return check_candidate(session, built, {PlannedCase{bound, ""}}, read, {});
  }

  std::vector<CheckPass> passes() const {
    if (on_gpu_) return {{"memcheck"}};
    std::vector<CheckPass> passes = {{"forward", ThreadOrder::forward}};
    if (!check_.all_orders) return passes;
    for (const ThreadOrder order : {ThreadOrder::reverse, ThreadOrder::shuffled})
      passes.push_back({std::string(to_string(order)), order});
    return passes;
  }

  static void note(const Finding& finding, const Case& bound, LintBook& book) {
    book.add(is_about_memory(finding) ? "reference-out-of-bounds" : "reference-unsafe", describe(finding),
             bound, describe(finding), remedy_for_author(finding));
  }

  // `kgrade check` describes a candidate's answer by comparing it with a reference.
  static std::string remedy_for_author(const Finding& finding) {
    if (finding.kind == to_string(Verdict::wrong_answer) || finding.kind == to_string(Verdict::low_precision))
      return "the reference's answer depends on the order of its threads, or on memory that was never "
             "written: mend "
             "it";
    return finding.remedy.empty() ? "mend the reference" : finding.remedy;
  }

  const ReferenceCheck& check_;
  bool on_gpu_;
  OwnSources own_;
};

}  // namespace

Result<std::optional<std::string>> check_reference(const ReferenceCheck& check,
                                                   const std::filesystem::path& source, const Case& bound,
                                                   LintBook& book) {
  return ReferenceChecker(check, source).run(bound, book);
}

}  // namespace kgrade
