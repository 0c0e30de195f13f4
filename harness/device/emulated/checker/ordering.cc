#include "device/emulated/checker/ordering.h"

#include <algorithm>

namespace kgrade_emulated {
namespace {

bool contradicts(const Stamp& earlier, const Stamp& stamp, const Ordering& ordering) {
  if (earlier.when == 0 || (earlier.atomic && stamp.atomic)) return false;
  return !ordering.is_ordered(earlier, stamp.thread);
}

bool same_thread(const Stamp& a, const Stamp& b) { return a.block == b.block && a.thread == b.thread; }

}  // namespace

void Ordering::begin_launch() {
  launch_began_ = ++now_;
  released_.clear();
}

void Ordering::begin_block(std::uint32_t block, unsigned int threads) {
  ++now_;
  block_ = block;
  threads_ = threads;
  barrier_ = 0;
  acquired_ = false;
  views_.assign(threads, ThreadView{});
}

void Ordering::block_barrier() {
  barrier_ = now_++;
  if (!acquired_) return;
  std::uint32_t known = 0;
  for (const ThreadView& view : views_) known = std::max(known, view.all_until);
  for (ThreadView& view : views_) view.all_until = known;
}

void Ordering::lanes_meet(unsigned int warp, std::uint32_t lanes) {
  unsigned int threads[lanes_per_warp];
  std::size_t count = 0;
  for (unsigned int lane = 0; lane < lanes_per_warp; ++lane) {
    const unsigned int thread = warp * lanes_per_warp + lane;
    if ((lanes >> lane & 1u) != 0 && thread < threads_) threads[count++] = thread;
  }
  merge(threads, count);
}

void Ordering::learns_all(unsigned int thread) {
  views_[thread].all_until = now_++;
  acquired_ = true;
}

// Each of these threads receives the order that any of them has, and is ordered after all their accesses
// until now.
void Ordering::merge(const unsigned int* threads, std::size_t count) {
  ThreadView merged{};
  for (std::size_t i = 0; i < count; ++i) {
    const ThreadView& view = views_[threads[i]];
    for (unsigned int lane = 0; lane < lanes_per_warp; ++lane) {
      merged.lane_until[lane] = std::max(merged.lane_until[lane], view.lane_until[lane]);
    }
    merged.all_until = std::max(merged.all_until, view.all_until);
  }
  for (std::size_t i = 0; i < count; ++i) merged.lane_until[threads[i] % lanes_per_warp] = now_;
  for (std::size_t i = 0; i < count; ++i) {
    ThreadView& view = views_[threads[i]];
    std::copy(std::begin(merged.lane_until), std::end(merged.lane_until), std::begin(view.lane_until));
    view.all_until = merged.all_until;
  }
  ++now_;
}

void Ordering::synchronising_access(unsigned int thread, std::uintptr_t address, bool reads, bool writes) {
  ThreadView& view = views_[thread];
  const auto released = released_.find(address);
  if (reads && released != released_.end() && released->second > view.all_until) {
    view.all_until = released->second;
    acquired_ = true;
  }
  if (writes && view.fenced) released_[address] = now_++;
}

Stamp Ordering::stamp(unsigned int thread) const {
  Stamp stamp;
  stamp.when = now_;
  stamp.block = block_;
  stamp.thread = static_cast<std::uint16_t>(thread);
  return stamp;
}

bool Ordering::is_ordered(const Stamp& earlier, unsigned int thread) const {
  if (earlier.when < launch_began_) return true;
  const ThreadView& view = views_[thread];
  if (earlier.when <= view.all_until) return true;
  if (earlier.block != block_) return false;
  if (earlier.thread == thread || earlier.when <= barrier_) return true;
  return earlier.thread / lanes_per_warp == thread / lanes_per_warp &&
         earlier.when <= view.lane_until[earlier.thread % lanes_per_warp];
}

void StreamOrder::created(cudaStream_t stream, bool is_blocking) {
  streams_[stream] = {++last_id_, is_blocking, {}};
}

// The work of a destroyed stream continues.
void StreamOrder::destroyed(cudaStream_t stream) {
  const Stream* const known = find(stream);
  if (known == nullptr) return;
  if (known->is_blocking) merge(known->done, default_);
  streams_.erase(stream);
}

StreamOrder::Work StreamOrder::begins_work(cudaStream_t stream) {
  const auto known = streams_.find(stream);
  if (known == streams_.end() || known->second.is_blocking) return {};
  const std::uint64_t id = known->second.id;
  const std::uint64_t number = ++begun_[id];
  known->second.done[id] = number;
  return {id, number};
}

void StreamOrder::waits(cudaStream_t stream, cudaEvent_t event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  const auto known = streams_.find(stream);
  merge(found->second, known == streams_.end() ? default_ : known->second.done);
}

void StreamOrder::host_waits(cudaEvent_t event) {
  if (const auto found = events_.find(event); found != events_.end()) merge(found->second, host_);
}

bool StreamOrder::is_joined(const Work& work) const {
  if (work.stream == 0) return true;
  Progress all = host_;
  merge(done_by_default(), all);
  const auto found = all.find(work.stream);
  return found != all.end() && found->second >= work.number;
}

void StreamOrder::merge(const Progress& from, Progress& into) {
  for (const auto& [stream, number] : from) {
    std::uint64_t& known = into[stream];
    known = std::max(known, number);
  }
}

const StreamOrder::Stream* StreamOrder::find(cudaStream_t stream) const {
  const auto found = streams_.find(stream);
  return found != streams_.end() ? &found->second : nullptr;
}

// Blocking streams and the default streams wait for each other.
StreamOrder::Progress StreamOrder::done(cudaStream_t stream) const {
  const Stream* const known = find(stream);
  return known != nullptr && !known->is_blocking ? known->done : done_by_default();
}

StreamOrder::Progress StreamOrder::done_by_default() const {
  Progress all = default_;
  for (const auto& [stream, known] : streams_) {
    if (known.is_blocking) merge(known.done, all);
  }
  return all;
}

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
