// Prefix sums of a group (Programming Guide, "Cooperative Groups", "inclusive_scan and exclusive_scan").
#pragma once

#include "cooperative_groups/reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Operation>
T inclusive_scan(const Group& group, T value, Operation operation) {
  return kgrade_emulated::fold(group, value, group.thread_rank() + 1, value, operation);
}
template <class Group, class T>
T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

// The first thread gets T{}, which a GPU promises for plus alone.
template <class Group, class T, class Operation>
T exclusive_scan(const Group& group, T value, Operation operation) {
  return kgrade_emulated::fold(group, value, group.thread_rank(), T{}, operation);
}
template <class Group, class T>
T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
