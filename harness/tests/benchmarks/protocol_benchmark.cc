// protocol_benchmark: what one checked call costs beyond the kernel itself and the refill of its inputs,
// which ends with a flush of the cache: new places and poison, the gate, the capture of the outputs, the
// inspection and the comparison. Then what the referee does with gigabytes: by the gigabyte.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/statistics.h"
#include "base/text.h"
#include "contest/contest.h"
#include "draw/draws.h"
#include "grade/contestants.h"
#include "grade/run.h"
#include "problem/catalogue.h"
#include "verify/checks.h"

namespace kgrade::benchmark {
namespace {

using Clock = std::chrono::steady_clock;

struct Arguments {
  std::string device = "auto";
  std::string problem = "conv-depthwise-2d-square-input-asym-kernel";
  std::string case_name = "tiny";
  int calls = 200;
  double gigabytes = 6;  // of an input, and of an output
  std::string json;
};

constexpr double target_us = 400;
constexpr int unmeasured_calls = 5;
constexpr std::uint64_t seed = 1;

template <class T>
T take(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.errors()));
  return std::move(*result);
}

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The same contestant in all runners: the benchmark measures what the referee does.
struct Stage {
  Problem problem;
  Machinery machinery;
  std::unique_ptr<Device> device;
  std::unique_ptr<ContestantRunner> oracle;
  std::unique_ptr<ContestantRunner> reference;
  Case bound;
};

std::unique_ptr<ContestantRunner> runner_with(Stage& stage, const std::filesystem::path& library) {
  auto runner = take(ContestantRunner::start(*stage.device, stage.problem));
  for (const Answer& answer : {runner->await_ready(load_patience), runner->load(library, load_patience)}) {
    if (!answer.ok()) throw std::runtime_error(answer.detail);
  }
  return runner;
}

struct Costs {
  std::vector<double> whole_us;   // one call with everything
  std::vector<double> kernel_us;  // of that, between the events
  std::vector<double> refill_us;  // inputs written and the cache flushed, on their own
  std::vector<double> flush_us;   // of that, what flushing takes
  std::vector<double> rest_us;
  // The rest: until only the inputs are missing; from there to the worker's answer, less the refill and the
  // kernel; and until the device has finished the inspection.
  std::vector<double> beginning_us;
  std::vector<double> answer_us;
  std::vector<double> inspection_us;
};

// The same inputs once more.
double reveal_us(Stage& stage, CacheState cache) {
  stage.device->set_cache_state(cache);
  const auto start = Clock::now();
  stage.reference->lease().reveal();
  const double us = microseconds_since(start);
  stage.device->set_cache_state(CacheState::cold);
  return us;
}

Costs measure(Contest& contest, Stage& stage, int calls) {
  Costs costs;
  DrawSequence draws(seed);
  for (int call = 0; call < calls + unmeasured_calls; ++call) {
    const Draw draw = draws.fresh();
    const auto start = Clock::now();
    const CallReport report = contest.call(Role::candidate, draw, load_patience);
    const double whole = microseconds_since(start);
    if (const auto finding = review_call(report)) throw std::runtime_error(finding->message);
    const double refilled = reveal_us(stage, CacheState::cold);
    const double written = reveal_us(stage, CacheState::warm);
    if (call < unmeasured_calls) continue;
    costs.whole_us.push_back(whole);
    costs.kernel_us.push_back(report.call.elapsed_ms * 1e3);
    costs.refill_us.push_back(refilled);
    costs.flush_us.push_back(refilled - written);
    costs.rest_us.push_back(whole - report.call.elapsed_ms * 1e3 - refilled);
    costs.beginning_us.push_back(report.prepared_ms * 1e3);
    costs.answer_us.push_back((report.wall_ms - report.call.elapsed_ms) * 1e3 - refilled);
    costs.inspection_us.push_back(whole - (report.prepared_ms + report.wall_ms) * 1e3);
  }
  return costs;
}

// Milliseconds for each gigabyte of an input and an output together.
struct BulkCosts {
  std::vector<double> refill;      // poison, and the input's numbers
  std::vector<double> inspection;  // with a comparison of the output
};

