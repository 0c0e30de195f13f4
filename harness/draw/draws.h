// The contents of a case's calls, in order. No two calls have the same contents, except those that are
// repeated on purpose. Most contents are new throughout. Some differ from the previous ones only in a few
// elements: in one element of the largest input, or in several elements of each input in turn.
#pragma once

#include <cstdint>

#include "base/defences.h"
#include "draw/philox.h"

namespace kgrade {

// Identifies the contents of a call's inputs.
struct Draw {
  std::uint64_t seed = 0;
  std::uint32_t index = 0;
  // 0: contents as `index` says. Otherwise, one input differs from those contents in a few elements
  // (InputChanges in draw/distribution.h); this number decides where and how. Odd numbers change one element
  // of the largest input: a contestant that looks only at every n-th element sees this once in n times. Even
  // numbers change several elements, of each input in turn: some elements may play no part in the output.
  std::uint32_t change = 0;
  // How many launches the call has, each on other contents. A lease limits their number.
  std::uint32_t launches = 1;
  // For a contestant that is a module: which set of weights it has, numbered from 1 by process. The weights
  // are the same in all launches and calls of a process. 0: weights are inputs like others.
  std::uint32_t weights = 0;
  // 0: computed inputs as `index` says. Otherwise the problem's own file perturbs them under another seed
  // (contest/computed_inputs.h), which this number decides, and all other inputs stay.
  std::uint32_t perturbation = 0;
  // 0: inputs as their distributions say. Otherwise inputs have families (draw/input_families.h).
  std::uint32_t family = 0;
  // 0: inputs as drawn. Otherwise as a contestant may have rounded them once more, to this many bits of a
  // significand (Variation::rounding).
  std::int32_t rounding = 0;
  std::uint32_t rounded = 0;  // how often before: other elements go to a neighbour each time

  bool operator==(const Draw&) const = default;
};

constexpr bool is_single_change(std::uint32_t change) { return change % 2 == 1; }

class DrawSequence {
 public:
  // `choices` is the seed of random decisions. Contents are numbered from `first` on: sequences of one seed
  // that must not overlap begin far apart.
  explicit DrawSequence(std::uint64_t seed, std::uint32_t first = 0, std::uint64_t choices = 0)
      : seed_(seed), choices_(choices), next_(first) {}

  // New contents throughout.
  Draw fresh(std::uint32_t launches = 1) {
    return {seed_, is_on(Defence::fresh_inputs) ? next_++ : 0, 0, launches};
  }
  // New contents of families.
  Draw varied(std::uint32_t family) {
    Draw draw = fresh();
    draw.family = family;
    return draw;
  }
  // Differs from the last fresh() in a few elements. Call fresh() before.
  Draw changed(std::uint32_t launches = 1) {
    if (!is_on(Defence::fresh_inputs) || !is_on(Defence::small_changes)) return fresh(launches);
    return {seed_, next_ - 1, ++changes_, launches};
  }

  // A random number from 0 to `below` - 1, for decision number `number`.
  std::uint32_t number_below(std::uint32_t below, std::uint32_t number) const {
    constexpr std::uint32_t choice_stream = 0x64726177;  // a stream apart from those of tensors
    return random_block({choices_, choice_stream, 0}, number).word[0] % below;
  }
  // Makes later decisions independent of the earlier ones. Contents go on as they would.
  void decide_anew(std::uint64_t choices) { choices_ = choices; }

 private:
  std::uint64_t seed_;
  std::uint64_t choices_;
  std::uint32_t next_;
  std::uint32_t changes_ = 0;
};

// Whether the contents differ from the previous ones only in a few elements.
inline bool is_small_change(const Draw& draw) { return draw.change != 0; }

}  // namespace kgrade
