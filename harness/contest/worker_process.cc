#include "contest/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

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

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const std::vector<std::string>& command) {
  auto [ours, theirs] = Link::make_pair();
  SpawnRequest request;
  request.command = command;
  request.environment = worker_environment();
  request.working_directory = "/";
  request.kept_fd = theirs.descriptor();
  auto process = spawn(request);
  if (!process) return process.errors();
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(std::move(*process), std::move(ours)));
}

Answer WorkerProcess::load(const std::filesystem::path& library, Patience patience) {
  const UniqueFd file(::open(library.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(Fault::cannot_load, fmt::format("cannot open {}", library.string()));
  Request request;
  request.type = RequestType::load;
  return ask(request, file.get(), patience);
}

Answer WorkerProcess::lend(const SharedBuffer& buffer, std::uint32_t parameter, bool writable,
                           Patience patience) {
  Request request;
  request.type = RequestType::lend;
  request.parameter = parameter;
  request.writable = writable ? 1 : 0;
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
  if (fault == Fault::ended && detail.empty())
    detail = fmt::format("the process ended: {}", describe_wait_status(status));
  return {fault, std::move(detail), {}, 0};
}

}  // namespace kgrade
