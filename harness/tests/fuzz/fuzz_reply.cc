// The input is a list of steps: what a worker does at its end of the connection before the referee's next
// step.
#include <sys/mman.h>

#include <cstring>
#include <optional>

#include "contest/protocol.h"
#include "contest/worker_main.h"
#include "contest/worker_process.h"
#include "device/gate.h"
#include "tests/fuzz/answers.h"
#include "tests/fuzz/sent_messages.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {
namespace {

constexpr std::uint64_t most_requests = 64;
constexpr std::chrono::milliseconds patience{0};

template <class T>
std::string bytes_of(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

enum class Act { raw_bytes, any_fields, changed_byte, empty, two, silence, close, shut_down };
constexpr int acts = 8;

class HostileWorker {
 public:
  HostileWorker(Connection connection, ByteReader& input)
      : connection_(std::move(connection)), input_(input) {}

  // `sequence` is the number of the next request.
  void act(std::uint64_t sequence) {
    const std::uint8_t decision = input_.byte();
    descriptors_ = (decision >> 3) % 4;
    switch (static_cast<Act>(decision % acts)) {
      case Act::raw_bytes: {
        const std::size_t size = input_.number();
        return send(input_.bytes(size));
      }
      case Act::any_fields:
        return send(bytes_of(any_fields(sequence)));
      case Act::changed_byte:
        return send(changed_byte(sequence));
      case Act::empty:
        return send("");
      case Act::two:
        send(bytes_of(any_fields(sequence)));
        return send(bytes_of(any_fields(sequence + 1)));
      case Act::silence:
        return;
      case Act::close:
        connection_.reset();
        return;
      case Act::shut_down:
        if (connection_) ::shutdown(connection_->descriptor(), SHUT_WR);
        return;
    }
  }

 private:
  void send(const std::string& bytes) {
    if (connection_) send_message(connection_->descriptor(), bytes, connection_->descriptor(), descriptors_);
  }

  // A well-formed message with any contents.
  Reply any_fields(std::uint64_t sequence) {
    Reply reply;
    reply.status = static_cast<ReplyStatus>(input_.byte() % 10);
    const std::string fields = input_.bytes(sizeof reply - offsetof(Reply, call));
    std::memcpy(reinterpret_cast<char*>(&reply) + offsetof(Reply, call), fields.data(), fields.size());
    reply.fault = static_cast<Fault>(static_cast<std::uint32_t>(reply.fault) % 20);
    reply.sequence = sequence;
    return reply;
  }

  std::string changed_byte(std::uint64_t sequence) {
    Reply reply;
    reply.sequence = sequence;
    std::string bytes = bytes_of(reply);
    bytes[input_.number() % bytes.size()] = static_cast<char>(input_.byte());
    return bytes;
  }

  std::optional<Connection> connection_;
  ByteReader& input_;
  std::size_t descriptors_ = 0;
};

// 0 to 2 acts, then the referee's next step.
void act(HostileWorker& hostile, ByteReader& input, std::uint64_t sequence) {
  for (int acts_left = input.byte() % 3; acts_left > 0; --acts_left) hostile.act(sequence);
}

// The sequence number that the next request has.
void ask(WorkerProcess& worker, HostileWorker& hostile, ByteReader& input, std::uint64_t sequence) {
  const auto next_act = [&] { act(hostile, input, sequence); };
  switch (input.byte() % 4) {
    case 0:
      one_call(worker, 0, patience, next_act);
      return;
    case 1:
      one_call(worker, 1, patience, next_act);
      return;
    case 2: {
      static const auto gate = Gate::make();
      next_act();
      worker.offer_gate(*gate, patience);
      return;
    }
    default:
      next_act();
      expect_sound(worker.give_back(patience), worker);
      return;
  }
}

}  // namespace

int fuzz_reply(const std::uint8_t* data, std::size_t size) {
  const int free_before = first_free_descriptor();
  {
    ByteReader input(data, size);
    auto [ours, theirs] = Connection::make_pair();
    const auto worker = WorkerProcess::over(std::move(ours));
    HostileWorker hostile(std::move(theirs), input);
    std::uint64_t sequence = 0;
    while (sequence < most_requests && worker->alive() && !input.empty())
      ask(*worker, hostile, input, ++sequence);
    worker->dismiss(patience);
    promise(!worker->alive(), "a worker that is dismissed is gone");
    const Answer late = worker->give_back(patience);
    promise(late.fault == Fault::ended && !late.detail.empty(), "a worker that is dead says nothing");
  }
  promise(first_free_descriptor() == free_before, "no descriptor stays open");
  return 0;
}

// The input is a list of messages that wait in the socket when the worker begins.

namespace {

constexpr std::size_t most_messages = 64;

class FakeDevice : public WorkerDevice {
 public:
  bool prepare() override { return true; }
  std::uint64_t map(UniqueFd descriptor, const Loan& loan) override {
    promise(loan.parameter < max_parameters, "a buffer is for a parameter");
    promise(loan.begin <= loan.bytes && loan.length <= loan.bytes - loan.begin,
            "a tensor is within its buffer");
    return descriptor ? 0x100000 : 0;
  }
  void unmap_all() override {}
  bool set_capture_length(std::uint32_t launch, std::uint32_t parameter, std::uint64_t bytes) override {
    return launch < max_launches && parameter < max_parameters && bytes % 2 == 0;
  }
  void begin_call(Entry entry, Launches launches, std::uint32_t /*gate*/) override {
    promise(entry != nullptr, "what is called has been loaded");
    promise(!launches.empty() && launches.size() <= max_launches, "a call has launches, and not too many");
    for (const unsigned long long* const arguments : launches) error_ = entry(arguments);
  }
  std::optional<CallTimes> end_call() override {
    CallTimes timed;
    timed.error = error_;
    timed.elapsed_ms = 1;
    return timed;
  }
  bool adopt_gate(UniqueFd gate) override { return static_cast<bool>(gate); }
  bool watch(UniqueFd book) override { return static_cast<bool>(book); }
  void has_loaded(Entry entry) override { promise(entry != nullptr, "what is loaded has an entry"); }

