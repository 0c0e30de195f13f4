#include "device/emulated/checker/access_counts.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace kgrade_emulated {
namespace {

using kgrade::CountedPlace;
using kgrade::LaunchCounts;

constexpr std::uint32_t sector_bytes = 32;
constexpr std::uint32_t bank_bytes = 4;
constexpr std::uint32_t banks = 32;
constexpr std::uint32_t widest_access = 16;
// If a block makes more requests between two barriers, the further requests are not counted.
constexpr std::uint64_t most_kept = std::uint64_t{1} << 18;

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

bool is_like(const LaunchCounts& a, const LaunchCounts& b) {
  return std::strncmp(a.kernel, b.kernel, sizeof a.kernel) == 0 &&
         std::equal(std::begin(a.grid), std::end(a.grid), b.grid) &&
         std::equal(std::begin(a.block), std::end(a.block), b.block);
}

}  // namespace

void AccessCounts::begin_call() { book_.launches = 0; }

void AccessCounts::begin_launch(const char* kernel, const std::array<std::uint32_t, 3>& grid,
                                const std::array<std::uint32_t, 3>& block) {
  threads_ = block[0] * block[1] * block[2];
  LaunchCounts fresh;
  std::strncpy(fresh.kernel, kernel, sizeof fresh.kernel - 1);
  std::copy(grid.begin(), grid.end(), fresh.grid);
  std::copy(block.begin(), block.end(), fresh.block);
  LaunchCounts* const end = book_.counts + book_.launches;
  launch_ = std::find_if(book_.counts, end, [&](const LaunchCounts& known) { return is_like(known, fresh); });
  if (launch_ == end) {
    launch_ = book_.launches < kgrade::most_counted ? end : nullptr;
    if (launch_ == nullptr) return;
    *launch_ = fresh;
    ++book_.launches;
    excess_sectors_.clear();
    excess_passes_.clear();
  }
  ++launch_->times;
}

void AccessCounts::end_launch() {
  settle_block();
  launch_ = nullptr;
}

void AccessCounts::note_barrier() {
  if (launch_ != nullptr) ++launch_->barriers;
  settle_block();
}

void AccessCounts::note(const CountedAccess& access) {
  if (launch_ == nullptr) return;
  if (access.atomic) {
    ++(access.shared ? launch_->shared_atomics : launch_->global_atomics);
    return;
  }
  ++(access.shared ? launch_->shared_accesses : launch_->global_accesses);
  latest_.resize(std::max<std::size_t>(latest_.size(), access.thread + 1));
  const std::size_t number = request_of(access);
  if (number == none) {
    launch_->incomplete = 1;
    return;
  }
  const std::uint32_t lane = access.thread % lanes;
  Request& request = requests_[number];
  const std::size_t previous = previous_of(access);
  request.previous = request.mask == 0 || request.previous == previous ? previous : none;
  request.mask |= 1U << lane;
  request.offset[lane] = access.offset;
  request.bytes[lane] = access.bytes;
  latest_[access.thread] = {number, access.piece, access.offset + access.bytes, access.bytes};
}

// The number of the request to which the access belongs. Returns `none` if there is no room for a new
// request.
std::size_t AccessCounts::request_of(const CountedAccess& access) {
  // An address in the code and a chain have at most 32 bits each, and a block has at most 32 warps.
  const std::uint64_t key = ((access.pc * 0x9e3779b97f4a7c15) ^ access.chain) * 64 + access.thread / lanes;
  Place& place = places_[key];
  const std::size_t number = place.made[access.thread % lanes]++;
  if (number < place.requests.size()) return place.requests[number];
  if (requests_.size() == most_kept || number > place.requests.size()) return none;
  place.requests.push_back(requests_.size());
  Request& request = requests_.emplace_back();
  request.shared = access.shared;
  request.write = access.write;
  request.pc = access.pc;
  return place.requests.back();
}

// The request of the thread's previous access, if this access may be the next part of the same vector. The
// parts of a vector have the same size and are at different places in the code.
std::size_t AccessCounts::previous_of(const CountedAccess& access) const {
  const Latest& latest = latest_[access.thread];
  if (latest.request == none || latest.end != access.offset || latest.piece != access.piece ||
      latest.bytes != access.bytes)
    return none;
  const Request& previous = requests_[latest.request];
  return previous.pc != access.pc && previous.write == access.write ? latest.request : none;
}

