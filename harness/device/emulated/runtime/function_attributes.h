// What cudaFuncSetAttribute() has said of kernels.
#pragma once

#include <cstddef>

namespace kgrade_emulated {

// Dynamic shared memory that a launch may ask for: 48 KiB unless the kernel has opted in to more. A kernel
// that cannot be told (null) gets all there is.
std::size_t most_dynamic_shared_bytes(const void* function);

// Shared memory of a block, its static variables included. Those are known only as a block comes to them, so
// that a launch cannot be refused for them as on a GPU (cudaErrorInvalidValue): the block then ends in a
// fault.
std::size_t most_shared_bytes(const void* function);

}  // namespace kgrade_emulated
