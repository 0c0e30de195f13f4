#include "contest/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

#include "base/defences.h"
#include "base/text.h"
#include "base/text_file.h"
#include "draw/seed.h"
#include "sandbox/policy.h"
#include "sandbox/zygote.h"

namespace kgrade {
namespace {

// What a worker may know of the environment: where the driver's libraries are and which GPUs it may see.
std::vector<std::string> worker_environment(ModuleLoading loading) {
  const bool is_eager = loading == ModuleLoading::eager;
  std::vector<std::string> environment = {
      "LC_ALL=C",
      "HOME=/tmp",
      "TMPDIR=/tmp",
      is_eager ? "CUDA_MODULE_LOADING=EAGER" : "CUDA_MODULE_LOADING=LAZY",
      "CUDA_CACHE_DISABLE=1",  // nothing is kept from one run to the next
  };
  for (const char* name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"}) {
    if (const char* value = std::getenv(name)) environment.push_back(fmt::format("{}={}", name, value));
  }
  for (std::string& variable : environment_of_defences()) environment.push_back(std::move(variable));
  return environment;
}

// compute-sanitizer injects itself and creates a context before the worker says anything.
constexpr std::chrono::seconds connecting_patience{60};

// How long to poll for an answer: longer than all but the slowest kernels on a GPU take. A thread wakes up
// later the longer it has slept (140 us after 60 ms), so a call of a slow contestant would look different by
// the referee's clock.
constexpr std::chrono::milliseconds usual_answer{200};

// The longest report of a rehearsal from a contestant in Python.
constexpr std::size_t longest_report = std::size_t{4} << 20;

constexpr const char* ahead_of_time = "the worker answered before it was asked";

Request with_slots(RequestType type, const CallSlots& slots) {
  if (slots.slots.size() > max_parameters) throw std::logic_error("a call with too many parameters");
  Request request;
  request.type = type;
  request.parameters = static_cast<std::uint32_t>(slots.slots.size());
  request.seed = slots.seed;
  for (std::size_t i = 0; i < slots.slots.size(); ++i) {
    request.slots[i] = slots.slots[i].value;
    request.is_tensor[i] = slots.slots[i].tensor ? 1 : 0;
  }
  return request;
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const std::vector<std::string>& command,
                                                            ModuleLoading loading, Zygote* zygote) {
  auto [ours, theirs] = Connection::make_pair();
  SpawnRequest request;
  request.command = command;
  request.environment = worker_environment(loading);
  request.working_directory = "/";
  request.kept_fd = theirs.descriptor();
  WorkerOutput words;
  request.output_fd = words.descriptor();
  auto process = zygote != nullptr ? zygote->spawn(request) : spawn_now(request);
  if (!process) return process.errors();
  return std::unique_ptr<WorkerProcess>(
      new WorkerProcess(std::move(*process), std::move(ours), std::move(words)));
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start_connecting(
    const std::vector<std::string>& command, const std::filesystem::path& folder, ModuleLoading loading) {
  auto listener = Listener::open(folder / socket_name);
  if (!listener) return listener.errors();
  SpawnRequest request;
  request.command = command;
  request.environment = worker_environment(loading);
  // Tools such as compute-sanitizer may be scripts, which need PATH. They also write temporary files.
  const char* const path = std::getenv("PATH");
  request.environment.push_back(
      fmt::format("PATH={}", path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin"));
  request.environment.push_back("HOME=" + folder.string());
  request.environment.push_back("TMPDIR=" + folder.string());
  request.working_directory = folder;
  auto process = spawn(request);
  if (!process) return process.errors();
  auto connection = listener->accept(connecting_patience, [&process] { return process->has_ended(); });
  if (!connection) {
    process->kill_group();
    return machine_error(
        fmt::format("a worker does not come up under {}: {}", command.front(), connection.error().message),
        connection.error().remedy);
  }
  return std::unique_ptr<WorkerProcess>(
      new WorkerProcess(LateChild(std::move(*process)), std::move(*connection), WorkerOutput()));
}

std::unique_ptr<WorkerProcess> WorkerProcess::over(Connection connection, Numbering numbering) {
  return std::unique_ptr<WorkerProcess>(
      new WorkerProcess(LateChild(), std::move(connection), WorkerOutput(), numbering));
}

Answer WorkerProcess::watch(const SharedBuffer& book, Patience patience) {
  return ask({.type = RequestType::watch}, book.descriptor(), patience);
}

Answer WorkerProcess::load(const std::filesystem::path& library, Patience patience) {
  const UniqueFd file = sealed_copy(library);
  if (!file) return fail(Fault::cannot_load, fmt::format("cannot read {}", library.string()));
  return ask({.type = RequestType::load}, file.get(), patience);
}

Answer WorkerProcess::lend(const SharedBuffer& buffer, Loan loan, Patience patience) {
  loan.bytes = buffer.bytes();
  return ask({.type = RequestType::lend, .loan = loan},
             loan.writable != 0 ? buffer.descriptor() : buffer.read_only_descriptor(), patience);
}

Answer WorkerProcess::set_capture_length(std::uint32_t parameter, std::uint32_t launch, std::uint64_t bytes,
                                         Patience patience) {
  return ask({.type = RequestType::capture_length,
              .loan = {.bytes = bytes, .parameter = parameter, .launch = launch}},
             -1, patience);
}

Answer WorkerProcess::give_back(Patience patience) {
  times_given_back_ += 1;
  return ask({.type = RequestType::give_back}, -1, patience);
}

Answer WorkerProcess::lend_for_input(const SharedBuffer& buffer, std::uint32_t parameter,
                                     std::uint32_t launch, Patience patience) {
  const Loan loan{.bytes = buffer.bytes(),
                  .length = buffer.bytes(),
                  .parameter = parameter,
                  .launch = launch,
                  .writable = 1};
  return ask({.type = RequestType::lend_for_input, .loan = loan}, buffer.descriptor(), patience);
}

Answer WorkerProcess::draw_inputs(std::uint64_t seed, std::uint32_t launch, const CallSlots& scalars,
                                  Patience patience) {
  Request request = with_slots(RequestType::draw_inputs, scalars);
  request.seed = seed;
  request.launch = launch;
  return ask(request, -1, patience);
}

Answer WorkerProcess::perturb_inputs(std::uint64_t seed, std::uint32_t launch, const CallSlots& scalars,
                                     Patience patience) {
  Request request = with_slots(RequestType::perturb_inputs, scalars);
  request.seed = seed;
  request.launch = launch;
  return ask(request, -1, patience);
}

Answer WorkerProcess::describe_case(const std::string& description, Patience patience) {
  const UniqueFd text = memory_file(description);
  if (!text) return fail(Fault::no_memory, "there is no memory for a case's description");
  return ask({.type = RequestType::describe_case}, text.get(), patience);
}

Answer WorkerProcess::lock(std::string& report, Patience patience) {
  Request request{.type = RequestType::lock};
  if (!alive_) return {Fault::ended, "the worker is not running", {}, {}};
  if (has_answer_ahead()) return fail(Fault::malformed, ahead_of_time);
  if (!send(request, -1)) return fail_to_send();
  UniqueFd text;
  Answer answer = receive(patience, &text);
  if (answer.ok()) report = text_in(text, longest_report);
  return answer;
}

Answer WorkerProcess::evict_cache_lines(Patience patience) {
  return ask({.type = RequestType::evict_cache_lines}, -1, patience);
}

bool WorkerProcess::offer_gate(const Gate& gate, Patience patience) {
  Request request{.type = RequestType::gate};
  Reply reply;
  // A message that has already arrived stays unread here. The next request refuses it.
  const bool answered = alive_ && !has_answer_ahead() && send(request, gate.descriptor()) &&
                        connection_.receive(reply, sequence_, patience) == Connection::Outcome::message;
  if (!answered || reply.status != ReplyStatus::done) return false;
  connection_.spin_for(usual_answer);
  return true;
}

Answer WorkerProcess::begin_call(const CallSlots& slots, std::uint32_t gate,
                                 std::span<const CallSlots> further, GateWaiter waiter) {
  if (further.size() >= max_launches) throw std::logic_error("a call with too many launches");
  if (!alive_) return {Fault::ended, "the worker is not running", {}, {}};
  if (has_answer_ahead()) return fail(Fault::malformed, ahead_of_time);
  for (std::size_t i = 0; i < further.size(); ++i) {
    Request launch = with_slots(RequestType::launch, further[i]);
    launch.launch = static_cast<std::uint32_t>(i + 1);
    if (!send(launch, -1)) return fail_to_send();
  }
  Request request = with_slots(RequestType::call, slots);
  request.launch = static_cast<std::uint32_t>(further.size());
  request.gate = gate;
  request.waiter = waiter;
  queueing_ = gate != 0;
  calling_ = true;
  return send(request, -1) ? Answer{} : fail_to_send();
}

bool WorkerProcess::wait_until_queued(Patience patience) {
  // Any other message is left for end_call().
  if (!queueing_ || !connection_.wait(patience)) return false;
  Reply reply;
  if (!connection_.peek(reply, sequence_) || reply.status != ReplyStatus::queued) return false;
  connection_.receive(reply, sequence_, Patience(0));
  queueing_ = false;
  return true;
}

Answer WorkerProcess::end_call(Patience patience) {
  Answer answer = receive(patience);
  if (answer.ok() && queueing_ && answer.reply.status == ReplyStatus::queued) {
    queueing_ = false;
    answer = receive(patience);
  }
  calling_ = false;
  if (!answer.ok() || answer.reply.status == ReplyStatus::done) return answer;
  return fail(Fault::malformed, "the worker answered a call with a message that does not belong there");
}

Answer WorkerProcess::settle(Patience patience) {
  Answer answer = receive(patience);
  if (answer.fault == Fault::time_limit) answer.fault = Fault::busy;
  if (!answer.ok() || answer.reply.status == ReplyStatus::idle) return answer;
  return fail(Fault::malformed, "the worker answered a call with a message that does not belong there");
}

void WorkerProcess::freeze() {
  if (alive_ && tree_.worker() > 0 && is_on(Defence::frozen_between_calls)) ::kill(tree_.worker(), SIGSTOP);
}

void WorkerProcess::thaw() {
  if (alive_ && tree_.worker() > 0 && is_on(Defence::frozen_between_calls)) ::kill(tree_.worker(), SIGCONT);
}

void WorkerProcess::dismiss(Patience patience) {
  if (!alive_) return;
  thaw();
  connection_ = Connection(UniqueFd());
  alive_ = false;
  if (!process_.exists()) return;
  if (process_.has_started() && process_.get().pid() >= 0) process_.get().wait_for(patience);
  process_.kill_group();
  process_.wait();
}

Answer WorkerProcess::ask(Request request, int descriptor, Patience patience) {
  // Waits until the process has started, so that this time does not count as part of `patience`.
  process_.get();
  if (!alive_) return {Fault::ended, "the worker is not running", {}, {}};
  if (has_answer_ahead()) return fail(Fault::malformed, ahead_of_time);
  if (!send(request, descriptor)) return fail_to_send();
  Answer answer = receive(patience);
  if (!answer.ok() || answer.reply.status == ReplyStatus::done) return answer;
  return fail(Fault::malformed, "the worker answered with a message that does not belong there");
}

// Called before a request is sent. A message that is unread at that time cannot be the answer to the request.
bool WorkerProcess::has_answer_ahead() { return is_on(Defence::message_checks) && connection_.has_unread(); }

bool WorkerProcess::send(Request request, int descriptor) {
  std::uint64_t number = sequence_ + 1;
  if (numbering_ != Numbering::counted && is_on(Defence::message_checks)) {
    // Never 0 or the largest number: worker_main.cc reserves these two.
    do {
      number = random_seed();
    } while (number == 0 || number == ~std::uint64_t{0} || number == sequence_);
  }
  sequence_ = request.sequence = number;
  return connection_.send(request, descriptor);
}

// Receives the answer to a request. Before the answer, a worker in Python may ask for builds of its
// candidate's extensions.
Answer WorkerProcess::receive(Patience patience, UniqueFd* descriptor) {
  if (!alive_) return {Fault::ended, "the worker is not running", {}, {}};
  UniqueFd sent;
  UniqueFd* const wanted = builds_.has_builder() || descriptor != nullptr ? &sent : nullptr;
  Reply reply;
  switch (connection_.receive(reply, sequence_, patience, wanted)) {
    case Connection::Outcome::timeout:
      return fail(Fault::time_limit,
                  fmt::format("no answer within {:.1f} s", static_cast<double>(patience.count()) / 1000));
    case Connection::Outcome::malformed:
      return fail(Fault::malformed, "the worker sent a message that is none of the protocol's");
    case Connection::Outcome::closed:
      return fail(Fault::ended, "");
    case Connection::Outcome::message:
      break;
  }
  if (reply.status == ReplyStatus::wants_build) {
    if (auto refused = serve_build(sent)) return *refused;
    return receive(patience, descriptor);
  }
  if (descriptor != nullptr) *descriptor = std::move(sent);
  return interpret(reply);
}

std::optional<Answer> WorkerProcess::serve_build(const UniqueFd& wanted) {
  if (!builds_.has_builder())
    return fail(Fault::malformed, "the worker wants something built, and nothing is built now");
  const WantedBuilds::Outcome built = builds_.build(wanted);
  if (!built.refusal.empty()) return fail(Fault::raised, built.refusal);
  if (!built.answer) return fail(Fault::no_memory, "there is no memory for an extension");
  const Request answer{.type = RequestType::built, .sequence = sequence_, .build = built.kind};
  if (!connection_.send(answer, built.answer.get())) return fail_to_send();
  return std::nullopt;
}

Answer WorkerProcess::interpret(const Reply& reply) {
  const bool failed_in_call = reply.status == ReplyStatus::call_failed;
  if (!failed_in_call && reply.status != ReplyStatus::failed)
    return {Fault::none, "", reply, std::chrono::steady_clock::now()};
  const bool belongs_here =
      failed_in_call ? calling_ && may_go_on_after(reply.fault) : is_said_by_worker(reply.fault);
  if (!belongs_here)
    return fail(Fault::malformed, "the worker sent a message that is none of the protocol's");
  const bool is_of_build = reply.fault == Fault::raised && !builds_.failure().empty();
  const Fault fault = is_of_build ? Fault::not_built : reply.fault;
  std::string detail = is_of_build ? builds_.failure() : describe(reply);
  if (failed_in_call && !is_of_build) return {fault, std::move(detail), {}, {}};
  return fail(fault, std::move(detail));
}

std::string WorkerProcess::describe(const Reply& failed) const {
  const char* const usual = meaning_of(failed.fault).words;
  const std::uint64_t limit = failed.call.limit_bytes;
  const std::string words = output_.last_line();
  switch (failed.fault) {
    case Fault::cannot_load:
    case Fault::no_memory:
      return usual;
    case Fault::stack_overflow:
      return fmt::format("{}: the stack has {}", usual, format_bytes(limit));
    case Fault::device_failed:
      return fmt::format("{}{}{}", usual, words.empty() ? "" : ": ", words);
    default:
      break;
  }
  // A framework's own message says how much memory it asked for, but not what the limit is.
  if (failed.fault == Fault::memory_limit && limit != 0)
    return fmt::format("{}: the contestant's process may have {}", usual, format_bytes(limit));
  return words.empty() ? usual : words;
}

Answer WorkerProcess::fail(Fault fault, std::string detail) {
  alive_ = false;
  if (fault == Fault::ended && detail.empty()) {
    // A worker that closed its connection gets a moment to end on its own, so that its exit code is known. On
    // a busy machine, freeing the memory of a process that took too much takes seconds.
    std::optional<int> status;
    if (process_.get().pid() >= 0) status = process_.get().wait_for(std::chrono::seconds(10));
    if (!process_.error().empty()) {
      detail = process_.error();
    } else if (!process_.exists()) {
      detail = "the other end is closed";
    } else if (!status) {
      detail = "the process takes no more requests";
    } else {
      const std::string words = output_.last_line();
      detail = fmt::format("the process ended: {}{}{}", describe_wait_status(*status),
                           words.empty() ? "" : ": ", words);
    }
    // Signals that no mistake of a program causes.
    constexpr std::array<int, 5> foreign = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == exit_out_of_memory) {
      fault = Fault::memory_limit;
      detail = "out of memory: the contestant and what it shares with others took more than its run may have";
    } else if (status && WIFSIGNALED(*status) &&
               std::find(foreign.begin(), foreign.end(), WTERMSIG(*status)) != foreign.end()) {
      fault = Fault::killed;
    }
  }
  process_.kill_group();
  process_.wait();
  return {fault, std::move(detail), {}, {}};
}

// Reads errno: call this just after sending.
Answer WorkerProcess::fail_to_send() {
  if (errno != ETOOMANYREFS) return fail(Fault::ended, "");
  return fail(
      Fault::ended,
      "no buffer can be handed to the worker: processes of this account have sent more descriptors that "
      "nothing has received than it may have open (ulimit -n)");
}

UniqueFd sealed_copy(const std::filesystem::path& library) {
  // kgrade makes no links or fifos, but compilers run as a candidate's flags say.
  const UniqueFd file(::open(library.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return UniqueFd();
  UniqueFd copy(::memfd_create("kgrade-contestant", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!copy) return UniqueFd();
  constexpr std::size_t at_once = std::size_t{1} << 30;
  ssize_t sent = 0;
  do {
    sent = ::sendfile(copy.get(), file.get(), nullptr, at_once);
  } while (sent > 0);
  const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  return sent == 0 && ::fcntl(copy.get(), F_ADD_SEALS, seals) == 0 ? std::move(copy) : UniqueFd();
}

std::string text_in(const UniqueFd& file, std::size_t most) {
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  if (status.st_size <= 0 || static_cast<std::size_t>(status.st_size) > most) return "";
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t size = ::pread(file.get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace kgrade
