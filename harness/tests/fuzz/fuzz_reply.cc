// The input is a list of steps: what a worker does at its end of the connection before the referee's next
// step.
#include <cstring>
#include <optional>

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

}  // namespace kgrade::fuzz
