#include "check/second_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "check/check_candidate.h"
#include "check/emulated_findings.h"
#include "check/source_of_findings.h"
#include "contest/contest.h"
#include "grade/run_setup.h"
#include "verify/checks.h"

namespace kgrade {
namespace {

// Limits for the cases, so that a look takes a tenth of a second in addition to the build. A checked kernel
// makes 20 to 40 million accesses per second.
constexpr std::int64_t most_flops = 2'000'000;
constexpr std::int64_t most_bytes = std::int64_t{1} << 20;
// Tensors of this many bytes have enough elements for several warps.
constexpr std::int64_t bytes_of_warps = 1024;
constexpr std::int64_t most_flops_of_warps = 500'000;
// A kernel whose plain call on the smallest case takes longer has a grid of hundreds of thousands of threads,
// whatever the case. Then only one case is checked, because it takes the time of two.
constexpr double longest_call_ms = 3;
constexpr Patience time_limit{10'000};
constexpr std::size_t most_notes = 3;

constexpr const char* not_looked_for = "races, misaligned or invalid accesses and unjoined streams";

// The record of a case that has run; null: it has not.
const CaseRecord* record_of(const Case& bound, const CandidateRecord& record) {
  const auto found = std::find_if(record.cases.begin(), record.cases.end(),
                                  [&](const CaseRecord& c) { return c.name == bound.name && c.run; });
  return found == record.cases.end() ? nullptr : &*found;
}

// The cases in which the candidate was accepted and that are small, the smallest first.
std::vector<PlannedCase> small_cases(const std::vector<PlannedCase>& cases, const CandidateRecord& record) {
  std::vector<PlannedCase> small;
  for (const PlannedCase& planned : cases) {
    const Case& bound = planned.bound;
    if (record_of(bound, record) != nullptr && bound.tensor_bytes() <= most_bytes &&
        bound.flops.value_or(0) <= most_flops)
      small.push_back(planned);
  }
  std::stable_sort(small.begin(), small.end(), [](const PlannedCase& a, const PlannedCase& b) {
    return a.bound.tensor_bytes() < b.bound.tensor_bytes();
  });
  return small;
}

std::vector<PlannedCase> looked_at(const std::vector<PlannedCase>& small, const CandidateRecord& record) {
  std::vector<PlannedCase> chosen = {small.front()};
  double shortest_ms = std::numeric_limits<double>::infinity();
  for (const Sample& sample : record_of(small.front().bound, record)->candidate().samples)
    shortest_ms = std::min(shortest_ms, sample.reported_ms);
  if (shortest_ms > longest_call_ms) return chosen;
  const auto larger = std::find_if(small.begin() + 1, small.end(), [](const PlannedCase& planned) {
    return planned.bound.tensor_bytes() >= bytes_of_warps &&
           planned.bound.flops.value_or(0) <= most_flops_of_warps;
  });
  if (small.front().bound.tensor_bytes() < bytes_of_warps && larger != small.end()) chosen.push_back(*larger);
  return chosen;
}

// Whether the two threads of a race are certain to be in different warps. Lanes of one warp run in lockstep,
// so another order of single threads proves nothing about them.
bool is_across_warps(const Finding& race) {
  if (!race.thread || !race.other_thread) return false;
  if (race.thread->block != race.other_thread->block) return true;
  const auto& one = race.thread->thread;
  const auto& other = race.other_thread->thread;
  constexpr std::uint32_t lanes = 32;
  const bool is_flat = one[1] + one[2] + other[1] + other[2] == 0;
  return is_flat && one[0] / lanes != other[0] / lanes;
}

std::string text_of(const Finding& finding) {
  const std::string place = finding.place ? place_name(*finding.place) + ": " : "";
  const bool is_answer = finding.kind == to_string(Verdict::wrong_answer);
  return fmt::format("{}{}: {}{}", place, finding.kind, finding.message,
                     is_answer ? "; local variables without a value are filled with a pattern there" : "");
}

class Look {
 public:
  Look(RunSetup& setup, const Problem& problem, const RunOptions& options, const CandidateSource& source,
       CandidateRecord& record)
      : setup_(setup), problem_(problem), options_(options), source_(source), record_(record) {}

  Failure run() {
    const std::vector<PlannedCase> small = small_cases(setup_.cases(), record_);
    if (source_.is_python() && (!record_.python || record_.python->headers.empty())) return std::nullopt;
    if (small.empty()) return not_looked("no case that ran is small enough");
    build_ = setup_.build_checked(source_);
    const auto timer = setup_.stages().time("second look");
    const auto& built = build_->finish();
    if (!built) return built.errors();
    if (built->status != BuildStatus::built) return not_looked("its build for the checker failed");
    if (source_.is_python()) host_ = setup_.python_host();
    ContestantRunner& oracle = setup_.trusted_runner(0);
    const auto computed = oracle.computed_inputs();
    contest_.emplace(setup_.device(), problem_, oracle, nullptr, *record_.seed);
    auto failure = look(looked_at(small, record_));
    oracle.take_back();
    oracle.take_inputs_from(computed);  // the grade does this too
    return failure;
  }

 private:
  Failure look(const std::vector<PlannedCase>& cases) {
    setup_.progress_of(source_)("looking for races and invalid accesses");
    auto checked = check({"forward", ThreadOrder::forward}, cases);
    if (!checked) return checked.errors();
    judge(*checked);
    // A race between writes shows in another order.
    if (record_.verdict == Verdict::accepted && order_matters(*checked)) {
      auto reversed = check({"reverse", ThreadOrder::reverse}, cases);
      if (!reversed) return reversed.errors();
      refuse_wrong(*reversed, reversed->findings);
    }
    if (record_.verdict == Verdict::accepted) note(*checked);
    return std::nullopt;
  }

  static bool order_matters(const CheckedCandidate& checked) {
    const auto is_race = [](const Finding& finding) { return finding.kind == kind_name(FindingKind::race); };
    const auto& findings = checked.findings;
    // Then the pattern in local variables decides, and not the order.
    for (const CheckedCase& c : checked.cases) {
      for (const PassRecord& row : c.passes) {
        if (row.verdict == Verdict::wrong_answer) return false;
      }
    }
    return std::any_of(findings.begin(), findings.end(), is_race) &&
           std::all_of(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return !is_race(finding) || is_across_warps(finding); });
  }

  Failure not_looked(const char* why) {
    record_.notes.push_back(fmt::format("not looked for: {}; {}", not_looked_for, why));
    return std::nullopt;
  }

  Result<CheckedCandidate> check(const CheckPass& pass, const std::vector<PlannedCase>& cases) {
    const BuildOutcome& built = *build_->finish();
    contest_->set_checked(
        std::make_unique<PassWorkers>(setup_.device(), problem_, nullptr, *record_.seed,
                                      PassWorkers::Candidate{built.library,
                                                             source_.is_python() ? &host_ : nullptr,
                                                             build_->extension_builder(),
                                                             {},
                                                             false,
                                                             true}),
        {built.is_module, built.returns_outputs});
    CheckSession session{*contest_, problem_,   *record_.seed,   {pass},
                         true,      time_limit, setup_.stages(), [](const std::string&) {}};
    const auto addr2line = Addr2line::find_program();
    SourceOfFindings places(addr2line ? *addr2line : "", source_, build_->directory(), built.library,
                            options_.layout, setup_.bench().machinery().sandbox);
    const EvidenceReader read = [&](const Evidence& evidence, const Case&, int) {
      return findings_of(evidence.entries, problem_, places.finder(evidence), places.quoted());
    };
    CheckedCandidate blank;
    blank.path = source_.path.string();
    auto checked = check_candidate(session, built, cases, read, std::move(blank));
    contest_->set_checked(nullptr, {});  // ends the worker
    return checked;
  }

  void judge(const CheckedCandidate& checked) {
    for (const Finding& finding : checked.findings) {
      if (!finding.faults) continue;
      refuse(Verdict::runtime_error, finding.first_case,
             fmt::format("{}; on a GPU the call ends with an error there", text_of(finding)));
      return;
    }
    refuse_wrong(checked, checked.findings);
  }

  // Only a call in which races and unjoined work happen, or another order of threads, proves that they
  // matter.
  void refuse_wrong(const CheckedCandidate& checked, const std::vector<Finding>& findings) {
    const auto cause = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
      return finding.kind == kind_name(FindingKind::race) ||
             finding.kind == kind_name(FindingKind::unjoined_stream);
    });
    if (cause == findings.end()) return;
    const bool in_order =
        checked.cases.front().passes.empty() || checked.cases.front().passes.front().pass == "forward";
    for (const CheckedCase& c : checked.cases) {
      for (const PassRecord& row : c.passes) {
        if (row.verdict != Verdict::wrong_answer || (in_order && row.failed_call < calls_in_a_pass)) continue;
        refuse(Verdict::wrong_answer, c.name,
               fmt::format("{}; in an order that a GPU may choose, the answer is wrong: {}", text_of(*cause),
                           row.message));
        return;
      }
    }
  }