// A tensor of float32 in a buffer of its own, between guard zones.
struct BulkTensor {
  std::unique_ptr<SharedBuffer> buffer;
  Filling filling;
};

BulkTensor bulk_tensor(Device& device, std::uint64_t elements, bool is_input, const Distribution& drawn) {
  constexpr std::uint64_t zone = 4096;
  auto buffer = take(device.allocate(4 * elements + 2 * zone));
  const Filling filling{buffer.get(), zone, elements, is_input, {drawn, {seed, 0, 0}, {}}, {seed, 1, 0}};
  return {std::move(buffer), filling};
}

double ms_per_gb(std::uint64_t bytes, Clock::time_point start) {
  return microseconds_since(start) * 1e-3 / (static_cast<double>(bytes) * 1e-9);
}

// An output is what is expected but for its last places, like that of a candidate. Its inputs are drawn, or
// copied from the oracle's.
BulkCosts measure_bulk(Device& device, std::uint64_t bytes, Distribution::Kind kind, bool copies) {
  constexpr int runs = 5;
  const std::uint64_t elements = bytes / 4;
  BulkTensor input = bulk_tensor(device, elements, true, {kind, 0, 1});
  const BulkTensor output = bulk_tensor(device, elements, false, {kind, 0, 1});
  const BulkTensor expected = bulk_tensor(device, elements, true, {kind, 1e-7, 1});
  device.reveal({&expected.filling, 1});
  if (copies) {
    input.filling.source = expected.buffer.get();
    input.filling.source_begin = expected.filling.begin;
  }
  const std::vector<Filling> fillings = {input.filling, output.filling};
  Filling answer = output.filling;
  answer.input = true;
  const OutputPair pair{output.buffer.get(), output.filling.begin, expected.buffer.get(),
                        expected.filling.begin, elements};
  BulkCosts costs;
  for (int run = 0; run <= runs; ++run) {
    auto start = Clock::now();
    device.poison(fillings);
    device.reveal(fillings);
    const double refill = ms_per_gb(2 * bytes, start);
    device.reveal({&answer, 1});
    start = Clock::now();
    const Inspection inspection = device.inspect(fillings, {&pair, 1});
    const double inspected = ms_per_gb(2 * bytes, start);
    for (const BufferCorruption& found : inspection.corruption) {
      if (found.guard_bytes + found.input_elements > 0) throw std::runtime_error("nothing has changed");
    }
    if (run == 0) continue;
    costs.refill.push_back(refill);
    costs.inspection.push_back(inspected);
  }
  return costs;
}

// With an input, an output and what is expected of it in nine tenths of the free memory at most. A device
// without a speed of its own only shows that it works.
void print_bulk(Device& device, double gigabytes, nlohmann::ordered_json& json) {
  const double most = static_cast<double>(device.free_bytes()) * 0.3;
  const double wanted = device.info().measures_speed ? gigabytes * 1e9 : 1e6;
  const auto bytes = static_cast<std::uint64_t>(std::min(wanted, most)) / 4 * 4;
  fmt::print("an input and an output of {:.3g} GB each, by the gigabyte of both\n",
             static_cast<double>(bytes) * 1e-9);
  for (const auto& [name, kind, copies] : {std::tuple{"uniform", Distribution::Kind::uniform, false},
                                           {"normal", Distribution::Kind::normal, false},
                                           {"copied", Distribution::Kind::normal, true}}) {
    const BulkCosts costs = measure_bulk(device, bytes, kind, copies);
    fmt::print("  {:<8} poison and input {:8.3f} ms/GB   inspection and comparison {:8.3f} ms/GB\n", name,
               quantile(costs.refill, 0.5), quantile(costs.inspection, 0.5));
    json["bulk"][name] = {{"bytes_each", bytes},
                          {"refill_ms_per_gb", costs.refill},
                          {"inspection_ms_per_gb", costs.inspection}};
  }
}

