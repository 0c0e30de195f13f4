// How the host's compiler is called to make a contestant for the emulated device.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "device/emulated/toolchain/emulated_toolchain.h"

namespace kgrade::emulated {

struct CompilerJob {
  std::filesystem::path unit;     // the .cpp file
  std::filesystem::path library;  // what is made of it; a checked build leaves an object file beside it
  std::vector<std::string> definitions_and_folders;  // -D..., -I..., -include ...
  // Threads of a block may have to wait for each other.
  bool threads_cooperate = false;
  // Every access to memory is reported (device/emulated/checker/checking.h).
  bool checked = false;
};

// The flags that every contestant is built with, the same for all sources: what a record keeps.
std::vector<std::string> fixed_flags();

// One command after the other.
std::vector<std::vector<std::string>> commands_for(const HostCompiler& compiler, const CompilerJob& job);

}  // namespace kgrade::emulated
