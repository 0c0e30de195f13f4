// Plans of cuDNN's older API: every algorithm of cudnnConvolutionForward and cudnnConvolutionBackwardData.
// cudnnFind*AlgorithmEx would time the same ones, but with a warm L2 and for one type of arithmetic at a
// time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "baseline/library.h"
#include "baseline/plan.h"
#include "baseline/shape.h"

namespace baseline {

inline std::vector<int> ints(const Extents& extents) { return {extents.begin(), extents.end()}; }

class LegacyDescriptors {
 public:
  LegacyDescriptors(const Convolution& shape, cudnnMathType_t math) {
    const std::vector<int> filter = ints(shape.filter);
    good_ = ok(cudnnCreateTensorDescriptor(&image_)) && ok(cudnnCreateTensorDescriptor(&response_)) &&
            ok(cudnnCreateFilterDescriptor(&filter_)) &&
            ok(cudnnCreateConvolutionDescriptor(&convolution_)) && set_tensor(image_, shape.image) &&
            set_tensor(response_, shape.response) &&
            ok(cudnnSetFilterNdDescriptor(filter_, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW,
                                          static_cast<int>(filter.size()), filter.data())) &&
            ok(cudnnSetConvolutionNdDescriptor(convolution_, static_cast<int>(shape.axes()),
                                               ints(shape.padding).data(), ints(shape.stride).data(),
                                               ints(shape.dilation).data(), CUDNN_CROSS_CORRELATION,
                                               CUDNN_DATA_FLOAT)) &&
            ok(cudnnSetConvolutionGroupCount(convolution_, static_cast<int>(shape.groups))) &&
            ok(cudnnSetConvolutionMathType(convolution_, math));
  }
  ~LegacyDescriptors() {
    if (image_ != nullptr) cudnnDestroyTensorDescriptor(image_);
    if (response_ != nullptr) cudnnDestroyTensorDescriptor(response_);
    if (filter_ != nullptr) cudnnDestroyFilterDescriptor(filter_);
    if (convolution_ != nullptr) cudnnDestroyConvolutionDescriptor(convolution_);
  }
  LegacyDescriptors(const LegacyDescriptors&) = delete;
  LegacyDescriptors& operator=(const LegacyDescriptors&) = delete;

  bool good() const { return good_; }
  cudnnTensorDescriptor_t image() const { return image_; }
  cudnnTensorDescriptor_t response() const { return response_; }
  cudnnFilterDescriptor_t filter() const { return filter_; }
  cudnnConvolutionDescriptor_t convolution() const { return convolution_; }

 private:
  static bool set_tensor(cudnnTensorDescriptor_t tensor, const Extents& extents) {
    const std::vector<int> strides = ints(strides_of(extents, Order::channels_first));
    return ok(cudnnSetTensorNdDescriptor(tensor, CUDNN_DATA_FLOAT, static_cast<int>(extents.size()),
                                         ints(extents).data(), strides.data()));
  }

  cudnnTensorDescriptor_t image_ = nullptr;
  cudnnTensorDescriptor_t response_ = nullptr;
  cudnnFilterDescriptor_t filter_ = nullptr;
  cudnnConvolutionDescriptor_t convolution_ = nullptr;
  bool good_ = false;
};

// The two directions, with the same names.
struct BackwardData {
  using Algorithm = cudnnConvolutionBwdDataAlgo_t;
  static constexpr int algorithms = CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT;
  static bool is_plain(Algorithm algorithm) {
    return algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_0 || algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
  }
  static bool workspace_bytes(const LegacyDescriptors& of, Algorithm algorithm, std::size_t& bytes) {
    return ok(cudnnGetConvolutionBackwardDataWorkspaceSize(handle(), of.filter(), of.response(),
                                                           of.convolution(), of.image(), algorithm, &bytes));
  }
  static bool run(const LegacyDescriptors& of, Algorithm algorithm, const Operands& operands, void* memory,
                  std::size_t bytes) {
    const float one = 1;
    const float zero = 0;
    return ok(cudnnConvolutionBackwardData(handle(), &one, of.filter(), operands.filter, of.response(),
                                           operands.response, of.convolution(), algorithm, memory, bytes,
                                           &zero, of.image(), operands.image));
  }
};

struct Forward {
  using Algorithm = cudnnConvolutionFwdAlgo_t;
  static constexpr int algorithms = CUDNN_CONVOLUTION_FWD_ALGO_COUNT;
  static bool is_plain(Algorithm algorithm) { return algorithm <= CUDNN_CONVOLUTION_FWD_ALGO_DIRECT; }
  static bool workspace_bytes(const LegacyDescriptors& of, Algorithm algorithm, std::size_t& bytes) {
    return ok(cudnnGetConvolutionForwardWorkspaceSize(handle(), of.image(), of.filter(), of.convolution(),
                                                      of.response(), algorithm, &bytes));
  }
  static bool run(const LegacyDescriptors& of, Algorithm algorithm, const Operands& operands, void* memory,
                  std::size_t bytes) {
    const float one = 1;
    const float zero = 0;
    return ok(cudnnConvolutionForward(handle(), &one, of.image(), operands.image, of.filter(),
                                      operands.filter, of.convolution(), algorithm, memory, bytes, &zero,
                                      of.response(), operands.response));
  }
};

template <class Direction>
class LegacyPlan : public Plan {
 public:
  LegacyPlan(const Convolution& shape, int algorithm, cudnnMathType_t math)
      : descriptors_(shape, math),
        algorithm_(static_cast<typename Direction::Algorithm>(algorithm)),
        math_(math),
        good_(descriptors_.good() && Direction::workspace_bytes(descriptors_, algorithm_, workspace_bytes_)) {
  }

  bool good() const { return good_; }
  std::string name() const override {
    return "algorithm " + std::to_string(static_cast<int>(algorithm_)) +
           (math_ == CUDNN_FMA_MATH ? "" : ", tensor cores");
  }
  std::size_t workspace_bytes() const override { return workspace_bytes_; }
  bool is_plain() const override { return math_ == CUDNN_FMA_MATH && Direction::is_plain(algorithm_); }
  bool run(const Operands& operands, void* memory) override {
    return Direction::run(descriptors_, algorithm_, operands, memory, workspace_bytes_);
  }

 private:
  LegacyDescriptors descriptors_;
  typename Direction::Algorithm algorithm_;
  cudnnMathType_t math_;
  std::size_t workspace_bytes_ = 0;
  bool good_;
};

template <class Direction>
std::vector<PlanMaker> legacy_plans_of(const Convolution& shape) {
  std::vector<cudnnMathType_t> kinds = {CUDNN_FMA_MATH};
  // The default allows TF32 for operands in float32; CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION would round to
  // half.
  if (tf32_allowed) kinds.insert(kinds.begin(), CUDNN_DEFAULT_MATH);
  std::vector<PlanMaker> makers;
  for (const cudnnMathType_t math : kinds) {
    for (int algorithm = 0; algorithm < Direction::algorithms; ++algorithm) {
      makers.push_back([shape, algorithm, math]() -> std::unique_ptr<Plan> {
        auto plan = std::make_unique<LegacyPlan<Direction>>(shape, algorithm, math);
        if (!plan->good()) return nullptr;
        return plan;
      });
    }
  }
  return makers;
}

inline std::vector<PlanMaker> legacy_plans(const Convolution& shape) {
  return shape.backward ? legacy_plans_of<BackwardData>(shape) : legacy_plans_of<Forward>(shape);
}

}  // namespace baseline
