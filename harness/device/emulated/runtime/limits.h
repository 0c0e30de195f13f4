// What a launch may ask for: compute capability 9.0 (Programming Guide, "Technical Specifications per Compute
// Capability"), and what cudaFuncSetAttribute() has said of a kernel; what a program may use, and what
// happens when it asks for more.
#pragma once

#include <cstddef>

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
// what only the host's code puts there.
inline constexpr std::size_t thread_stack_bytes = 576 * 1024;
// Inaccessible below it: more than a frame that is no array takes, since nothing else stops one that is
// larger.
inline constexpr std::size_t stack_guard_bytes = 64 * 1024;
// Address space for both, and for stacks to begin at different places in it.
inline constexpr std::size_t stack_mapping_bytes = thread_stack_bytes + stack_guard_bytes + 320 * 1024;
// What a thread of the host needs for the blocks that it runs: the stacks of a block, its own, and its heap.
inline constexpr std::size_t host_thread_bytes = 16 << 20;
inline constexpr std::size_t stack_bytes_per_host_thread =
    threads_per_block * stack_mapping_bytes + host_thread_bytes;

// Device memory of a program, besides the buffers lent to it: cases for this device are of megabytes, so that
// this is any workspace for one, and three workers fit into a laptop of 8 GiB. Half of the machine's memory
// where that is less.
inline constexpr std::size_t device_memory_bytes = std::size_t{2} << 30;
// Private memory of a worker beyond that: its libraries, and what host code allocates.
inline constexpr std::size_t host_memory_bytes = std::size_t{1} << 30;
// Linux's default, set for users who have none.
inline constexpr std::size_t host_stack_bytes = 8 << 20;
// A contestant has no file to write; this is for what its libraries may.
inline constexpr std::size_t file_bytes = 16 << 20;

}  // namespace kgrade_emulated::limits

namespace kgrade_emulated {

// Dynamic shared memory that a launch may ask for: 48 KiB unless the kernel has opted in to more. A kernel
// that is not known (null) gets all there is.
std::size_t most_dynamic_shared_bytes(const void* function);

// Shared memory of a block, its static variables included. Those are known only as a block comes to them, so
// that a launch cannot be refused for them as on a GPU (cudaErrorInvalidValue): the block then ends in a
// fault.
std::size_t most_shared_bytes(const void* function);

// The program has asked for more than it may have, `bytes`. Safe in a signal handler.
[[noreturn]] void limit_reached(Limit limit, std::size_t bytes);

// The device's own stacks do not count: raises a limit of this process's private memory (RLIMIT_DATA), if
// there is one, as far as it may.
void make_room_for(std::size_t bytes);

// Gives the calling thread a stack for signal handlers, since there is none to run on when its own is full.
void use_signal_stack();

}  // namespace kgrade_emulated
