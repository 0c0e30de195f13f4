// Tanh and max pooling by cuDNN.
#pragma once

#include "baseline/library.h"
#include "baseline/normalisation.h"

namespace baseline {

class Tanh {
 public:
  explicit Tanh(const Planes& planes)
      : planes_(planes),
        good_(planes_.good() && ok(cudnnCreateActivationDescriptor(&activation_)) &&
              ok(cudnnSetActivationDescriptor(activation_, CUDNN_ACTIVATION_TANH, CUDNN_PROPAGATE_NAN, 0))) {}
  ~Tanh() {
    if (activation_ != nullptr) cudnnDestroyActivationDescriptor(activation_);
  }
  Tanh(const Tanh&) = delete;
  Tanh& operator=(const Tanh&) = delete;

  bool run_in_place(float* tensor) const {
    const float one = 1;
    const float zero = 0;
    return good_ && ok(cudnnActivationForward(handle(), activation_, &one, planes_.raw(), tensor, &zero,
                                              planes_.raw(), tensor));
  }

 private:
  PlanesDescriptor planes_;
  cudnnActivationDescriptor_t activation_ = nullptr;
  bool good_;
};

// Windows of 2 x 2, side by side; a last odd row or column is left out.
class MaxPool {
 public:
  explicit MaxPool(const Planes& from)
      : from_(from),
        to_(pooled(from)),
        good_(from_.good() && to_.good() && ok(cudnnCreatePoolingDescriptor(&pooling_)) &&
              ok(cudnnSetPooling2dDescriptor(pooling_, CUDNN_POOLING_MAX, CUDNN_PROPAGATE_NAN, 2, 2, 0, 0, 2,
                                             2))) {}
  ~MaxPool() {
    if (pooling_ != nullptr) cudnnDestroyPoolingDescriptor(pooling_);
  }
  MaxPool(const MaxPool&) = delete;
  MaxPool& operator=(const MaxPool&) = delete;

  static Planes pooled(const Planes& from) {
    return {from.batch, from.channels, from.height / 2, from.width / 2};
  }

  bool run(const float* input, float* output) const {
    const float one = 1;
    const float zero = 0;
    return good_ &&
           ok(cudnnPoolingForward(handle(), pooling_, &one, from_.raw(), input, &zero, to_.raw(), output));
  }

 private:
  PlanesDescriptor from_;
  PlanesDescriptor to_;
  cudnnPoolingDescriptor_t pooling_ = nullptr;
  bool good_;
};

}  // namespace baseline
