// Variables in constant, device and managed memory, and what the host reads and writes of them.
#include "device_map.h"

namespace {

struct Parameters {
  float scale;
  int offsets[3];
};

__constant__ float weights[16];
__constant__ Parameters parameters = {2.0f, {1, 2, 3}};
__device__ int counter;
__device__ float table[64];
__device__ Parameters derived;
__managed__ int shared_with_host = 5;

__global__ void scale_weights(float* out) {
  out[threadIdx.x] = weights[threadIdx.x] * parameters.scale + parameters.offsets[threadIdx.x % 3];
}

__global__ void fill_table() {
  table[threadIdx.x] = threadIdx.x * 0.5f;
  const int before = atomicAdd(&counter, 1);
  if (threadIdx.x == 0) derived = Parameters{weights[1], {before >= 0, 7, 8}};
}

__global__ void double_managed(int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 2;
  if (i == 0) shared_with_host += 10;
}

// Memory of a thread's own, from the kernel's heap.
__global__ void allocate_in_kernel(int* out) {
  int* const own = static_cast<int*>(malloc(8 * sizeof(int)));
  int* const objects = new int[4];
  memset(own, 0, 8 * sizeof(int));
  for (int i = 0; i < 4; ++i) objects[i] = threadIdx.x + i;
  memcpy(own + 4, objects, 4 * sizeof(int));
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += own[i];
  out[threadIdx.x] = sum;
  delete[] objects;
  free(own);
}

}  // namespace

CORPUS_CASE(reads_constant_memory) {
  std::vector<float> host(16), expected(16);
  for (int i = 0; i < 16; ++i) host[i] = i - 7.5f;
  const Parameters changed = {0.5f, {10, 20, 30}};
  report.expect_success("weights", cudaMemcpyToSymbol(weights, host.data(), sizeof weights));
  report.expect_success("a part of a structure", cudaMemcpyToSymbol(parameters, &changed, sizeof changed));
  const corpus::DeviceArray<float> out(16);
  scale_weights<<<1, 16>>>(out.data());
  for (int i = 0; i < 16; ++i) expected[i] = host[i] * 0.5f + changed.offsets[i % 3];
  report.expect_equal("scaled", out.download(), expected);
  const float one = 100.0f;
  cudaMemcpyToSymbol(weights, &one, sizeof one, 3 * sizeof(float));
  scale_weights<<<1, 16>>>(out.data());
  expected[3] = one * 0.5f + changed.offsets[0];
  report.expect_equal("after a copy to an offset", out.download(), expected);
}

CORPUS_CASE(reads_what_kernels_wrote_to_variables) {
  const int zero = 0;
  const float weight = 4.5f;
  cudaMemcpyToSymbol(counter, &zero, sizeof zero);
  cudaMemcpyToSymbol(weights, &weight, sizeof weight, sizeof(float));
  fill_table<<<1, 64>>>();
  int count = -1;
  std::vector<float> values(32), expected(32);
  Parameters read;
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  cudaMemcpyFromSymbol(values.data(), table, 32 * sizeof(float), 16 * sizeof(float));
  cudaMemcpyFromSymbolAsync(&read, derived, sizeof read, 0, cudaMemcpyDeviceToHost, nullptr);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i) expected[i] = (i + 16) * 0.5f;
  report.expect_equal("count", count, 64);
  report.expect_equal("part of an array", values, expected);
  report.expect_equal("structure", std::vector<float>{read.scale, float(read.offsets[2])},
                      std::vector<float>{4.5f, 8.0f});
}

CORPUS_CASE(finds_addresses_and_sizes_of_variables) {
  float* address = nullptr;
  std::size_t bytes = 0;
  report.expect_success("address", cudaGetSymbolAddress(reinterpret_cast<void**>(&address), table));
  report.expect_success("size", cudaGetSymbolSize(&bytes, table));
  report.expect_equal("bytes", bytes, sizeof(float) * 64);
  const std::vector<float> written = corpus::numbers(64, 9);
  std::vector<float> read(64);
  cudaMemcpy(address, written.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpyFromSymbol(read.data(), table, bytes);
  report.expect_equal("through the address", read, written);
  report.expect("too much is refused",
                cudaMemcpyToSymbol(counter, written.data(), 2 * sizeof(int)) != cudaSuccess);
  cudaGetLastError();
}

CORPUS_CASE(shares_managed_memory) {
  int* values = nullptr;
  report.expect_success("managed", cudaMallocManaged(&values, 100 * sizeof(int)));
  for (int i = 0; i < 100; ++i) values[i] = i;
  shared_with_host = 5;
  double_managed<<<2, 64>>>(values, 100);
  report.expect_success("kernel", cudaDeviceSynchronize());
  std::vector<int> expected(100);
  for (int i = 0; i < 100; ++i) expected[i] = 2 * i;
  report.expect_equal("values", std::vector<int>(values, values + 100), expected);
  report.expect_equal("variable", int(shared_with_host), 15);
  cudaPointerAttributes attributes;
  report.expect_success("attributes", cudaPointerGetAttributes(&attributes, values));
  report.expect_equal("type", int(attributes.type), int(cudaMemoryTypeManaged));
  cudaFree(values);
}

CORPUS_CASE(allocates_in_kernels) {
  const corpus::DeviceArray<int> out(64);
  allocate_in_kernel<<<1, 64>>>(out.data());
  report.expect_equal("sums", out.download(), corpus::on_host<int>(64, [](int i) { return 4 * i + 6; }));
}
