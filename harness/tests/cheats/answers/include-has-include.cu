// cheat: asks whether the reference is there, and is it then
// row: 44
// caught-by: outputs_match
// device: any
// control: compile_sandbox
// case: tiny
// needs: confinement
//
// __has_include and __has_embed tell about any file of the machine without an error when there is none. Angle
// brackets make the compiler look from the candidate's folder on, wherever it keeps its copy of the source.
#if __has_include(<../../../../reference/families/conv-depthwise-2d.cu>)
#include <../../../../reference/families/conv-depthwise-2d.cu>
#else
#include "depthwise.cuh"

static void cheat(const Depthwise& problem) {
  cudaMemset(problem.output, 0, problem.outputs() * sizeof(float));
}
#endif
