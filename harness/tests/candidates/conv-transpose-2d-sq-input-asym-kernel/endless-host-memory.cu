// expect: memory_limit
// device: emulated
//
// Takes memory of the host until there is none. On a GPU's host nothing but the machine's own memory stops
// it.
#include <cuda_runtime.h>

#include <vector>

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  std::vector<std::vector<char>*> all;
  for (;;) {
    all.push_back(new std::vector<char>());
    all.back()->reserve((size_t)1 << 24);
  }
}
