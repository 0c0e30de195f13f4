// The mean over all rows of -log(softmax(row)[label]).
#pragma once

#include "ops/loss.cuh"
#include "ops/softmax.cuh"

namespace ops {

// Block b does row b.
template <class Label>
__global__ void cross_entropy_kernel(const element* logits, const Label* labels, accumulator* losses,
                                     Sets rows) {
  const SoftmaxSums sums = softmax_sums(logits, rows);
  if (threadIdx.x != 0) return;
  const std::int64_t offset = rows.offset(blockIdx.x, static_cast<std::int64_t>(labels[blockIdx.x]));
  losses[blockIdx.x] = -LogSoftmax()(static_cast<accumulator>(logits[offset]), sums);
}

template <class Label>
void cross_entropy(const element* logits, const Label* labels, element* output, std::int64_t rows,
                   std::int64_t classes) {
  const Intermediate losses(rows);
  if (losses.data() == nullptr) return;
  Sets sets;
  sets.outer = rows;
  sets.run = classes;
  cross_entropy_kernel<<<static_cast<unsigned>(rows), threads_per_block>>>(logits, labels, losses.data(),
                                                                           sets);
  sum_over(Stored{losses.data()}, rows, rows, output);
}

}  // namespace ops