void print(const Costs& costs, const Stage& stage, const Arguments& arguments) {
  const DeviceInfo device = stage.device->info();
  fmt::print("{}, {}, case {}, {} calls\n", device.name, stage.problem.slug, stage.bound.name,
             costs.whole_us.size());
  nlohmann::ordered_json json = {
      {"device", device.name}, {"problem", stage.problem.slug}, {"case", stage.bound.name}};
  for (const auto& [indent, name, samples] : {std::tuple{"", "checked call", &costs.whole_us},
                                              {"", "kernel", &costs.kernel_us},
                                              {"", "refill of the inputs", &costs.refill_us},
                                              {"  ", "flush", &costs.flush_us},
                                              {"", "beyond both", &costs.rest_us},
                                              {"  ", "until all is queued", &costs.beginning_us},
                                              {"  ", "until the answer", &costs.answer_us},
                                              {"  ", "inspection", &costs.inspection_us}}) {
    const Summary summary = summarise(*samples);
    fmt::print("  {}{:<{}} {:8.1f} us   quartiles {:.1f} to {:.1f}\n", indent, name,
               22 - std::string_view(indent).size(), summary.median, summary.first_quartile,
               summary.third_quartile);
    json[name] = {{"median_us", summary.median}, {"samples_us", *samples}};
  }
  if (device.measures_speed) {
    const bool met = quantile(costs.rest_us, 0.5) <= target_us;
    fmt::print("  target: at most {} us beyond both: {}\n", target_us, met ? "met" : "missed");
  }
  if (arguments.gigabytes > 0) print_bulk(*stage.device, arguments.gigabytes, json);
  if (arguments.json.empty()) return;
  const auto written = write_file_atomically(arguments.json, json.dump(2) + "\n");
  if (!written) throw std::runtime_error(to_string(written.errors()));
}

void run(const Arguments& arguments) {
  const Layout layout = Layout::find("");
  Stage stage;
  stage.problem = take(find_problem(arguments.problem, layout.problems));
  stage.machinery = real_machinery(take(parse_device_choice(arguments.device)), layout);
  stage.device = take(stage.machinery.open_device());
  stage.device->confine_workers(stage.machinery.sandbox);
  const auto toolchain = take(stage.machinery.make_toolchain());
  StageClock stages(*stage.machinery.clock);
  Build build(*toolchain, stage.problem, Role::reference, layout.reference_source(stage.problem), layout,
              stages);
  const BuildOutcome built = take(build.finish());
  if (built.status != BuildStatus::built) throw std::runtime_error(built.message);

  const CaseSpec* const spec = stage.problem.find_case(arguments.case_name);
  if (spec == nullptr) throw std::runtime_error("no such case: " + arguments.case_name);
  stage.bound = take(resolve_case(stage.problem, *spec));
  stage.oracle = runner_with(stage, built.library);
  stage.reference = runner_with(stage, built.library);
  Contest contest(*stage.device, stage.problem, *stage.oracle, stage.reference.get(), 1);
  contest.set_candidate(runner_with(stage, built.library), built.library);
  for (const Role role : {Role::oracle, Role::reference, Role::candidate}) {
    take(contest.lend(role, stage.bound, 1));
  }
  contest.call(Role::oracle, {seed, 0, 0}, load_patience);
  contest.call(Role::reference, {seed, 0, 0}, load_patience);
  print(measure(contest, stage, arguments.calls), stage, arguments);
}

}  // namespace
}  // namespace kgrade::benchmark

int main(int argc, char** argv) {
  kgrade::benchmark::Arguments arguments;
  CLI::App app("Measures what one checked call costs");
  app.add_option("--device", arguments.device, "auto, cuda, cuda:N or emulated")->capture_default_str();
  app.add_option("--problem", arguments.problem, "Slug of a problem")->capture_default_str();
  app.add_option("--case", arguments.case_name, "One of its cases")->capture_default_str();
  app.add_option("--calls", arguments.calls, "How many calls")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--gigabytes", arguments.gigabytes, "Of an input, and of an output; 0 leaves that out")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  app.add_option("--json", arguments.json, "Also write all times to this file")->type_name("FILE");
  CLI11_PARSE(app, argc, argv);
  try {
    kgrade::benchmark::run(arguments);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
