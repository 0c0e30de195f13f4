// Extensions of candidates in Python, for a GPU: their CUDA units are compiled by nvcc, the others and the
// library by the host's compiler, as PyTorch does it.
#pragma once

#include "compile/extension.h"
#include "compile/nvcc.h"

namespace kgrade {

// See Toolchain::build_extension().
Result<BuildOutcome> build_extension_with(const Nvcc& nvcc, const ExtensionRequest& extension,
                                          const ExtensionHeaders& headers, const BuildRequest& request);

}  // namespace kgrade
