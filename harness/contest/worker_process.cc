#include "contest/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "base/text.h"
#include "contest/listener.h"

namespace kgrade {
namespace {

// What a worker may know of the environment: where the driver's libraries are and which GPUs it may see.
std::vector<std::string> worker_environment() {
  std::vector<std::string> environment = {
      "LC_ALL=C",
      "CUDA_MODULE_LOADING=EAGER",  // modules load before the first call, not within it
      "CUDA_CACHE_DISABLE=1",       // nothing is kept from one run to the next
  };
  for (const char* name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"}) {
    if (const char* value = std::getenv(name)) environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

std::string search_path() {
  const char* path = std::getenv("PATH");
  return path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
}

// compute-sanitizer injects itself and creates a context before the worker says anything.
constexpr std::chrono::seconds connecting_patience{60};

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const std::vector<std::string>& command) {
  auto [ours, theirs] = Link::make_pair();
  SpawnRequest request;
  request.command = command;
  request.environment = worker_environment();
  request.working_directory = "/";
  request.kept_fd = theirs.descriptor();
  LastWords words;
  request.output_fd = words.descriptor();
  auto process = spawn(request);
  if (!process) return process.errors();
  return std::unique_ptr<WorkerProcess>(
      new WorkerProcess(std::move(*process), std::move(ours), std::move(words)));
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start_connecting(
    const std::vector<std::string>& command, const std::filesystem::path& folder) {
  auto listener = Listener::open(folder / socket_name);
  if (!listener) return listener.errors();
  SpawnRequest request;
  request.command = command;
  request.environment = worker_environment();
  // Tools are scripts, and keep files of their own.
  request.environment.push_back(fmt::format("PATH={}", search_path()));
  request.environment.push_back("HOME=" + folder.string());
  request.environment.push_back("TMPDIR=" + folder.string());
  request.working_directory = folder;
  auto process = spawn(request);
  if (!process) return process.errors();
  auto link = listener->accept(connecting_patience, [&process] { return process->has_ended(); });
  if (!link) {
    process->kill_group();
    return Error{fmt::format("a worker does not come up under {}: {}", command.front(), link.error().message),
                 link.error().remedy,
                 {}};
  }
  return std::unique_ptr<WorkerProcess>(
      new WorkerProcess(std::move(*process), std::move(*link), LastWords()));
}

Answer WorkerProcess::watch(const SharedBuffer& book, Patience patience) {
  Request request;
  request.type = RequestType::watch;
  return ask(request, book.descriptor(), patience);
}

Answer WorkerProcess::load(const std::filesystem::path& library, Patience patience) {
  const UniqueFd file(::open(library.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(Fault::cannot_load, fmt::format("cannot open {}", library.string()));
  Request request;
  request.type = RequestType::load;
  return ask(request, file.get(), patience);
}

Answer WorkerProcess::lend(const SharedBuffer& buffer, const LoanTerms& terms, Patience patience) {
  Request request;
  request.type = RequestType::lend;
  request.parameter = terms.parameter;
  request.writable = terms.writable ? 1 : 0;
  request.holds_data = terms.holds_data ? 1 : 0;
  request.begin = terms.begin;
  request.length = terms.length;
  request.bytes = buffer.bytes();
  return ask(request, buffer.descriptor(), patience);
}

Answer WorkerProcess::give_back(Patience patience) {
  Request request;
  request.type = RequestType::give_back;
  return ask(request, -1, patience);
}

Answer WorkerProcess::call(const CallSlots& slots, Patience patience) {
  if (slots.slots.size() > max_parameters) throw std::logic_error("a call with too many parameters");
  Request request;
  request.type = RequestType::call;
  request.parameters = static_cast<std::uint32_t>(slots.slots.size());
  for (std::size_t i = 0; i < slots.slots.size(); ++i) {
    request.slots[i] = slots.slots[i].value;
    request.is_tensor[i] = slots.slots[i].tensor ? 1 : 0;
  }
  return ask(request, -1, patience);
}

void WorkerProcess::dismiss(Patience patience) {
  if (!alive_) return;
  link_ = Link(UniqueFd());
  process_.wait_for(patience);
  process_.kill_group();
  process_.wait();
  alive_ = false;
}

Answer WorkerProcess::ask(Request request, int descriptor, Patience patience) {
  if (!alive_) return {Fault::ended, "the worker is not running", {}, 0};
  request.sequence = ++sequence_;
  const auto start = std::chrono::steady_clock::now();
  Answer answer;
  auto outcome = Link::Outcome::closed;
  if (link_.send(request, descriptor)) outcome = link_.receive(answer.reply, request.sequence, patience);
  answer.wall_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  switch (outcome) {
    case Link::Outcome::timeout:
      return fail(Fault::time_limit,
                  fmt::format("no answer within {:.1f} s", static_cast<double>(patience.count()) / 1000));
    case Link::Outcome::malformed:
      return fail(Fault::malformed, "the worker sent a message that is none of the protocol's");
    case Link::Outcome::closed:
      return fail(Fault::ended, "");
    case Link::Outcome::message:
      break;
  }
  switch (answer.reply.status) {
    case ReplyStatus::done:
      return answer;
    case ReplyStatus::cannot_load:
      return fail(Fault::cannot_load, "the built library does not load");
    case ReplyStatus::no_memory:
      return fail(Fault::no_memory, "the worker cannot map its buffers");
    case ReplyStatus::memory_limit:
      return fail(Fault::memory_limit, fmt::format("out of memory: the contestant's process may have {}",
                                                   format_bytes(answer.reply.limit_bytes)));
    case ReplyStatus::stack_overflow:
      return fail(Fault::stack_overflow,
                  fmt::format("stack overflow: the stack has {}", format_bytes(answer.reply.limit_bytes)));
    case ReplyStatus::device_failed:
      break;
  }
  return fail(Fault::device_failed, "the device no longer answers in the contestant's process");
}

Answer WorkerProcess::fail(Fault fault, std::string detail) {
  // A worker that closed its link is given a moment to end by itself, so that its exit code can be told.
  if (fault == Fault::ended && detail.empty()) process_.wait_for(std::chrono::milliseconds(2000));
  process_.kill_group();
  const int status = process_.wait();
  alive_ = false;
  if (fault == Fault::ended && detail.empty()) {
    detail = fmt::format("the process ended: {}", describe_wait_status(status));
    if (const std::string words = words_.last_line(); !words.empty()) detail += ": " + words;
  }
  return {fault, std::move(detail), {}, 0};
}

}  // namespace kgrade
