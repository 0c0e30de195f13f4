// emulated_benchmark: how fast the emulated device is on one core, against plain loops in the same run.
#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/layout.h"
#include "compile/nvcc_toolchain.h"
#include "device/emulated/runtime/emulated_runtime.h"
#include "device/emulated/toolchain/emulated_toolchain.h"
#include "plain_loops.h"
#include "problem/catalogue.h"
#include "record/record.h"
#include "tests/support/loaded_library.h"

namespace kgrade::benchmark {
namespace {

// Seconds of repeated runs of one thing. The fastest shows what an undisturbed machine can do.
struct Runs {
  std::vector<double> seconds;

  double fastest() const { return *std::min_element(seconds.begin(), seconds.end()); }
  double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
};

enum class Bound { none, at_most, at_least };

struct Row {
  std::string name;
  std::string unit;
  double value = 0;
  Bound bound = Bound::none;
  double target = 0;
  // The figures that it was computed from.
  Runs emulated;
  std::optional<Runs> plain;

  bool met() const {
    return bound == Bound::none || (bound == Bound::at_most ? value <= target : value >= target);
  }
};

std::string target_text(const Row& row) {
  if (row.bound == Bound::none) return "";
  return fmt::format("{} {}", row.bound == Bound::at_most ? "<=" : ">=", row.target);
}

std::string outcome(const Row& row) {
  if (row.bound == Bound::none) return "";
  return row.met() ? "ok" : "missed";
}

// How far the typical run is from the fastest.
std::string noise_text(const Runs& runs) {
  return fmt::format("{:.0f}%", 100 * (runs.median() / runs.fastest() - 1));
}

nlohmann::ordered_json json_of(const Row& row) {
  nlohmann::ordered_json json = {{"name", row.name}, {"value", row.value}, {"unit", row.unit}};
  if (row.bound != Bound::none) {
    json["target"] = {{row.bound == Bound::at_most ? "at_most" : "at_least", row.target}};
    json["met"] = row.met();
  }
  json["emulated_seconds"] = row.emulated.seconds;
  if (row.plain) json["compared_with_seconds"] = row.plain->seconds;
  return json;
}

std::string to_table(const std::vector<Row>& rows) {
  std::string text = fmt::format("{:<44} {:>10}  {:<24} {:>10}  {:<7} {:>6}\n",
                                 "on one core, the fastest run", "value", "unit", "target", "", "noise");
  for (const Row& row : rows) {
    text += fmt::format("{:<44} {:>10.3g}  {:<24} {:>10}  {:<7} {:>6}\n", row.name, row.value, row.unit,
                        target_text(row), outcome(row), noise_text(row.emulated));
  }
  return text + "noise: how much longer the median run takes than the fastest\n";
}

std::string to_json(const std::vector<Row>& rows, const std::string& compiler) {
  const HostInfo host = host_info();
  nlohmann::ordered_json json = {{"benchmark", "emulated device"},
                                 {"processor", host.processor},
                                 {"cores", host.cores},
                                 {"compiler", compiler},
                                 {"rows", nlohmann::ordered_json::array()}};
  for (const Row& row : rows) json["rows"].push_back(json_of(row));
  return json.dump(2) + "\n";
}

// A file of kernels/, built and loaded.
test::LoadedLibrary loaded_kernels(const EmulatedToolchain& toolchain, const std::string& file) {
  const TemporaryDirectory folder;
  BuildRequest request;
  request.source = std::string(KGRADE_SOURCE_DIR) + "/harness/tests/benchmarks/kernels/" + file;
  request.shown_as = file;
  request.include_directories = {request.source.parent_path()};
  request.output_directory = folder.path();
  return test::LoadedLibrary(test::built_library(toolchain, request));
}

using Work = std::function<void()>;
using Floats = std::vector<float>;

// CPU time of this thread: it does all the work here, and other activity is not counted.
double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const Work& work) {
  const double start = thread_seconds();
  work();
  return thread_seconds() - start;
}

Floats numbers(std::size_t count) {
  Floats result(count);
  unsigned int state = 1;
  for (float& value : result) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / static_cast<float>(1 << 24);
  }
  return result;
}

void expect_close(const Floats& actual, const Floats& expected, const std::string& name) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::abs(actual[i] - expected[i]) <= 1e-4f * std::abs(expected[i])) continue;
    throw std::runtime_error(fmt::format("{}: element {} is {}, not {}", name, i, actual[i], expected[i]));
  }
}

// Runs in turns, so that both see the same machine; the first run of each is a warm-up and left out.
void run_in_turns(Row& row, int runs, const Work& emulated, const Work& plain) {
  emulated();
  plain();
  row.plain = Runs{};
  for (int run = 0; run < runs; ++run) {
    row.emulated.seconds.push_back(seconds_of(emulated));
    row.plain->seconds.push_back(seconds_of(plain));
  }
}

class Measurements {
 public:
  Measurements(const EmulatedToolchain& toolchain, int runs, const std::string& only)
      : toolchain_(toolchain), runs_(runs), only_(only) {}

  std::vector<Row> all() {
    conv_transpose("conv-transpose, no barrier", "conv_transpose.cu", Bound::at_most, 1.1);
    conv_transpose("conv-transpose, on a fiber", "conv_transpose_lazy.cu", Bound::none, 0);
    vector_add("vector add, no barrier", "vector_add.cu");
    vector_add("vector add, on a fiber", "vector_add_lazy.cu");
    for (const int threads : {64, 256, 1024}) barriers(threads);
    for (const int tile : {16, 32}) matmul(tile);
    row_sums();
    return rows_;
  }

