// The .cu files of this folder, built against reference/ with double accumulators.
#pragma once

#include <map>

#include "base/temporary_directory.h"
#include "tests/support/loaded_library.h"

namespace kgrade::test {

// Built once for all tests of the program.
inline const LoadedLibrary& operator_library(const std::string& file_name) {
  static std::map<std::string, LoadedLibrary> libraries;
  if (const auto found = libraries.find(file_name); found != libraries.end()) return found->second;
  const std::string root = KGRADE_SOURCE_DIR;
  const TemporaryDirectory folder;
  BuildRequest request;
  request.source = root + "/harness/tests/reference/" + file_name;
  request.shown_as = file_name;
  request.output_directory = folder.path();
  request.include_directories = {root + "/reference"};
  request.defines = {{"KGRADE_ACCUMULATOR", "double"}, {"KGRADE_ELEMENT", "float"}};
  return libraries.try_emplace(file_name, built_library(emulated_toolchain(), request)).first->second;
}

}  // namespace kgrade::test
