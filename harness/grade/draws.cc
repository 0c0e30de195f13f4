#include "grade/draws.h"

#include "base/defences.h"
#include "data/philox.h"

namespace kgrade {
namespace {

// The first of so many pairs of rounds has a change.
constexpr std::uint32_t pairs_per_change = 4;
constexpr std::uint32_t coins_stream = 0x64726177;  // apart from every tensor's

}  // namespace

Draw draw_of_round(std::uint64_t seed, int round) {
  if (round == 0 || !is_on(Defence::fresh_inputs)) return {seed, 0, 0};
  const auto number = static_cast<std::uint32_t>(round);
  if (!is_on(Defence::small_changes)) return {seed, number, 0};
  const auto pair = static_cast<std::uint32_t>((round - 1) / 2);
  const bool second = (round - 1) % 2 == 1;
  const bool change_comes_second = (random_block({seed, coins_stream, 0}, pair).word[0] & 1) != 0;
  // New contents have the numbers of their rounds.
  if (pair % pairs_per_change != 0 || second != change_comes_second) return {seed, number, 0};
  return {seed, number - 1, pair / pairs_per_change + 1};
}

}  // namespace kgrade
