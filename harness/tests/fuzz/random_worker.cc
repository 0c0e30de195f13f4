// random_worker SEED: answers every request with something drawn from the seed, until it draws its end.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "contest/protocol.h"
#include "tests/fuzz/noise.h"
#include "tests/fuzz/sent_messages.h"

namespace {

using kgrade::ReplyStatus;

constexpr int connection_descriptor = 3;

void send_one(kgrade::fuzz::Noise& noise, std::uint64_t sequence, ReplyStatus status, bool may_be_silent) {
  if (noise.one_in(500)) std::abort();
  if (noise.one_in(500)) ::_exit(static_cast<int>(noise.below(256)));
  if (noise.one_in(2000) && may_be_silent) std::this_thread::sleep_for(std::chrono::hours(1));
  const std::size_t descriptors = noise.one_in(4) ? noise.below(4) : 0;
  kgrade::fuzz::send_message(connection_descriptor, kgrade::fuzz::random_message(noise, sequence, status),
                             connection_descriptor, descriptors);
}

// For the first answer, the referee waits as long as a process may need to start.
void answer(kgrade::fuzz::Noise& noise, const kgrade::Request& request, bool is_first) {
  const auto say = [&](ReplyStatus status) { send_one(noise, request.sequence, status, !is_first); };
  const bool call = request.type == kgrade::RequestType::call;
  if (call && request.gate != 0 && !noise.one_in(8)) say(ReplyStatus::queued);
  say(ReplyStatus::done);
  if (call) say(ReplyStatus::idle);
  // An unexpected one blocks the next request.
  if (noise.one_in(50)) say(ReplyStatus::done);
}

}  // namespace

int main(int argc, char** argv) {
  kgrade::fuzz::Noise noise(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0);
  kgrade::Connection connection{kgrade::UniqueFd(connection_descriptor)};
  bool is_first = true;
  while (const auto request = connection.next_request()) {
    answer(noise, request->first, is_first);
    is_first = false;
  }
}
