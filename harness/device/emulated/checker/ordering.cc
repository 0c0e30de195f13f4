#include "device/emulated/checker/ordering.h"

#include <algorithm>

namespace kgrade_emulated {

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

void Ordering::fence(unsigned int thread) { views_[thread].fenced = true; }

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

}  // namespace kgrade_emulated
