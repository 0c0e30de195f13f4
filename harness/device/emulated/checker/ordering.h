// The happens-before order of accesses in a grid whose blocks run one after another on one host thread.
//
// A counter grows at each event that orders accesses: a barrier, a meeting of lanes in __syncwarp(), a fence.
// An access is stamped with the counter. An earlier access is ordered before an access of the current thread
// if both threads have taken part in the same event since then.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/finding_book.h"
#include "kgrade_emulated/api_streams.h"

namespace kgrade_emulated {

// Which thread made an access, and when. `pc` is an offset in the contestant's library, which fits 32 bits.
struct Stamp {
  std::uint32_t when = 0;  // 0: none
  std::uint32_t block = 0;
  std::uint16_t thread = 0;
  bool write = false;
  bool atomic = false;
  std::uint32_t pc = 0;
  std::uint32_t chain = 0;  // of calls, see CallChains
};

class Ordering {
 public:
  static constexpr unsigned int lanes_per_warp = 32;

  void begin_launch();  // everything before a launch is ordered before it
  void begin_block(std::uint32_t block, unsigned int threads);

  // All threads of the block that have not returned met at a barrier. The accesses of returned threads are
  // ordered too.
  void block_barrier();
  // The lanes in `lanes` of warp number `warp` met.
  void lanes_meet(unsigned int warp, std::uint32_t lanes);
  // A thread met others at a group's barrier. Order between single lanes is kept only within a warp, so the
  // thread is ordered after everything that any thread has done until now.
  void learns_all(unsigned int thread);

  // A thread calls __threadfence(). Accesses before a fence are ordered before the accesses of another thread
  // if two conditions hold: after its fence the first thread writes an address atomically, and the second
  // thread then reads that address atomically. The second thread is ordered after everything that any thread
  // had done until the atomic write, so a race may be missed, but no false race is reported.
  void fence(unsigned int thread) { views_[thread].fenced = true; }
  void synchronising_access(unsigned int thread, std::uintptr_t address, bool reads, bool writes);

  Stamp stamp(unsigned int thread) const;
  bool is_ordered(const Stamp& earlier, unsigned int thread) const;

 private:
  struct ThreadView {
    std::uint32_t lane_until[lanes_per_warp];  // by lane of the warp: accesses before this are ordered
    std::uint32_t all_until;                   // the same for all threads, through atomics
    bool fenced;
  };

  void merge(const unsigned int* threads, std::size_t count);

  std::uint32_t now_ = 1;
  std::uint32_t launch_began_ = 1;
  std::uint32_t barrier_ = 0;  // the block's last
  std::uint32_t block_ = 0;
  unsigned int threads_ = 0;
  bool acquired_ = false;  // a thread of the block has set all_until
  std::vector<ThreadView> views_;
  std::unordered_map<std::uintptr_t, std::uint32_t> released_;
};

// Finds out which work in streams is certain to be done when the contestant returns. The caller then
// continues in the legacy default stream. That stream does not wait for a stream with cudaStreamNonBlocking,
// unless an event or a call of the host joined that stream (CUDA C++ Programming Guide, "Streams" and
// "Default Stream").
//
// Calls whose effect on the order is unknown here count as joining the work. So unjoined work may be missed,
// but no joined work is reported.
class StreamOrder {
 public:
  // A piece of work: its stream, and its number in that stream.
  struct Work {
    std::uint64_t stream = 0;
    std::uint64_t number = 0;
  };

  void created(cudaStream_t stream, bool is_blocking);
  void destroyed(cudaStream_t stream);
  // Returns the work. Its stream is 0 if the legacy default stream waits for it in any case.
  Work begins_work(cudaStream_t stream);
  void records(cudaEvent_t event, cudaStream_t stream) { events_[event] = done(stream); }
  void waits(cudaStream_t stream, cudaEvent_t event);
  void forgets(cudaEvent_t event) { events_.erase(event); }
  // The host has waited, or has seen that the work is done.
  void host_waits(cudaStream_t stream) { merge(done(stream), host_); }
  void host_waits(cudaEvent_t event);
  void host_waits_for_all() { merge(begun_, host_); }
  // Whether the work is sure to be done when the legacy default stream has done its present work.
  bool is_joined(const Work& work) const;

 private:
  using Progress = std::map<std::uint64_t, std::uint64_t>;  // by stream: its work up to this number is done
  struct Stream {
    std::uint64_t id = 0;
    bool is_blocking = true;
    Progress done;  // what is done once the stream's present work is done
  };

  static void merge(const Progress& from, Progress& into);
  const Stream* find(cudaStream_t stream) const;
  Progress done(cudaStream_t stream) const;
  Progress done_by_default() const;

  std::map<cudaStream_t, Stream> streams_;  // without the default streams
  std::map<cudaEvent_t, Progress> events_;
  std::map<std::uint64_t, std::uint64_t> begun_;  // by stream, including destroyed streams
  Progress host_;
  Progress default_;  // of the default streams, and of blocking streams that were destroyed
  std::uint64_t last_id_ = 0;
};

// The pieces of memory whose bounds are known (lent tensors, allocations, shared variables, and the variables
// of the contestant's library), and who last touched each part of them.

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

  void forget() { cells_.clear(); }

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

  void mark_unwritten() { unwritten.assign(bytes(), true); }
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
  template <class Predicate>
  void remove_if(Predicate predicate) {
    cache_.fill(nullptr);
    std::erase_if(regions_, [&](const auto& entry) { return predicate(*entry.second); });
  }

 private:
  static constexpr std::size_t cached_pages = 1024;
  static std::size_t slot(std::uintptr_t address) { return (address >> 8) % cached_pages; }

  std::map<std::uintptr_t, std::unique_ptr<Region>> regions_;
  std::array<Region*, cached_pages> cache_{};  // by address
};

}  // namespace kgrade_emulated
