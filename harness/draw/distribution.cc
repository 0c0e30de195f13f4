#include "draw/distribution.h"

#include <algorithm>

namespace kgrade {
namespace {

// Words of the source that each change may use: one for the position, the others for values to choose from.
constexpr std::uint64_t blocks_per_change = 4;

bool has_position(const InputChanges& changes, std::uint64_t position) {
  return std::find(changes.position, changes.position + changes.count, position) !=
         changes.position + changes.count;
}

// The first word of the source whose value differs; the old value when there is none.
float another_value(const Distribution& distribution, float old, const RandomStream& source,
                    std::uint64_t first_block) {
  for (std::uint64_t word = 4; word < 4 * blocks_per_change; ++word) {
    const PhiloxBlock random = random_block(source, first_block + word / 4);
    const float value = sample(distribution, random.word[word % 4]);
    if (value != old) return value;
  }
  return old;
}

bool has_choice(const Distribution& distribution, std::uint64_t position) {
  if (distribution.kind == Distribution::Kind::listed) return false;
  return distribution.kind != Distribution::Kind::adjacency || !is_on_diagonal(distribution, position);
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
    if (has_position(changes, position)) continue;
    const float old = element(distribution, random_block(stream, position / 4), position);
    changes.position[changes.count] = position;
    changes.value[changes.count] =
        has_choice(distribution, position) ? another_value(distribution, old, source, k * blocks_per_change) : old;
    changes.count += 1;
  }
  return changes;
}

}  // namespace kgrade
