// Builds extensions of candidates in Python for a GPU. As in PyTorch, nvcc compiles CUDA units, and the
// host's compiler compiles the other units and links.
#pragma once

#include "compile/extension.h"
#include "compile/nvcc.h"

namespace kgrade {

// See Toolchain::build_extension().
Result<BuildOutcome> build_extension_with(const Nvcc& nvcc, const ExtensionRequest& extension,
                                          const ExtensionHeaders& headers, const BuildRequest& request);

}  // namespace kgrade
