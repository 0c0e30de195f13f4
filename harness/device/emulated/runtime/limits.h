// The limits of launches: those of compute capability 9.0 (Programming Guide, "Technical Specifications per
// Compute Capability"), and those that cudaFuncSetAttribute() sets for a kernel. This file also has the
// limits of memory and stacks of a program, and the functions for a program that exceeds them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/emulated/runtime/emulated_runtime.h"

namespace kgrade_emulated::limits {

inline constexpr unsigned int threads_per_block = 1024;
inline constexpr unsigned int block_x = 1024;
inline constexpr unsigned int block_y = 1024;
inline constexpr unsigned int block_z = 64;
inline constexpr unsigned int grid_x = 2147483647;
inline constexpr unsigned int grid_y = 65535;
inline constexpr unsigned int grid_z = 65535;
inline constexpr std::size_t shared_bytes_per_block = 48 * 1024;
inline constexpr std::size_t shared_bytes_per_block_opt_in = 227 * 1024;
inline constexpr std::size_t shared_bytes_per_multiprocessor = 228 * 1024;
inline constexpr int threads_per_multiprocessor = 2048;
inline constexpr int blocks_per_multiprocessor = 32;
inline constexpr int registers = 65536;
inline constexpr std::size_t constant_bytes = 64 * 1024;

// The stack of one thread of a block: the 512 KiB of local memory that a thread has on a GPU, and room for
// data that only the host's code puts there.
inline constexpr std::size_t thread_stack_bytes = 576 * 1024;
// Inaccessible memory below a stack. A frame that is larger than this memory could skip it unnoticed.
// Therefore, this memory is larger than any frame without an array.
inline constexpr std::size_t stack_guard_bytes = 64 * 1024;
// Inaccessible memory behind the dynamic shared memory of a block: as much as a block can have on a GPU.
inline constexpr std::size_t shared_guard_bytes = 256 * 1024;
// Address space for a stack and its guard, with room for stacks to begin at different offsets.
inline constexpr std::size_t stack_mapping_bytes = thread_stack_bytes + stack_guard_bytes + 320 * 1024;
// Memory for a host thread's own stack and heap.
inline constexpr std::size_t host_thread_bytes = 16 << 20;
// Memory for a host thread that runs a block: its own, and the stacks of the block's threads.
inline constexpr std::size_t stack_bytes_per_host_thread =
    threads_per_block * stack_mapping_bytes + host_thread_bytes;

// Device memory of a program, besides the buffers lent to it. Cases for this device take megabytes, so this
// size is enough for any workspace, and three workers fit into a laptop with 8 GiB. At most half of the
// machine's memory is used.
inline constexpr std::size_t device_memory_bytes = std::size_t{2} << 30;
// Private memory of a worker beyond its device memory: its libraries, and allocations of host code.
inline constexpr std::size_t host_memory_bytes = std::size_t{1} << 30;
// The limit of the host's stack. It is Linux's default, and is set even for users who have no limit.
inline constexpr std::size_t host_stack_bytes = 8 << 20;
// The limit of a file's size. A contestant has no file to write, but its libraries may write files.
inline constexpr std::size_t file_bytes = 16 << 20;

}  // namespace kgrade_emulated::limits

namespace kgrade_emulated {

// Dynamic shared memory that a launch may ask for: 48 KiB unless the kernel has opted in to more. An unknown
// kernel (null) gets the maximum.
std::size_t most_dynamic_shared_bytes(const void* function);

// Shared memory of a block, its static variables included. Static variables are known only when a block
// reaches them, so they cannot make a launch fail as on a GPU (cudaErrorInvalidValue). Instead the block ends
// in a fault.
std::size_t most_shared_bytes(const void* function);

// Reports that the program has exceeded its limit of `bytes`. Safe in a signal handler.
[[noreturn]] void limit_reached(Limit limit, std::size_t bytes);

// Raises the limit of this process's private memory (RLIMIT_DATA) by `bytes`, or to its maximum if that is
// less. With it, the stacks that the device itself allocates do not count against the program. Does nothing
// if there is no limit.
void make_room_for(std::size_t bytes);

// The calling thread's own stack up to the size that it may reach. Empty if it is unknown.
struct NativeStack {
  std::uintptr_t lowest;
  std::size_t bytes;
};
NativeStack native_stack_of_this_thread();

// Gives the calling thread a stack for signal handlers, which cannot run on the thread's own stack when that
// is full.
void use_signal_stack();

}  // namespace kgrade_emulated
