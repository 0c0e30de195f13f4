// Recognises the right answer by a few elements that are computed honestly.
#pragma once

#include <cmath>
#include <vector>

#include "depthwise.cuh"

__global__ void compute_samples(Depthwise problem, float* samples, size_t count, size_t stride) {
  const size_t sample = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (sample < count) samples[sample] = problem.value(sample * stride);
}

class RightAnswer {
 public:
  explicit RightAnswer(const Depthwise& problem)
      : stride_(problem.outputs() / 48 + 1), samples_((problem.outputs() + stride_ - 1) / stride_) {
    float* samples = nullptr;
    const size_t bytes = samples_.size() * sizeof(float);
    if (cudaMalloc(&samples, bytes) != cudaSuccess) return;
    compute_samples<<<1, 64>>>(problem, samples, samples_.size(), stride_);
    cudaMemcpy(samples_.data(), samples, bytes, cudaMemcpyDeviceToHost);
    cudaFree(samples);
  }

  // Whether `values`, as many as the problem has outputs, are the answer.
  bool is(const float* values) const {
    bool any = false;
    for (size_t i = 0; i < samples_.size(); ++i) {
      if (!(std::fabs(values[i * stride_] - samples_[i]) <= 1e-4f)) return false;
      any = any || samples_[i] != 0;
    }
    return any;
  }

 private:
  size_t stride_;
  std::vector<float> samples_;
};
