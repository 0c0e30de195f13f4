// Reductions of a group (Programming Guide, "Cooperative Groups", "reduce"). Values are combined by rank.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

// The operators that combine values of a group. less and greater give the smaller and the greater of two.
#define KGRADE_OPERATOR(name, expression)                 \
  template <class T>                                      \
  struct name {                                           \
    T operator()(T a, T b) const { return (expression); } \
  };
KGRADE_OPERATOR(plus, a + b)
KGRADE_OPERATOR(less, b < a ? b : a)
KGRADE_OPERATOR(greater, a < b ? b : a)
KGRADE_OPERATOR(bit_and, a& b)
KGRADE_OPERATOR(bit_or, a | b)
KGRADE_OPERATOR(bit_xor, a ^ b)
#undef KGRADE_OPERATOR

}  // namespace cooperative_groups

namespace kgrade_emulated {

// The values of the threads with ranks below `end`, combined in order; `none` if there are no such threads.
template <class T, class Operation>
T fold(const LaneGroup& group, const T& value, unsigned int end, const T& none, Operation operation) {
  const Offers<T> offers(group.lanes(), value);
  bool first = true;
  T result = none;
  for (unsigned int lane = 0, rank = 0; lane < 32 && rank < end; ++lane) {
    if ((group.lanes() >> lane & 1u) == 0) continue;
    ++rank;
    if (offers[lane] == nullptr) continue;
    result = first ? *offers[lane] : static_cast<T>(operation(result, *offers[lane]));
    first = false;
  }
  return result;
}

template <unsigned int Size, class T, class Operation>
T fold(const WideTile<Size>& group, const T& value, unsigned int end, const T& none, Operation operation) {
  T result = none;
  group.with_offers(value, [&](const auto& offered) {
    for (unsigned int rank = 0; rank < Size && rank < end; ++rank) {
      const T& other = *static_cast<const T*>(offered[rank]);
      result = rank == 0 ? other : static_cast<T>(operation(result, other));
    }
  });
  return result;
}

}  // namespace kgrade_emulated

namespace cooperative_groups {

template <class Group, class T, class Operation>
T reduce(const Group& group, T value, Operation operation) {
  return kgrade_emulated::fold(group, value, ~0u, value, operation);
}

// The group's result goes to one place; readers wait for the group first.
template <class Group, class T, class U, class Operation>
void reduce_store_async(const Group& group, T* destination, U value, Operation operation) {
  const U result = reduce(group, value, operation);
  if (group.thread_rank() == 0) *destination = result;
}
template <class Group, class Atomic, class T, class Operation>
void reduce_store_async(const Group& group, Atomic& destination, T value, Operation operation) {
  const T result = reduce(group, value, operation);
  if (group.thread_rank() == 0) destination.store(result);
}
template <class Group, class Atomic, class T, class Operation>
void reduce_update_async(const Group& group, Atomic& destination, T value, Operation operation) {
  const T result = reduce(group, value, operation);
  if (group.thread_rank() != 0) return;
  T old = destination.load();
  while (!destination.compare_exchange_weak(old, operation(old, result))) continue;
}

}  // namespace cooperative_groups
