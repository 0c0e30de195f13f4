// The baselines' kernels (kernels.cu), behind functions. Everything else is host code, which the host
// compiler builds separately, at the same time. All kernels are queued on the legacy default stream.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace baseline {

// Every `step`-th value of a tensor, `number` values in all, to compare it with another.
void sample(const float* tensor, float* samples, std::int64_t step, std::int64_t number);

// Transposes `matrices` matrices (rows, columns). False if there are more than a grid can have, or the launch
// fails.
bool transpose(const float* from, float* to, std::int64_t matrices, std::int64_t rows, std::int64_t columns);

// Each plane of a tensor (batch, channels, positions) times its channel's weight, plus its bias. False if the
// launch fails.
bool scale_channels(const float* input, const float* weight, const float* bias, float* output, int batch,
                    int channels, int positions);

}  // namespace baseline
