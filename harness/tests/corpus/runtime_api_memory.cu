// Allocation, copies and fills of one, two and three dimensions, pinned and mapped memory, pools.
#include "device_map.h"

namespace {

__global__ void add_one(int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ++values[i];
}

__global__ void number_rows(char* memory, std::size_t pitch, int width, int height) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height) reinterpret_cast<int*>(memory + y * pitch)[x] = 100 * y + x;
}

std::vector<int> counted(int n, int from) {
  return corpus::on_host<int>(n, [=](int i) { return i + from; });
}

}  // namespace

CORPUS_CASE(copies_rows_with_a_pitch) {
  const int width = 37, height = 5;
  char* memory = nullptr;
  std::size_t pitch = 0;
  report.expect_success("pitched", cudaMallocPitch(&memory, &pitch, width * sizeof(int), height));
  report.expect("pitch is wide enough", pitch >= width * sizeof(int) && pitch % 32 == 0);
  number_rows<<<height, 64>>>(memory, pitch, width, height);
  std::vector<int> rows(width * height);
  report.expect_success("copy", cudaMemcpy2D(rows.data(), width * sizeof(int), memory, pitch,
                                             width * sizeof(int), height, cudaMemcpyDeviceToHost));
  report.expect_equal("rows", rows, corpus::on_host<int>(width * height, [=](int i) {
                        return 100 * (i / width) + i % width;
                      }));
  report.expect_success("fill", cudaMemset2D(memory, pitch, 0, 4 * sizeof(int), height));
  cudaMemcpy2D(rows.data(), width * sizeof(int), memory, pitch, width * sizeof(int), height,
               cudaMemcpyDeviceToHost);
  report.expect_equal("filled", std::vector<int>{rows[0], rows[width + 3], rows[width + 4]},
                      std::vector<int>{0, 0, 104});
  report.expect("too narrow",
                cudaMemcpy2D(rows.data(), 4, memory, pitch, 8, 2, cudaMemcpyDeviceToHost) != cudaSuccess);
  cudaGetLastError();
  cudaFree(memory);
}

CORPUS_CASE(copies_boxes) {
  const int width = 6, height = 4, depth = 3;
  const std::vector<int> source = counted(width * height * depth, 0);
  cudaPitchedPtr box;
  const cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
  report.expect_success("box", cudaMalloc3D(&box, extent));
  report.expect_success("fill", cudaMemset3D(box, 0, extent));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<int*>(source.data()), width * sizeof(int), width, height);
  copy.dstPtr = box;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  report.expect_success("to the device", cudaMemcpy3D(&copy));
  std::vector<int> part(2 * 2 * 2, -1);
  cudaMemcpy3DParms back = {};
  back.srcPtr = box;
  back.srcPos = make_cudaPos(3 * sizeof(int), 1, 1);
  back.dstPtr = make_cudaPitchedPtr(part.data(), 2 * sizeof(int), 2, 2);
  back.extent = make_cudaExtent(2 * sizeof(int), 2, 2);
  back.kind = cudaMemcpyDeviceToHost;
  report.expect_success("a part of it back", cudaMemcpy3D(&back));
  report.expect_equal("part", part, corpus::on_host<int>(8, [&](int i) {
                        return source[((i / 4 + 1) * height + i / 2 % 2 + 1) * width + i % 2 + 3];
                      }));
  cudaFree(box.ptr);
}

