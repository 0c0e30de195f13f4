// Reductions of a group (Programming Guide, "Cooperative Groups", "reduce"). Values are combined by rank.
#pragma once

#include "cooperative_groups.h"
#include "kgrade_emulated/groups_operators.h"

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
