#include "contest/contestant_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "base/text.h"
#include "contest/call_contents.h"

namespace kgrade {
namespace {

// Text from a worker, made printable because it may hold any bytes.
template <std::size_t Size>
std::string text_of(const char (&text)[Size]) {
  return printable_line(std::string_view(text, ::strnlen(text, Size)));
}

std::string extent_text(const std::uint32_t (&extent)[3]) {
  return fmt::format("({}, {}, {})", extent[0], extent[1], extent[2]);
}

// The first limit of all GPUs since compute capability 3.0 that the launch breaks (Programming Guide,
// "Technical Specifications per Compute Capability"), in words. A GPU has further limits. Empty if it breaks
// none.
std::string broken_limit(const FailedLaunch& launch) {
  constexpr std::array<const char*, 3> axes = {"x", "y", "z"};
  constexpr std::uint64_t most_threads = 1024;
  constexpr std::array<std::uint64_t, 3> most_block = {1024, 1024, 64};
  constexpr std::array<std::uint64_t, 3> most_grid = {2147483647, 65535, 65535};
  constexpr std::uint64_t usual_shared = 48 * 1024;
  const auto above = [](const std::string& what, std::uint64_t value, std::uint64_t most) {
    return fmt::format("{} {}, of at most {}", what, with_commas(value), with_commas(most));
  };
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (launch.grid[i] == 0) return fmt::format("the grid has no blocks: its {} is 0", axes[i]);
    if (launch.block[i] == 0) return fmt::format("the block has no threads: its {} is 0", axes[i]);
  }
  // A double holds the product of three such numbers exactly enough for this comparison.
  const double threads = 1.0 * launch.block[0] * launch.block[1] * launch.block[2];
  if (threads > most_threads)
    return above("threads of a block:", static_cast<std::uint64_t>(std::min(threads, 0x1p62)), most_threads);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (launch.block[i] > most_block[i])
      return above(fmt::format("the block's {} is", axes[i]), launch.block[i], most_block[i]);
    if (launch.grid[i] > most_grid[i])
      return above(fmt::format("the grid's {} is", axes[i]), launch.grid[i], most_grid[i]);
  }
  if (launch.dynamic_shared <= usual_shared) return "";
  return above("bytes of dynamic shared memory:", launch.dynamic_shared, usual_shared) +
         " without cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)";
}

// The worker's report of a failed launch, in words: "kernel scale at mine.cu:20, grid (0, 1, 1), block (256,
// 1, 1): the grid has no blocks: its x is 0". Empty if nothing is known.
std::string describe_launch(const FailedLaunch& launch) {
  if (launch.is_known == 0) return "";
  const std::string kernel = text_of(launch.kernel), place = text_of(launch.place);
  std::string text = kernel.empty() ? "a kernel" : "kernel " + kernel;
  if (!place.empty()) text += " at " + place;
  text += fmt::format(", grid {}, block {}", extent_text(launch.grid), extent_text(launch.block));
  if (launch.dynamic_shared != 0)
    text += fmt::format(", {} of dynamic shared memory", counted(launch.dynamic_shared, "byte"));
  const std::string broken = broken_limit(launch);
  return text + (broken.empty() ? "" : ": " + broken);
}

using Clock = std::chrono::steady_clock;

