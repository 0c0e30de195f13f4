// The referee's handle on one worker: started with a clean environment and an own process group, asked over
// the link, killed as a whole. After any fault the worker is dead and must be started anew.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "contest/last_words.h"
#include "contest/link.h"
#include "device/device.h"

namespace kgrade {

enum class Fault {
  none,
  ended,          // the process ended by itself: a crash, exit()
  time_limit,     // no answer within the time allowed
  malformed,      // an answer that is none
  cannot_load,    // the library does not load
  no_memory,      // a lent buffer cannot be mapped
  device_failed,  // the worker's device calls fail
  memory_limit,   // the contestant wants more memory than it may have
  stack_overflow,
};

struct Answer {
  Fault fault = Fault::none;
  std::string detail;  // of a fault, in words
  Reply reply;         // when there is no fault
  double wall_ms = 0;  // by the referee's clock, from request to reply

  bool ok() const { return fault == Fault::none; }
};

// What a lent buffer is for. The tensor is [begin, begin + length) of it.
struct LoanTerms {
  std::uint32_t parameter = 0;
  bool writable = false;
  bool holds_data = false;  // an input
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
};

// The slots of a call: offsets of tensors, bits of scalars, in parameter order.
struct CallSlots {
  struct Slot {
    bool tensor = false;
    std::uint64_t value = 0;
  };
  std::vector<Slot> slots;
};

class WorkerProcess {
 public:
  // An Error when the worker's program is missing or no process can be started.
  static Result<std::unique_ptr<WorkerProcess>> start(const std::vector<std::string>& command);
  // The same below a tool that hands no descriptors on: `command` ends with a worker and the path of the
  // socket that it connects to, in `folder`, where the tool may also write.
  static Result<std::unique_ptr<WorkerProcess>> start_connecting(const std::vector<std::string>& command,
                                                                 const std::filesystem::path& folder);
  // The name of that socket.
  static constexpr const char* socket_name = "link";

  using Patience = std::chrono::milliseconds;
  // Before load(): what is wrong with the contestant's memory accesses goes into the book in this buffer.
  Answer watch(const SharedBuffer& book, Patience patience);
  Answer load(const std::filesystem::path& library, Patience patience);
  Answer lend(const SharedBuffer& buffer, const LoanTerms& terms, Patience patience);
  Answer give_back(Patience patience);
  Answer call(const CallSlots& slots, Patience patience);

  bool alive() const { return alive_; }
  // Lets the worker end by itself: closes the link, and kills what is left of it after `patience`.
  void dismiss(Patience patience);
  // Ends a worker that is of no more use, such as one whose context a kernel has destroyed.
  void retire() { fail(Fault::ended, "retired"); }

 private:
  WorkerProcess(ChildProcess process, Link link, LastWords words)
      : process_(std::move(process)), link_(std::move(link)), words_(std::move(words)) {}
  Answer ask(Request request, int descriptor, Patience patience);
  Answer fail(Fault fault, std::string detail);

  ChildProcess process_;
  Link link_;
  LastWords words_;
  std::uint64_t sequence_ = 0;
  bool alive_ = true;
};

}  // namespace kgrade
