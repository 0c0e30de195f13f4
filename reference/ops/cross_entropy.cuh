// The mean over all rows of -log(softmax(row)[label]).
#pragma once

#include "ops/loss.cuh"
#include "ops/softmax.cuh"

namespace ops {

template <class Label>
__global__ void cross_entropy_kernel(const element* logits, const Label* labels, accumulator* losses,
                                     SetBlocks rows) {
  const Share share = share_of(rows);
  const SoftmaxSums sums = softmax_sums(logits, share, rows);
  if (!share.writes) return;
  const std::int64_t offset = rows.sets.offset(share.set, static_cast<std::int64_t>(labels[share.set]));
  losses[share.set] = -LogSoftmax()(static_cast<accumulator>(logits[offset]), sums);
}

template <class Label>
void cross_entropy(const element* logits, const Label* labels, element* output, std::int64_t rows,
                   std::int64_t classes) {
  const Intermediate losses(rows);
  if (losses.data() == nullptr) return;
  Sets sets;
  sets.outer = rows;
  sets.run = classes;
  const SetBlocks blocks = whole_sets(sets);
  cross_entropy_kernel<<<blocks.count(), threads_per_block>>>(logits, labels, losses.data(), blocks);
  sum_over(Stored{losses.data()}, rows, rows, output);
}

}  // namespace ops