 private:
  int error_ = 0;
};

// A library with an entry point, or a file that is not a library.
UniqueFd descriptor_of(std::uint8_t which) {
  if (which % 2 == 0) return UniqueFd(::open(KGRADE_FUZZ_CONTESTANT, O_RDONLY | O_CLOEXEC));
  return UniqueFd(::memfd_create("kgrade-fuzz", MFD_CLOEXEC));
}

std::string sound_request(ByteReader& input) {
  Request request;
  const std::string fields = input.bytes(sizeof request);
  std::memcpy(static_cast<void*>(&request), fields.data(), sizeof request);
  request.magic = message_magic;
  request.type = static_cast<RequestType>(1 + static_cast<std::uint32_t>(request.type) %
                                                  static_cast<std::uint32_t>(last_request_type));
  Loan& loan = request.loan;
  loan.parameter %= max_parameters + 1;
  request.parameters %= max_parameters + 2;
  loan.begin %= 1 << 20;
  loan.length %= 1 << 20;
  // In one of four cases, one byte is missing.
  loan.bytes = loan.begin + loan.length - (loan.bytes % 4 == 0 ? 1 : 0);
  return std::string(reinterpret_cast<const char*>(&request), sizeof request);
}

void send_next(int socket, ByteReader& input) {
  const std::uint8_t decision = input.byte();
  const std::size_t copies = (decision >> 1) % 4;
  const UniqueFd descriptor = descriptor_of(decision >> 3);
  if (decision % 2 == 0) {
    send_message(socket, sound_request(input), descriptor.get(), copies);
  } else {
    const std::size_t size = input.number() % (2 * sizeof(Request));
    send_message(socket, input.bytes(size), descriptor.get(), copies);
  }
}

void expect_sound_replies(int socket) {
  Reply reply;
  ssize_t size = 0;
  while ((size = ::recv(socket, &reply, sizeof reply, MSG_TRUNC | MSG_DONTWAIT)) > 0) {
    promise(size == static_cast<ssize_t>(sizeof reply), "a reply has its size");
    promise(reply.magic == message_magic && reply.status >= ReplyStatus::done &&
                reply.status <= last_reply_status,
            "a reply is one");
  }
}

}  // namespace

int fuzz_request(const std::uint8_t* data, std::size_t size) {
  const int free_before = first_free_descriptor();
  {
    ByteReader input(data, size);
    int ends[2];
    promise(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0, "there are sockets");
    const UniqueFd referee(ends[0]);
    for (std::size_t i = 0; i < most_messages && !input.empty(); ++i) send_next(referee.get(), input);
    ::shutdown(referee.get(), SHUT_WR);
    FakeDevice device;
    // Like a tool's worker: this process must survive.
    LibraryContestant contestant;
    promise(run_worker(device, contestant, ends[1], true) == 0, "a worker ends well");
    expect_sound_replies(referee.get());
  }
  promise(first_free_descriptor() == free_before, "no descriptor stays open");
  return 0;
}

}  // namespace kgrade::fuzz
