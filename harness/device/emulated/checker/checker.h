// What looks at every access of a checked contestant, and what the runtime tells it of launches, barriers and
// memory. Only one host thread runs blocks while checking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/emulated/checker/checking.h"
#include "device/emulated/checker/ordering.h"
#include "device/emulated/checker/process_map.h"
#include "device/emulated/checker/readable_pages.h"
#include "device/emulated/checker/regions.h"
#include "device/finding_book.h"
#include "kgrade_emulated/block.h"
#include "kgrade_emulated/launch.h"

namespace kgrade_emulated {

inline std::uintptr_t number(const volatile void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

// One access to memory, as the compiler reports it before it happens.
struct Access {
  std::uintptr_t address = 0;
  std::uint32_t bytes = 0;
  bool write = false;
  bool atomic = false;
  bool is_volatile = false;
  const void* pc = nullptr;  // where the contestant's code goes on

  std::uintptr_t end() const { return address + bytes; }
};

// Chains of calls as small numbers, so that each access can remember where it was made from.
class CallChains {
 public:
  static constexpr std::uint32_t none = 0;

  // The chain `chain` with one more call, from `caller`; leave() takes the last call off again.
  std::uint32_t enter(std::uint32_t chain, std::uint32_t caller);
  std::uint32_t leave(std::uint32_t chain) const { return calls_[chain].outer; }

  // Copies callers, innermost first, as many as there are and fit.
  void callers(std::uint32_t chain, std::uint64_t* target, std::size_t count) const;

 private:
  struct Call {
    std::uint32_t caller;
    std::uint32_t outer;
  };
  std::vector<Call> calls_{{0, none}};
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // by outer chain and caller
};

// Writes findings into the book: one entry a kind and place, with a count.
class BookWriter {
 public:
  explicit BookWriter(kgrade::FindingBook& book) : book_(book) { book_ = kgrade::FindingBook{}; }

  // An entry of the same kind at the same places counts once more instead; a full book counts what it drops.
  void write(const kgrade::FindingEntry& entry);
  // Whether an entry of this kind has this place as its own or its other; drop() takes those out.
  bool has(kgrade::FindingKind kind, std::uint64_t pc) const;
  void drop(kgrade::FindingKind kind, std::uint64_t pc);

 private:
  kgrade::FindingBook& book_;
};

class Checker {
 public:
  explicit Checker(kgrade::FindingBook& book) : writer_(book) {}

  void set_library(const void* address, std::uint64_t number);
  void share_with_frameworks() { shares_process_ = true; }
  void note_tensor_memory(const void* begin, std::size_t bytes);
  void forget_tensor_memory(const void* begin);
  void lend(const LentMemory& memory);
  void give_back();
  void begin_call();
  void end_call();

  bool in_kernel() const { return !kernel_.empty(); }
  bool is_allocation(const void* begin);

  // Of the contestant's code.
  void access(const Access& access);
  void fence();
  void misaligned(const void* pointer, std::size_t alignment, bool write, const void* pc);
  void enters(const void* caller) { chain_ = chains_.enter(chain_, short_pc(caller)); }
  void leaves() { chain_ = chains_.leave(chain_); }
  void written(const void* address, std::size_t bytes);  // by the runtime for the contestant
  void copied(const void* to, const void* from, std::size_t bytes);

  // Of the runtime. `thread` is the number of a thread in its block.
  void begin_launch(const BoundKernel& kernel, const Configuration& configuration);
  void end_launch();
  void begin_block(uint3 block);
  void begin_thread(unsigned int thread);
  // Memory of the runtime that device functions touch: stacks of threads, values of warp operations.
  void allow(const void* begin, std::size_t bytes) { process_.allow(begin, bytes); }
  void allocated(const void* begin, std::size_t bytes, std::size_t margin, bool host_may_touch,
                 const void* pc);
  void released(const void* begin);
  void shared_allocated(const void* begin, std::size_t bytes, std::size_t margin, std::string_view name);
  void shared_released(const void* begin) { regions_.remove(reinterpret_cast<std::uintptr_t>(begin)); }
  void shared_unwritten(const void* begin);  // a block begins to use it

  // Where a thread waits, for what.
  struct Wait {
    const void* pc = nullptr;  // null: it does not
    bool barrier = true;       // of the block; else with lanes of its warp, or with a group
    std::uint32_t mask = 0;
    std::uint32_t chain = 0;
  };
  void begins_to_wait(unsigned int thread, const Wait& wait);
  void goes_on(unsigned int thread);
  void block_barrier(unsigned int exited);  // all threads that have not returned have come to one
  void lanes_meet(unsigned int warp, std::uint32_t lanes);  // in __syncwarp()
  void group_meets(unsigned int thread);                    // with others, at a barrier of a group
  void deadlock(unsigned int exited);                       // those that wait now wait for ever
  void bad_mask(const void* pc, std::uint32_t mask);

 private:
  // An access that contradicts an earlier one. Two writes do so unless both write the same: they are reported
  // once the second has happened.
  struct Race {
    Access access;
    Stamp earlier;
    unsigned int thread = 0;
    std::uint32_t chain = 0;
    unsigned char before[16] = {};
  };

  void settle_pending();
  void settle_guess(unsigned int thread, std::uintptr_t confirmed = 0);
  void settle_guesses();
  void access_on_host(const Access& access);
  void access_in(Region& region, const Access& access);
  void access_outside(const Access& access);
  void note_history(Region& region, const Access& access);
  kgrade::FindingEntry entry(kgrade::FindingKind kind, const Access& access) const;
  kgrade::FoundThread found_thread(unsigned int block, unsigned int thread) const;
  void describe(kgrade::FindingEntry& entry, const Region& region) const;
  void report_race(const Race& race, const Region& region);
  kgrade::FindingEntry waiting_threads(unsigned int exited, bool barriers_only) const;
  bool may_be_a_frameworks(const Access& access);
  std::uint64_t offset_of(const void* pc) const;
  std::uint32_t short_pc(const void* pc) const { return static_cast<std::uint32_t>(offset_of(pc)); }

  friend class LockedChecker;
  std::recursive_mutex mutex_;

  BookWriter writer_;
  RegionMap regions_;
  Ordering ordering_;
  ProcessMap process_;
  std::vector<LoadedFile> libraries_;  // by number
  bool shares_process_ = false;
  ReadablePages readable_;
  std::string kernel_;  // that runs; empty on the host
  dim3 grid_;
  dim3 block_extent_;
  std::uint32_t block_ = 0;
  unsigned int thread_ = 0;
  std::uint32_t call_ = 0;
  CallChains chains_;
  // Of the running thread of a kernel, or of the calling thread of the host.
  static constinit thread_local std::uint32_t chain_;
  std::uint32_t host_chain_ = CallChains::none;
  std::vector<Wait> waits_;                       // by thread
  std::vector<std::uint32_t> left_by_last_call_;  // pcs of allocations
  std::optional<Race> pending_;
  std::vector<std::optional<Race>> guesses_;  // by thread
};

// Null unless start_checking() was called.
extern Checker* the_checker;

// The checker, for as long as this lives: a contestant's host threads take turns, and wait while another's
// kernel runs.
class LockedChecker {
 public:
  explicit LockedChecker(Checker* checker) : checker_(checker) {
    if (checker_ != nullptr) checker_->mutex_.lock();
  }
  ~LockedChecker() {
    if (checker_ != nullptr) checker_->mutex_.unlock();
  }
  LockedChecker(const LockedChecker&) = delete;
  LockedChecker& operator=(const LockedChecker&) = delete;

  explicit operator bool() const { return checker_ != nullptr; }
  Checker* operator->() const { return checker_; }

 private:
  Checker* checker_;
};

inline LockedChecker active_checker() { return LockedChecker(the_checker); }

}  // namespace kgrade_emulated