 private:
  void conv_transpose(const std::string& name, const char* file, Bound bound, double target) {
    Row row{name, "times plain -O3", 0, bound, target, {}, {}};
    if (!wanted(row)) return;
    const ConvTranspose p{4, 16, 250, 250, 7};
    const auto input = numbers(static_cast<std::size_t>(p.in_channels) * p.height * p.width);
    const auto kernel =
        numbers(static_cast<std::size_t>(p.in_channels) * p.out_channels * p.kernel * p.kernel);
    Floats output(static_cast<std::size_t>(p.out_channels) * (p.height + p.kernel - 1) *
                  (p.width + p.kernel - 1));
    Floats expected(output.size());
    const test::LoadedLibrary kernels = loaded_kernels(toolchain_, file);
    const auto run =
        kernels.function<void(const float*, const float*, float*, ConvTranspose)>("conv_transpose");
    run_in_turns(
        row, runs_, [&] { run(input.data(), kernel.data(), output.data(), p); },
        [&] { plain_conv_transpose(input.data(), kernel.data(), expected.data(), p); });
    expect_close(output, expected, name);
    add_ratio(row);
  }

  void vector_add(const std::string& name, const char* file) {
    Row row{name, "times plain -O3", 0, Bound::none, 0, {}, {}};
    if (!wanted(row)) return;
    const int n = 1 << 20;
    const auto a = numbers(n);
    const auto b = numbers(n);
    Floats c(n);
    Floats expected(n);
    const test::LoadedLibrary kernels = loaded_kernels(toolchain_, file);
    const auto run = kernels.function<void(const float*, const float*, float*, int)>("vector_add");
    run_in_turns(
        row, runs_, [&] { run(a.data(), b.data(), c.data(), n); },
        [&] { plain_vector_add(a.data(), b.data(), expected.data(), n); });
    expect_close(c, expected, name);
    add_ratio(row);
  }

  void barriers(int threads) {
    Row row{fmt::format("barrier, blocks of {} threads", threads),
            "ns a thread and barrier",
            0,
            Bound::at_most,
            60,
            {},
            {}};
    if (!wanted(row)) return;
    const int count = 50;
    const int blocks = 16384 / threads;
    Floats out(static_cast<std::size_t>(blocks * threads));
    const test::LoadedLibrary kernels = loaded_kernels(toolchain_, "barriers.cu");
    const auto run = kernels.function<void(float*, int, int, int)>("barriers");
    // The time that is left without the barriers does not belong to them.
    run_in_turns(
        row, runs_, [&] { run(out.data(), blocks, threads, count); },
        [&] { run(out.data(), blocks, threads, 0); });
    row.value =
        1e9 * (row.emulated.fastest() - row.plain->fastest()) / (count * static_cast<double>(out.size()));
    rows_.push_back(row);
  }

  void matmul(int tile) {
    Row row{fmt::format("matrix product 512x512, tiles of {0}x{0}", tile),
            "GFLOP/s a core",
            0,
            tile == 32 ? Bound::at_least : Bound::none,
            0.9,
            {},
            {}};
    if (!wanted(row)) return;
    const int n = 512;
    const auto a = numbers(n * n);
    const auto b = numbers(n * n);
    Floats c(n * n);
    Floats expected(n * n);
    const test::LoadedLibrary kernels = loaded_kernels(toolchain_, "matmul.cu");
    const auto run = kernels.function<void(const float*, const float*, float*, int, int)>("matmul");
    run_in_turns(
        row, runs_, [&] { run(a.data(), b.data(), c.data(), n, tile); },
        [&] { plain_matmul(a.data(), b.data(), expected.data(), n); });
    expect_close(c, expected, row.name);
    row.value = 2e-9 * n * n * n / row.emulated.fastest();
    rows_.push_back(row);
  }

  void row_sums() {
    Row row{"row sums by shuffles, 1024x1024", "million elements/s", 0, Bound::none, 0, {}, {}};
    if (!wanted(row)) return;
    const int rows = 1024;
    const int columns = 1024;
    const auto input = numbers(static_cast<std::size_t>(rows) * columns);
    Floats sums(rows);
    Floats expected(rows);
    const test::LoadedLibrary kernels = loaded_kernels(toolchain_, "row_sums.cu");
    const auto run = kernels.function<void(const float*, float*, int, int)>("row_sums");
    run_in_turns(
        row, runs_, [&] { run(input.data(), sums.data(), rows, columns); },
        [&] { plain_row_sums(input.data(), expected.data(), rows, columns); });
    expect_close(sums, expected, row.name);
    row.value = 1e-6 * rows * columns / row.emulated.fastest();
    rows_.push_back(row);
  }

  bool wanted(const Row& row) const { return row.name.find(only_) != std::string::npos; }

  void add_ratio(Row& row) {
    row.value = row.emulated.fastest() / row.plain->fastest();
    rows_.push_back(row);
  }

  const EmulatedToolchain& toolchain_;
  int runs_;
  std::string only_;
  std::vector<Row> rows_;
};

// The kernels of kernels/, built for the emulated device and run on one host thread, against plain loops.
// Throws std::runtime_error if a kernel does not build, or its result differs from the plain loops'. Only
// those whose names contain `only`.
std::vector<Row> measure_kernels(const EmulatedToolchain& toolchain, int runs, const std::string& only) {
  return Measurements(toolchain, runs, only).all();
}

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

// How long a file with one kernel takes to compile for the emulated device compared with nvcc; nothing if
// there is no nvcc. Both build the same file, in turns.
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
