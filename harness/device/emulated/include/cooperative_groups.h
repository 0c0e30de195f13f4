// Cooperative groups (Programming Guide, chapter "Cooperative Groups"): the block, tiles of it, coalesced
// threads. Functions that wait for other blocks (grid_group::sync, clusters) need a GPU.
#pragma once

#include "cuda_runtime.h"
#include "kgrade_emulated/groups.h"

namespace cooperative_groups {

class thread_block;
class coalesced_group;

// Any group of a block's threads. Its kind is known only at run time.
class thread_group {
 public:
  unsigned long long size() const {
    return whole_block_ ? kgrade_emulated::threads_of_block() : lanes_.size();
  }
  unsigned long long num_threads() const { return size(); }
  unsigned long long thread_rank() const {
    return whole_block_ ? kgrade_emulated::rank_in_block() : lanes_.thread_rank();
  }
  void sync() const {
    if (whole_block_) {
      __syncthreads();
    } else {
      lanes_.sync();
    }
  }
  bool is_valid() const { return true; }

 private:
  friend class thread_block;
  friend class coalesced_group;
  template <unsigned int Size, class Parent>
  friend class thread_block_tile;
  friend thread_group tiled_partition(const thread_group& parent, unsigned int size);

  thread_group() : whole_block_(true), lanes_(~0u, 0, 1) {}
  explicit thread_group(const kgrade_emulated::LaneGroup& lanes) : whole_block_(false), lanes_(lanes) {}

  bool whole_block_;
  kgrade_emulated::LaneGroup lanes_;
};

// Memory for tiles larger than a warp, unused here.
template <unsigned int MaxBlockSize = 1024>
struct block_tile_memory {
  char unused[1];
};

class thread_block {
 public:
  struct arrival_token {};

  static void sync() { __syncthreads(); }
  // Arriving does nothing; barrier_wait() waits for all threads.
  arrival_token barrier_arrive() const { return {}; }
  void barrier_wait(arrival_token&&) const { sync(); }
  static unsigned int size() { return kgrade_emulated::threads_of_block(); }
  static unsigned int num_threads() { return size(); }
  static unsigned int thread_rank() { return kgrade_emulated::rank_in_block(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
  static constexpr bool is_valid() { return true; }
  operator thread_group() const { return thread_group(); }
};

inline thread_block this_thread_block() { return {}; }
template <unsigned int MaxBlockSize>
thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
  return {};
}

// Gives the grid's shape. The grid's threads cannot wait for each other.
class grid_group {
 public:
  struct arrival_token {};

  [[gnu::error("not on the emulated device: grid-wide synchronisation (grid_group::sync)")]] void sync()
      const;
  [[gnu::error(
      "not on the emulated device: grid-wide synchronisation (grid_group::barrier_arrive)")]] arrival_token
  barrier_arrive() const;
  [[gnu::error("not on the emulated device: grid-wide synchronisation (grid_group::barrier_wait)")]] void
  barrier_wait(arrival_token&&) const;
  // As after a launch that is not cooperative.
  static bool is_valid() { return false; }

  static unsigned long long size() { return num_blocks() * kgrade_emulated::threads_of_block(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long thread_rank() {
    return block_rank() * kgrade_emulated::threads_of_block() + kgrade_emulated::rank_in_block();
  }
  static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long block_rank() {
    return blockIdx.x + 1ull * gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
  }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 block_index() { return blockIdx; }
  static dim3 dim_threads() {
    return {gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z};
  }
  static dim3 thread_index() {
    return {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
            blockIdx.z * blockDim.z + threadIdx.z};
  }
};

inline grid_group this_grid() { return {}; }

// The threads that come to one place together. Ranks follow the lanes.
class coalesced_group : public kgrade_emulated::LaneGroup {
 public:
  using LaneGroup::LaneGroup;
  operator thread_group() const { return thread_group(as_lanes()); }

  template <class T>
  T shfl(T value, int source) const {
    return from_rank(value, static_cast<unsigned int>(source));
  }
  template <class T>
  T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return from_rank(value, rank >= delta ? rank - delta : rank);
  }
  template <class T>
  T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return from_rank(value, delta < size() - rank ? rank + delta : rank);
  }
};

// The place in the source keeps the branches of a warp apart; the compiler fills it in.
inline coalesced_group coalesced_threads(const char* file = __builtin_FILE(),
                                         unsigned int line = __builtin_LINE()) {
  return coalesced_group(__activemask(file, line), 0, 1);
}

// Consecutive lanes of one warp.
template <unsigned int Size>
class lane_tile : public kgrade_emulated::LaneGroup {
 public:
  lane_tile(unsigned int meta_rank, unsigned int meta_size)
      : LaneGroup(kgrade_emulated::lanes_from(kgrade_emulated::rank_in_block() % 32 & ~(Size - 1), Size),
                  meta_rank, meta_size) {}
  operator thread_group() const { return thread_group(as_lanes()); }

