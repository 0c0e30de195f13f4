// The kernels of the baselines, behind functions: all else is host code, which a host compiler builds alone
// and beside them (kernels.cu). All of them queue on the legacy default stream.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace baseline {

// Every `step`-th value of a tensor, `number` of them, for comparing it with another.
void sample(const float* tensor, float* samples, std::int64_t step, std::int64_t number);

// Transposes `matrices` matrices (rows, columns). False when there are more than a grid can have, or the
// launch fails.
bool transpose(const float* from, float* to, std::int64_t matrices, std::int64_t rows, std::int64_t columns);

// Each plane of a tensor (batch, channels, positions) times its channel's weight, plus its bias. False when
// the launch fails.
bool scale_channels(const float* input, const float* weight, const float* bias, float* output, int batch,
                    int channels, int positions);

}  // namespace baseline
