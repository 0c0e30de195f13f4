// The .cu files of this folder, built against reference/.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/temporary_directory.h"
#include "tests/support/loaded_library.h"

namespace kgrade::test {

// Built once for all tests of the program, with accumulators of type double as an oracle is, or float.
inline const LoadedLibrary& operator_library(const std::string& file_name,
                                             const std::string& accumulator = "double") {
  static std::map<std::pair<std::string, std::string>, LoadedLibrary> libraries;
  const std::pair key(file_name, accumulator);
  if (const auto found = libraries.find(key); found != libraries.end()) return found->second;
  const std::string root = KGRADE_SOURCE_DIR;
  const TemporaryDirectory folder;
  BuildRequest request;
  request.source = root + "/harness/tests/reference/" + file_name;
  request.shown_as = file_name;
  request.output_directory = folder.path();
  request.include_directories = {root + "/reference"};
  request.defines = {{"KGRADE_ACCUMULATOR", accumulator}, {"KGRADE_ELEMENT", "float"}};
  return libraries.try_emplace(key, built_library(emulated_toolchain(), request)).first->second;
}

}  // namespace kgrade::test
