#include "contest/check_referee.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "contest/examination.h"
#include "draw/seed.h"

namespace kgrade {
namespace {

constexpr Patience oracle_patience{300'000};
// A worker below a tool takes long to start.
constexpr Patience worker_patience{120'000};
constexpr Patience load_patience{60'000};
// A candidate in Python compiles and tunes itself in its first call.
constexpr Patience first_call_in_python{120'000};
// How long a tool may take to write its report, leaks included.
constexpr Patience farewell_patience{60'000};
constexpr std::uint64_t report_limit = 64 << 20;

// The most findings that a tool reports; findings at one place are merged later.
constexpr int most_reports = 1000;

constexpr const char* report_name = "report";

}  // namespace

Result<Sanitizer> Sanitizer::find() {
  if (const auto found = find_tool("compute-sanitizer")) return Sanitizer(*found, version_of_tool(*found));
  return machine_error(
      "compute-sanitizer is not installed: nothing can be checked on a GPU",
      "install it with the CUDA Toolkit and put its bin folder into PATH, or add --device emulated");
}

std::vector<std::string> Sanitizer::command(const std::string& tool, const std::filesystem::path& folder,
                                            const std::vector<std::string>& worker) const {
  std::vector<std::string> command = {
      program_.string(), "--tool", tool, "--log-file", (folder / report_name).string(),
      // Full paths: a header of the compiler may have the same name as the candidate.
      "--strip-paths", "no", "--print-limit", std::to_string(most_reports)};
  // For device code the place alone; for host code the call stack of a leaked allocation.
  const bool leaks = tool == "memcheck";
  command.insert(command.end(), {"--show-backtrace", leaks ? "host" : "no"});
  if (leaks) command.insert(command.end(), {"--leak-check", "full", "--report-api-errors", "no"});
  command.insert(command.end(), worker.begin(), worker.end());
  return command;
}

std::string Sanitizer::report(const std::string& /*pass*/, const std::filesystem::path& folder,
                              const Confine& /*confined*/) const {
  auto report = read_text_file(folder / report_name, report_limit);
  return report ? std::move(*report) : "";
}

CheckReferee::CheckReferee(Device& device, const Problem& problem, ContestantRunner& oracle,
                           const WorkerTool* tool, std::uint64_t seed)
    : device_(device),
      problem_(problem),
      oracle_(oracle),
      computed_(ComputedInputs::make(device, problem, oracle)),
      tool_(tool),
      order_seed_(order_seed(seed)),
      poison_key_(poison_key_of(seed)) {
  oracle_.take_inputs_from(computed_);
}

Result<CallReport> CheckReferee::call_oracle(const Case& bound, const Draw& draw) {
  LeaseTerms terms;
  terms.widens = true;
  auto lent = oracle_.lend(bound, false, terms, lending_patience);
  if (!lent) return lent.errors();
  if (lent->ok()) return oracle_.checked_call(draw, poison_key_, ++calls_, oracle_patience, nullptr);
  CallReport report;
  report.fault = lent->fault;
  report.detail = lent->detail;
  return report;
}

std::vector<std::vector<double>> CheckReferee::sample_expected() { return oracle_.lease().sample_outputs(); }

void CheckReferee::compare_by(std::vector<Magnitudes> magnitudes) {
  oracle_.lease().set_magnitudes(std::move(magnitudes));
}

void CheckReferee::set_candidate(Candidate candidate) {
  candidate_ = std::move(candidate);
  runner_.reset();
  built_.clear();
  early_ = {};
}

// Each pass has a new worker, which asks for the same builds again.
BuiltExtension CheckReferee::build(const std::string& extension) {
  auto known = built_.find(extension);
  if (known == built_.end()) known = built_.emplace(extension, candidate_.builder(extension)).first;
  if (!known->second.library.empty()) extensions_.push_back(known->second.library);
  return known->second;
}

// The worker may use all libraries, because the interpreter's packages need theirs, whatever the problem
// allows.
Result<std::unique_ptr<WorkerProcess>> CheckReferee::start_python_worker(const CheckPass& pass) {
  const std::vector<std::string> worker = device_.worker_command_in(pass.order, order_seed_);
  return WorkerProcess::start(device_.confined(python_command(*candidate_.host, worker), Libraries::any,
                                               python_policy(*candidate_.host, worker)),
                              ModuleLoading::lazy, candidate_.host->zygote.get());
}

Result<std::unique_ptr<WorkerProcess>> CheckReferee::worker_for(const CheckPass& pass) {
  if (tool_ != nullptr) return start_below_tool(pass);
  if (!is_python()) return start_worker(pass);
  Result<std::unique_ptr<WorkerProcess>> worker =
      early_.worker != nullptr && early_.pass == pass.name
          ? Result<std::unique_ptr<WorkerProcess>>(std::move(early_.worker))
          : start_python_worker(pass);
  start_early(pass);
  return worker;
}

// If the next worker cannot be started now, its own pass starts it, or fails.
void CheckReferee::start_early(const CheckPass& now) {
  early_ = {};
  const auto& passes = candidate_.passes;
  const auto present = std::find_if(passes.begin(), passes.end(),
                                    [&](const CheckPass& pass) { return pass.name == now.name; });
  if (present == passes.end()) return;
  const CheckPass& next = std::next(present) == passes.end() ? passes.front() : *std::next(present);
  if (auto worker = start_python_worker(next)) early_ = {next.name, std::move(*worker)};
}

Result<std::unique_ptr<WorkerProcess>> CheckReferee::start_worker(const CheckPass& pass) {
  const std::vector<std::string> command = device_.worker_command_in(pass.order, order_seed_);
  return WorkerProcess::start(device_.confined(command, problem_.libraries));
}

SandboxPolicy CheckReferee::policy_of_tool(const std::vector<std::string>& worker) const {
  SandboxPolicy policy = is_python() ? python_policy(*candidate_.host, worker) : SandboxPolicy{};
  // The tool is a program that starts others, has libraries of its own, and writes its report.
  const std::vector<std::filesystem::path> needs = tool_->needs();
  policy.readable.insert(policy.readable.end(), needs.begin(), needs.end());
  policy.writable.push_back(folder_->path());
  policy.starts_programs = true;
  return policy;
}

Result<std::unique_ptr<WorkerProcess>> CheckReferee::start_below_tool(const CheckPass& pass) {
  folder_ = std::make_unique<TemporaryDirectory>();
  std::vector<std::string> worker = device_.worker_command();
  worker.insert(worker.end(), {"--connect", (folder_->path() / WorkerProcess::socket_name).string()});
  const SandboxPolicy policy = policy_of_tool(worker);
  if (is_python()) worker = python_command(*candidate_.host, worker);
  // An interpreter loads the libraries of vendors, which have thousands of kernels.
  return WorkerProcess::start_connecting(
      device_.confined(tool_->command(pass.name, folder_->path(), worker), Libraries::any, policy),
      folder_->path(), is_python() ? ModuleLoading::lazy : ModuleLoading::eager);
}

Result<Answer> CheckReferee::watch() {
  auto book = device_.allocate(sizeof(FindingBook));
  if (!book) return book.errors();
  book_ = std::move(*book);
  write_empty_book();
  return runner_->worker().watch(*book_, lending_patience);
}

void CheckReferee::write_empty_book() {
  const auto empty = std::make_unique<FindingBook>();
  empty->wants_counts = candidate_.counts_accesses ? 1 : 0;
  device_.write(*book_, 0, empty.get(), sizeof *empty);
}

Result<Answer> CheckReferee::enter(const CheckPass& pass, const Case& bound) {
  calls_in_pass_ = 0;
  if (runner_ == nullptr || pass_ != pass.name) {
    const auto begun = begin(pass);
    if (!begun || !begun->ok()) return begun;
  }
  LeaseTerms terms;
  terms.captures = is_python();  // it may return memory that is not ours
  // On a GPU the contestant gets copies anyway, and changes to its inputs are inspected.
  return runner_->lend(bound, tool_ != nullptr, terms, lending_patience);
}

Result<Answer> CheckReferee::begin(const CheckPass& pass) {
  auto worker = worker_for(pass);
  if (!worker) return worker.errors();
  runner_ = ContestantRunner::with_worker(device_, problem_, std::move(*worker), candidate_.host);
  runner_->take_inputs_from(computed_);
  extensions_.clear();
  pass_ = pass.name;
  is_loaded_ = false;
  if (is_python()) runner_->set_builder([this](const std::string& what) { return build(what); });
  Answer answer = runner_->await_ready(worker_patience);
  if (answer.ok() && tool_ == nullptr) {
    auto watching = watch();
    if (!watching) return watching.errors();
    answer = *watching;
  }
  if (!answer.ok()) {
    return machine_error("a worker cannot use the device: " + answer.detail,
                         "run `kgrade doctor`; another program may hold the GPU");
  }
  answer = runner_->load(candidate_.library, load_patience);
  is_loaded_ = answer.ok();
  return answer;
}

CallReport CheckReferee::call(const Draw& draw, Patience patience) {
  const bool is_first = calls_in_pass_++ == 0;
  if (is_python() && is_first) patience = std::max(patience, first_call_in_python);
  if (candidate_.provokes && !is_first) {
    constexpr std::uint32_t provokes = 1;
    device_.write(*book_, offsetof(FindingBook, provokes), &provokes, sizeof provokes);
  }
  CallReport report = runner_->checked_call(draw, poison_key_, ++calls_, patience);
  // Frameworks start threads when they first need them.
  if (is_python() || (tool_ != nullptr && tool_->starts_threads())) report.threads_left = 0;
  return report;
}

std::vector<OutputErrors> CheckReferee::compare() {
  return compare_outputs(runner_->lease(), oracle_.lease());
}

std::optional<OutputValues> CheckReferee::examine(std::size_t output, const Draw& draw, Patience patience) {
  auto values = examine_output(runner_->lease(), oracle_.lease(), output);
  if (values && candidate_.returns_outputs) {
    values->untouched.assign(values->got.size(), false);
    return values;
  }
  if (values) call_on_filled_outputs(*runner_, draw, {poison_key_, ++calls_, patience}, output, *values);
  // Under a tool every call has copies of its own.
  if (values) values->was_fresh_memory = tool_ != nullptr;
  return values;
}

std::string CheckReferee::report_of_tool() {
  const SandboxPolicy policy = policy_of_tool(device_.worker_command());
  const auto confined = [&](const std::vector<std::string>& command) {
    return device_.confined(command, Libraries::any, policy);
  };
  return tool_->report(pass_, folder_->path(), confined);
}

Evidence CheckReferee::leave() {
  Evidence evidence;
  evidence.extensions = extensions_;
  const bool stays = candidate_.provokes && is_loaded_ && runner_->alive();
  if (tool_ != nullptr) {
    runner_->worker().dismiss(farewell_patience);
    evidence.tool_report = report_of_tool();
  } else {
    if (runner_->alive() && !stays) runner_->retire();
    const auto book = std::make_unique<FindingBook>();
    device_.read(*book_, 0, book.get(), sizeof *book);
    evidence.entries = read_book(*book);
    evidence.counts = read_counts(*book);
    if (book->magic == finding_book_magic) evidence.dropped = book->dropped;
  }
  if (stays) {
    write_empty_book();
    return evidence;
  }
  runner_.reset();
  book_.reset();
  folder_.reset();
  return evidence;
}

}  // namespace kgrade
