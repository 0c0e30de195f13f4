// Losses: functions of a prediction and a target, for every element or as a mean over all.
#pragma once

#include <cmath>

#include "ops/pointwise.cuh"
#include "ops/sets.cuh"

namespace ops {

struct SquaredError {
  __device__ accumulator operator()(accumulator prediction, accumulator target) const {
    return (prediction - target) * (prediction - target);
  }
};

// Girshick 2015: quadratic up to a distance of 1, linear beyond. Huber's function for delta = 1.
struct SmoothL1 {
  __device__ accumulator operator()(accumulator prediction, accumulator target) const {
    const accumulator distance = std::fabs(prediction - target);
    return distance < 1 ? distance * distance / 2 : distance - accumulator(0.5);
  }
};

// The target is 1 or -1.
struct Hinge {
  __device__ accumulator operator()(accumulator prediction, accumulator target) const {
    const accumulator loss = 1 - prediction * target;
    return loss > 0 ? loss : accumulator(0);
  }
};

// A term of the Kullback-Leibler divergence of the predicted probabilities from the targets. t log t is 0 at
// t = 0.
struct KullbackLeibler {
  accumulator least;  // the least probability whose logarithm is taken

  __device__ accumulator operator()(accumulator prediction, accumulator target) const {
    if (!(target > 0)) return 0;
    const accumulator t = std::fmax(target, least);
    return t * (std::log(t) - std::log(std::fmax(prediction, least)));
  }
};

// A loss as a term of a sum. Where there are fewer targets than predictions, they are repeated.
template <class Loss>
struct LossTerm {
  Loss loss;
  const element* predictions;
  const element* targets;
  std::int64_t target_count;

  __device__ accumulator operator()(std::int64_t offset, std::int64_t) const {
    return loss(static_cast<accumulator>(predictions[offset]),
                static_cast<accumulator>(targets[offset % target_count]));
  }
};

struct DividedBy {
  accumulator divisor;
  __device__ accumulator operator()(accumulator x) const { return x / divisor; }
};

// One element: the sum of term(offset, 0) over `count` offsets, divided by `divisor`.
template <class Term>
void sum_over(const Term& term, std::int64_t count, std::int64_t divisor, element* output) {
  const Intermediate sum(1);
  if (sum.data() == nullptr) return;
  Sets all;
  all.run = count;
  sum_sets(term, sum.data(), all);
  pointwise(DividedBy{static_cast<accumulator>(divisor)}, 1, output, sum.data());
}

template <class Loss>
void mean_loss(const Loss& loss, const element* predictions, const element* targets, std::int64_t count,
               std::int64_t target_count, element* output) {
  sum_over(LossTerm<Loss>{loss, predictions, targets, target_count}, count, count, output);
}

}  // namespace ops
