// A cache of Python bytecode, for packages that have none. Some installers and read-only images leave
// packages without bytecode, and then every worker takes four times as long to import PyTorch.
#pragma once

#include <filesystem>

#include "compile/python_interpreter.h"

namespace kgrade {

// The folder in the user's cache with the bytecode for this interpreter. Workers may read it. The first call
// fills it, which takes as long as one import of PyTorch. Empty if the packages have their own bytecode, or
// if the folder cannot be made. A process tries to make it only once.
std::filesystem::path bytecode_of(const PythonInterpreter& python);

}  // namespace kgrade
