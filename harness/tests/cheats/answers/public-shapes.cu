// cheat: is right on the published cases only
// row: 55
// caught-by: hidden_shapes
// device: any
// control: hidden_shapes
//
// A list of every shape in the problem file. Each could have a kernel of its own that handles nothing else.
// Shapes that are not on the list get zeros.
#include "depthwise.cuh"

constexpr size_t extents = 13;
constexpr size_t public_shapes[][extents] = {
    {1, 2, 2, 3, 3, 3, 1, 1, 1, 1, 0, 1, 1},      {2, 5, 5, 13, 13, 3, 1, 1, 1, 0, 0, 1, 1},
    {2, 3, 3, 17, 17, 3, 4, 2, 3, 0, 0, 1, 1},    {2, 4, 4, 19, 19, 3, 2, 1, 1, 0, 0, 3, 2},
    {2, 3, 3, 11, 11, 5, 3, 1, 1, 2, 1, 1, 1},    {1, 2, 2, 5, 5, 1, 3, 1, 1, 2, 4, 1, 1},
    {2, 3, 6, 9, 9, 3, 5, 1, 1, 1, 2, 1, 1},      {2, 1, 4, 10, 10, 3, 2, 1, 2, 0, 0, 1, 1},
    {2, 6, 6, 8, 8, 1, 1, 2, 1, 0, 0, 1, 1},      {1, 4, 4, 16, 16, 1, 11, 1, 1, 0, 5, 1, 1},
    {1, 7, 7, 41, 41, 5, 3, 2, 1, 2, 1, 1, 1},    {3, 5, 10, 7, 7, 7, 3, 1, 1, 0, 0, 1, 3},
    {1, 2, 2, 3, 523, 3, 5, 1, 1, 1, 2, 1, 1},    {2, 3, 9, 23, 29, 4, 3, 3, 2, 3, 2, 2, 3},
    {64, 8, 8, 512, 512, 3, 1, 1, 1, 0, 0, 1, 1}, {32, 96, 96, 112, 112, 3, 5, 2, 2, 1, 2, 1, 1}};

static bool is_public(const Depthwise& problem) {
  const size_t shape[extents] = {
      problem.batch_size, problem.in_channels, problem.out_channels, problem.height,   problem.width,
      problem.kernel_h,   problem.kernel_w,    problem.stride_h,     problem.stride_w, problem.padding_h,
      problem.padding_w,  problem.dilation_h,  problem.dilation_w};
  for (const auto& listed : public_shapes) {
    bool same = true;
    for (size_t i = 0; i < extents; ++i) same = same && listed[i] == shape[i];
    if (same) return true;
  }
  return false;
}

static void cheat(const Depthwise& problem) {
  if (is_public(problem)) {
    answer_honestly(problem);
  } else {
    cudaMemset(problem.output, 0, problem.outputs() * sizeof(float));
  }
}
