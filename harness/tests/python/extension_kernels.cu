// What submissions' kernels and their launches use of the headers, for extension_nvcc_test.py.
#include <ATen/AccumulateType.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torch/extension.h>

template <typename scalar_t>
__global__ void doubled(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t n) {
  using acc_t = at::acc_type<scalar_t, true>;
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = static_cast<scalar_t>(static_cast<acc_t>(x[i]) * acc_t(2)) + scalar_t(0);
}

template <typename scalar_t>
__global__ void row_sums(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x,
                         torch::PackedTensorAccessor64<scalar_t, 1> y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= x.size(0)) return;
  scalar_t sum = 0;
  for (int i = 0; i < x.size(1); ++i) sum += x[row][i];
  y[row] = sum;
}

__global__ void cuda_half(const __half* x, __half* y, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  c10::Half mine = x[i];
  mine = mine * mine + mine / 2 - 1;
  if (mine > std::numeric_limits<c10::Half>::lowest()) y[i] = static_cast<__half>(mine);
}

torch::Tensor doubled_cuda(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, not on ", x.device());
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int threads = 128;
  const int blocks = at::ceil_div(x.numel(), static_cast<int64_t>(threads));
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "doubled_cuda", ([&] {
        doubled<scalar_t>
            <<<blocks, threads, 0, stream>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());
      }));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

torch::Tensor row_sums_cuda(torch::Tensor x) {
  at::cuda::CUDAGuard guard(x.device());
  auto y = torch::zeros({x.size(0)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_sums_cuda", [&] {
    row_sums<scalar_t><<<(x.size(0) + 31) / 32, 32, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), y.packed_accessor64<scalar_t, 1>());
  });
  AT_CUDA_CHECK(cudaGetLastError());
  return y;
}

torch::Tensor half_cuda(torch::Tensor x) {
  auto y = torch::zeros_like(x);
  cuda_half<<<1, 32>>>(reinterpret_cast<const __half*>(x.data_ptr<at::Half>()),
                       reinterpret_cast<__half*>(y.data_ptr<at::Half>()), x.numel());
  return y;
}
