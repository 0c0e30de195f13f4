// hostile_worker MODE [--connect PATH]: answers the first request in a way that no honest worker would.
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "contest/link.h"
#include "contest/listener.h"

namespace {

using kgrade::Reply;
constexpr int link_descriptor = 3;

void send_bytes(const void* data, std::size_t size) { ::send(link_descriptor, data, size, 0); }

void send_reply(Reply reply) { send_bytes(&reply, sizeof reply); }

void misbehave(const std::string& mode, std::uint64_t sequence) {
  Reply reply;
  reply.sequence = sequence;
  reply.limit_bytes = 3 << 20;
  if (mode == "exit-0") ::_exit(0);
  if (mode == "abort") std::abort();
  if (mode == "silent") std::this_thread::sleep_for(std::chrono::hours(1));
  if (mode == "short") send_bytes(&reply, sizeof reply - 1);
  if (mode == "long") send_bytes(std::vector<char>(100'000).data(), 100'000);
  if (mode == "empty") send_bytes(&reply, 0);
  if (mode == "magic") reply.magic = 1, send_reply(reply);
  if (mode == "sequence") reply.sequence = sequence + 1, send_reply(reply);
  if (mode == "status") reply.status = static_cast<kgrade::ReplyStatus>(99), send_reply(reply);
  if (mode == "nan") reply.elapsed_ms = std::nan(""), send_reply(reply);
  if (mode == "memory") reply.status = kgrade::ReplyStatus::memory_limit, send_reply(reply);
  if (mode == "stack") reply.status = kgrade::ReplyStatus::stack_overflow, send_reply(reply);
  if (mode == "honest") send_reply(reply);
}

}  // namespace

int main(int argc, char** argv) {
  // Below a tool there is no descriptor to take over; the answers go to the one below then.
  if (argc > 3) ::dup2(kgrade::connect_to(argv[3]).release(), link_descriptor);
  kgrade::Link link{kgrade::UniqueFd(link_descriptor)};
  while (auto request = link.next_request()) misbehave(argc > 1 ? argv[1] : "", request->first.sequence);
}
