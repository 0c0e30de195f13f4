// Transposed 2D convolution, batch norm with the statistics of the batch, tanh, max pooling and group norm,
// with cuDNN, one after another.
//
// Nothing is fused. cuDNN fuses an activation into its batch norm, or statistics into its convolution, only
// for half-precision tensors in channels-last order. Batch norm needs the whole convolution before it can
// begin, and cuDNN has no group norm.
#include <map>
#include <memory>
#include <tuple>

#include "baseline/convolution.h"
#include "baseline/normalisation.h"
#include "baseline/pooling.h"

namespace {

using baseline::Planes;

// The steps after the convolution, with the memory between them.
class Steps {
 public:
  Steps(const Planes& planes, int num_groups)
      : pooled_planes_(baseline::MaxPool::pooled(planes)),
        batch_norm_(planes),
        tanh_(planes),
        max_pool_(planes),
        group_norm_(pooled_planes_, num_groups),
        has_memory_(features_.reserve(planes.elements() * sizeof(float)) &&
                    normalised_.reserve(planes.elements() * sizeof(float)) &&
                    pooled_.reserve(pooled_planes_.elements() * sizeof(float))) {}

  bool has_memory() const { return has_memory_; }
  // Where the convolution writes its result.
  float* features() const { return features_.floats(); }

  // Measures cuDNN's ways on the features of the first call.
  bool choose(const float* bn_weight, const float* bn_bias) {
    return batch_norm_.choose(features(), bn_weight, bn_bias, normalised_.floats()) && pool() &&
           group_norm_.choose(pooled_.floats());
  }

  bool run(const float* bn_weight, const float* bn_bias, const float* gn_weight, const float* gn_bias,
           float* output) const {
    return batch_norm_.run(features(), bn_weight, bn_bias, normalised_.floats()) && pool() &&
           group_norm_.run(pooled_.floats(), gn_weight, gn_bias, output);
  }

 private:
  bool pool() const {
    return tanh_.run_in_place(normalised_.floats()) && max_pool_.run(normalised_.floats(), pooled_.floats());
  }

  Planes pooled_planes_;
  baseline::BatchNorm batch_norm_;
  baseline::Tanh tanh_;
  baseline::MaxPool max_pool_;
  baseline::GroupNorm group_norm_;
  baseline::DeviceMemory features_, normalised_, pooled_;
  bool has_memory_;
};

// The steps for a shape; `is_new` in its first call.
Steps* steps_for(const Planes& planes, int num_groups, bool& is_new) {
  using Key = std::tuple<int, int, int, int, int>;
  static std::map<Key, std::unique_ptr<Steps>> all;
  std::unique_ptr<Steps>& steps =
      all[Key(planes.batch, planes.channels, planes.height, planes.width, num_groups)];
  is_new = steps == nullptr;
  if (is_new) steps = std::make_unique<Steps>(planes, num_groups);
  return steps->has_memory() ? steps.get() : nullptr;
}

}  // namespace

extern "C" void solution(const float* input, const float* kernel, const float* bn_weight,
                         const float* bn_bias, const float* gn_weight, const float* gn_bias, float* output,
                         size_t batch_size, size_t in_channels, size_t out_channels, size_t height,
                         size_t width, size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w,
                         size_t padding_h, size_t padding_w, size_t output_padding_h, size_t output_padding_w,
                         size_t groups, size_t num_groups) {
  const size_t dilation = 1;
  const auto shape = baseline::convolution_of(
      true, batch_size, in_channels, out_channels, groups,
      {baseline::transposed_axis(height, kernel_h, stride_h, padding_h, output_padding_h, dilation),
       baseline::transposed_axis(width, kernel_w, stride_w, padding_w, output_padding_w, dilation)});
  const auto& made = shape.made();
  const Planes planes = {static_cast<int>(made[0]), static_cast<int>(made[1]), static_cast<int>(made[2]),
                         static_cast<int>(made[3])};
  bool is_new = false;
  Steps* const steps = steps_for(planes, static_cast<int>(num_groups), is_new);
  if (steps == nullptr) return baseline::fail("no memory for what lies between the steps");
  if (!baseline::convolve(shape, input, kernel, steps->features())) {
    return baseline::fail("no plan for this convolution");
  }
  if (is_new && !steps->choose(bn_weight, bn_bias)) return baseline::fail("no batch norm for this shape");
  if (!steps->run(bn_weight, bn_bias, gn_weight, gn_bias, output)) baseline::fail("a step was refused");
}