// Joins the request with the previous one, if all threads of both continue the same vector.
void AccessCounts::join_parts(std::size_t number) {
  Request& request = requests_[number];
  request.first = number;
  if (request.previous == none || requests_[request.previous].mask != request.mask) return;
  Request& first = requests_[requests_[request.previous].first];
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if ((request.mask >> lane & 1) == 0) continue;
    const std::uint32_t wide = first.bytes[lane] + request.bytes[lane];
    if (wide > widest_access || first.offset[lane] % std::bit_ceil(wide) != 0) return;
  }
  for (std::uint32_t lane = 0; lane < lanes; ++lane) first.bytes[lane] += request.bytes[lane];
  request.first = requests_[request.previous].first;
}

void AccessCounts::settle_block() {
  if (launch_ != nullptr) {
    for (std::size_t i = 0; i < requests_.size(); ++i) join_parts(i);
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i].first == i) count(requests_[i]);
    }
  }
  places_.clear();
  requests_.clear();
  latest_.clear();
}

void AccessCounts::count(const Request& request) {
  const auto active = static_cast<std::uint32_t>(std::popcount(request.mask));
  ++launch_->requests;
  if (active < std::min(lanes, threads_)) ++launch_->partial_requests;
  request.shared ? count_shared(request) : count_global(request);
}

void AccessCounts::count_global(const Request& request) {
  std::vector<std::uint64_t> sectors;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // of bytes
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if ((request.mask >> lane & 1) == 0) continue;
    ranges.emplace_back(request.offset[lane], request.offset[lane] + request.bytes[lane]);
    const std::uint64_t last = (request.offset[lane] + request.bytes[lane] - 1) / sector_bytes;
    for (std::uint64_t s = request.offset[lane] / sector_bytes; s <= last; ++s) sectors.push_back(s);
  }
  std::sort(sectors.begin(), sectors.end());
  const auto touched =
      static_cast<std::uint64_t>(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
  // Threads that ask for the same byte share it.
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t bytes = 0;
  std::uint64_t end = 0;
  for (const auto& [first, last] : ranges) {
    if (last > end) bytes += last - std::max(first, end);
    end = std::max(end, last);
  }
  kgrade::GlobalCounts& counts = request.write ? launch_->stores : launch_->loads;
  ++counts.requests;
  counts.sectors += touched;
  counts.bytes += bytes;
  const std::uint64_t least = divide_up(bytes, sector_bytes);
  counts.least += std::min(least, touched);
  if (touched > least)
    charge(request.write ? launch_->worst_store : launch_->worst_load, excess_sectors_, request.pc,
           touched - least);
}

// A request of 8 bytes per thread takes two passes, and a request of 16 bytes per thread takes four. Each
// pass serves as many threads as fill the banks. Threads that read the same word share it.
void AccessCounts::count_shared(const Request& request) {
  std::uint32_t widest = bank_bytes;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if ((request.mask >> lane & 1) != 0) widest = std::max<std::uint32_t>(widest, request.bytes[lane]);
  }
  const auto words_of_access = static_cast<std::uint32_t>(divide_up(widest, bank_bytes));
  const std::uint32_t together = std::max(1U, lanes / std::bit_ceil(words_of_access));
  std::uint64_t passes = 0;
  std::uint64_t least = 0;
  for (std::uint32_t first = 0; first < lanes; first += together) {
    std::vector<std::uint64_t> words;
    for (std::uint32_t lane = first; lane < first + together; ++lane) {
      if ((request.mask >> lane & 1) == 0) continue;
      const std::uint64_t last = (request.offset[lane] + request.bytes[lane] - 1) / bank_bytes;
      for (std::uint64_t word = request.offset[lane] / bank_bytes; word <= last; ++word)
        words.push_back(word);
    }
    if (words.empty()) continue;
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<std::uint32_t, banks> of_bank{};
    for (const std::uint64_t word : words) ++of_bank[word % banks];
    passes += *std::max_element(of_bank.begin(), of_bank.end());
    ++least;
  }
  ++launch_->shared_requests;
  launch_->shared_passes += passes;
  launch_->shared_conflicts += passes - least;
  if (passes > least) charge(launch_->worst_shared, excess_passes_, request.pc, passes - least);
}

void AccessCounts::charge(CountedPlace& worst, std::unordered_map<std::uint64_t, std::uint64_t>& all,
                          std::uint64_t pc, std::uint64_t excess) {
  const std::uint64_t total = all[pc] += excess;
  if (total > worst.excess || worst.pc == pc) worst = {pc, total};
}

}  // namespace kgrade_emulated
