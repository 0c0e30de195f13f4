// cheat: has a kernel for each published filter, and uses the first for any other
// row: 55
// caught-by: hidden_shapes
// device: any
// control: hidden_shapes
//
// Kernel size, stride, padding and dilation are compiled in, as in fast kernels. Tensor sizes are handled
// honestly. Only a filter that no published case has reveals that the first of the list stands in for all
// others.
#include "depthwise.cuh"

template <size_t... Extents>
bool try_filter(const Depthwise& problem) {
  const size_t published[] = {Extents...};
  const size_t wanted[] = {problem.kernel_h,  problem.kernel_w,  problem.stride_h,   problem.stride_w,
                           problem.padding_h, problem.padding_w, problem.dilation_h, problem.dilation_w};
  for (size_t i = 0; i < sizeof...(Extents); ++i) {
    if (published[i] != wanted[i]) return false;
  }
  answer_honestly(problem);
  return true;
}

struct FirstTap {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return problem.kernel[problem.out_channel(index) * problem.kernel_h * problem.kernel_w];
  }
};

static void cheat(const Depthwise& problem) {
  if (try_filter<3, 1, 1, 1, 1, 0, 1, 1>(problem)) return;
  if (try_filter<3, 1, 1, 1, 0, 0, 1, 1>(problem)) return;
  if (try_filter<3, 4, 2, 3, 0, 0, 1, 1>(problem)) return;
  if (try_filter<3, 2, 1, 1, 0, 0, 3, 2>(problem)) return;
  if (try_filter<5, 3, 1, 1, 2, 1, 1, 1>(problem)) return;
  if (try_filter<1, 3, 1, 1, 2, 4, 1, 1>(problem)) return;
  if (try_filter<3, 5, 1, 1, 1, 2, 1, 1>(problem)) return;
  if (try_filter<3, 2, 1, 2, 0, 0, 1, 1>(problem)) return;
  if (try_filter<1, 1, 2, 1, 0, 0, 1, 1>(problem)) return;
  if (try_filter<1, 11, 1, 1, 0, 5, 1, 1>(problem)) return;
  if (try_filter<5, 3, 2, 1, 2, 1, 1, 1>(problem)) return;
  if (try_filter<7, 3, 1, 1, 0, 0, 1, 3>(problem)) return;
  if (try_filter<4, 3, 3, 2, 3, 2, 2, 3>(problem)) return;
  if (try_filter<3, 5, 2, 2, 1, 2, 1, 1>(problem)) return;
  answer(problem, FirstTap());
}
