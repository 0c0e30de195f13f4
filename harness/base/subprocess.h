// Child processes, each with an exact environment, limits, its own session and its own process group. They
// are killed as a whole. All are registered in base/cleanup.h, which ends them when a signal ends this
// process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade {

// Zero means no limit.
struct ProcessLimits {
  std::chrono::seconds wall{0};
  std::chrono::seconds cpu{0};
  std::uint64_t address_space_bytes = 0;
  std::uint64_t file_size_bytes = 0;
};

struct ProcessRequest {
  std::vector<std::string> command;      // command[0] is looked up in PATH
  std::vector<std::string> environment;  // "NAME=value", the complete environment
  std::filesystem::path working_directory;
  ProcessLimits limits;
  std::size_t output_limit_bytes = 1 << 20;  // how much of stdout and stderr together is kept
};

struct ProcessOutcome {
  int exit_code = 0;  // -1 if the process did not end normally
  int signal = 0;     // the signal that ended it; 0 if none did
  bool timed_out = false;
  bool output_truncated = false;
  std::string output;  // stdout and stderr, as written
  double seconds = 0;

  bool success() const { return exit_code == 0 && signal == 0 && !timed_out; }
};

// A child that spawn() started. The destructor kills its process group with SIGKILL and reaps it. An object
// that holds no child, made by default or moved from, has ended; to wait() for it is a std::logic_error.
class ChildProcess {
 public:
  ChildProcess() = default;
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  void kill_group();
  bool has_ended() const;
  // Waits for the end, and ends what the child left behind (Cleanup::reap). Returns the wait status of
  // waitpid(2), also when called again.
  int wait();
  // Like wait(), but gives up after `patience`.
  std::optional<int> wait_for(std::chrono::milliseconds patience);

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

// The whole environment of this process, in the form of a request.
std::vector<std::string> whole_environment();
// Like whole_environment(), but with that folder for temporary files.
std::vector<std::string> whole_environment(const std::filesystem::path& temporary);

struct SpawnRequest {
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::filesystem::path working_directory;
  ProcessLimits limits;
  int stdin_fd = -1;   // -1: /dev/null
  int output_fd = -1;  // stdout and stderr; -1: /dev/null
  int error_fd = -1;   // stderr; -1: as output_fd
  int kept_fd = -1;    // stays open as descriptor 3; all others are closed
};

// Starts a child, without a terminal, that dies with the thread that started it (PR_SET_PDEATHSIG).
Result<ChildProcess> spawn(const SpawnRequest& request);

// Starts a child in the way of spawn().
using Spawner = std::function<Result<ChildProcess>(const SpawnRequest&)>;

// Runs a program to its end. Kills the processes that the program leaves running in its group, and after
// adopt_orphans() also those outside of its group. An Error if the program cannot be started.
Result<ProcessOutcome> run_process(const ProcessRequest& request, const Spawner& spawner = spawn);

// The next three functions set how many files a process may have open (RLIMIT_NOFILE). Each changes nothing
// if the system does not allow it, and may be called in a child between fork and exec.

// Raises the limit of this process as far as the system allows, up to a million. Processes that spawn()
// starts get the usual number, because some programs close or check every descriptor that they could have.
void raise_descriptor_limit();

// Lowers the limit to 1,024, until the process raises it again.
void restore_usual_descriptor_limit();

// Lowers the limit for good. A process cannot send more descriptors while those that its account has in
// flight exceed its own limit (unix(7), ETOOMANYREFS). A contestant has a far lower limit than the referee,
// so it cannot keep the referee from lending buffers.
void limit_descriptors(unsigned int most);

// The path of a program in PATH. A name with a slash is returned as it is if it is executable.
std::optional<std::filesystem::path> find_program(const std::string& name);

// "exit code 3" or "signal 11 (Segmentation fault)".
std::string describe_wait_status(int status);

// An order for a child that another thread starts later, as seen by that thread. All functions may be called
// from any thread.
class ChildOrder {
 public:
  // To be checked before the start: true if nobody wants the child any more.
  bool is_cancelled() const;
  bool is_delivered() const;
  // Called once. If nobody wants the child any more, it is ended.
  void deliver(Result<ChildProcess> child);

 private:
  friend class LateChild;
  void cancel();
  Result<ChildProcess> take();

  mutable std::mutex mutex_;
  std::condition_variable delivered_;
  bool is_cancelled_ = false;
  std::optional<Result<ChildProcess>> child_;
};

// A child that may not have started yet. The destructor ends the child, or cancels the order. Not
// thread-safe.
class LateChild {
 public:
  LateChild() = default;  // no child
  explicit LateChild(ChildProcess child) : child_(std::move(child)) {}
  explicit LateChild(std::shared_ptr<ChildOrder> order) : order_(std::move(order)) {}
  LateChild(LateChild&&) noexcept = default;
  LateChild& operator=(LateChild&& other) noexcept;
  ~LateChild() { cancel(); }

  // True if the child has started or is ordered.
  bool exists() const { return order_ != nullptr || child_.pid() >= 0; }
  bool has_started() const;
  // Waits until the child has been started. If it could not be started, returns a child that has ended, and
  // error() says why.
  ChildProcess& get();
  const std::string& error() const { return error_; }
  // Hands over the child, or the error that prevented its start.
  Result<ChildProcess> take();
  // Ends the child's group, or cancels the order. Does not wait.
  void kill_group();
  // Waits for the child's end, unless it was never started.
  void wait();

 private:
  void cancel();

  std::shared_ptr<ChildOrder> order_;  // until the child is here
  ChildProcess child_;
  std::string error_;
};

// A child that spawn() starts at once.
Result<LateChild> spawn_now(const SpawnRequest& request);

}  // namespace kgrade
