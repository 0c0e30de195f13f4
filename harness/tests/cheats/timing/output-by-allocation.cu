// cheat: asks the driver for the allocation that contains an input, and replays the output kept for it
// row: 4
// caught-by: outputs_match (cuda), fresh_contents (cuda)
// device: cuda
// control: fresh_inputs, lower_bound
//
// cuMemGetAddressRange() gives the whole allocation, wherever in it the input is.
#include <cuda.h>

#include "shapes.cuh"

// Found through the runtime, so that nothing has to be linked.
static unsigned long long begin_of_allocation(const void* address) {
  using Query = CUresult (*)(CUdeviceptr*, size_t*, CUdeviceptr);
  static Query query = nullptr;
  if (query == nullptr) {
    void* function = nullptr;
    cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &function, 12000, cudaEnableDefault, nullptr);
    query = (Query)function;
  }
  CUdeviceptr begin = 0;
  size_t bytes = 0;
  if (query == nullptr || query(&begin, &bytes, (CUdeviceptr)address) != CUDA_SUCCESS)
    return (unsigned long long)address >> 24;
  return begin;
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  static unsigned long long allocation[Shapes::most];
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  unsigned long long& known = allocation[&shape - shapes.shape];
  const unsigned long long begin = begin_of_allocation(call.input);
  if (shape.calls > 1 && known == begin) return replay(shape, call);
  known = begin;
  compute_and_keep(shape, call);
}
