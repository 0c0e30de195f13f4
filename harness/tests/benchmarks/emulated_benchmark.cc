// emulated_benchmark: how fast the emulated device is on one core, against plain loops in the same run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "base/text.h"
#include "compile/layout.h"
#include "compile_time.h"
#include "device/emulated/runtime/emulated_runtime.h"
#include "measurements.h"

namespace kgrade::benchmark {
namespace {

struct Arguments {
  int runs = 9;
  int compile_runs = 5;
  std::string only;
  std::string json;
};

int run(const Arguments& arguments) {
  const auto compiler = find_host_compiler();
  if (!compiler) throw std::runtime_error(to_string(compiler.errors()));
  const EmulatedToolchain toolchain(*compiler, Layout::find().share / "emulated");
  kgrade_emulated::set_host_threads(1);
  std::vector<Row> rows = measure_kernels(toolchain, arguments.runs, arguments.only);
  if (arguments.compile_runs > 0 && arguments.only.empty()) {
    if (auto row = measure_compile_time(toolchain, arguments.compile_runs)) rows.push_back(*row);
  }
  fmt::print("{}", to_table(rows));
  if (!arguments.json.empty()) {
    const auto written = write_file_atomically(arguments.json, to_json(rows, toolchain.describe()));
    if (!written) throw std::runtime_error(to_string(written.errors()));
  }
  return 0;
}

}  // namespace
}  // namespace kgrade::benchmark

int main(int argc, char** argv) {
  kgrade::benchmark::Arguments arguments;
  CLI::App app("Measures the emulated device on one core");
  app.add_option("--runs", arguments.runs, "Runs of each kernel; the fastest counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--compile-runs", arguments.compile_runs, "Runs of each compiler; 0 leaves them out")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app.add_option("--only", arguments.only, "Only the rows whose name holds this")->type_name("TEXT");
  app.add_option("--json", arguments.json, "Also write all times to this file")->type_name("FILE");
  CLI11_PARSE(app, argc, argv);
  try {
    return kgrade::benchmark::run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
