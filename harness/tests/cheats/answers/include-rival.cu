// cheat: is somebody else's solution
// row: 44
// caught-by: compile
// device: any
// control: compile_sandbox
// case: tiny
// needs: confinement
//
// Other candidates lie in folders beside its own on a machine that grades many.
#include "../../../../solutions/conv-depthwise-2d-square-input-asym-kernel/naive.cu"
