// Heap blocks with room around them while a run is checked: what is touched there belongs to no other block.
#pragma once

#include <cstddef>

namespace kgrade_emulated {

// Around a block on either side; 0 when nothing is checked.
std::size_t spacing();

// Null when there is no memory. `alignment` is a power of two, at most 4096.
void* allocate_spaced(std::size_t alignment, std::size_t bytes);
void free_spaced(void* memory);  // null is fine

// What fresh device and shared memory is filled with: floats of it are NaN.
constexpr int unwritten_byte = 0xff;

}  // namespace kgrade_emulated
