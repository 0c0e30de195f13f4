#include "contest/worker_main.h"

#include <dlfcn.h>

#include <array>
#include <string>

#include "contest/link.h"

namespace kgrade {
namespace {

constexpr int link_descriptor = 3;

class Worker {
 public:
  explicit Worker(WorkerDevice& device) : device_(device), link_(UniqueFd(link_descriptor)) {}

  void serve() {
    while (auto next = link_.next_request()) {
      auto& [request, descriptor] = *next;
      Reply reply = answer(request, std::move(descriptor));
      reply.sequence = request.sequence;
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
    }
    return {};
  }

  Reply load(const UniqueFd& library) {
    Reply reply;
    const std::string path = "/proc/self/fd/" + std::to_string(library.get());
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) entry_ = reinterpret_cast<Entry>(::dlsym(handle, "kgrade_entry"));
    if (entry_ == nullptr) reply.status = ReplyStatus::cannot_load;
    return reply;
  }

  Reply lend(const Request& request, UniqueFd descriptor) {
    Reply reply;
    const std::uint64_t address = device_.map(std::move(descriptor), request.bytes, request.writable != 0);
    if (address == 0) reply.status = ReplyStatus::no_memory;
    addresses_.at(request.parameter) = address;
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
    return reply;
  }

  WorkerDevice& device_;
  Link link_;
  Entry entry_ = nullptr;
  std::array<std::uint64_t, max_parameters> addresses_{};
};

}  // namespace

int run_worker(WorkerDevice& device) {
  if (!device.prepare()) return 1;
  Worker(device).serve();
  return 0;
}

}  // namespace kgrade
