// cheat: launches a graph captured in the first call, and copies from its memory to the new output
// row: 12
// caught-by: outputs_match (cuda), fresh_contents (cuda)
// device: cuda
// control: moving_buffers
//
// It writes nowhere that it should not; the inputs are read from where the first ones were.
#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  static cudaGraphExec_t graphs[Shapes::most];
  Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  cudaGraphExec_t& executable = graphs[&shape - shapes.shape];
  if (shape.calls == 1) {
    shape.kept = keep_floats(call.outputs());
    call.output = shape.kept;
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
  copy_floats(output, shape.kept, call.outputs());
}
