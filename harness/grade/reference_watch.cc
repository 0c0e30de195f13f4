#include "grade/reference_watch.h"

#include "draw/draws.h"
#include "verify/call_review.h"

namespace kgrade {
namespace {

// The first one warms up.
constexpr int calls_alone = 3;
// Draws of their own: a candidate may not have seen these inputs, nor will it.
constexpr std::uint32_t first_draw = 1 << 20;

Result<std::vector<double>> time_case(Session& session, const Case& bound) {
  auto seated = session.arena.sit(Player::reference, bound, 1);
  if (!seated) return seated.errors();
  if (!seated->ok()) return trusted_failure("reference", bound, seated->detail);
  std::vector<double> times;
  DrawSequence draws(session.seed, first_draw);
  for (int call = 0; call < calls_alone; ++call) {
    const CallReport report = session.arena.call(Player::reference, draws.fresh(), trusted_patience);
    if (const auto finding = review_call(report))
      return trusted_failure("reference", bound, finding->message);
    if (call > 0) times.push_back(report.elapsed_ms);
  }
  session.arena.rise();
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
