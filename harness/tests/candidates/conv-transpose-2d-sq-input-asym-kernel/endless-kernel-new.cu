// expect: memory_limit
// device: emulated
//
// As endless-kernel-malloc.cu, with new and in the middle of a block whose threads wait for each other.
#include <cuda_runtime.h>

struct Node {
  Node* next;
  double values[1 << 16];
};

__device__ Node* volatile all;

__global__ void grow(float* output) {
  __syncthreads();
  do {
    Node* node = new Node;
    node->next = all;
    all = node;
  } while (all != nullptr);
  output[threadIdx.x] = 1;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  grow<<<2, 64>>>(output);
}
