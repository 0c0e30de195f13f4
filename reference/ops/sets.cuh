// Sets of elements of a tensor that an operator takes together, such as a row, a channel of all samples, or
// everything. This header also divides sets among blocks of threads, and has sums over sets.
#pragma once

#include "ops/launch.cuh"

namespace ops {

// A tensor of shape (outer, length, inner, run), in which the elements along `length` and `run` belong
// together. There are outer * inner sets.
//   rows of a matrix                  outer = rows, run = columns
//   an axis in the middle outer = axes before it, length = the axis, inner = axes after it
//   a channel of all samples          length = batch, inner = channels, run = positions
//   the whole tensor                  run = its elements
struct Sets {
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  std::int64_t run = 1;

  __host__ __device__ std::int64_t count() const { return outer * inner; }
  __host__ __device__ std::int64_t size() const { return length * run; }

  // Where element i of a set is in the tensor.
  __device__ std::int64_t offset(std::int64_t set, std::int64_t i) const {
    return (set / inner * length * inner + set % inner) * run + distance(i);
  }

 private:
  // From the first element of a set to element i. Most sets need no division, which takes longer than reading
  // an element.
  __device__ std::int64_t distance(std::int64_t i) const {
    if (length == 1) return i;
    if (run == 1) return i * inner;
    return i / run * inner * run + i % run;
  }
};

// How blocks of threads divide sets into chunks. A chunk has a team of threads. A block has several teams,
// for neighbouring sets, if these are short or if their elements alternate in memory. In the second case,
// neighbouring threads belong to different teams, because they read neighbouring addresses.
struct SetBlocks {
  Sets sets;
  std::int64_t chunk;  // elements of a set
  int team = 1;        // threads, a power of two
  int spacing = 1;     // from a thread to the next of its team, a power of two

  __host__ __device__ int teams() const { return threads_per_block / team; }
  __host__ __device__ std::int64_t chunks_of_set() const { return (sets.size() + chunk - 1) / chunk; }
  unsigned count() const {
    return static_cast<unsigned>((sets.count() + teams() - 1) / teams() * chunks_of_set());
  }

  // The number of this thread in its team, and of the team in the block.
  __device__ int member() const { return static_cast<int>(threadIdx.x) / spacing % team; }
  __device__ int team_number() const {
    return static_cast<int>(threadIdx.x) / (spacing * team) * spacing +
           static_cast<int>(threadIdx.x) % spacing;
  }
};

// Each team has a whole set.
inline SetBlocks whole_sets(const Sets& sets) {
  const int most_spacing = 32;  // threads that read memory together
  SetBlocks blocks{sets, sets.size()};
  while (sets.run == 1 && blocks.spacing < most_spacing && 2 * blocks.spacing <= sets.inner)
    blocks.spacing *= 2;
  while (blocks.team < smaller(threads_per_block / blocks.spacing, sets.size())) blocks.team *= 2;
  return blocks;
}

// The most terms that a thread adds in a row: so few that single precision does not suffer.
constexpr int terms_of_thread = 32;

// Each team has as many elements as its threads should add.
inline SetBlocks chunks_of_sets(const Sets& sets) {
  SetBlocks blocks = whole_sets(sets);
  blocks.chunk = terms_of_thread * blocks.team;
  return blocks;
}

// The work of this thread: the elements begin, begin + team, ... before end of a set.
struct Share {
  std::int64_t set;
  std::int64_t chunk;  // number in the set
  std::int64_t begin;
  std::int64_t end;
  bool writes;  // the results of its team
};

// Teams without a set have no elements.
__device__ inline Share share_of(const SetBlocks& blocks) {
  const std::int64_t chunks = blocks.chunks_of_set();
  const std::int64_t set = blockIdx.x / chunks * blocks.teams() + blocks.team_number();
  const bool is_set = set < blocks.sets.count();
  const std::int64_t chunk = blockIdx.x % chunks, first = chunk * blocks.chunk;
  const std::int64_t end = is_set ? smaller(first + blocks.chunk, blocks.sets.size()) : 0;
  return {set, chunk, first + blocks.member(), end, is_set && blocks.member() == 0};
}

// Combines one item from each thread of a team by Operation::both, in the same order every time.
template <class Operation, class Item>
__device__ Item combine_in_team(Item item, const SetBlocks& blocks) {
  __shared__ Item partial[threads_per_block];
  const int thread = static_cast<int>(threadIdx.x), member = blocks.member();
  partial[thread] = item;
  __syncthreads();
  for (int half = blocks.team / 2; half > 0; half /= 2) {
    if (member < half)
      partial[thread] = Operation::both(partial[thread], partial[thread + half * blocks.spacing]);
    __syncthreads();
  }
  const Item all = partial[thread - member * blocks.spacing];
  __syncthreads();  // before the next call writes to `partial`
  return all;
}

struct Add {
  __device__ static accumulator none() { return 0; }
  __device__ static accumulator both(accumulator a, accumulator b) { return a + b; }
};

template <class Term>
__global__ void sum_chunks_kernel(Term term, accumulator* sums, SetBlocks blocks) {
  const Share share = share_of(blocks);
  accumulator sum = 0;
  for (std::int64_t i = share.begin; i < share.end; i += blocks.team)
    sum += term(blocks.sets.offset(share.set, i), share.set);
  sum = combine_in_team<Add>(sum, blocks);
  if (share.writes) sums[share.set * blocks.chunks_of_set() + share.chunk] = sum;
}

// The element itself, as a term.
struct Stored {
  const accumulator* values;
  __device__ accumulator operator()(std::int64_t offset, std::int64_t) const { return values[offset]; }
};

// sums[set] = the sum of term(offset, set) over the elements of each set. The sums of the chunks of a large
// set are added in the same way.
template <class Term>
void sum_sets(const Term& term, accumulator* sums, const Sets& sets) {
  const SetBlocks blocks = chunks_of_sets(sets);
  const std::int64_t chunks = blocks.chunks_of_set();
  if (chunks == 1) {
    sum_chunks_kernel<<<blocks.count(), threads_per_block>>>(term, sums, blocks);
    return;
  }
  const Intermediate partial(sets.count() * chunks);
  if (partial.data() == nullptr) return;
  sum_chunks_kernel<<<blocks.count(), threads_per_block>>>(term, partial.data(), blocks);
  Sets rows;
  rows.outer = sets.count();
  rows.run = chunks;
  sum_sets(Stored{partial.data()}, sums, rows);
}

}  // namespace ops
