#include "selftest/arms_arena.h"

namespace kgrade::selftest {

// Those who sit refer to their case.
const Case& ArmsArena::set(ArmCases cases) {
  arena_.rise();
  cases_ = std::move(cases);
  return cases_.first;
}

const Case& ArmsArena::case_for(Player player, const Case& bound) const {
  switch (player) {
    case Player::oracle:
      return cases_.oracle;
    case Player::candidate:
      return cases_.second;
    case Player::reference:
    case Player::baseline:
      break;
  }
  return bound;
}

}  // namespace kgrade::selftest
