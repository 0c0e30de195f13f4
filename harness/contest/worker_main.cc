#include "contest/worker_main.h"

#include <dlfcn.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/defences.h"
#include "contest/protocol.h"
#include "contest/returned_memory.h"
#include "sandbox/seccomp.h"

namespace kgrade {
namespace {

// Values of request_in_service when no request is served, and after the last one.
constexpr std::uint64_t no_request = 0;
constexpr std::uint64_t last_request = ~std::uint64_t{0};
// How often a worker with a gate polls before it sleeps. It polls between a call and the stop that follows
// the call, and goes on polling when the next call lets the process continue.
constexpr int spins_before_sleep = 500;
std::atomic<std::uint64_t> request_in_service{no_request};
// The socket to the referee. Below a tool it has another number than usual.
int socket_of_process = connection_descriptor;

// Where no /proc may be mounted, the library is loaded from a file in the private temporary folder.
std::string copy_in_temporary_folder(int library) {
  std::string path = "/tmp/kgrade-XXXXXX";
  const UniqueFd copy(::mkstemp(path.data()));
  off_t offset = 0;
  ssize_t sent = 0;
  do {
    sent = copy ? ::sendfile(copy.get(), library, &offset, std::size_t{1} << 30) : -1;
  } while (sent > 0);
  if (sent == 0) return path;
  if (copy) ::unlink(path.c_str());
  return "";
}

// Prints why the worker ends, as its last line. The newline before it ends a line that the contestant left
// unfinished.
[[noreturn]] void end_without_answer(const std::string& words) {
  std::fflush(stdout);
  const std::string line = "\n" + words + "\n";
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::perror("kgrade");
  end_worker(Fault::no_answer);
}

class Worker {
 public:
  Worker(WorkerDevice& device, Contestant& contestant, int socket, bool confined)
      : device_(device), contestant_(contestant), connection_(UniqueFd(socket)), confined_(confined) {
    serving = this;
  }
  ~Worker() { serving = nullptr; }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The worker that serves requests on this thread.
  static thread_local Worker* serving;

  void serve() {
    while (auto next = connection_.next_request()) {
      auto& [request, descriptor] = *next;
      if (request.type == RequestType::launch) {
        keep_arguments(request, request.launch);
        continue;
      }
      request_in_service = request.sequence;
      UniqueFd report;
      Reply reply = answer(request, std::move(descriptor), report);
      reply.sequence = request.sequence;
      request_in_service = no_request;
      if (!connection_.send(reply, report.get())) return;
    }
  }

  // Call this only within a request that is being served.
  BuiltFile build(const UniqueFd& what) {
    const Reply reply{.status = ReplyStatus::wants_build, .sequence = request_in_service};
    if (is_locked_ || reply.sequence == no_request || !connection_.send(reply, what.get())) return {};
    auto next = connection_.next_request();
    if (!next || next->first.type != RequestType::built) return {};
    return {std::move(next->second), next->first.build};
  }

 private:
  Reply answer(const Request& request, UniqueFd descriptor, UniqueFd& report) {
    // The contestant has what it returned until the next request.
    if (!returned_.overwrite(device_)) end_without_answer("returned memory that cannot be written");
    switch (request.type) {
      case RequestType::load:
        return load(descriptor);
      case RequestType::lend:
        return lend(request.loan, std::move(descriptor));
      case RequestType::give_back:
        return give_back();
      case RequestType::call:
        return call(request);
      case RequestType::watch:
        return done_if(device_.watch(std::move(descriptor)), Fault::no_memory);
      case RequestType::gate:
        return adopt_gate(std::move(descriptor));
      case RequestType::capture_length:
        returned_.set_length(request.loan);
        return done_if(
            device_.set_capture_length(request.loan.launch, request.loan.parameter, request.loan.bytes),
            Fault::no_memory);
      case RequestType::evict_cache_lines:
        device_.evict_cache_lines();
        return {};
      case RequestType::describe_case:
        return done_if(contestant_.describe(descriptor), Fault::cannot_load);
      case RequestType::lock:
        report = lock();
        return {};
      case RequestType::lend_for_input:
        return lend_for_input(request.loan, std::move(descriptor));
      case RequestType::draw_inputs:
      case RequestType::perturb_inputs:
        return draw_inputs(request);
      case RequestType::built:
      case RequestType::launch:
        break;
    }
    return {};
  }

  static Reply failed(Fault fault) { return {.status = ReplyStatus::failed, .fault = fault}; }
  static Reply done_if(bool is_well, Fault otherwise) { return is_well ? Reply{} : failed(otherwise); }

