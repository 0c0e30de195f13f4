// cheat: launches the work as a graph on a stream that the default stream does not wait for
// row: 1
// caught-by: idle (cuda), outputs_match (cuda)
// device: cuda
//
// No kernel launch names a stream. The graph is built again in every call, so nothing in it is stale.
#include "depthwise.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static cudaStream_t stream = nullptr;
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  Depthwise call = DEPTHWISE_ARGUMENTS;
  void* arguments[] = {&call};
  cudaKernelNodeParams node = {};
  node.func = (void*)depthwise_kernel;
  node.gridDim = dim3(depthwise_blocks(call));
  node.blockDim = dim3(256);
  node.kernelParams = arguments;
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t last = nullptr;
  for (int i = 0; i < 64; ++i) {
    cudaGraphNode_t next;
    cudaGraphAddKernelNode(&next, graph, last == nullptr ? nullptr : &last, last == nullptr ? 0 : 1, &node);
    last = next;
  }
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  cudaGraphExecDestroy(executable);  // when it has run
  cudaGraphDestroy(graph);
}
