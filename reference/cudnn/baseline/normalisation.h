// Batch norm with the statistics of the batch, and group norm, with cuDNN's batch norm.
#pragma once

#include <optional>
#include <vector>

#include "baseline/library.h"
#include "vendor/kernels.h"
#include "vendor/stopwatch.h"

namespace baseline {

constexpr double norm_epsilon = 1e-5;

// Extents of a tensor (batch, channels, height, width), row-major.
struct Planes {
  int batch, channels, height, width;

  std::size_t positions() const { return static_cast<std::size_t>(height) * static_cast<std::size_t>(width); }
  std::size_t elements() const {
    return static_cast<std::size_t>(batch) * static_cast<std::size_t>(channels) * positions();
  }
};

// cuDNN's descriptor of such a tensor.
class PlanesDescriptor {
 public:
  explicit PlanesDescriptor(const Planes& planes)
      : good_(ok(cudnnCreateTensorDescriptor(&raw_)) &&
              ok(cudnnSetTensor4dDescriptor(raw_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, planes.batch,
                                            planes.channels, planes.height, planes.width))) {}
  ~PlanesDescriptor() {
    if (raw_ != nullptr) cudnnDestroyTensorDescriptor(raw_);
  }
  PlanesDescriptor(const PlanesDescriptor&) = delete;
  PlanesDescriptor& operator=(const PlanesDescriptor&) = delete;

  bool good() const { return good_; }
  cudnnTensorDescriptor_t raw() const { return raw_; }

 private:
  cudnnTensorDescriptor_t raw_ = nullptr;
  bool good_;
};

// Normalises each channel over batch and positions, then scales and shifts it.
class BatchNorm {
 public:
  explicit BatchNorm(const Planes& planes)
      : planes_(planes), channels_({1, planes.channels, 1, 1}), good_(planes_.good() && channels_.good()) {}

  // Finds which of cuDNN's two ways is faster for this shape; the result of one run of the other way stays in
  // `output`.
  bool choose(const float* input, const float* weight, const float* bias, float* output) {
    Stopwatch stopwatch;
    std::optional<float> best;
    for (const auto mode : {CUDNN_BATCHNORM_SPATIAL, CUDNN_BATCHNORM_SPATIAL_PERSISTENT}) {
      const auto run_it = [&] { return run_as(mode, input, weight, bias, output); };
      if (!stopwatch.time(run_it)) continue;  // may load modules
      const auto median = stopwatch.median(run_it, 7);
      if (!median || (best && *median >= *best)) continue;
      best = median;
      mode_ = mode;
    }
    return best.has_value();
  }

  bool run(const float* input, const float* weight, const float* bias, float* output) const {
    return run_as(mode_, input, weight, bias, output);
  }

 private:
  bool run_as(cudnnBatchNormMode_t mode, const float* input, const float* weight, const float* bias,
              float* output) const {
    const float one = 1;
    const float zero = 0;
    // No running statistics, none saved for a backward pass.
    return good_ &&
           ok(cudnnBatchNormalizationForwardTraining(handle(), mode, &one, &zero, planes_.raw(), input,
                                                     planes_.raw(), output, channels_.raw(), weight, bias,
                                                     1.0, nullptr, nullptr, norm_epsilon, nullptr, nullptr));
  }

  PlanesDescriptor planes_;
  PlanesDescriptor channels_;
  bool good_;
  cudnnBatchNormMode_t mode_ = CUDNN_BATCHNORM_SPATIAL;
};

// cuDNN has no group norm. Its statistics are those of a batch norm in which every group of every sample is a
// channel of one sample. There the weight is 1 and the bias 0, since the real ones belong to the real
// channels. A kernel of ours applies those in one pass; cudnnOpTensor would need two.
class GroupNorm {
 public:
  GroupNorm(const Planes& planes, int groups)
      : planes_(planes),
        sets_(planes.batch * groups),
        norm_({1, sets_, planes.channels / groups * planes.height, planes.width}) {}

  bool choose(const float* input) {
    const auto number = static_cast<std::size_t>(sets_);
    const bool has_memory = normalised_.reserve(planes_.elements() * sizeof(float)) &&
                            ones_.reserve(number * sizeof(float)) && zeros_.reserve(number * sizeof(float));
    if (!has_memory) return false;
    const std::vector<float> ones(number, 1.0f);
    return ok(cudaMemcpy(ones_.data(), ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice)) &&
           ok(cudaMemset(zeros_.data(), 0, zeros_.bytes())) &&
           norm_.choose(input, ones_.floats(), zeros_.floats(), normalised_.floats());
  }

  bool run(const float* input, const float* weight, const float* bias, float* output) const {
    if (!norm_.run(input, ones_.floats(), zeros_.floats(), normalised_.floats())) return false;
    return scale_channels(normalised_.floats(), weight, bias, output, planes_.batch, planes_.channels,
                          static_cast<int>(planes_.positions()));
  }

 private:
  Planes planes_;
  int sets_;
  BatchNorm norm_;
  DeviceMemory normalised_, ones_, zeros_;
};

}  // namespace baseline
