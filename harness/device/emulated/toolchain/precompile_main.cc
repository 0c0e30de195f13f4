// kgrade-precompile HEADERS FOLDER: a step of the build. Precompiles the emulated device's headers, so that
// candidates compile faster. It is not a failure if the compiler cannot do this.
#include <fmt/format.h>

#include "device/emulated/toolchain/emulated_toolchain.h"

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const auto compiler = kgrade::find_host_compiler();
  if (!compiler) return 0;
  const std::string complaints = kgrade::precompile_device_headers(*compiler, arguments[1], arguments[2]);
  if (!complaints.empty()) fmt::print(stderr, "{}\n", complaints);
  return 0;
}
