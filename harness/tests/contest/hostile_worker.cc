// hostile_worker MODE [--connect PATH]: answers requests in ways that no honest worker would.
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <thread>
#include <vector>

#include "contest/protocol.h"
#include "behaviour.h"

namespace {

using kgrade::Fault;
using kgrade::Reply;
using kgrade::ReplyStatus;
using kgrade::Request;
using kgrade::RequestType;
using kgrade::test::CountingPage;
constexpr int connection_descriptor = 3;

void send_bytes(const void* data, std::size_t size) { ::send(connection_descriptor, data, size, 0); }

void send_reply(Reply reply) { send_bytes(&reply, sizeof reply); }

void send_status(const Request& request, ReplyStatus status, std::uint64_t ahead = 0) {
  Reply reply;
  reply.sequence = request.sequence + ahead;
  reply.status = status;
  send_reply(reply);
}

// The answer of an honest worker.
void answer(const Request& request, std::uint64_t ahead = 0) {
  const bool is_call = request.type == RequestType::call;
  if (is_call && request.gate != 0) send_status(request, ReplyStatus::queued, ahead);
  send_status(request, ReplyStatus::done, ahead);
  if (is_call) send_status(request, ReplyStatus::idle, ahead);
}

// With the number after that of the last answer; the first one has its own.
void answer_by_counting(Request request) {
  static std::uint64_t due = request.sequence;
  request.sequence = due++;
  answer(request);
}

// Answers, and then counts in the page of the gate, on a separate thread: see behaviour.h.
void count_for_ever(const Request& request, const kgrade::UniqueFd& gate) {
  static CountingPage* page = nullptr;
  if (page == nullptr) {
    page = static_cast<CountingPage*>(
        ::mmap(nullptr, sizeof(CountingPage), PROT_READ | PROT_WRITE, MAP_SHARED, gate.get(), 0));
    page->process = ::getpid();
    std::thread([] {
      while (true) page->count = page->count + 1;
    }).detach();
  }
  answer(request);
}

// The steps of a call's answer in another order, or too few, or too many.
void answer_out_of_order(const std::string& mode, const Request& request) {
  const auto say = [&request](std::initializer_list<ReplyStatus> statuses) {
    for (const ReplyStatus status : statuses) send_status(request, status);
  };
  if (mode == "never-idle") say({ReplyStatus::done});
  if (mode == "idle-first") say({ReplyStatus::idle, ReplyStatus::done});
  if (mode == "two-dones") say({ReplyStatus::done, ReplyStatus::done});
  if (mode == "queued-ungated") say({ReplyStatus::queued, ReplyStatus::done, ReplyStatus::idle});
  if (mode == "ahead") answer(request), answer(request, 1);
  if (mode == "far-ahead") answer(request), answer(request, 1000);
}

void misbehave(const std::string& mode, const Request& request) {
  Reply reply;
  reply.sequence = request.sequence;
  reply.call.limit_bytes = 3 << 20;
  const auto say_fault = [&reply](Fault fault) {
    reply.status = ReplyStatus::failed;
    reply.fault = fault;
    send_reply(reply);
  };
  if (mode == "exit-0") ::_exit(0);
  if (mode == "abort") std::abort();
  if (mode == "silent") std::this_thread::sleep_for(std::chrono::hours(1));
  if (mode == "short") send_bytes(&reply, sizeof reply - 1);
  if (mode == "long") send_bytes(std::vector<char>(100'000).data(), 100'000);
  if (mode == "empty") send_bytes(&reply, 0);
  if (mode == "magic") reply.magic = 1, send_reply(reply);
  if (mode == "sequence") reply.sequence += 1, send_reply(reply);
  if (mode == "status") reply.status = static_cast<ReplyStatus>(99), send_reply(reply);
  if (mode == "nan") reply.call.elapsed_ms = std::nan(""), send_reply(reply);
  if (mode == "memory") say_fault(Fault::memory_limit);
  if (mode == "stack") say_fault(Fault::stack_overflow);
  if (mode == "honest") answer(request);
  if (mode == "one-call") answer(request), ::_exit(0);
  if (mode == "counts-on") answer_by_counting(request);
  answer_out_of_order(mode, request);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  // Under a tool there is no descriptor to take over; the answers go to the lowest one then.
  if (argc > 3) ::dup2(kgrade::connect_to(argv[3]).release(), connection_descriptor);
  kgrade::Connection connection{kgrade::UniqueFd(connection_descriptor)};
  while (auto next = connection.next_request()) {
    if (mode == "counting") {
      count_for_ever(next->first, next->second);
    } else {
      misbehave(mode, next->first);
    }
  }
}
