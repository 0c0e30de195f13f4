// The functions of the checker that the runtime and the worker call.
#include <algorithm>

#include "device/emulated/checker/checker.h"
#include "device/emulated/runtime/emulated_runtime.h"

namespace kgrade_emulated {
namespace {

using kgrade::FindingEntry;
using kgrade::FindingKind;
using kgrade::MemorySpace;

// The least margin around a tensor in a lent buffer (guard zones of the harness).
constexpr std::size_t lent_margin = 4096;

// The margin around memory of malloc(): its bookkeeping between two pieces, and the gap from alignment. It is
// not larger, since the next piece may belong to another tensor that was not reported.
constexpr std::size_t framework_margin = 64;

std::uint32_t linear(uint3 position, dim3 extent) {
  return (position.z * extent.y + position.y) * extent.x + position.x;
}

}  // namespace

Checker* the_checker = nullptr;
constinit thread_local std::uint32_t Checker::chain_ = CallChains::none;

// The checker is never destroyed, because destructors of contestants run while the process ends.
void start_checking(kgrade::FindingBook& book) {
  const std::uint32_t wants_counts = book.magic == kgrade::finding_book_magic ? book.wants_counts : 0;
  book = kgrade::FindingBook{};
  book.wants_counts = wants_counts;
  the_checker = new Checker(book);
  set_host_threads(1);
}
bool is_checking() { return the_checker != nullptr; }
void check_library_of(const void* address) { the_checker->set_library(address, 0); }
void share_with_frameworks() { the_checker->share_with_frameworks(); }
void check_extension_of(const void* address, std::uint64_t number) {
  if (const auto checker = active_checker()) checker->set_library(address, number);
}
void note_tensor_memory(const void* begin, std::size_t bytes) {
  if (const auto checker = active_checker()) checker->note_tensor_memory(begin, bytes);
}
void forget_tensor_memory(const void* begin) {
  if (const auto checker = active_checker()) checker->forget_tensor_memory(begin);
}
void lend_checked(const LentMemory& memory) { the_checker->lend(memory); }
void give_back_checked() { the_checker->give_back(); }
void begin_checked_call() { the_checker->begin_call(); }
void end_checked_call() { the_checker->end_call(); }

void Checker::lend(const LentMemory& memory) {
  auto region = std::make_unique<Region>(number(memory.begin), memory.bytes);
  region->margin = lent_margin;
  region->parameter = memory.parameter;
  region->writable = memory.writable;
  region->host_may_touch = shares_process_;
  if (!memory.written && !shares_process_) region->mark_unwritten();
  regions_.add(std::move(region));
}

void Checker::give_back() {
  regions_.remove_if([](const Region& region) { return region.parameter >= 0; });
  left_by_last_call_.clear();  // another case begins; its first call may keep more memory
}

// A piece of memory is known here for as long as it exists (kgrade_python/checked_memory.py). A piece within
// a known piece is a view of that piece. A piece that reaches further replaces the known pieces within it.
void Checker::note_tensor_memory(const void* begin, std::size_t bytes) {
  settle_pending();
  const std::uintptr_t from = number(begin);
  if (bytes == 0) return;
  for (const std::uintptr_t place : {from, from + bytes - 1}) {
    Region* const known = regions_.find(place);
    if (known == nullptr || (known->of_framework && !(known->contains(from) && from + bytes <= known->end)))
      continue;
    known->host_may_touch = true;
    known->unwritten.clear();
    return;
  }
  regions_.remove_if([&](const Region& region) {
    return region.of_framework && region.begin < from + bytes && region.end > from;
  });
  auto region = std::make_unique<Region>(from, bytes);
  region->margin = framework_margin;
  region->host_may_touch = true;
  region->of_framework = true;
  regions_.add(std::move(region));
}

void Checker::forget_tensor_memory(const void* begin) {
  settle_pending();
  regions_.remove_if([begin](const Region& region) {
    return region.of_framework && (begin == nullptr || region.begin == number(begin));
  });
}

void Checker::begin_call() {
  if (counts_) counts_->begin_call();
  ++call_;
  provokes_ = writer_.provokes();
  unfinished_.clear();
  regions_.for_each([](Region& region) {
    if (region.parameter >= 0 && !region.unwritten.empty()) region.mark_unwritten();
  });
}

// An allocation is a leak if the previous call also left one from the same place.
void Checker::end_call() {
  settle_pending();
  for (const UnfinishedWork& unfinished : unfinished_) {
    if (!streams_.is_joined(unfinished.work)) writer_.write(unfinished.entry);
  }
  streams_.host_waits_for_all();  // because the harness waits
  std::vector<std::uint32_t> left;
  regions_.for_each([&](Region& region) {
    if (region.call != call_ || region.pc == 0) return;
    left.push_back(region.pc);
    const bool again = std::find(left_by_last_call_.begin(), left_by_last_call_.end(), region.pc) !=
                       left_by_last_call_.end();
    if (!again) return;
    FindingEntry found;
    found.kind = FindingKind::leak;
    found.space = region.space;
    found.access.pc = region.pc;
    found.bytes = region.bytes();
    writer_.write(found);
  });
  left_by_last_call_ = std::move(left);
}

void Checker::begin_launch(const BoundKernel& kernel, const Configuration& configuration) {
  settle_pending();
  kernel_ = kernel.name;
  grid_ = configuration.grid;
  block_extent_ = configuration.block;
  process_.set_arguments(kernel.arguments, kernel.argument_bytes);
  host_chain_ = chain_;
  overwritten_.clear();
  if (counts_)
    counts_->begin_launch(kernel_.c_str(), {grid_.x, grid_.y, grid_.z},
                          {block_extent_.x, block_extent_.y, block_extent_.z});
  ordering_.begin_launch();
}

void Checker::end_launch() {
  settle_pending();
  settle_guesses();
  if (counts_) counts_->end_launch();
  kernel_.clear();
  chain_ = host_chain_;
}

void Checker::begin_block(uint3 block) {
  settle_pending();
  settle_guesses();
  if (counts_) counts_->settle_block();
  block_ = linear(block, grid_);
  const unsigned int threads = block_extent_.x * block_extent_.y * block_extent_.z;
  ordering_.begin_block(block_, threads);
  waits_.assign(threads, Wait{});
  guesses_.assign(threads, std::nullopt);
  if (provokes_) paths_.assign(threads, Path{});
}

bool Checker::begins_work(cudaStream_t stream, std::string_view kernel, const void* pc) {
  if (in_kernel()) return true;
  const StreamOrder::Work work = streams_.begins_work(stream);
  if (work.stream == 0) return true;
  kernel_ = kernel;  // the book's entry has this name
  FindingEntry found = entry(FindingKind::unjoined_stream, {});
  kernel_.clear();
  found.access.pc = offset_of(pc);
  found.access.by = {};
  const bool leaves_undone = provokes_ && writer_.has(found);
  unfinished_.push_back({work, std::move(found)});
  return !leaves_undone;
}

void Checker::allocated(const void* begin, std::size_t bytes, std::size_t margin, bool host_may_touch,
                        const void* pc) {
  auto region = std::make_unique<Region>(number(begin), bytes);
  region->margin = margin;
  region->host_may_touch = host_may_touch;
  region->pc = short_pc(pc);
  region->call = call_;
  region->mark_unwritten();
  regions_.add(std::move(region));
}

bool Checker::is_allocation(const void* begin) {
  const Region* const region = regions_.find(number(begin));
  return region != nullptr && region->begin == number(begin) && region->space == MemorySpace::global;
}

void Checker::released(const void* begin) {
  settle_pending();
  regions_.remove(number(begin));
}

void Checker::shared_allocated(const void* begin, std::size_t bytes, std::size_t margin,
                               std::string_view name) {
  auto region = std::make_unique<Region>(number(begin), bytes);
  region->margin = margin;
  region->space = MemorySpace::shared;
  region->name = name;
  regions_.add(std::move(region));
}

void Checker::shared_unwritten(const void* begin) {
  settle_pending();
  Region* const region = regions_.find(number(begin));
  if (region == nullptr) return;  // a piece of size 0 has no region
  region->mark_unwritten();
  region->history.forget();
}

void Checker::begin_thread(unsigned int thread) {
  settle_pending();
  thread_ = thread;
  chain_ = CallChains::none;
}

void Checker::begins_to_wait(unsigned int thread, const Wait& wait) {
  settle_guess(thread);
  waits_[thread] = wait;
  waits_[thread].chain = chain_;
}

void Checker::goes_on(unsigned int thread) {
  settle_pending();
  thread_ = thread;
  chain_ = waits_[thread].chain;
  waits_[thread] = {};
}

// This is a finding if the threads wait at more than one place, because then they wait at different barriers.
void Checker::block_barrier(unsigned int exited) {
  settle_pending();
  ordering_.block_barrier();
  if (counts_) counts_->note_barrier();
  const FindingEntry found = waiting_threads(exited, true);
  if (found.waits[1].threads > 0) writer_.write(found);
}

void Checker::lanes_meet(unsigned int warp, std::uint32_t lanes) {
  settle_pending();
  ordering_.lanes_meet(warp, lanes);
}

void Checker::group_meets(unsigned int thread) {
  settle_pending();
  ordering_.learns_all(thread);
}

void Checker::deadlock(unsigned int exited) {
  settle_pending();
  writer_.write(waiting_threads(exited, false));
}

// The waiting threads, grouped by place, in the order of the threads.
FindingEntry Checker::waiting_threads(unsigned int exited, bool barriers_only) const {
  FindingEntry found = entry(FindingKind::divergent_barrier, {});
  found.exited = exited;
  std::size_t groups = 0;
  for (unsigned int thread = 0; thread < waits_.size(); ++thread) {
    const Wait& wait = waits_[thread];
    if (wait.pc == nullptr || (barriers_only && !wait.barrier)) continue;
    const std::uint64_t pc = offset_of(wait.pc);
    auto* const end = found.waits + groups;
    auto* const known = std::find_if(
        found.waits, end, [&](const auto& group) { return group.pc == pc && group.mask == wait.mask; });
    if (known != end) {
      ++known->threads;
    } else if (groups < kgrade::most_waits) {
      const auto first = found_thread(block_, thread);
      kgrade::FoundWait& group = found.waits[groups++];
      group.pc = pc;
      chains_.callers(wait.chain, group.callers, kgrade::most_callers);
      group.threads = 1;
      group.barrier = wait.barrier ? 1 : 0;
      group.mask = wait.mask;
      std::copy(std::begin(first.thread), std::end(first.thread), std::begin(group.first));
      if (groups == 1) found.access.by = first;
    }
  }
  found.access.pc = found.waits[0].pc;
  std::copy(std::begin(found.waits[0].callers), std::end(found.waits[0].callers),
            std::begin(found.access.callers));
  return found;
}

void Checker::bad_mask(const void* pc, std::uint32_t mask) {
  settle_pending();
  FindingEntry found = entry(FindingKind::warp_mask, {});
  found.access.pc = offset_of(pc);
  chains_.callers(chain_, found.access.callers, kgrade::most_callers);
  found.waits[0].mask = mask;
  writer_.write(found);
}

}  // namespace kgrade_emulated
