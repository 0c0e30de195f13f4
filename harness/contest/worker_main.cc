#include "contest/worker_main.h"

#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <string>

#include "contest/link.h"

namespace kgrade {
namespace {

// Of the request that is being served. For end_worker(), which nothing can be handed to.
constexpr std::uint64_t no_request = 0;
constexpr std::uint64_t last_request = ~std::uint64_t{0};
std::atomic<std::uint64_t> request_in_service{no_request};

class Worker {
 public:
  Worker(WorkerDevice& device, int socket) : device_(device), link_(UniqueFd(socket)) {}

  void serve() {
    while (auto next = link_.next_request()) {
      auto& [request, descriptor] = *next;
      request_in_service = request.sequence;
      Reply reply = answer(request, std::move(descriptor));
      reply.sequence = request.sequence;
      request_in_service = no_request;
      if (!link_.send(reply)) return;
    }
  }

 private:
  Reply answer(const Request& request, UniqueFd descriptor) {
    switch (request.type) {
      case RequestType::load:
        return load(descriptor);
      case RequestType::lend:
        return lend(request, std::move(descriptor));
      case RequestType::give_back:
        return give_back();
      case RequestType::call:
        return call(request);
      case RequestType::watch:
        return watch(std::move(descriptor));
    }
    return {};
  }

  Reply load(const UniqueFd& library) {
    Reply reply;
    const std::string path = "/proc/self/fd/" + std::to_string(library.get());
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) entry_ = reinterpret_cast<Entry>(::dlsym(handle, "kgrade_entry"));
    if (entry_ == nullptr) {
      reply.status = ReplyStatus::cannot_load;
    } else {
      device_.has_loaded(entry_);
    }
    return reply;
  }

  Reply lend(const Request& request, UniqueFd descriptor) {
    Reply reply;
    const LentBuffer buffer{request.bytes, request.writable != 0, request.parameter,
                            request.begin, request.length,        request.holds_data != 0};
    const std::uint64_t address = device_.map(std::move(descriptor), buffer);
    if (address == 0) reply.status = ReplyStatus::no_memory;
    addresses_.at(request.parameter) = address;
    return reply;
  }

  Reply watch(UniqueFd book) {
    Reply reply;
    if (!device_.watch(std::move(book))) reply.status = ReplyStatus::no_memory;
    return reply;
  }

  Reply give_back() {
    device_.unmap_all();
    addresses_.fill(0);
    return {};
  }

  Reply call(const Request& request) {
    std::array<unsigned long long, max_parameters> arguments{};
    for (std::uint32_t i = 0; i < request.parameters; ++i) {
      arguments.at(i) = request.slots[i] + (request.is_tensor[i] != 0 ? addresses_.at(i) : 0);
    }
    const TimedCall timed = device_.call(entry_, arguments.data());
    Reply reply;
    reply.status = timed.device_failed ? ReplyStatus::device_failed : ReplyStatus::done;
    reply.error = timed.error;
    reply.elapsed_ms = timed.elapsed_ms;
    reply.latency_hidden = timed.latency_hidden ? 1 : 0;
    reply.limit_bytes = timed.limit_bytes;
    return reply;
  }

  WorkerDevice& device_;
  Link link_;
  Entry entry_ = nullptr;
  std::array<std::uint64_t, max_parameters> addresses_{};
};

}  // namespace

int run_worker(WorkerDevice& device, int socket) {
  // What is printed last is why the process ended.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  if (!device.prepare()) return 1;
  Worker(device, socket).serve();
  device.conclude();
  return 0;
}

void end_worker(ReplyStatus status, std::uint64_t limit_bytes) {
  // Whoever comes first answers; the others must not end the process before that.
  const std::uint64_t sequence = request_in_service.exchange(last_request);
  while (sequence == last_request) ::pause();
  Reply reply;
  reply.status = status;
  reply.sequence = sequence;
  reply.limit_bytes = limit_bytes;
  if (sequence != no_request) ::send(link_descriptor, &reply, sizeof reply, MSG_NOSIGNAL);
  ::_exit(1);
}

}  // namespace kgrade
