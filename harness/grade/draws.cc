#include "grade/draws.h"

#include "base/defences.h"
#include "data/philox.h"

namespace kgrade {
namespace {

constexpr std::uint32_t coins_stream = 0x64726177;  // apart from every tensor's

}  // namespace

Draw draw_of_round(std::uint64_t seed, int round) {
  if (round == 0 || !is_on(Defence::fresh_inputs)) return {seed, 0, 0};
  if (!is_on(Defence::small_changes)) return {seed, static_cast<std::uint32_t>(round), 0};
  const auto pair = static_cast<std::uint32_t>((round - 1) / 2);
  const bool second = (round - 1) % 2 == 1;
  const bool change_comes_second = (random_block({seed, coins_stream, 0}, pair).word[0] & 1) != 0;
  // New contents have the numbers of their pairs, from 1 on.
  if (second != change_comes_second) return {seed, pair + 1, 0};
  return {seed, second ? pair + 1 : pair, pair + 1};
}

}  // namespace kgrade
