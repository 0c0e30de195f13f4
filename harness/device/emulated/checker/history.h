// Who last touched each part of a piece of memory.
#pragma once

#include <optional>
#include <vector>

#include "device/emulated/checker/access.h"
#include "device/emulated/checker/ordering.h"

namespace kgrade_emulated {

// Kept for each aligned word of 4 bytes, or for each byte once an access touches less than a word. Of readers
// the last two that are not ordered are kept: a write that only an earlier third would contradict goes
// unseen.
class History {
 public:
  static constexpr std::size_t most_bytes = std::size_t{16} << 20;

  explicit History(std::size_t bytes) : bytes_(bytes) {}

  // Notes the access of the current thread to [offset, offset + bytes). The first earlier access that it is
  // not ordered after and that contradicts it (one of both writes, not both are atomic).
  std::optional<Stamp> note(std::size_t offset, std::size_t bytes, const Stamp& stamp,
                            const Ordering& ordering);

  void forget();

 private:
  struct Cell {
    Stamp write;
    Stamp reads[2];
  };

  static std::optional<Stamp> note_write(Cell& cell, const Stamp& stamp, const Ordering& ordering);
  static std::optional<Stamp> note_read(Cell& cell, const Stamp& stamp, const Ordering& ordering);
  void split_words();

  std::size_t bytes_;
  std::size_t cell_bytes_ = 4;
  std::vector<Cell> cells_;  // empty until the first access
};

}  // namespace kgrade_emulated
