// Checks every memory access of the contestant in a checked run (checking.h). The runtime reports launches,
// barriers and memory to the checker. While checking, only one host thread runs blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/emulated/checker/access_counts.h"
#include "device/emulated/checker/checking.h"
#include "device/emulated/checker/ordering.h"
#include "device/emulated/checker/process_map.h"
#include "device/finding_book.h"
#include "kgrade_emulated/block.h"
#include "kgrade_emulated/launch.h"

namespace kgrade_emulated {

inline std::uintptr_t number(const volatile void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

// An access to memory, as compiled code reports it before it happens.
struct Access {
  std::uintptr_t address = 0;
  std::uint32_t bytes = 0;
  bool write = false;
  bool atomic = false;
  bool is_volatile = false;
  const void* pc = nullptr;  // return address in the contestant's code

  std::uintptr_t end() const { return address + bytes; }
};

// Gives small numbers to chains of calls, so that each access can store its callers.
class CallChains {
 public:
  static constexpr std::uint32_t none = 0;

  // enter() returns the chain that is `chain` with one more call, made at `caller`. leave() returns `chain`
  // without its last call.
  std::uint32_t enter(std::uint32_t chain, std::uint32_t caller);
  std::uint32_t leave(std::uint32_t chain) const { return calls_[chain].outer; }

  // Copies at most `count` callers, innermost first.
  void callers(std::uint32_t chain, std::uint64_t* target, std::size_t count) const;

 private:
  struct Call {
    std::uint32_t caller;
    std::uint32_t outer;
  };
  std::vector<Call> calls_{{0, none}};
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // by outer chain and caller
};

// Writes findings into the book. There is one entry per kind and place, with a count.
class BookWriter {
 public:
  explicit BookWriter(kgrade::FindingBook& book) : book_(book) {}

  bool provokes() const { return book_.provokes != 0; }
  // Whether the book has this entry, apart from its count.
  bool has(const kgrade::FindingEntry& entry) const;

  // If the book has an entry of this kind at these places, increases its count. A full book counts dropped
  // entries.
  void write(const kgrade::FindingEntry& entry);
  // Whether the book has an entry of this kind with `pc` as one of its two places. drop() removes such
  // entries.
  bool has(kgrade::FindingKind kind, std::uint64_t pc) const;
  void drop(kgrade::FindingKind kind, std::uint64_t pc);

 private:
  kgrade::FindingBook& book_;
};

class Checker {
 public:
  // `book` must be empty.
  explicit Checker(kgrade::FindingBook& book) : writer_(book) {
    if (book.wants_counts != 0) counts_.emplace(book);
  }

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

  // --- Events in the contestant's code ---
  void access(const Access& access);
  void fence();
  void misaligned(const void* pointer, std::size_t alignment, bool write, bool is_reference, const void* pc);
  void enters(const void* caller) { chain_ = chains_.enter(chain_, short_pc(caller)); }
  void leaves() { chain_ = chains_.leave(chain_); }
  StreamOrder& streams() { return streams_; }
  // Call this before work begins in a stream. `kernel` is the kernel's name, or "" for a copy. `pc` is the
  // place of the call. If this returns false, the work must not be done.
  bool begins_work(cudaStream_t stream, std::string_view kernel, const void* pc);
  void written(const void* address, std::size_t bytes);  // the runtime wrote for the contestant
  void copied(const void* to, const void* from, std::size_t bytes);

  // --- Events in the runtime ---
  // `thread` is the number of a thread in its block.
  void begin_launch(const BoundKernel& kernel, const Configuration& configuration);
  void end_launch();
  void begin_block(uint3 block);
  void begin_thread(unsigned int thread);
  // Allows accesses to memory of the runtime that device functions touch: stacks of threads, values of warp
  // operations.
  void allow(const void* begin, std::size_t bytes) { process_.allow(begin, bytes); }
  void allocated(const void* begin, std::size_t bytes, std::size_t margin, bool host_may_touch,
                 const void* pc);
  void released(const void* begin);
  void shared_allocated(const void* begin, std::size_t bytes, std::size_t margin, std::string_view name);
  void shared_released(const void* begin) { regions_.remove(reinterpret_cast<std::uintptr_t>(begin)); }
  void shared_unwritten(const void* begin);  // a block begins to use this memory

  // Where a thread waits, and for what.
  struct Wait {
    const void* pc = nullptr;  // null: the thread does not wait
    bool barrier = true;       // waits for the whole block; false: for lanes of its warp or a group
    std::uint32_t mask = 0;
    std::uint32_t chain = 0;
  };
  void begins_to_wait(unsigned int thread, const Wait& wait);
  void goes_on(unsigned int thread);
  void block_barrier(unsigned int exited);                  // all threads that have not returned have arrived
  void lanes_meet(unsigned int warp, std::uint32_t lanes);  // in __syncwarp()
  void group_meets(unsigned int thread);                    // at a group's barrier
  void deadlock(unsigned int exited);                       // the waiting threads wait forever
  void bad_mask(const void* pc, std::uint32_t mask);

 private:
  // An access that races with an earlier access. Two writes race unless both write the same value, so they
  // are reported after the second write.
  struct Race {
    Access access;
    Stamp earlier;
    unsigned int thread = 0;
    std::uint32_t chain = 0;
    unsigned char before[16] = {};
  };

  // A call that provokes shows the effects that a GPU may give to the races and unjoined streams that earlier
  // calls had. The contestant is then judged by its outputs. A read that races with an earlier write gets the
  // value from before that write, at most once per thread and write. Work that nothing joins is left undone.
  // A thread gets an old value from another thread of its warp only if it would in lockstep: the other thread
  // has made the same accesses up to this read, and the write a few accesses later. If their accesses differ,
  // the hardware may bring the threads together again before the read. Volatile and atomic accesses are not
  // changed.
  struct Path {
    static constexpr std::size_t kept = 8;
    std::uint32_t steps = 0;                   // accesses so far
    std::array<std::uint64_t, kept> hashes{};  // at n % kept: the hash of the places of the first n accesses

    void add(const void* pc);
    // Whether `other` began with all accesses of this path and then made a few more.
    bool is_just_behind(const Path& other) const;
  };
  struct Overwritten {
    Stamp by;
    std::uint32_t bytes = 0;
    Path path;  // of the writing thread
    unsigned char before[16] = {};
    std::vector<std::uint64_t> seen_by;  // threads that got the old value
  };
  struct Lent {
    std::uintptr_t address = 0;
    std::uint32_t bytes = 0;
    unsigned char present[16] = {};
  };
  void keep_overwritten(const Access& access, const Stamp& stamp);
  void lend_old_value(const Access& access, const Stamp& earlier);
  void take_back_old_value();

  void settle_pending();
  void settle_guess(unsigned int thread, std::uintptr_t confirmed = 0);
  void settle_guesses();
  void access_on_host(const Access& access);
  void access_in(Region& region, const Access& access);
  void count(const Region& region, const Access& access);
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
  std::optional<AccessCounts> counts_;  // if the referee asks for them
  RegionMap regions_;
  Ordering ordering_;
  ProcessMap process_;
  std::vector<LoadedFile> libraries_;  // by number
  bool shares_process_ = false;
  ReadablePages readable_;
  std::string kernel_;  // the name of the running kernel; empty on the host
  dim3 grid_;
  dim3 block_extent_;
  std::uint32_t block_ = 0;
  unsigned int thread_ = 0;
  std::uint32_t call_ = 0;
  CallChains chains_;
  // The call chain of the running kernel thread, or of the calling host thread.
  static constinit thread_local std::uint32_t chain_;
  std::uint32_t host_chain_ = CallChains::none;
  std::vector<Wait> waits_;                       // by thread
  std::vector<std::uint32_t> left_by_last_call_;  // pcs of allocations
  StreamOrder streams_;
  struct UnfinishedWork {
    StreamOrder::Work work;
    kgrade::FindingEntry entry;
  };
  std::vector<UnfinishedWork> unfinished_;                       // of this call, in non-blocking streams
  bool provokes_ = false;                                        // in this call
  std::unordered_map<std::uintptr_t, Overwritten> overwritten_;  // in this launch, by address
  std::optional<Lent> lent_;                                     // until the thread's next access
  std::vector<Path> paths_;                                      // by thread of the block
  std::optional<Race> pending_;
  std::vector<std::optional<Race>> guesses_;  // by thread
};

// Null unless start_checking() was called.
extern Checker* the_checker;

// Locks the checker while this object lives. A contestant's host threads take turns, and wait while another
// thread's kernel runs.
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
