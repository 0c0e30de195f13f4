// A few elements of an input that differ from what its stream gives: contents that agree with those of the
// call before everywhere but in unpredictable places.
#pragma once

#include <cstdint>

#include "draw/distribution.h"
#include "draw/philox.h"

namespace kgrade {

inline constexpr unsigned int max_input_changes = 8;

struct InputChanges {
  unsigned int count = 0;
  std::uint64_t position[max_input_changes] = {};
  float value[max_input_changes] = {};
};

// Up to `most` different elements of an input of `elements`, each with a value of the same distribution that
// is not the one it has (in a constant input no such value exists: it stays as it is). Positions and values
// come from `source`.
InputChanges draw_changes(const Distribution& distribution, const RandomStream& stream,
                          std::uint64_t elements, const RandomStream& source,
                          unsigned int most = max_input_changes);

}  // namespace kgrade
