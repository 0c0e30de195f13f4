// Plans that compute in channels-last order, which tensor cores prefer, with the tensors brought into that
// order and back within the call.
#pragma once

#include <memory>
#include <string>

#include "baseline/library.h"
#include "baseline/plan.h"
#include "baseline/shape.h"

namespace baseline {

constexpr int tile = 32;
constexpr int tile_rows_at_once = 8;

// Transposes `blockIdx.y`-th of many matrices (rows, columns), by way of a tile in shared memory so that both
// sides are read and written in order.
__global__ void transpose_kernel(const float* __restrict__ from, float* __restrict__ to, std::int64_t rows,
                                 std::int64_t columns) {
  __shared__ float held[tile][tile + 1];  // one more: no two rows begin in the same bank
  const std::int64_t tiles_across = (columns + tile - 1) / tile;
  const std::int64_t first_row = blockIdx.x / tiles_across * tile;
  const std::int64_t first_column = blockIdx.x % tiles_across * tile;
  const std::int64_t matrix = blockIdx.y * rows * columns;
  for (int i = threadIdx.y; i < tile; i += tile_rows_at_once) {
    const std::int64_t row = first_row + i;
    const std::int64_t column = first_column + threadIdx.x;
    if (row < rows && column < columns) held[i][threadIdx.x] = from[matrix + row * columns + column];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < tile; i += tile_rows_at_once) {
    const std::int64_t row = first_row + threadIdx.x;
    const std::int64_t column = first_column + i;
    if (row < rows && column < columns) to[matrix + column * rows + row] = held[threadIdx.x][i];
  }
}

inline bool transpose(const float* from, float* to, std::int64_t matrices, std::int64_t rows,
                      std::int64_t columns) {
  constexpr std::int64_t most_blocks_across = 2147483647;
  constexpr std::int64_t most_blocks_down = 65535;
  const std::int64_t tiles = ((rows + tile - 1) / tile) * ((columns + tile - 1) / tile);
  if (tiles > most_blocks_across || matrices > most_blocks_down) return false;
  const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(matrices));
  transpose_kernel<<<grid, dim3(tile, tile_rows_at_once)>>>(from, to, rows, columns);
  return ok(cudaPeekAtLastError());
}

// A tensor (a, channels, positions) as (a, positions, channels), and back.
inline bool to_channels_last(const float* from, float* to, const Extents& extents) {
  return transpose(from, to, extents[0], extents[1], count(extents) / (extents[0] * extents[1]));
}
inline bool from_channels_last(const float* from, float* to, const Extents& extents) {
  return transpose(from, to, extents[0], count(extents) / (extents[0] * extents[1]), extents[1]);
}

// Another plan, which works in channels-last order, between such transpositions.
class ChannelsLastPlan : public Plan {
 public:
  ChannelsLastPlan(const Convolution& shape, std::unique_ptr<Plan> plan)
      : shape_(shape), plan_(std::move(plan)) {}

  std::string name() const override { return plan_->name() + ", channels last"; }
  std::size_t workspace_bytes() const override {
    return aligned(bytes_of(shape_.image)) + aligned(bytes_of(shape_.filter)) +
           aligned(bytes_of(shape_.response)) + plan_->workspace_bytes();
  }
  bool is_plain() const override { return plan_->is_plain(); }

  bool run(const Operands& operands, void* memory) override {
    char* next = static_cast<char*>(memory);
    const auto take = [&next](const Extents& extents) {
      float* const taken = reinterpret_cast<float*>(next);
      next += aligned(bytes_of(extents));
      return taken;
    };
    const Operands inner = {take(shape_.image), take(shape_.filter), take(shape_.response)};
    if (!to_channels_last(operands.filter, inner.filter, shape_.filter)) return false;
    if (shape_.backward) {
      return to_channels_last(operands.response, inner.response, shape_.response) &&
             plan_->run(inner, next) && from_channels_last(inner.image, operands.image, shape_.image);
    }
    return to_channels_last(operands.image, inner.image, shape_.image) && plan_->run(inner, next) &&
           from_channels_last(inner.response, operands.response, shape_.response);
  }

 private:
  Convolution shape_;
  std::unique_ptr<Plan> plan_;
};

inline PlanMaker in_channels_last(const Convolution& shape, PlanMaker inner) {
  return [shape, inner = std::move(inner)]() -> std::unique_ptr<Plan> {
    auto plan = inner();
    if (plan == nullptr) return nullptr;
    return std::make_unique<ChannelsLastPlan>(shape, std::move(plan));
  };
}

}  // namespace baseline
