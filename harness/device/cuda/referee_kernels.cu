#include <vector>

#include "device/cuda/check.h"
#include "device/cuda/referee_kernels.h"

namespace kgrade::cuda {
namespace {

constexpr int threads_per_block = 256;
// A fixed grid keeps the order of the sums, and with it every bit of a comparison, the same on every run.
constexpr int comparison_blocks = 1024;

unsigned int grid_for(std::uint64_t items) {
  const std::uint64_t blocks = (items + threads_per_block - 1) / threads_per_block;
  return static_cast<unsigned int>(blocks < 1 ? 1 : blocks > 65535 * 8 ? 65535 * 8 : blocks);
}

__device__ std::uint64_t thread_index() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::uint64_t thread_count() { return std::uint64_t{gridDim.x} * blockDim.x; }

__device__ void add_to(unsigned long long* total, unsigned int count) {
  if (count != 0) atomicAdd(total, count);
}

__global__ void fill_random_bytes_kernel(unsigned char* buffer, device::ByteRange range,
                                         RandomStream stream) {
  for (std::uint64_t block = device::first_block(range) + thread_index(); block < device::end_block(range);
       block += thread_count()) {
    device::fill_block(buffer, range, stream, block);
  }
}

__global__ void count_changed_bytes_kernel(const unsigned char* buffer, device::ByteRange range,
                                           RandomStream stream, unsigned long long* total) {
  unsigned int changed = 0;
  for (std::uint64_t block = device::first_block(range) + thread_index(); block < device::end_block(range);
       block += thread_count()) {
    changed += device::changed_bytes_in_block(buffer, range, stream, block);
  }
  add_to(total, changed);
}

__global__ void count_unwritten_words_kernel(const unsigned char* buffer, device::ByteRange range,
                                             RandomStream stream, unsigned long long* total) {
  unsigned int unwritten = 0;
  for (std::uint64_t block = device::first_block(range) + thread_index(); block < device::end_block(range);
       block += thread_count()) {
    unwritten += device::unchanged_words_in_block(buffer, range, stream, block);
  }
  add_to(total, unwritten);
}

__global__ void fill_input_kernel(float* input, device::InputRange range) {
  for (std::uint64_t block = thread_index(); 4 * block < range.elements; block += thread_count()) {
    device::fill_input_block(input, range, block);
  }
}

__global__ void count_changed_elements_kernel(const float* input, device::InputRange range,
                                              unsigned long long* total) {
  unsigned int changed = 0;
  for (std::uint64_t block = thread_index(); 4 * block < range.elements; block += thread_count()) {
    changed += device::changed_elements_in_block(input, range, block);
  }
  add_to(total, changed);
}

__global__ void compare_kernel(const float* actual, const float* expected, std::uint64_t elements,
                               Comparison* partial) {
  // Raw storage, since a shared variable may not have a constructor.
  __shared__ alignas(Comparison) unsigned char storage[threads_per_block * sizeof(Comparison)];
  auto* parts = reinterpret_cast<Comparison*>(storage);
  Comparison mine;
  for (std::uint64_t i = thread_index(); i < elements; i += thread_count()) {
    device::accumulate(mine, actual[i], expected[i], i);
  }
  parts[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned int half = threads_per_block / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) device::merge(parts[threadIdx.x], parts[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = parts[0];
}

__global__ void count_wrong_kernel(const float* actual, const float* expected, std::uint64_t elements,
                                   double limit, unsigned long long* total) {
  unsigned int wrong = 0;
  for (std::uint64_t i = thread_index(); i < elements; i += thread_count()) {
    wrong += device::is_wrong(actual[i], expected[i], limit);
  }
  add_to(total, wrong);
}

void finish() {
  KGRADE_CUDA_CHECK(cudaGetLastError());
  KGRADE_CUDA_CHECK(cudaDeviceSynchronize());
}

// Device memory of the referee's own, for results that are copied back.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::size_t count) : count_(count) {
    KGRADE_CUDA_CHECK(cudaMalloc(&data_, count * sizeof(T)));
    KGRADE_CUDA_CHECK(cudaMemset(data_, 0, count * sizeof(T)));
  }
  ~Scratch() { cudaFree(data_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* data() { return data_; }
  std::vector<T> read() {
    std::vector<T> values(count_);
    KGRADE_CUDA_CHECK(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

}  // namespace

void fill_random_bytes(unsigned char* buffer, device::ByteRange range, const RandomStream& stream) {
  const std::uint64_t blocks = device::end_block(range) - device::first_block(range);
  fill_random_bytes_kernel<<<grid_for(blocks), threads_per_block>>>(buffer, range, stream);
  finish();
}

std::uint64_t count_changed_bytes(const unsigned char* buffer, device::ByteRange range,
                                  const RandomStream& stream) {
  Scratch<unsigned long long> total(1);
  const std::uint64_t blocks = device::end_block(range) - device::first_block(range);
  count_changed_bytes_kernel<<<grid_for(blocks), threads_per_block>>>(buffer, range, stream, total.data());
  finish();
  return total.read()[0];
}

std::uint64_t count_unwritten_words(const unsigned char* buffer, device::ByteRange range,
                                    const RandomStream& stream) {
  Scratch<unsigned long long> total(1);
  const std::uint64_t blocks = device::end_block(range) - device::first_block(range);
  count_unwritten_words_kernel<<<grid_for(blocks), threads_per_block>>>(buffer, range, stream, total.data());
  finish();
  return total.read()[0];
}

void fill_input(float* input, const device::InputRange& range) {
  fill_input_kernel<<<grid_for((range.elements + 3) / 4), threads_per_block>>>(input, range);
  finish();
}

std::uint64_t count_changed_elements(const float* input, const device::InputRange& range) {
  Scratch<unsigned long long> total(1);
  count_changed_elements_kernel<<<grid_for((range.elements + 3) / 4), threads_per_block>>>(input, range,
                                                                                           total.data());
  finish();
  return total.read()[0];
}

Comparison compare(const float* actual, const float* expected, std::uint64_t elements) {
  Scratch<Comparison> partial(comparison_blocks);
  compare_kernel<<<comparison_blocks, threads_per_block>>>(actual, expected, elements, partial.data());
  finish();
  Comparison total;
  for (const Comparison& part : partial.read()) device::merge(total, part);
  return total;
}

std::uint64_t count_wrong(const float* actual, const float* expected, std::uint64_t elements, double limit) {
  Scratch<unsigned long long> total(1);
  count_wrong_kernel<<<grid_for(elements), threads_per_block>>>(actual, expected, elements, limit,
                                                                total.data());
  finish();
  return total.read()[0];
}

}  // namespace kgrade::cuda
