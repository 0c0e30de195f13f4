// Copies by a group (Programming Guide, "Cooperative Groups", "memcpy_async"). Each thread copies its share
// at once; as on a GPU, all threads see the copy when the group has waited.
#pragma once

#include "cooperative_groups.h"
#include "kgrade_emulated/libcu.h"

namespace cooperative_groups {

// `bytes` may be a cuda::aligned_size_t.
template <class Group, class T, class U, class Bytes>
void memcpy_async(const Group& group, T* destination, const U* source, const Bytes& bytes) {
  kgrade_emulated::copy_share(group, destination, source, bytes);
}

// Counts of elements: the smaller one is copied.
template <class Group, class T, class DestinationCount, class SourceCount>
void memcpy_async(const Group& group, T* destination, const DestinationCount& room, const T* source,
                  const SourceCount& count) {
  const auto to = static_cast<std::size_t>(room), from = static_cast<std::size_t>(count);
  kgrade_emulated::copy_share(group, destination, source, (to < from ? to : from) * sizeof(T));
}

template <class Group>
void wait(const Group& group) {
  group.sync();
}
template <unsigned int Stages, class Group>
void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