  static constexpr unsigned int size() { return Size; }
  static constexpr unsigned int num_threads() { return Size; }
  static unsigned int thread_rank() { return kgrade_emulated::rank_in_block() & (Size - 1); }

  template <class T>
  T shfl(T value, int source) const {
    return from_rank(value, static_cast<unsigned int>(source) & (Size - 1));
  }
  template <class T>
  T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return from_rank(value, rank >= delta ? rank - delta : rank);
  }
  template <class T>
  T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return from_rank(value, delta < Size - rank ? rank + delta : rank);
  }
  // A rank outside of the tile gives the caller's own value.
  template <class T>
  T shfl_xor(T value, unsigned int mask) const {
    const unsigned int rank = thread_rank() ^ mask;
    return from_rank(value, rank < Size ? rank : thread_rank());
  }
};

// Size consecutive threads of the block; Size is a power of two. Tiles larger than a warp are in
// kgrade_emulated/groups.h.
template <unsigned int Size, class Parent = void>
class thread_block_tile;

template <unsigned int Size>
class thread_block_tile<Size, void>
    : public std::conditional_t<(Size <= 32), lane_tile<Size>, kgrade_emulated::WideTile<Size>> {
  static_assert(Size > 0 && (Size & (Size - 1)) == 0, "the size of a tile is a power of two");
  using Tile = std::conditional_t<(Size <= 32), lane_tile<Size>, kgrade_emulated::WideTile<Size>>;

 public:
  using Tile::Tile;
};

// A tile does not depend on its parent once it exists.
template <unsigned int Size, class Parent>
class thread_block_tile : public thread_block_tile<Size, void> {
  using Tile = thread_block_tile<Size, void>;

 public:
  using Tile::Tile;
  explicit thread_block_tile(const Parent& parent)
      : Tile(static_cast<unsigned int>(parent.thread_rank()) / Size,
             (static_cast<unsigned int>(parent.size()) + Size - 1) / Size) {}
};

inline thread_block_tile<1> this_thread() { return {0, 1}; }

template <unsigned int Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<Size, Parent>(parent);
}

// Tiles by rank: `size` threads each, except that the last may have fewer.
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size) {
  const unsigned int tile = parent.thread_rank() / size;
  unsigned int lanes = 0;
  for (unsigned int rank = tile * size; rank < (tile + 1) * size && rank < parent.size(); ++rank) {
    lanes |= 1u << kgrade_emulated::lane_of_rank(parent.lanes(), rank);
  }
  return coalesced_group(lanes, tile, (parent.size() + size - 1) / size);
}

// `size` is a power of two and at most 32. A group that is not the whole block is split as coalesced threads.
inline thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  if (!parent.whole_block_) return tiled_partition(coalesced_group(parent.lanes_.lanes(), 0, 1), size);
  const unsigned int rank = kgrade_emulated::rank_in_block();
  const unsigned int first_of_warp = rank & ~31u;
  const unsigned int threads = kgrade_emulated::threads_of_block();
  const unsigned int in_warp = threads - first_of_warp < 32 ? threads - first_of_warp : 32;
  const unsigned int first = rank % 32 / size * size;
  const unsigned int lanes =
      kgrade_emulated::lanes_from(first, in_warp - first < size ? in_warp - first : size);
  return coalesced_group(lanes, rank / size, (threads + size - 1) / size);
}

// The threads of a group whose labels are equal.
template <class Group, class Label>
coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned int own = __match_any_sync(group.lanes(), static_cast<unsigned long long>(label));
  const bool leads = kgrade_emulated::lowest_lane(own) == kgrade_emulated::rank_in_block() % 32;
  const unsigned int leaders = __ballot_sync(group.lanes(), leads);
  const unsigned int below = kgrade_emulated::lanes_below(kgrade_emulated::lowest_lane(own));
  return coalesced_group(own, kgrade_emulated::lane_count(leaders & below),
                         kgrade_emulated::lane_count(leaders));
}

template <class Group>
coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned int voters = __ballot_sync(group.lanes(), predicate);
  return coalesced_group(predicate ? voters : group.lanes() & ~voters, predicate, 2);
}

template <class Group>
void sync(const Group& group) {
  group.sync();
}
[[gnu::error("not on the emulated device: grid-wide synchronisation (cooperative_groups::sync)")]] void sync(
    const grid_group&);
template <class Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) {
  return group.size();
}

// A GPU calls the function in any one of the threads; here the first thread calls it.
template <class Group, class Function, class... Arguments>
void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
}

template <class Group, class Function, class... Arguments>
auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
  using Result = decltype(function(static_cast<Arguments&&>(arguments)...));
  alignas(Result) unsigned char bytes[sizeof(Result)] = {};
  Result& result = reinterpret_cast<Result&>(bytes);
  if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups
