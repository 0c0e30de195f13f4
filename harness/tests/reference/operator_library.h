// A .cu file of this folder, built against reference/ with double accumulators for the emulated device and
// loaded into the test. Host memory is the device's memory there.
#pragma once

#include <string>

#include "base/temporary_directory.h"

namespace kgrade::test {

class OperatorLibrary {
 public:
  // Built once for all tests of the program.
  static const OperatorLibrary& shared(const std::string& file_name);

  // Throws with the compiler's log when the file does not build or load.
  explicit OperatorLibrary(const std::string& file_name);
  ~OperatorLibrary();
  OperatorLibrary(const OperatorLibrary&) = delete;
  OperatorLibrary& operator=(const OperatorLibrary&) = delete;

  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  TemporaryDirectory folder_;
  void* library_ = nullptr;
};

}  // namespace kgrade::test
