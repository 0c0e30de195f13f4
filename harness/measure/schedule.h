// When to stop and who goes first. A round is one draw of inputs that every contestant runs on once.
#pragma once

#include <cstdint>

namespace kgrade {

// How many rounds a case gets: one to warm up that is checked like any other but gives no sample, then at
// least `minimum` samples, more until `maximum` or until the time budget is spent.
struct RoundPlan {
  int minimum = 3;
  int maximum = 3;
  double budget_seconds = 0;

  bool wants_more(int samples, double seconds_spent) const {
    if (samples < minimum) return true;
    return samples < maximum && seconds_spent < budget_seconds;
  }
};

enum class Effort { quick, normal };

// `measured`: the case's times count (a bench case on a device that measures speed).
RoundPlan plan_for(bool measured, Effort effort);

// Who goes first in a round: rounds come in pairs, AB BA or BA AB by a seeded coin, so that a drift of the
// clock favours nobody.
bool candidate_first(std::uint64_t seed, int round);

}  // namespace kgrade