  Reply load(const UniqueFd& library) {
    // From here on the contestant's constructors run. It needs no other programs.
    if (confined_ && is_on(Defence::frozen_between_calls)) deny_waking();
    if (confined_ && device_.maps_files() && is_on(Defence::sealed_inputs)) deny_changing_rights();
    if (confined_ && !contestant_.rehearses()) deny_new_programs();
    entry_ = contestant_.load(library);
    if (entry_ != nullptr) device_.has_loaded(entry_);
    return done_if(entry_ != nullptr, Fault::cannot_load);
  }

  UniqueFd lock() {
    UniqueFd report = contestant_.lock();
    is_locked_ = true;
    if (confined_) deny_new_programs();
    return report;
  }

  Reply lend(const Loan& loan, UniqueFd descriptor) {
    const std::uint64_t address = device_.map(std::move(descriptor), loan);
    if (loan.captures == 0) addresses_.at(loan.launch).at(loan.parameter) = address;
    returned_.lend(loan, address);
    return done_if(address != 0, Fault::no_memory);
  }

  Reply lend_for_input(const Loan& loan, UniqueFd descriptor) {
    const std::uint64_t address = device_.map(std::move(descriptor), loan);
    for_inputs_.at(loan.launch).at(loan.parameter) = address;
    return done_if(address != 0, Fault::no_memory);
  }

  Reply draw_inputs(const Request& request) {
    if (entry_ == nullptr) return failed(Fault::cannot_load);
    const std::span<const std::uint64_t> scalars(request.slots,
                                                 std::min<std::size_t>(request.parameters, max_parameters));
    // Buffers of an earlier case may still be here, for inputs that this case does not compute.
    std::array<unsigned long long, max_parameters> addresses{};
    for (std::size_t i = 0; i < scalars.size(); ++i)
      if (request.is_tensor[i] != 0) addresses.at(i) = for_inputs_.at(request.launch).at(i);
    const bool are_written = request.type == RequestType::draw_inputs
                                 ? contestant_.draw_inputs(request.seed, addresses.data(), scalars)
                                 : contestant_.perturb_inputs(request.seed, addresses.data(), scalars);
    return done_if(are_written, Fault::cannot_load);
  }

  Reply adopt_gate(UniqueFd gate) {
    const bool is_adopted = device_.adopt_gate(std::move(gate));
    if (is_adopted) connection_.spin_times(spins_before_sleep);
    return done_if(is_adopted, Fault::no_memory);
  }

  Reply give_back() {
    device_.unmap_all();
    addresses_ = {};
    for_inputs_ = {};
    returned_.give_back();
    return {};
  }

  void keep_arguments(const Request& request, std::uint32_t launch) {
    if (launch >= max_launches) return;
    const std::uint32_t count = std::min<std::uint32_t>(request.parameters, max_parameters);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t base = request.is_tensor[i] != 0 ? addresses_.at(launch).at(i) : 0;
      arguments_.at(launch).at(i) = request.slots[i] + base;
    }
    seeds_.at(launch) = request.seed;
  }

  void begin(const Launches& launches, std::uint32_t gate) {
    device_.begin_call(entry_, launches, gate);
    if (const std::string words = returned_.look(arguments_); !words.empty()) end_without_answer(words);
  }

  // Sends all answers except the last, which it returns.
  Reply call(const Request& request) {
    if (entry_ == nullptr) return failed(Fault::cannot_load);
    keep_arguments(request, 0);
    std::array<const unsigned long long*, max_launches> launches{};
    for (std::uint32_t i = 0; i < max_launches; ++i) launches.at(i) = arguments_.at(i).data();
    const std::uint32_t count = std::min(1 + request.launch, max_launches);
    Reply reply;
    reply.sequence = request.sequence;
    const Launches all(launches.data(), count);
    returned_.begin_call(arguments_, count);
    contestant_.begin_call(std::span(seeds_).first(count));
    const bool thread_waits = request.gate != 0 && request.waiter == GateWaiter::thread;
    if (!thread_waits) begin(all, request.gate);
    if (request.gate != 0) {
      reply.status = ReplyStatus::queued;
      connection_.send(reply);
    }
    if (thread_waits) {
      device_.wait_at_gate(request.gate);
      begin(all, 0);
    }
    const std::optional<CallTimes> timed = device_.end_call();
    if (!timed || timed->error != 0) returned_.forget();
    if (!timed) return failed(Fault::device_failed);
    if (const Fault fault = contestant_.fault_of_call(); fault != Fault::none) return failed_call(fault);
    reply.status = ReplyStatus::done;
    reply.call = *timed;
    connection_.send(reply);
    const Reply idle{.status = ReplyStatus::idle, .kept_cache_bytes = device_.settle()};
    // Everything printed belongs to its call, even an unfinished line.
    std::fflush(stdout);
    return idle;
  }