  void refuse(Verdict verdict, const std::string& case_name, const std::string& message) {
    record_.verdict = verdict;
    record_.message = fmt::format("case '{}': {}", case_name, message);
    record_.scores.clear();
    record_.by_baseline.clear();
    for (CaseRecord& c : record_.cases) {
      if (c.name != case_name) continue;
      c.verdict = verdict;
      c.message = message;
      if (verdict == Verdict::wrong_answer) c.precision = Precision::none;
    }
    for (Check& check : record_.checks) {
      if (check.name != check_behind(verdict)) continue;
      check.outcome = CheckOutcome::failed;
      check.detail = record_.message;
    }
    if (verdict == Verdict::wrong_answer) record_.precision = Precision::none;
  }

  void note(const CheckedCandidate& checked) {
    std::size_t notes = 0;
    for (const Finding& finding : checked.findings) {
      if (notes++ == most_notes) break;
      record_.notes.push_back(
          fmt::format("the checker found, in case '{}': {}", finding.first_case, text_of(finding)));
    }
    if (checked.findings.empty() && checked.status != CheckStatus::clean)
      record_.notes.push_back(fmt::format("not looked for: {}; {}", not_looked_for, checked.message));
  }

  RunSetup& setup_;
  const Problem& problem_;
  const RunOptions& options_;
  const CandidateSource& source_;
  CandidateRecord& record_;
  std::unique_ptr<Build> build_;
  PythonHost host_;
  std::optional<Contest> contest_;
};

}  // namespace

Failure look_with_checker(RunSetup& setup, const Problem& problem, const RunOptions& options,
                          const CandidateSource& source, CandidateRecord& record) {
  return Look(setup, problem, options, source, record).run();
}

}  // namespace kgrade
