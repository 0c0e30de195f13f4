#include "grade/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "draw/draws.h"

namespace kgrade {
namespace {

// Draws of the rehearsal: no other call has these inputs.
constexpr std::uint32_t first_draw_of_rehearsal = 1 << 21;
// In three calls a graph is warmed up, captured and replayed.
constexpr int calls_of_rehearsal = 3;
// CUDA graphs are for short calls, and a call that captures a graph is not quick. So after the first call, a
// very short or a very long call ends the rehearsal of a case.
constexpr double slow_call_ms = 50;
constexpr double quick_call_ms = 1;
// Later calls of a case compile little or nothing. On the CPU, PyTorch and Triton compile nothing
// at all.
constexpr Patience later_call_patience{30'000};
constexpr Patience cpu_call_patience{60'000};
// This holds even if --time-limit is shorter: an extension may be built in a first call.
constexpr Patience least_first_patience{20'000};
// For all cases together: with some forty cases, the limits of the calls would add up to hours.
constexpr std::chrono::minutes longest_rehearsal{30};

class RehearsalRun {
 public:
  explicit RehearsalRun(Session& session)
      : session_(session), contest_(session.contest), draws_(session.seed, first_draw_of_rehearsal) {}

  Result<Rehearsal> run(const std::vector<PlannedCase>& cases) {
    Rehearsal rehearsal;
    for (const PlannedCase& planned : cases) {
      if (!planned.skipped.empty()) continue;
      session_.progress(fmt::format("rehearsing {}", planned.bound.name));
      auto lent = contest_.lend(Role::candidate, planned.bound, 1);
      if (!lent) return lent.errors();
      rehearsal.answer = std::move(*lent);
      if (!rehearsal.answer.ok()) return rehearsal;
      auto finding = call(planned.bound);
      if (trouble_) return *trouble_;
      if (!finding) continue;
      if (!goes_on_) {
        rehearsal.finding = std::move(finding);
        return rehearsal;
      }
      rehearsal.failed.emplace(planned.bound.name, std::move(*finding));
    }
    contest_.take_back();
    rehearsal.answer = contest_.lock_candidate(rehearsal_patience, rehearsal.report);
    return rehearsal;
  }

 private:
  std::optional<CallFinding> call(const Case& bound) {
    int calls = contest_.measures_speed() ? calls_of_rehearsal : 1;
    for (int call = 0; call < calls; ++call) {
      const Draw draw = draws_.fresh();
      CallReport report =
          contest_.call_as(Role::candidate, {.ahead = false, .captures = true}, draw, patience(call == 0));
      if (report.lacks_inputs) {
        trouble_ = trusted_failure("oracle", session_.problem, bound, *review_call(report));
        return std::nullopt;
      }
      // Ignores threads and processes that are left: those of compilers and frameworks come and go until the
      // rehearsal is over.
      report.threads_left = report.processes_left = 0;
      if (auto finding = review_call(report)) {
        if (is_crash(report))
          finding = explain_crash(*finding, contest_.diagnose(bound, draw, rehearsal_patience));
        // The process can be used as before if the call only raised an exception, or gave an answer of the
        // wrong shape.
        goes_on_ = may_go_on_after(report.fault) && contest_.candidate_alive();
        if (!goes_on_) finding->message = fmt::format("case '{}': {}", bound.name, finding->message);
        return finding;
      }
      const bool is_telling = report.call.elapsed_ms < quick_call_ms || report.call.elapsed_ms > slow_call_ms;
      if (call > 0 && is_telling) calls = call + 1;
    }
    return std::nullopt;
  }

  // The time limit of the first call of a case, or of a later one.
  Patience patience(bool is_first) const {
    Patience most = is_first ? rehearsal_patience : later_call_patience;
    if (!contest_.measures_speed()) most = std::min(most, cpu_call_patience);
    if (session_.time_limit)
      most = is_first ? std::min(most, std::max(*session_.time_limit, least_first_patience))
                      : *session_.time_limit;
    const auto left = std::chrono::duration_cast<Patience>(end_ - std::chrono::steady_clock::now());
    return std::clamp(left, Patience(1), most);
  }

  Session& session_;
  Contest& contest_;
  DrawSequence draws_;
  std::optional<Error> trouble_;  // an error that is not the candidate's fault
  bool goes_on_ = false;          // the process goes on after the finding of the last call
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + longest_rehearsal;
};

}  // namespace

Result<Rehearsal> rehearse(Session& session, const std::vector<PlannedCase>& cases) {
  const auto timer = session.stages.time("rehearsal");
  return RehearsalRun(session).run(cases);
}

}  // namespace kgrade
