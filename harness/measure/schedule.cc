#include "measure/schedule.h"

#include "data/philox.h"

namespace kgrade {

RoundPlan plan_for(bool measured, Effort effort) {
  if (!measured) return effort == Effort::quick ? RoundPlan{1, 1, 0} : RoundPlan{2, 2, 0};
  return effort == Effort::quick ? RoundPlan{3, 10, 0.4} : RoundPlan{3, 50, 1.5};
}

bool candidate_first(std::uint64_t seed, int round) {
  constexpr std::uint32_t order_stream = 0x6f72646;  // apart from every tensor's
  const auto pair = static_cast<std::uint64_t>(round / 2);
  const bool coin = (random_block({seed, order_stream, 0}, pair).word[0] & 1) != 0;
  return coin != (round % 2 == 1);
}

}  // namespace kgrade
