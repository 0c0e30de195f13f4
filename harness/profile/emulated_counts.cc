#include "profile/emulated_counts.h"

#include <algorithm>
#include <utility>

namespace kgrade {
namespace {

void add_ratio(KernelProfile& kernel, const char* fact, double factor, std::uint64_t part,
               std::uint64_t whole) {
  if (whole > 0) kernel.facts[fact] = factor * static_cast<double>(part) / static_cast<double>(whole);
}

void add_global(KernelProfile& kernel, const char* sectors, const char* bytes, const GlobalCounts& counts) {
  add_ratio(kernel, sectors, 1, counts.sectors, counts.requests);
  add_ratio(kernel, bytes, 1, counts.bytes, counts.sectors);
}

KernelProfile profile_of(const LaunchCounts& counts) {
  KernelProfile kernel;
  kernel.name = counts.kernel;
  kernel.launches = static_cast<int>(counts.times);
  std::copy(std::begin(counts.grid), std::end(counts.grid), kernel.grid.begin());
  std::copy(std::begin(counts.block), std::end(counts.block), kernel.block.begin());
  add_global(kernel, "load_sectors_per_request", "load_bytes_per_sector", counts.loads);
  add_global(kernel, "store_sectors_per_request", "store_bytes_per_sector", counts.stores);
  kernel.facts["shared_conflicts"] = static_cast<double>(counts.shared_conflicts);
  add_ratio(kernel, "shared_conflict_pct", 100, counts.shared_conflicts, counts.shared_passes);
  add_ratio(kernel, "partial_request_pct", 100, counts.partial_requests, counts.requests);
  kernel.facts["accesses"] = static_cast<double>(counts.global_accesses + counts.shared_accesses);
  kernel.facts["atomics"] = static_cast<double>(counts.global_atomics + counts.shared_atomics);
  kernel.facts["barriers"] = static_cast<double>(counts.barriers);
  return kernel;
}

}  // namespace

std::vector<KernelProfile> profiles_of(const std::vector<LaunchCounts>& counts, PlaceFinder* places,
                                       QuotedSource& source) {
  std::vector<std::uint64_t> pcs;
  for (const LaunchCounts& one : counts) {
    for (const CountedPlace& place : one.places()) pcs.push_back(place.pc);
  }
  std::vector<std::optional<SourcePlace>> found(pcs.size());
  if (places != nullptr && !pcs.empty()) found = places->find(pcs);
  std::vector<KernelProfile> kernels;
  auto next = found.begin();
  for (const LaunchCounts& one : counts) {
    kernels.push_back(profile_of(one));
    const std::uint64_t of_loads = one.loads.excess();
    const std::uint64_t of_stores = one.stores.excess();
    const auto add = [&](const char* what, const CountedPlace& place, std::uint64_t all) {
      const auto at = *next++;
      if (at && place.excess > 0 && all > 0)
        kernels.back().worst.push_back(
            {what, source.place(*at), static_cast<double>(place.excess) / static_cast<double>(all)});
    };
    add("loads", one.worst_load, of_loads);
    add("stores", one.worst_store, of_stores);
    add("shared", one.worst_shared, one.shared_conflicts);
  }
  return kernels;
}

}  // namespace kgrade
