// A .cu file of harness/tests/fixtures/emulated, built for the emulated device and loaded into the test. The
// library's file is gone once it is loaded, since the child of a death test destroys nothing.
#pragma once

#include <fstream>
#include <map>
#include <sstream>

#include "base/temporary_directory.h"
#include "tests/support/loaded_library.h"

namespace kgrade::test {

// Several tests load the same file: it is built once, and each test loads a copy in its first state.
inline const std::string& library_of(const std::string& file_name) {
  static std::map<std::string, std::string> libraries;
  std::string& library = libraries[file_name];
  if (!library.empty()) return library;
  const TemporaryDirectory folder;
  BuildRequest request;
  request.source = std::string(KGRADE_SOURCE_DIR) + "/harness/tests/fixtures/emulated/" + file_name;
  request.shown_as = file_name;
  request.output_directory = folder.path();
  std::ostringstream bytes;
  bytes << std::ifstream(built_library(emulated_toolchain(), request), std::ios::binary).rdbuf();
  return library = bytes.str();
}

class LoadedSource : public LoadedLibrary {
 public:
  explicit LoadedSource(const std::string& file_name) : LoadedLibrary(Copy(file_name).file) {}

 private:
  struct Copy {
    explicit Copy(const std::string& file_name) {
      std::ofstream(file, std::ios::binary) << library_of(file_name);
    }
    TemporaryDirectory folder;
    std::filesystem::path file = folder.path() / "library.so";
  };
};

}  // namespace kgrade::test
