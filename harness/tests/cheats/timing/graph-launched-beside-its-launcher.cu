// cheat: a trivial graph launches the one that does the work from the device, as a sibling
// row: 16
// caught-by: no_gain (cuda)
// twin: honest-depthwise.cu
// device: cuda
// case: mobilenet-stride-2
//
// The host launches a kernel that ends at once. A sibling does not belong to any launch of the host, yet the
// stream continues only when the sibling is done, too.
#include "depthwise.cuh"

static __device__ Depthwise posted;
static __device__ cudaGraphExec_t worker_graph;

static __global__ void work() {
  const Depthwise call = posted;
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  for (int again = 0; again < 64; ++again) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < call.outputs(); i += stride) {
      call.output[i] = depthwise_element(call, i);
    }
  }
}

static __global__ void post(Depthwise call) {
  posted = call;
  __threadfence();
  cudaGraphLaunch(worker_graph, cudaStreamGraphFireAndForgetAsSibling);
}

static cudaGraphExec_t instantiate(void* kernel, unsigned blocks, unsigned threads, void** arguments,
                                   unsigned long long flags) {
  cudaKernelNodeParams node = {};
  node.func = kernel;
  node.gridDim = dim3(blocks);
  node.blockDim = dim3(threads);
  node.kernelParams = arguments;
  cudaGraph_t graph;
  cudaGraphNode_t made;
  cudaGraphExec_t executable = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddKernelNode(&made, graph, nullptr, 0, &node);
  cudaGraphInstantiate(&executable, graph, flags);
  cudaGraphDestroy(graph);
  return executable;
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static cudaGraphExec_t worker = nullptr;
  if (worker == nullptr) {
    worker = instantiate((void*)work, 64, 256, nullptr, cudaGraphInstantiateFlagDeviceLaunch);
    cudaGraphUpload(worker, 0);
    cudaMemcpyToSymbolAsync(worker_graph, &worker, sizeof worker, 0, cudaMemcpyHostToDevice, 0);
  }
  Depthwise call = DEPTHWISE_ARGUMENTS;
  void* arguments[] = {&call};
  const cudaGraphExec_t launcher = instantiate((void*)post, 1, 1, arguments, 0);
  cudaGraphLaunch(launcher, 0);
  cudaGraphExecDestroy(launcher);  // when it has run
}
