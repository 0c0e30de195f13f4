#include "draw/distribution.h"

#include <algorithm>

namespace kgrade {
namespace {

// Blocks of the source for each change: the first is for the position, the others give values to choose from.
constexpr std::uint64_t blocks_per_change = 4;

// The first value from the words of the source that differs from the old value, or the old value. `draw`
// takes the number of a word.
template <class Value, class Draw>
Value another_value(Value old, std::uint64_t first_block, const Draw& draw) {
  for (std::uint64_t word = 4; word < 4 * blocks_per_change; ++word) {
    const Value value = draw(4 * first_block + word);
    if (value != old) return value;
  }
  return old;
}

float another_value(const Distribution& distribution, std::uint64_t position, float old,
                    const RandomStream& source, std::uint64_t first_block) {
  return another_value(old, first_block, [&](std::uint64_t word) {
    return element_at(distribution, form_of(distribution), random_word(source, word), position);
  });
}

std::int64_t another_wide_element(const Distribution& distribution, std::uint64_t position, std::int64_t old,
                                  const RandomStream& source, std::uint64_t first_block) {
  if (distribution.kind == Distribution::Kind::listed) return old;
  return another_value(old, first_block,
                       [&](std::uint64_t word) { return wide_sample(distribution, source, word, position); });
}

}  // namespace

InputChanges draw_changes(const Distribution& distribution, const RandomStream& stream,
                          std::uint64_t elements, const RandomStream& source, unsigned int most) {
  InputChanges changes;
  const std::uint64_t wanted = std::min<std::uint64_t>({most, max_input_changes, elements});
  for (std::uint64_t k = 0; k < wanted; ++k) {
    const PhiloxBlock random = random_block(source, k * blocks_per_change);
    const std::uint64_t element_changed = (std::uint64_t{random.word[0]} << 32 | random.word[1]) % elements;
    const std::uint64_t position = drawn_place(distribution, element_changed);
    if (std::find(changes.position, changes.position + changes.count, position) !=
        changes.position + changes.count)
      continue;
    const unsigned int next = changes.count++;
    changes.position[next] = position;
    const bool is_fixed = is_always_zero(distribution, position);
    const std::uint64_t first_block = k * blocks_per_change;
    if (has_wide_elements(distribution)) {
      const std::int64_t old = wide_element(distribution, stream, position);
      changes.wide[next] =
          is_fixed ? old : another_wide_element(distribution, position, old, source, first_block);
    } else {
      const float old = element(distribution, stream, position);
      changes.value[next] = is_fixed ? old : another_value(distribution, position, old, source, first_block);
    }
  }
  return changes;
}

}  // namespace kgrade
