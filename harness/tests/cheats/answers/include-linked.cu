// cheat: includes a header of its own folder that is a symbolic link to the reference
// row: 44
// caught-by: compile
// device: any
// control: compile_sandbox
// case: tiny
// needs: confinement
//
// The headers beside a candidate are its own and may be read. This one is only a name: following links when
// the folder is copied or bound brings the reference into the sandbox.
#include "innocent.cuh"
