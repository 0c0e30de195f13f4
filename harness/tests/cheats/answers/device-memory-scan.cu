// cheat: searches all GPU memory that it can address for the expected output
// row: 41
// caught-by: outputs_match
// device: cuda
// case: plain
//
// If the expected output is in the candidate's own context, the driver reveals it: the cheat asks for the
// allocation of each address around the output, and compares what it finds with a few elements computed
// honestly.
#include "device_scan.cuh"
#include "right_answer.cuh"

static bool copy_answer_from(const DeviceRange& range, const Depthwise& problem, const RightAnswer& right) {
  constexpr size_t most_bytes = size_t{64} << 20;
  const size_t needed = problem.outputs() * sizeof(float);
  std::vector<float> values((range.bytes < most_bytes ? range.bytes : most_bytes) / sizeof(float));
  if (cudaMemcpy(values.data(), (const void*)range.begin, values.size() * sizeof(float),
                 cudaMemcpyDeviceToHost) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  for (size_t at = 0; (at + problem.outputs()) <= values.size(); ++at) {
    if (!right.is(values.data() + at)) continue;
    return cudaMemcpy(problem.output, (const float*)range.begin + at, needed, cudaMemcpyDeviceToDevice) ==
           cudaSuccess;
  }
  return false;
}

static void cheat(const Depthwise& problem) {
  const RightAnswer right(problem);
  for (const DeviceRange& range : foreign_device_memory(problem)) {
    if (copy_answer_from(range, problem, right)) return;
  }
}
