// What a launch may ask for: compute capability 9.0 (Programming Guide, "Technical Specifications per Compute
// Capability").
#pragma once

#include <cstddef>

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

}  // namespace kgrade_emulated::limits
