// Which contents the calls of a case have, one after the other. No two calls have the same, but for those
// that are repeated on purpose. Most are new throughout; some differ from the ones before in a few elements
// only: in one of the largest input and in several of each input in turn.
#pragma once

#include <cstdint>

namespace kgrade {

// Which contents the inputs of a call have.
struct Draw {
  std::uint64_t seed = 0;
  std::uint32_t index = 0;
  // 0: as the index says. Otherwise one input differs from that in a few elements (InputChanges in
  // draw/distribution.h): where and how depends on this number. Odd ones change one element of the largest
  // input: a contestant that looks at every n-th element only sees that once in n times. Even ones change
  // several, of each input in turn: some elements may play no part in the output.
  std::uint32_t change = 0;
  // How many launches the call has, each on other contents. A lease has its own number at most.
  std::uint32_t launches = 1;
  // Of a contestant that is a module: its weights are those of this number, the same in all launches and all
  // calls of a process, and never change. 0: they are inputs like others.
  std::uint32_t weights = 0;

  bool operator==(const Draw&) const = default;
};

constexpr bool is_single_change(std::uint32_t change) { return change % 2 == 1; }

class DrawSequence {
 public:
  // `choices` is the seed of what is decided by chance. Contents are numbered from `first` on: sequences of
  // one seed that may not meet begin far apart.
  explicit DrawSequence(std::uint64_t seed, std::uint32_t first = 0, std::uint64_t choices = 0)
      : seed_(seed), choices_(choices), next_(first) {}

  // New throughout.
  Draw fresh(std::uint32_t launches = 1);
  // Differs from the last fresh() in a few elements; comes after one.
  Draw changed(std::uint32_t launches = 1);

  // From 0 to `below` - 1, for the `number`-th thing to be decided.
  std::uint32_t number_below(std::uint32_t below, std::uint32_t number) const;
  // What is decided from now on has nothing to do with what was. Contents go on as they would.
  void decide_anew(std::uint64_t choices) { choices_ = choices; }

 private:
  std::uint64_t seed_;
  std::uint64_t choices_;
  std::uint32_t next_;
  std::uint32_t changes_ = 0;
};

// True when the contents differ from those before in a few elements only.
inline bool is_small_change(const Draw& draw) { return draw.change != 0; }

}  // namespace kgrade
