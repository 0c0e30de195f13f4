#include "device/emulated/checker/regions.h"

#include <algorithm>

namespace kgrade_emulated {

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