  // Waits for the work that the call has queued, because its buffers may be unmapped next.
  Reply failed_call(Fault fault) {
    device_.settle();
    std::fflush(stdout);
    return {.status = ReplyStatus::call_failed, .fault = fault};
  }

  WorkerDevice& device_;
  Contestant& contestant_;
  Connection connection_;
  bool confined_;
  bool is_locked_ = false;
  Entry entry_ = nullptr;
  // By launch and parameter: the addresses of lent tensors, and the arguments of the next call.
  std::array<std::array<std::uint64_t, max_parameters>, max_launches> addresses_{};
  ReturnedMemory::Arguments arguments_{};
  // By launch, for the next call.
  std::array<std::uint64_t, max_launches> seeds_{};
  ReturnedMemory returned_;
  // By launch and parameter: the addresses of buffers for inputs that a problem's own file computes.
  std::array<std::array<unsigned long long, max_parameters>, max_launches> for_inputs_{};
};

thread_local Worker* Worker::serving = nullptr;

}  // namespace

Entry LibraryContestant::load(const UniqueFd& file) {
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  const bool is_readable = ::access(path.c_str(), R_OK) == 0;
  const std::string copy = is_readable ? "" : copy_in_temporary_folder(file.get());
  if (!is_readable && copy.empty()) return nullptr;
  void* const handle = ::dlopen(is_readable ? path.c_str() : copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!is_readable) ::unlink(copy.c_str());
  if (handle == nullptr) return nullptr;
  inputs_ = reinterpret_cast<Entry>(::dlsym(handle, "kgrade_inputs"));
  perturbed_ = reinterpret_cast<Entry>(::dlsym(handle, "kgrade_perturbed"));
  return reinterpret_cast<Entry>(::dlsym(handle, "kgrade_entry"));
}

bool LibraryContestant::draw_inputs(std::uint64_t seed, const unsigned long long* addresses,
                                    std::span<const std::uint64_t> scalars) {
  return write_inputs(inputs_, seed, addresses, scalars);
}

bool LibraryContestant::perturb_inputs(std::uint64_t seed, const unsigned long long* addresses,
                                       std::span<const std::uint64_t> scalars) {
  return write_inputs(perturbed_, seed, addresses, scalars);
}

bool LibraryContestant::write_inputs(Entry entry, std::uint64_t seed, const unsigned long long* addresses,
                                     std::span<const std::uint64_t> scalars) {
  if (entry == nullptr) return false;
  std::array<unsigned long long, max_parameters + 1> arguments{};
  for (std::size_t i = 0; i < scalars.size(); ++i)
    arguments.at(i) = addresses[i] != 0 ? addresses[i] : scalars[i];
  arguments.at(scalars.size()) = seed;
  return entry(arguments.data()) == 0;
}

BuiltFile request_build(const UniqueFd& request) {
  return Worker::serving != nullptr ? Worker::serving->build(request) : BuiltFile{};
}

void wait_for_request(int socket) {
  pollfd entry{socket, POLLIN, 0};
  while (::poll(&entry, 1, -1) < 0 && errno == EINTR) {
  }
}

int run_worker(WorkerDevice& device, Contestant& contestant, int socket, bool may_start_programs) {
  // The last printed line says why the process ended, so lines are not kept back.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  socket_of_process = socket;
  if (!device.prepare()) return 1;
  Worker(device, contestant, socket, !may_start_programs && is_on(Defence::worker_sandbox)).serve();
  device.conclude();
  return 0;
}

void end_worker(Fault fault, std::uint64_t limit_bytes) {
  // The first thread answers; the others must not end the process before that.
  const std::uint64_t sequence = request_in_service.exchange(last_request);
  while (sequence == last_request) ::pause();
  Reply reply;
  reply.status = ReplyStatus::failed;
  reply.sequence = sequence;
  reply.call.limit_bytes = limit_bytes;
  reply.fault = fault;
  if (sequence != no_request) ::send(socket_of_process, &reply, sizeof reply, MSG_NOSIGNAL);
  ::_exit(1);
}

}  // namespace kgrade
