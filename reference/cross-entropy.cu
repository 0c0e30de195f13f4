// The mean cross entropy of rows and labels.
#include "ops/cross_entropy.cuh"

extern "C" void solution(const ops::element* predictions, const int64_t* targets, ops::element* output,
                         size_t batch_size, size_t num_classes) {
  ops::cross_entropy(predictions, targets, output, static_cast<std::int64_t>(batch_size),
                     static_cast<std::int64_t>(num_classes));
}
