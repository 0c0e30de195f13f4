#include "measurements.h"

#include <fmt/format.h>
#include <time.h>

#include <cmath>
#include <functional>
#include <stdexcept>

#include "kernels.h"
#include "plain_loops.h"

namespace kgrade::benchmark {
namespace {

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
    const Kernels kernels(toolchain_, file);
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
    const Kernels kernels(toolchain_, file);
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
    const Kernels kernels(toolchain_, "barriers.cu");
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
    const Kernels kernels(toolchain_, "matmul.cu");
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
    const Kernels kernels(toolchain_, "row_sums.cu");
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

}  // namespace

std::vector<Row> measure_kernels(const EmulatedToolchain& toolchain, int runs, const std::string& only) {
  return Measurements(toolchain, runs, only).all();
}

}  // namespace kgrade::benchmark
