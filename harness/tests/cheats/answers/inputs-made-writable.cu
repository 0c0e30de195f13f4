// cheat: has the driver make its inputs writable, and halves them after using them
// row: 47
// caught-by: inputs_unchanged
// device: cuda
// control: unchanged_inputs
// case: plain
//
// A GPU's driver lets a process decide what it may do with memory that was handed to it, so mapping inputs
// read-only only prevents accidents. A grader that trusts it would give the next contestant other inputs than
// the judge has.
#include <cuda.h>
#include <dlfcn.h>

#include "depthwise.cuh"

__global__ void halve(float* values, size_t count) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) values[index] *= 0.5f;
}

static bool make_writable(const float* input) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto range =
      (CUresult(*)(CUdeviceptr*, size_t*, CUdeviceptr))dlsym(driver, "cuMemGetAddressRange_v2");
  const auto set_access =
      (CUresult(*)(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t))dlsym(driver, "cuMemSetAccess");
  CUdeviceptr begin = 0;
  size_t bytes = 0;
  CUmemAccessDesc access = {};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return range(&begin, &bytes, (CUdeviceptr)input) == CUDA_SUCCESS &&
         set_access(begin, bytes, &access, 1) == CUDA_SUCCESS;
}

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  if (!make_writable(problem.input)) return;
  halve<<<(unsigned)((problem.inputs() + 255) / 256), 256>>>(const_cast<float*>(problem.input),
                                                             problem.inputs());
}