// How long the launches of a call may take to be queued. A contestant that waits for the device in between
// would wait for its own gate.
constexpr Patience gate_patience{25};
// How often to count threads that should have ended, a millisecond apart.
constexpr int looks_at_threads = 20;
// How long a worker may take to give memory back.
constexpr Patience leaving_patience{5'000};
// How long a device may still work when the clock has stopped.
constexpr Patience settling_patience{5'000};

double milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

std::vector<OutputErrors> named(const Lease& lease, const std::vector<ElementErrors>& errors) {
  std::vector<OutputErrors> outputs;
  for (const Lease::Loaned& output : lease.outputs()) {
    if (outputs.size() == errors.size()) break;
    outputs.push_back(
        {output.tensor->name, output.tensor->shape, errors[outputs.size()], output.tensor->compare});
  }
  return outputs;
}

Result<std::unique_ptr<WorkerProcess>> start_worker(Device& device, Libraries libraries,
                                                    ModuleLoading loading) {
  return WorkerProcess::start(device.confined(device.worker_command(), libraries), loading);
}

// The worker may use all libraries, because the interpreter's packages need theirs, whatever the problem
// allows.
Result<std::unique_ptr<WorkerProcess>> start_python_worker(Device& device, const PythonHost& host) {
  const std::vector<std::string> worker = device.worker_command();
  const std::filesystem::path library = python_library(worker.front());
  if (std::error_code failure; !std::filesystem::exists(library, failure))
    return machine_error(library.string() + " is missing: this kgrade is incomplete",
                         "install it again, or build all of its targets");
  return WorkerProcess::start(
      device.confined(python_command(host, worker), Libraries::any, python_policy(host, worker)),
      ModuleLoading::lazy, host.zygote.get());
}

std::vector<CallSlots> further_slots(const Lease& lease) {
  std::vector<CallSlots> slots;
  for (std::uint32_t launch = 1; launch < lease.launches(); ++launch) slots.push_back(lease.slots(launch));
  return slots;
}

}  // namespace

Result<std::unique_ptr<ContestantRunner>> ContestantRunner::start(Device& device, const Problem& problem,
                                                                  Libraries libraries,
                                                                  ModuleLoading loading) {
  auto worker = start_worker(device, libraries, loading);
  if (!worker) return worker.errors();
  return std::unique_ptr<ContestantRunner>(
      new ContestantRunner(device, problem, libraries, loading, std::move(*worker)));
}

Result<std::unique_ptr<ContestantRunner>> ContestantRunner::start(Device& device, const Problem& problem,
                                                                  const PythonHost& host) {
  auto worker = start_python_worker(device, host);
  if (!worker) return worker.errors();
  std::unique_ptr<ContestantRunner> runner(
      new ContestantRunner(device, problem, problem.libraries, ModuleLoading::lazy, std::move(*worker)));
  runner->host_ = &host;
  return runner;
}

Result<std::unique_ptr<ContestantRunner>> ContestantRunner::start_another() const {
  auto another =
      host_ != nullptr ? start(device_, problem_, *host_) : start(device_, problem_, libraries_, loading_);
  if (!another) return another;
  (*another)->set_builder(builder_);
  (*another)->take_inputs_from(computed_);
  return another;
}

std::unique_ptr<ContestantRunner> ContestantRunner::with_worker(Device& device, const Problem& problem,
                                                                std::unique_ptr<WorkerProcess> worker,
                                                                const PythonHost* host) {
  std::unique_ptr<ContestantRunner> runner(
      new ContestantRunner(device, problem, problem.libraries, ModuleLoading::eager, std::move(worker)));
  runner->host_ = host;
  return runner;
}

Answer ContestantRunner::await_ready(Patience patience) {
  if (is_ready_) return {};
  gate_.reset();
  Answer answer = worker_->give_back(patience);
  is_ready_ = answer.ok();
  if (!answer.ok() || !device_.gates_calls()) return answer;
  gate_ = device_.make_gate();
  if (gate_ != nullptr && !worker_->offer_gate(*gate_, patience)) gate_.reset();
  return answer;
}

Result<Answer> ContestantRunner::start_anew(Patience ready_patience, Patience load_patience) {
  if (auto errors = begin_anew(); !errors.empty()) return errors;
  return finish_anew(ready_patience, load_patience);
}

Errors ContestantRunner::begin_anew() {
  lease_.reset();
  is_lent_ = false;
  is_ready_ = false;
  worker_->retire();
  auto worker =
      host_ != nullptr ? start_python_worker(device_, *host_) : start_worker(device_, libraries_, loading_);
  if (!worker) return worker.errors();
  worker_ = std::move(*worker);
  return {};
}

Answer ContestantRunner::finish_anew(Patience ready_patience, Patience load_patience) {
  const Answer ready = await_ready(ready_patience);
  return ready.ok() ? load(library_, load_patience) : ready;
}

Answer ContestantRunner::load(const std::filesystem::path& library, Patience patience) {
  library_ = library;
  // Until the worker is ready, there is no gate, and its own threads are not all there.
  if (!is_ready_) {
    Answer ready = await_ready(patience);
    if (!ready.ok()) return ready;
  }
  worker_->find_worker();
  own_threads_ = worker_->threads();
  own_libraries_ = worker_->libraries();
  if (host_ != nullptr) worker_->set_builder(builder_);
  return worker_->load(library, patience);
}

Answer ContestantRunner::choose_variant(const std::string& variant) {
  if (variant == variant_) return {};
  other_variants_[variant_] = {calls_, waits_for_device_};
  variant_ = variant;
  // The first call of each variant may load modules, take memory or search for the best algorithm.
  const CallsOfVariant own = other_variants_[variant];
  calls_ = own.calls;
  waits_for_device_ = own.waits_for_device;
  if (!is_lent_) return {};  // lend() tells the worker
  worker_->thaw();
  Answer answer = tell_variant(lending_patience);
  worker_->freeze();
  return answer;
}

Answer ContestantRunner::tell_variant(Patience patience) {
  if (variant_.empty()) return {};
  return worker_->describe_case(nlohmann::json{{"variant", variant_}}.dump(), patience);
}

// Threads that its packages started in the rehearsal stay for all calls.
Answer ContestantRunner::lock(Patience patience) {
  worker_->thaw();
  report_.clear();
  Answer answer = worker_->lock(report_, patience);
  // The worker could lie about being locked. So the processes that it has started are killed now, and
  // processes that it starts later are noticed.
  worker_->set_builder(nullptr);
  worker_->end_other_processes();
  own_threads_ = worker_->threads();
  return answer;
}

std::vector<std::string> ContestantRunner::opened_libraries() const {
  const auto now = alive() && own_libraries_ ? worker_->libraries() : std::nullopt;
  LibraryNames opened;
  if (!now) return {};
  std::set_difference(now->begin(), now->end(), own_libraries_->begin(), own_libraries_->end(),
                      std::inserter(opened, opened.end()));
  return listed(opened);
}

Result<Answer> ContestantRunner::lend(const Case& bound, bool inputs_writable, LeaseTerms terms,
                                      Patience patience) {
  take_back();
  other_variants_.clear();
  calls_ = 0;
  waits_for_device_ = false;
  if (computed_ != nullptr) {
    if (auto errors = computed_->make_room(bound, terms.launches)) return *errors;
  }
  if (host_ != nullptr) {
    const std::size_t number = case_numbers_.try_emplace(bound.name, case_numbers_.size()).first->second;
    worker_->thaw();
    Answer described =
        worker_->describe_case(case_description(problem_, bound, terms.widens, number), patience);
    if (described.ok()) described = tell_variant(patience);
    if (!described.ok()) return described;
  }
  if (lease_ != nullptr && inputs_writable == inputs_writable_ && lease_->has_room_for(bound, terms)) {
    lease_->rebind(bound);
    is_lent_ = true;
    worker_->thaw();
    return lease_->tell_lengths(*worker_);
  }
  lease_.reset();
  auto lease = Lease::make(device_, problem_, bound, terms);
  if (!lease) return lease.errors();
  lease_ = std::move(*lease);
  inputs_writable_ = inputs_writable;
  is_lent_ = true;
  worker_->thaw();
  return lease_->lend_to(*worker_, inputs_writable, patience);
}

void ContestantRunner::take_back() {
  is_lent_ = false;
  if (lease_ != nullptr && !(keeps_small_buffers_ && lease_->is_small())) leave();
}

// Objects that a contestant in Python keeps may read the buffers while they are destroyed. So the worker
// unmaps the buffers last.
Answer ContestantRunner::leave() {
  is_lent_ = false;
  lease_.reset();
  Answer answer = release_memory();
  if (!answer.ok() || !alive()) return answer;
  worker_->thaw();
  answer = worker_->give_back(leaving_patience);
  worker_->freeze();
  return answer;
}

Answer ContestantRunner::release_memory() {
  if (host_ == nullptr || !alive()) return {};
  worker_->thaw();
  Answer answer = worker_->describe_case(R"({"leaves": true})", leaving_patience);
  worker_->freeze();
  return answer;
}

// The first call of a case is not queued ahead: it may load modules, take memory or search for the best
// algorithm, all of which may wait for the stream that waits at the gate.
CallReport ContestantRunner::checked_call(const Draw& draw, std::uint64_t poison_key, std::uint32_t call,
                                          Patience patience, const Lease* expected, CallKind kind,
                                          const Edit& edit) {
  CallReport report;
  if (computed_ != nullptr) {
    // Computing the inputs takes a while, before anything of a call is timed.
    Answer computed = computed_->hold(lease_->bound_case(), lease_->seeds_of_computed(draw));
    if (!computed.ok()) {
      report.fault = computed.fault;
      report.detail = std::move(computed.detail);
      report.lacks_inputs = true;
      return report;
    }
  }
  if (!kind.captures) send([this](WorkerProcess& worker) { return lease_->capture_little(worker); }, report);
  if (report.fault != Fault::none) return report;
  lease_->count_captures(kind.captures);
  const auto start = Clock::now();
  const auto waiter =
      kind.ahead && calls_ > 0 && !waits_for_device_ ? GateWaiter::device : GateWaiter::thread;
  const Prepare prepare = [&] { lease_->prepare(draw, poison_key, call, computed_.get(), expected); };
  const Begun begun =
      gate_ != nullptr && !edit ? begin_at_gate(prepare, waiter, report) : begin(prepare, edit, report);
  report.prepared_ms = milliseconds(begun.at - start);
  Answer answer = begun.answer;
  if (answer.ok()) answer = worker_->end_call(patience);
  lease_->begin_inspection(expected);
  report.fault = answer.fault;
  report.detail = answer.detail;
  if (answer.ok()) {
    report.call = answer.reply.call;
    if (report.call.failed_launch.error != 0) report.detail = describe_launch(report.call.failed_launch);
    report.wall_ms = milliseconds(answer.arrived - begun.at);
    if (!report.queued) report.call.latency_hidden = 0;
    see_rest(worker_->settle(settling_patience), report);
  }
  worker_->freeze();
  Lease::Findings findings = lease_->end_inspection();
  report.corruption = std::move(findings.corruption);
  report.outputs = named(*lease_, findings.errors);
  report.settled_ms = milliseconds(findings.settled);
  // Evicting takes a while, which is the protocol's time and not the call's. So it comes after everything
  // that is timed.
  if (report.keeps_lines)
    send([](WorkerProcess& worker) { return worker.evict_cache_lines(settling_patience); }, report);
  if (!kind.captures) send([this](WorkerProcess& worker) { return lease_->tell_lengths(worker); }, report);
  calls_ += 1;
  return report;
}

ContestantRunner::Begun ContestantRunner::begin(const Prepare& prepare, const Edit& edit,
                                                CallReport& report) {
  prepare();
  report.waited_ms = milliseconds(lease_->reveal());
  if (edit) {
    lease_->forget_draw();
    edit(*lease_);
  }
  worker_->thaw();
  const auto at = Clock::now();
  return {at, worker_->begin_call(lease_->slots(), 0, further_slots(*lease_))};
}

// A process takes time to wake up, on some machines a long time. So it wakes up before the inputs are there,
// when no clock runs.
ContestantRunner::Begun ContestantRunner::begin_at_gate(const Prepare& prepare, GateWaiter waiter,
                                                        CallReport& report) {
  const std::uint32_t number = gate_->next();
  worker_->thaw();
  prepare();
  Answer answer = worker_->begin_call(lease_->slots(), number, further_slots(*lease_), waiter);
  lease_->poison();  // while the worker queues its launches
  const bool waits = worker_->wait_until_queued(gate_patience);
  if (waiter == GateWaiter::device) {
    report.queued = waits;
    waits_for_device_ = !waits;
  }
  const auto at = Clock::now();
  report.waited_ms = milliseconds(lease_->reveal({gate_.get(), number}));
  return {at, std::move(answer)};
}

void ContestantRunner::send(const Message& message, CallReport& report) {
  worker_->thaw();
  const Answer answer = message(*worker_);
  worker_->freeze();
  if (answer.ok() || report.fault != Fault::none) return;
  report.fault = answer.fault;
  report.detail = answer.detail;
}

// Records what the call leaves behind.
void ContestantRunner::see_rest(const Answer& idle, CallReport& report) {
  report.fault = idle.fault;
  if (!idle.ok()) report.detail = idle.detail;
  // In Python, a joined thread is still there for a moment.
  unsigned int threads = worker_->threads();
  for (int look = 0; host_ != nullptr && look < looks_at_threads && threads > own_threads_; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    threads = worker_->threads();
  }
  report.threads_left = threads > own_threads_ ? threads - own_threads_ : 0;
  // Looking takes a while, and a process that is left stays, so most calls do not look.
  constexpr int looked_for_at_first = 4, then_every = 16;
  if (host_ != nullptr && (calls_ < looked_for_at_first || calls_ % then_every == 0))
    report.processes_left = worker_->other_processes();
  report.keeps_lines = idle.ok() && idle.reply.kept_cache_bytes != 0;
}

std::vector<OutputErrors> compare_outputs(Lease& actual, const Lease& expected) {
  actual.begin_inspection(&expected);
  return named(actual, actual.end_inspection().errors);
}

}  // namespace kgrade
