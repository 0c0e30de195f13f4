// Reductions over sets of elements (ops/sets.cuh), such as the elements along one axis: sum, mean, product,
// largest and smallest element, and the places of these two. A set is reduced in the same order every time.
#pragma once

#include "ops/sets.cuh"

namespace ops {

struct Sum {
  using Item = accumulator;
  __device__ static Item none() { return 0; }
  __device__ static Item of(accumulator value, std::int64_t) { return value; }
  __device__ static Item both(Item a, Item b) { return a + b; }
  __device__ static accumulator result(Item sum, std::int64_t) { return sum; }
};

struct Mean : Sum {
  __device__ static accumulator result(Item sum, std::int64_t count) { return sum / static_cast<accumulator>(count); }
};

struct Product {
  using Item = accumulator;
  __device__ static Item none() { return 1; }
  __device__ static Item of(accumulator value, std::int64_t) { return value; }
  __device__ static Item both(Item a, Item b) { return a * b; }
  __device__ static accumulator result(Item product, std::int64_t) { return product; }
};

// An element and its number in its set; -1: none.
struct Placed {
  accumulator value;
  std::int64_t place;
};

struct Larger {
  __device__ static bool is_first(accumulator a, accumulator b) { return a > b; }
};

struct Less {
  __device__ static bool is_first(accumulator a, accumulator b) { return a < b; }
};

// The largest or smallest element; the first one if several are equal.
template <class Order>
struct FirstPlaced {
  using Item = Placed;
  __device__ static Item none() { return {0, -1}; }
  __device__ static Item of(accumulator value, std::int64_t place) { return {value, place}; }
  __device__ static Item both(Item a, Item b) {
    if (a.place < 0 || b.place < 0) return a.place < 0 ? b : a;
    if (a.value == b.value) return a.place < b.place ? a : b;
    return Order::is_first(a.value, b.value) ? a : b;
  }
};

// The result from a placed element: its value, or its place.
template <class Fold>
struct ValueOf : Fold {
  __device__ static accumulator result(Placed item, std::int64_t) { return item.value; }
};

template <class Fold>
struct PlaceOf : Fold {
  __device__ static int result(Placed item, std::int64_t) { return static_cast<int>(item.place); }
};

using Largest = ValueOf<FirstPlaced<Larger>>;
using Smallest = ValueOf<FirstPlaced<Less>>;
using PlaceOfLargest = PlaceOf<FirstPlaced<Larger>>;
using PlaceOfSmallest = PlaceOf<FirstPlaced<Less>>;

template <class Fold, class Output>
__global__ void reduce_kernel(const element* input, Output* output, SetBlocks blocks) {
  const Share share = share_of(blocks);
  typename Fold::Item mine = Fold::none();
  for (std::int64_t i = share.begin; i < share.end; i += blocks.team)
    mine = Fold::both(mine, Fold::of(static_cast<accumulator>(input[blocks.sets.offset(share.set, i)]), i));
  const typename Fold::Item all = combine_in_team<Fold>(mine, blocks);
  if (share.writes) output[share.set] = static_cast<Output>(Fold::result(all, blocks.sets.size()));
}

// reduce<Sum>(...): output[set] of each set.
template <class Fold, class Output>
void reduce(const element* input, Output* output, const Sets& sets) {
  const SetBlocks blocks = whole_sets(sets);
  reduce_kernel<Fold><<<blocks.count(), threads_per_block>>>(input, output, blocks);
}

}  // namespace ops
