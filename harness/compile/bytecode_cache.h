// Bytecode of packages that have none, as some installers and read-only images leave them: importing PyTorch
// takes four times as long then, in every worker.
#pragma once

#include <filesystem>

#include "compile/python_interpreter.h"

namespace kgrade {

// The folder in the user's cache that has it for this interpreter, which workers may read. The first call
// fills it, in the time of one import of PyTorch. Empty: the packages have their own, or it cannot be made,
// which a process tries once.
std::filesystem::path bytecode_of(const PythonInterpreter& python);

}  // namespace kgrade
