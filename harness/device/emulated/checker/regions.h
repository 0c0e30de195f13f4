// The pieces of memory whose bounds are known (lent tensors, allocations, shared variables, and the variables
// of the contestant's library), and who last touched each part of them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/emulated/checker/ordering.h"
#include "device/finding_book.h"

namespace kgrade_emulated {

// Who last touched each part of a piece of memory.
//
// There is one entry for each aligned 4-byte word, or for each byte once an access touches less than a word.
// An entry keeps only the last two readers that are not ordered, so a race of a write with an earlier reader
// may be missed.
class History {
 public:
  static constexpr std::size_t most_bytes = std::size_t{16} << 20;

  explicit History(std::size_t bytes) : bytes_(bytes) {}

  // Notes the current thread's access to [offset, offset + bytes). Returns the first earlier access that
  // races with it: the two are not ordered, at least one is a write, and not both are atomic.
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

struct Region {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t margin = 0;  // bytes on either side that belong to no other piece
  kgrade::MemorySpace space = kgrade::MemorySpace::global;
  int parameter = -1;
  bool writable = true;
  bool host_may_touch = false;
  bool of_framework = false;    // tensor memory that a framework allocated
  std::string name;             // of a shared variable
  std::uint32_t pc = 0;         // of the call that allocated it
  std::uint32_t call = 0;       // the contestant's call that allocated it
  std::vector<bool> unwritten;  // one bit per byte; empty: every byte is written
  History history;

  Region(std::uintptr_t from, std::size_t bytes) : begin(from), end(from + bytes), history(bytes) {}
  std::size_t bytes() const { return end - begin; }
  bool contains(std::uintptr_t address) const { return address >= begin && address < end; }

  void mark_unwritten();
  void mark_written(std::uintptr_t from, std::size_t count);
  // True only if every byte is unwritten, because a structure that is copied whole may have padding that is
  // never written.
  bool is_unwritten(std::uintptr_t from, std::size_t count) const;
};

class RegionMap {
 public:
  Region& add(std::unique_ptr<Region> region);
  void remove(std::uintptr_t begin);

  // The region that an address lies in; null when there is none.
  Region* find(std::uintptr_t address);
  // The nearest region whose margin contains the address; null if there is none.
  Region* near(std::uintptr_t address);

  template <class Function>
  void for_each(Function function) {
    for (auto& [begin, region] : regions_) function(*region);
  }

 private:
  static constexpr std::size_t cached_pages = 1024;
  static std::size_t slot(std::uintptr_t address) { return (address >> 8) % cached_pages; }

  std::map<std::uintptr_t, std::unique_ptr<Region>> regions_;
  std::array<Region*, cached_pages> cache_{};  // by address
};

}  // namespace kgrade_emulated
