#include "compile_time.h"

#include <chrono>
#include <stdexcept>

#include "base/temporary_directory.h"
#include "compile/nvcc_toolchain.h"
#include "kernels.h"
#include "problem/catalogue.h"

namespace kgrade::benchmark {
namespace {

// Like kgrade builds a candidate, with the binding of its problem.
double seconds_to_build(const Toolchain& toolchain, const Problem& problem) {
  const TemporaryDirectory folder;
  BuildRequest request;
  request.source = std::string(KGRADE_SOURCE_DIR) + "/solutions/" + problem.slug + "/naive.cu";
  request.shown_as = "naive.cu";
  request.output_directory = folder.path();
  const auto start = std::chrono::steady_clock::now();
  const auto outcome = toolchain.build(problem, request);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!outcome || outcome->status != BuildStatus::built) throw std::runtime_error("naive.cu does not build");
  return taken.count();
}

}  // namespace

std::optional<Row> measure_compile_time(const EmulatedToolchain& toolchain, int runs) {
  const auto nvcc = find_nvcc();
  if (!nvcc) return std::nullopt;
  const NvccToolchain cuda(*nvcc, "sm_90");
  const auto problem =
      find_problem("conv-transpose-2d-sq-input-asym-kernel", {std::string(KGRADE_SOURCE_DIR) + "/problems"});
  if (!problem) throw std::runtime_error(to_string(problem.errors()));
  Row row{"compile a file with one kernel", "times nvcc's (medians)", 0, Bound::at_most, 1.2, {}, Runs{}};
  for (int run = 0; run < runs; ++run) {
    row.emulated.seconds.push_back(seconds_to_build(toolchain, *problem));
    row.plain->seconds.push_back(seconds_to_build(cuda, *problem));
  }
  row.value = row.emulated.median() / row.plain->median();
  return row;
}

}  // namespace kgrade::benchmark
