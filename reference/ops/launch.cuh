// How the operators distribute their work: one thread for each output position.
//
// Tensors are seen as planes: a plane has all positions of one channel of one sample. The x axis of the grid
// covers the positions of a plane, so that neighbouring threads work on neighbouring addresses. The y axis
// covers the planes, in several rounds if there are more than a grid can have.
#pragma once

#include "ops/types.cuh"

namespace ops {

constexpr int threads_per_block = 256;

// std::min without its header, which takes as long to compile as the operators themselves.
__host__ __device__ constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

inline dim3 plane_grid(std::int64_t planes, std::int64_t positions) {
  const std::int64_t blocks_of_a_plane = (positions + threads_per_block - 1) / threads_per_block;
  const std::int64_t most_rows = 65535;  // the limit of gridDim.y
  return dim3(static_cast<unsigned>(blocks_of_a_plane), static_cast<unsigned>(smaller(planes, most_rows)));
}

// The number of blocks for kernels whose threads take further elements if there are more than threads.
inline unsigned elementwise_blocks(std::int64_t count) {
  const std::int64_t most_blocks = 1 << 20;
  return static_cast<unsigned>(smaller((count + threads_per_block - 1) / threads_per_block, most_blocks));
}

// The position of this thread in its plane; it may be past the end.
__device__ inline std::int64_t position_in_plane() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// Memory for an intermediate tensor. It is freed in stream order when the object is destroyed, so nothing
// waits for the device, and a whole solution can be queued ahead. Without memory `data()` is null, and
// cudaGetLastError() says why.
class Intermediate {
 public:
  explicit Intermediate(std::int64_t count) {
    void* memory = nullptr;
    if (cudaMallocAsync(&memory, static_cast<std::size_t>(count) * sizeof(accumulator), nullptr) ==
        cudaSuccess) {
      data_ = static_cast<accumulator*>(memory);
    }
  }
  ~Intermediate() {
    if (data_ != nullptr) cudaFreeAsync(data_, nullptr);
  }
  Intermediate(const Intermediate&) = delete;
  Intermediate& operator=(const Intermediate&) = delete;

  accumulator* data() const { return data_; }

 private:
  accumulator* data_ = nullptr;
};

}  // namespace ops
