#include "compile/launch_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace kgrade {
namespace {

// The functions of the CUDA runtime that launch kernels, with their arguments. nvcc turns `<<<...>>>` into
// calls of the first function, or of the second if kernels are identified by handles. A runtime may lack some
// of them.
struct LaunchFunction {
  const char* name;
  const char* parameters;
  const char* arguments;
  const char* seen;  // kernel, grid, block and dynamic shared memory, for kgrade_launch_failed()
};
constexpr const char* parameters_of_kernels =
    "const void* kernel, kgrade_extent grid, kgrade_extent block, void** arguments, decltype(sizeof(0)) "
    "shared, void* stream";
constexpr const char* arguments_of_kernels = "kernel, grid, block, arguments, shared, stream";
constexpr const char* seen_of_kernels = "kernel, &grid, &block, shared";
constexpr LaunchFunction launch_functions[] = {
    {"cudaLaunchKernel", parameters_of_kernels, arguments_of_kernels, seen_of_kernels},
    {"__cudaLaunchKernel", parameters_of_kernels, arguments_of_kernels, seen_of_kernels},
    {"cudaLaunchCooperativeKernel", parameters_of_kernels, arguments_of_kernels, seen_of_kernels},
    {"cudaLaunchKernelExC", "const kgrade_configuration* configuration, const void* kernel, void** arguments",
     "configuration, kernel, arguments",
     "kernel, configuration ? &configuration->grid : nullptr, configuration ? &configuration->block : "
     "nullptr, "
     "configuration ? configuration->shared : 0"},
};
// The suffix of these functions in code that is compiled with a default stream per thread.
constexpr const char* variants[] = {"", "_ptsz"};

}  // namespace

// kgrade_extent has the layout of dim3: three numbers. kgrade_configuration has that of the beginning of
// cudaLaunchConfig_t. A kernel is identified by the address that CUDA's runtime uses, or by a handle.
std::string launch_watch_source() {
  std::string source =
      "struct kgrade_extent { unsigned int x, y, z; };\n"
      "struct kgrade_configuration { kgrade_extent grid, block; decltype(sizeof(0)) shared; };\n"
      "extern \"C\" __attribute__((weak)) void kgrade_launch_failed(int error, const void* kernel, const "
      "unsigned int* grid, const unsigned int* block, decltype(sizeof(0)) shared);\n"
      "static int kgrade_watched(int error, const void* kernel, const kgrade_extent* grid, const "
      "kgrade_extent* block, decltype(sizeof(0)) shared) {\n"
      "  if (error != 0 && kgrade_launch_failed != nullptr)\n"
      "    kgrade_launch_failed(error, kernel, grid ? &grid->x : nullptr, block ? &block->x : nullptr, "
      "shared);\n"
      "  return error;\n"
      "}\n";
  for (const LaunchFunction& function : launch_functions) {
    for (const char* const variant : variants) {
      source += fmt::format(
          "extern \"C\" __attribute__((weak)) int __real_{0}{1}({2});\n"
          "extern \"C\" __attribute__((visibility(\"hidden\"))) int __wrap_{0}{1}({2}) {{\n"
          "  return kgrade_watched(__real_{0}{1}({3}), {4});\n"
          "}}\n",
          function.name, variant, function.parameters, function.arguments, function.seen);
    }
  }
  return source;
}

std::string launch_watch_options() {
  std::vector<std::string> options;
  for (const LaunchFunction& function : launch_functions) {
    for (const char* const variant : variants)
      options.push_back(fmt::format("--wrap={}{}", function.name, variant));
  }
  return fmt::format("{}", fmt::join(options, ","));
}

}  // namespace kgrade
