#include "contest/pass_workers.h"

#include <algorithm>
#include <cstddef>

#include "draw/seed.h"

namespace kgrade {
namespace {

// A worker below a tool takes long to start.
constexpr Patience worker_patience{120'000};
constexpr Patience load_patience{60'000};
// A candidate in Python compiles and tunes itself in its first call.
constexpr Patience first_call_in_python{120'000};
// How long a tool may take to write its report, leaks included.
constexpr Patience farewell_patience{60'000};

}  // namespace

PassWorkers::PassWorkers(Device& device, const Problem& problem, const WorkerTool* tool, std::uint64_t seed,
                         Candidate candidate)
    : device_(device),
      problem_(problem),
      tool_(tool),
      order_seed_(order_seed(seed)),
      candidate_(std::move(candidate)) {}

// Each pass has a new worker, which asks for the same builds again.
BuiltExtension PassWorkers::build(const std::string& extension) {
  auto known = built_.find(extension);
  if (known == built_.end()) known = built_.emplace(extension, candidate_.builder(extension)).first;
  if (!known->second.library.empty()) extensions_.push_back(known->second.library);
  return known->second;
}

// The worker may use all libraries, because the interpreter's packages need theirs, whatever the problem
// allows.
Result<std::unique_ptr<WorkerProcess>> PassWorkers::start_python_worker(const CheckPass& pass) {
  const std::vector<std::string> worker = device_.worker_command_in(pass.order, order_seed_);
  return WorkerProcess::start(device_.confined(python_command(*candidate_.host, worker), Libraries::any,
                                               python_policy(*candidate_.host, worker)),
                              ModuleLoading::lazy, candidate_.host->zygote.get());
}

Result<std::unique_ptr<WorkerProcess>> PassWorkers::worker_for(const CheckPass& pass) {
  if (tool_ != nullptr) return start_below_tool(pass);
  if (!is_python())
    return WorkerProcess::start(
        device_.confined(device_.worker_command_in(pass.order, order_seed_), problem_.libraries));
  Result<std::unique_ptr<WorkerProcess>> worker =
      early_.worker != nullptr && early_.pass == pass.name
          ? Result<std::unique_ptr<WorkerProcess>>(std::move(early_.worker))
          : start_python_worker(pass);
  // Starts the worker of the next pass. If it cannot be started now, its own pass starts it, or fails.
  early_ = {};
  const auto& passes = candidate_.passes;
  const auto present =
      std::find_if(passes.begin(), passes.end(), [&](const CheckPass& one) { return one.name == pass.name; });
  if (present == passes.end()) return worker;
  const CheckPass& next = std::next(present) == passes.end() ? passes.front() : *std::next(present);
  if (auto started = start_python_worker(next)) early_ = {next.name, std::move(*started)};
  return worker;
}

SandboxPolicy PassWorkers::policy_of_tool(const std::vector<std::string>& worker) const {
  SandboxPolicy policy = is_python() ? python_policy(*candidate_.host, worker) : SandboxPolicy{};
  // The tool is a program that starts others, has libraries of its own, and writes its report.
  const std::vector<std::filesystem::path> needs = tool_->needs();
  policy.readable.insert(policy.readable.end(), needs.begin(), needs.end());
  policy.writable.push_back(folder_->path());
  policy.starts_programs = true;
  return policy;
}

Result<std::unique_ptr<WorkerProcess>> PassWorkers::start_below_tool(const CheckPass& pass) {
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

Result<Answer> PassWorkers::watch(WorkerProcess& worker) {
  auto book = device_.allocate(sizeof(FindingBook));
  if (!book) return book.errors();
  book_ = std::move(*book);
  write_empty_book();
  return worker.watch(*book_, lending_patience);
}

void PassWorkers::write_empty_book() {
  const auto empty = std::make_unique<FindingBook>();
  empty->wants_counts = candidate_.counts_accesses ? 1 : 0;
  device_.write(*book_, 0, empty.get(), sizeof *empty);
}

Result<Answer> PassWorkers::enter(const CheckPass& pass, const std::shared_ptr<ComputedInputs>& computed,
                                  std::unique_ptr<ContestantRunner>& runner) {
  calls_in_pass_ = 0;
  if (runner != nullptr && pass_ == pass.name) return Answer{};
  auto worker = worker_for(pass);
  if (!worker) return worker.errors();
  runner = ContestantRunner::with_worker(device_, problem_, std::move(*worker), candidate_.host);
  runner->take_inputs_from(computed);
  extensions_.clear();
  pass_ = pass.name;
  is_loaded_ = false;
  if (is_python()) runner->set_builder([this](const std::string& what) { return build(what); });
  Answer answer = runner->await_ready(worker_patience);
  if (answer.ok() && tool_ == nullptr) {
    auto watching = watch(runner->worker());
    if (!watching) return watching.errors();
    answer = *watching;
  }
  if (!answer.ok()) {
    return machine_error("a worker cannot use the device: " + answer.detail,
                         "run `kgrade doctor`; another program may hold the GPU");
  }
  answer = runner->load(candidate_.library, load_patience);
  is_loaded_ = answer.ok();
  return answer;
}

LeaseTerms PassWorkers::terms() const {
  LeaseTerms terms;
  terms.captures = is_python();  // it may return memory that is not ours
  return terms;
}

Patience PassWorkers::before_call(Patience patience) {
  const bool is_first = calls_in_pass_++ == 0;
  if (candidate_.provokes && !is_first) {
    constexpr std::uint32_t provokes = 1;
    device_.write(*book_, offsetof(FindingBook, provokes), &provokes, sizeof provokes);
  }
  return is_python() && is_first ? std::max(patience, first_call_in_python) : patience;
}

void PassWorkers::after_call(CallReport& report) const {
  // Frameworks start threads when they first need them.
  if (is_python() || (tool_ != nullptr && tool_->starts_threads())) report.threads_left = 0;
}

Evidence PassWorkers::leave(std::unique_ptr<ContestantRunner>& runner) {
  Evidence evidence;
  evidence.extensions = extensions_;
  const bool stays = candidate_.provokes && is_loaded_ && runner->alive();
  if (tool_ != nullptr) {
    runner->worker().dismiss(farewell_patience);
    const SandboxPolicy policy = policy_of_tool(device_.worker_command());
    evidence.tool_report =
        tool_->report(pass_, folder_->path(), [&](const std::vector<std::string>& command) {
          return device_.confined(command, Libraries::any, policy);
        });
  } else {
    if (runner->alive() && !stays) runner->retire();
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
  runner.reset();
  book_.reset();
  folder_.reset();
  return evidence;
}

}  // namespace kgrade
