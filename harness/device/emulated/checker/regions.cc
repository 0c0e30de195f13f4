#include "device/emulated/checker/regions.h"

#include <algorithm>

namespace kgrade_emulated {
namespace {

bool contradicts(const Stamp& earlier, const Stamp& stamp, const Ordering& ordering) {
  if (earlier.when == 0 || (earlier.atomic && stamp.atomic)) return false;
  return !ordering.is_ordered(earlier, stamp.thread);
}

bool same_thread(const Stamp& a, const Stamp& b) { return a.block == b.block && a.thread == b.thread; }

}  // namespace

std::optional<Stamp> History::note(std::size_t offset, std::size_t bytes, const Stamp& stamp,
                                   const Ordering& ordering) {
  if (bytes_ > most_bytes) return std::nullopt;
  if (cells_.empty()) cells_.resize((bytes_ + cell_bytes_ - 1) / cell_bytes_);
  if (cell_bytes_ > 1 && (offset % cell_bytes_ != 0 || bytes % cell_bytes_ != 0)) split_words();
  std::optional<Stamp> found;
  for (std::size_t i = offset / cell_bytes_; i < (offset + bytes + cell_bytes_ - 1) / cell_bytes_; ++i) {
    const auto other =
        stamp.write ? note_write(cells_[i], stamp, ordering) : note_read(cells_[i], stamp, ordering);
    if (other && !found) found = other;
  }
  return found;
}

std::optional<Stamp> History::note_write(Cell& cell, const Stamp& stamp, const Ordering& ordering) {
  std::optional<Stamp> found;
  for (const Stamp* earlier : {&cell.write, &cell.reads[0], &cell.reads[1]}) {
    if (!found && contradicts(*earlier, stamp, ordering)) found = *earlier;
  }
  cell.write = stamp;
  // A thread may read a word and then replace it by compare-and-swap, which checks what was read. So an
  // atomic write clears the thread's earlier read.
  for (Stamp& read : cell.reads) {
    if (stamp.atomic && same_thread(read, stamp)) read = Stamp{};
  }
  return found;
}

std::optional<Stamp> History::note_read(Cell& cell, const Stamp& stamp, const Ordering& ordering) {
  std::optional<Stamp> found;
  if (contradicts(cell.write, stamp, ordering)) found = cell.write;
  // reads[0] is the newest read. It is replaced if it is empty, of the same thread, or ordered before this
  // read. Otherwise it becomes reads[1], and the older read is dropped.
  const bool first_is_free = cell.reads[0].when == 0 || same_thread(cell.reads[0], stamp) ||
                             ordering.is_ordered(cell.reads[0], stamp.thread);
  if (first_is_free) {
    cell.reads[0] = stamp;
  } else {
    cell.reads[1] = cell.reads[0];
    cell.reads[0] = stamp;
  }
  return found;
}

void History::split_words() {
  std::vector<Cell> bytes(cells_.size() * cell_bytes_);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = cells_[i / cell_bytes_];
  cells_ = std::move(bytes);
  cell_bytes_ = 1;
}

void History::forget() { cells_.clear(); }

void Region::mark_unwritten() { unwritten.assign(bytes(), true); }

void Region::mark_written(std::uintptr_t from, std::size_t count) {
  if (unwritten.empty()) return;
  const std::size_t first = from - begin;
  for (std::size_t i = first; i < std::min(first + count, unwritten.size()); ++i) unwritten[i] = false;
}

bool Region::is_unwritten(std::uintptr_t from, std::size_t count) const {
  if (unwritten.empty()) return false;
  const std::size_t first = from - begin;
  const std::size_t last = std::min(first + count, unwritten.size());
  for (std::size_t i = first; i < last; ++i) {
    if (!unwritten[i]) return false;
  }
  return first < last;
}

Region& RegionMap::add(std::unique_ptr<Region> region) {
  cache_.fill(nullptr);
  auto& place = regions_[region->begin];
  place = std::move(region);
  return *place;
}

void RegionMap::remove(std::uintptr_t begin) {
  cache_.fill(nullptr);
  regions_.erase(begin);
}

Region* RegionMap::find(std::uintptr_t address) {
  Region*& cached = cache_[slot(address)];
  if (cached != nullptr && cached->contains(address)) return cached;
  auto after = regions_.upper_bound(address);
  if (after == regions_.begin()) return nullptr;
  Region* const region = std::prev(after)->second.get();
  if (!region->contains(address)) return nullptr;
  cached = region;
  return region;
}

Region* RegionMap::near(std::uintptr_t address) {
  const auto after = regions_.upper_bound(address);
  if (after != regions_.begin()) {
    Region* const before = std::prev(after)->second.get();
    if (address - before->end < before->margin) return before;
  }
  if (after != regions_.end() && after->second->begin - address <= after->second->margin) {
    return after->second.get();
  }
  return nullptr;
}

}  // namespace kgrade_emulated
