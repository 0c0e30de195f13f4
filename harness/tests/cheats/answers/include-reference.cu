// cheat: is the reference
// row: 44
// caught-by: compile
// device: any
// control: compile_sandbox
// case: tiny
// needs: confinement
//
// A path that leads out of the candidate's folder: compiling beside the reference makes it available.
#include "../../../../reference/families/conv-depthwise-2d.cu"