CORPUS_CASE(maps_pinned_memory) {
  int *host = nullptr, *device = nullptr;
  report.expect_success("pinned", cudaHostAlloc(&host, 50 * sizeof(int), cudaHostAllocMapped));
  report.expect_success("its device pointer", cudaHostGetDevicePointer(&device, host, 0));
  for (int i = 0; i < 50; ++i) host[i] = i;
  add_one<<<1, 64>>>(device, 50);
  report.expect_success("kernel", cudaDeviceSynchronize());
  report.expect_equal("values", std::vector<int>(host, host + 50), counted(50, 1));
  report.expect_success("freed", cudaFreeHost(host));
  std::vector<int> own(1024);
  report.expect_success("registered",
                        cudaHostRegister(own.data(), own.size() * sizeof(int), cudaHostRegisterDefault));
  report.expect_success("unregistered", cudaHostUnregister(own.data()));
  report.expect("twice", cudaHostUnregister(own.data()) == cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
}

CORPUS_CASE(allocates_in_stream_order) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* values = nullptr;
  const std::vector<int> source = counted(300, 5);
  std::vector<int> result(300);
  report.expect_success("allocation", cudaMallocAsync(&values, 300 * sizeof(int), stream));
  cudaMemcpyAsync(values, source.data(), 300 * sizeof(int), cudaMemcpyHostToDevice, stream);
  add_one<<<3, 128, 0, stream>>>(values, 300);
  cudaMemcpyAsync(result.data(), values, 300 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaMemPool_t pool;
  unsigned long long used = 0, threshold = 1 << 20, read = 0;
  report.expect_success("pool", cudaDeviceGetDefaultMemPool(&pool, 0));
  report.expect_success("used", cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  report.expect("pool counts it", used >= 300 * sizeof(int));
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read);
  report.expect_equal("threshold", read, threshold);
  report.expect_success("freed", cudaFreeAsync(values, stream));
  report.expect_success("done", cudaStreamSynchronize(stream));
  report.expect_equal("values", result, counted(300, 6));
  cudaStreamDestroy(stream);
}

CORPUS_CASE(refuses_what_cannot_be) {
  int x = 0;
  void* pointer = &x;
  report.expect_equal("nothing", int(cudaMalloc(&pointer, 0)), int(cudaSuccess));
  report.expect("is null", pointer == nullptr);
  report.expect_equal("a petabyte", int(cudaMalloc(&pointer, std::size_t{1} << 50)),
                      int(cudaErrorMemoryAllocation));
  report.expect_equal("is the last error", int(cudaPeekAtLastError()), int(cudaErrorMemoryAllocation));
  report.expect_equal("still", int(cudaGetLastError()), int(cudaErrorMemoryAllocation));
  report.expect_equal("no more", int(cudaGetLastError()), int(cudaSuccess));
  report.expect_equal("memory that was not allocated", int(cudaFree(&x)), int(cudaErrorInvalidValue));
  report.expect_equal("direction", int(cudaMemcpy(&x, &x, 4, static_cast<cudaMemcpyKind>(9))),
                      int(cudaErrorInvalidMemcpyDirection));
  report.expect_equal("null", int(cudaMemcpy(nullptr, &x, 4, cudaMemcpyHostToDevice)),
                      int(cudaErrorInvalidValue));
  report.expect_equal("host flags", int(cudaHostAlloc(&pointer, 64, 77)), int(cudaErrorInvalidValue));
  report.expect_equal("null is free", int(cudaFree(nullptr)), int(cudaSuccess));
  std::size_t free_bytes = 0, total_bytes = 0;
  report.expect_success("account", cudaMemGetInfo(&free_bytes, &total_bytes));
  report.expect("free is part of all", free_bytes > 0 && free_bytes <= total_bytes);
  cudaGetLastError();
}

// Beyond an allocation nothing is copied or filled.
CORPUS_CASE(refuses_copies_beyond_an_allocation) {
  const corpus::DeviceArray<char> memory(std::size_t{64} << 20);
  const std::size_t most = memory.size(), more = most + (std::size_t{64} << 20);
  std::vector<char> host(more);
  report.expect_equal("download", cudaMemcpy(host.data(), memory.data(), more, cudaMemcpyDeviceToHost),
                      cudaErrorInvalidValue);
  report.expect_equal("fill", cudaMemset(memory.data(), 0, more), cudaErrorInvalidValue);
  report.expect_success("all of it", cudaMemset(memory.data(), 0, most));
  cudaGetLastError();
}
