// A .cu file of harness/tests/fixtures/emulated, built for the emulated device and loaded into the test. The
// library's file is gone once it is loaded, since the child of a death test destroys nothing.
#pragma once

#include <string>

namespace kgrade::test {

class LoadedSource {
 public:
  // Throws with the compiler's log when the file does not build or load.
  explicit LoadedSource(const std::string& file_name);
  ~LoadedSource();
  LoadedSource(const LoadedSource&) = delete;
  LoadedSource& operator=(const LoadedSource&) = delete;

  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* library_ = nullptr;
};

}  // namespace kgrade::test
