#include "grade/reference_watch.h"

#include "draw/draws.h"
#include "verify/call_review.h"

namespace kgrade {
namespace {

// The first one warms up.
constexpr int calls_alone = 3;
// For the clock: what the protocol takes where a contestant waits for the device within its calls.
constexpr int unqueued_calls_alone = 2;
// Draws of their own: a candidate may not have seen these inputs, nor will it.
constexpr std::uint32_t first_draw = 1 << 20;

Result<CallReport> call_alone(Session& session, const Case& bound, CallKind kind, DrawSequence& draws) {
  CallReport report = session.arena.call_as(Role::reference, kind, draws.fresh(), trusted_patience);
  if (const auto finding = review_call(report)) return trusted_failure("reference", bound, finding->message);
  return report;
}

Result<AloneTimes> time_case(Session& session, const Case& bound) {
  auto lent = session.arena.lend(Role::reference, bound, 1);
  if (!lent) return lent.errors();
  if (!lent->ok()) return trusted_failure("reference", bound, lent->detail);
  AloneTimes times;
  DrawSequence draws(session.seed, first_draw);
  for (int call = 0; call < calls_alone + unqueued_calls_alone; ++call) {
    const CallKind kind{call < calls_alone, true};
    const auto report = call_alone(session, bound, kind, draws);
    if (!report) return report.errors();
    if (call == 0) continue;
    if (kind.ahead) times.ms.push_back(report->elapsed_ms);
    times.readings.push_back(reading_of(*report, 1, kind));
  }
  session.arena.take_back();
  return times;
}

}  // namespace

Result<ReferenceAlone> time_reference_alone(Session& session, const std::vector<PlannedCase>& cases) {
  ReferenceAlone times;
  const auto timer = session.stages.time("reference alone");
  session.progress("the reference alone");
  for (const PlannedCase& planned : cases) {
    if (!planned.is_measured()) continue;
    auto timed = time_case(session, planned.bound);
    if (!timed) return timed.errors();
    times[planned.bound.name] = std::move(*timed);
  }
  return times;
}

}  // namespace kgrade
