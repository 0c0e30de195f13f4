// Findings that a checked worker notes while its contestant runs, in memory that the referee lends: entries
// survive the end of the worker. Entries are believed only if they accuse the contestant itself. read_book()
// returns only well-formed entries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace kgrade {

enum class FindingKind : std::uint32_t {
  out_of_bounds = 1,       // an access beyond an allocation or a shared variable; see `distance`
  invalid_address = 2,     // a kernel touches memory that is not the device's (the host's, a null pointer)
  uninitialized_read = 3,  // a read of memory that was never written
  race = 4,                // two unordered accesses, at least one of them a write; see `other`
  misaligned_access = 5,
  divergent_barrier = 6,  // some threads never reach a barrier, or wait at another one; see `waits`
  warp_mask = 7,          // the mask of a *_sync operation leaves out the caller, or a lane that is read
  leak = 8,               // device memory that every call leaves allocated
  host_access = 9,        // host code dereferences a pointer to device memory
  unjoined_stream = 10,   // work in a stream that nothing joins before the contestant returns
};
inline constexpr std::uint32_t last_finding_kind = 10;

enum class MemorySpace : std::uint32_t { unknown = 0, global = 1, shared = 2, constant = 3, host = 4 };

struct FoundThread {
  std::uint32_t block[3] = {};
  std::uint32_t thread[3] = {};
};

// The number of kept calls around an instruction, innermost first. They should reach the contestant's own
// code, which calls the functions of the device's headers from further out.
inline constexpr std::size_t most_callers = 6;

// A contestant in Python may have several libraries, its extensions, in the order in which they were built. A
// place is the offset in a library, with the library's number (from 0) in the bits above. So the places of a
// contestant with one library are plain offsets.
inline constexpr unsigned int library_shift = 26;
inline constexpr std::uint64_t most_libraries = 64;
constexpr std::uint64_t library_of(std::uint64_t pc) { return pc >> library_shift; }
constexpr std::uint64_t offset_in_library(std::uint64_t pc) {
  return pc & ((std::uint64_t{1} << library_shift) - 1);
}

struct FoundAccess {
  std::uint64_t pc = 0;  // place of the next instruction in the contestant's library; 0: unknown
  std::uint64_t callers[most_callers] = {};  // places of the calls that led to it
  FoundThread by;
  std::uint32_t write = 0;
  std::uint32_t atomic = 0;
};

// Threads of one block that wait at the same place.
struct FoundWait {
  std::uint64_t pc = 0;
  std::uint64_t callers[most_callers] = {};
  std::uint32_t threads = 0;    // how many; 0 ends the list
  std::uint32_t barrier = 0;    // 1: for all threads of the block; 0: for lanes of their warp
  std::uint32_t first[3] = {};  // threadIdx of the first thread
  std::uint32_t mask = 0;       // of a warp operation
};

inline constexpr std::size_t most_waits = 6;

// The name of the object in a finding about the dynamic shared memory of a block. No variable has this name.
inline constexpr const char* dynamic_shared_object = "<dynamic>";

struct FindingEntry {
  FindingKind kind = FindingKind::out_of_bounds;
  MemorySpace space = MemorySpace::unknown;
  FoundAccess access;              // the first access that was caught; it gives the finding its place
  FoundAccess other;               // race: the earlier access; leak: `pc` is the place of the allocation
  std::uint64_t address = 0;       // of the access, in the worker
  std::uint64_t bytes = 0;         // of the access; leak: of the allocations of one call
  std::uint64_t object_bytes = 0;  // size of the allocation or variable; 0: none
  std::int64_t distance = 0;       // out_of_bounds: bytes past the object's end (>= 0) or before it (< 0)
  std::uint64_t occurrences = 1;
  std::int32_t parameter = -1;  // the problem's parameter for this tensor; -1: another allocation
  std::uint32_t outside = 0;    // out_of_bounds: how many of the bytes lie outside; 0: all
  std::uint32_t exited = 0;     // divergent_barrier: threads of the block that have returned
  std::uint32_t read_only =
      0;  // out_of_bounds: 1: a write to memory that may only be read; `distance` is unused
  // misaligned_access: 1 for a reference or a member, where the access itself may touch fewer bytes.
  std::uint32_t is_reference = 0;
  FoundWait waits[most_waits];  // divergent_barrier
  char kernel[96] = {};         // the kernel's name in the launch; empty: host code
  char object[64] = {};         // name of a shared variable; empty: unknown
};

// A place in the contestant's library, and the cost of its accesses beyond the least possible. `pc` is as in
// FoundAccess; 0: there is no place.
struct CountedPlace {
  std::uint64_t pc = 0;
  std::uint64_t excess = 0;
};

// Requests of warps to global memory.
struct GlobalCounts {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
  std::uint64_t least = 0;  // sectors that would hold the bytes
  std::uint64_t bytes = 0;  // that the threads of a warp asked for, each byte once

  std::uint64_t excess() const { return sectors > least ? sectors - least : 0; }
};

// The requests that the launches of one kernel with one grid would make to a GPU's memory in one call.
struct LaunchCounts {
  char kernel[96] = {};  // as the launch names it
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t times = 0;            // launches
  std::uint32_t incomplete = 0;       // 1: too many requests to count all of them
  std::uint64_t global_accesses = 0;  // of threads, without atomics
  std::uint64_t shared_accesses = 0;
  std::uint64_t global_atomics = 0;
  std::uint64_t shared_atomics = 0;
  std::uint64_t barriers = 0;          // of blocks
  std::uint64_t requests = 0;          // of warps, to either memory
  std::uint64_t partial_requests = 0;  // requests that only some of the warp's threads made
  GlobalCounts loads;
  GlobalCounts stores;
  std::uint64_t shared_requests = 0;
  std::uint64_t shared_passes = 0;     // over the banks
  std::uint64_t shared_conflicts = 0;  // passes beyond the least
  CountedPlace worst_load;             // by sectors beyond the least
  CountedPlace worst_store;            // by sectors beyond the least
  CountedPlace worst_shared;           // by conflicts

  std::array<CountedPlace, 3> places() const { return {worst_load, worst_store, worst_shared}; }
};
inline constexpr std::uint32_t most_counted = 64;

inline constexpr std::uint32_t finding_book_magic = 0x6b676662;  // "kgfb"
inline constexpr std::uint32_t most_findings = 64;               // the most entries, each with a count

struct FindingBook {
  std::uint32_t magic = finding_book_magic;
  std::uint32_t count = 0;
  std::uint32_t dropped = 0;       // entries that were dropped because the book was full
  std::uint32_t wants_counts = 0;  // 1: the referee asks for counts of accesses
  FindingEntry entries[most_findings];
  std::uint32_t launches = 0;  // how many entries `counts` has
  // 1: in the next call, the contestant meets the possible effects of the earlier calls' findings.
  std::uint32_t provokes = 0;
  LaunchCounts counts[most_counted];  // of the latest call
};

static_assert(std::is_trivially_copyable_v<FindingBook>);

// The well-formed entries of a book. A worker may still be writing to the book, or may have filled it with
// anything. So counts and kinds are checked, and texts are terminated.
std::vector<FindingEntry> read_book(const FindingBook& book);
std::vector<LaunchCounts> read_counts(const FindingBook& book);

}  // namespace kgrade
