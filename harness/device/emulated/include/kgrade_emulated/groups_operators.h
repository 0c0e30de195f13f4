// What groups combine values with, and how.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

// less and greater give the smaller and the greater of two.
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

// The values of the threads with ranks below `end`, combined in order; `none` when there are none.
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
