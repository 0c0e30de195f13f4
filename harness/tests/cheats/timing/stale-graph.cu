// cheat: captures a CUDA graph in the first call of a shape and launches it in all others
// row: 12
// caught-by: guard_zones (cuda)
// device: cuda
// control: moving_buffers
//
// The graph writes to where the first output was.
#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  static cudaGraphExec_t graphs[Shapes::most];
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  cudaGraphExec_t& executable = graphs[&shape - shapes.shape];
  if (shape.calls == 1) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    compute(call, stream);
    cudaGraph_t graph;
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
  cudaGraphLaunch(executable, 0);
}
