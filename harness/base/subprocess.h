// Child processes: started with an exact environment, limits, a session and a process group of their own, and
// killed as a whole. All are registered in base/cleanup.h, which ends them when a signal ends us.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
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
  std::vector<std::string> environment;  // "NAME=value", all of it
  std::filesystem::path working_directory;
  ProcessLimits limits;
  std::size_t output_limit_bytes = 1 << 20;  // what is kept of stdout and stderr together
};

struct ProcessOutcome {
  int exit_code = 0;  // of a normal end; -1 otherwise
  int signal = 0;     // that ended it; 0 otherwise
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
  // Waits for the end, and ends what the child left behind (Cleanup::reap); the wait status of waitpid(2).
  // Further calls return the same.
  int wait();
  // As wait(), but gives up after `patience`.
  std::optional<int> wait_for(std::chrono::milliseconds patience);

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

// The environment of this process, as requests have it: for programs that are to have all of it.
std::vector<std::string> whole_environment();
// The same, but temporary files go to that folder.
std::vector<std::string> whole_environment(const std::filesystem::path& temporary);

struct SpawnRequest {
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::filesystem::path working_directory;
  ProcessLimits limits;
  int stdin_fd = -1;   // -1: /dev/null
  int output_fd = -1;  // stdout and stderr; -1: /dev/null
  int kept_fd = -1;    // stays open as descriptor 3; every other is closed
};

// Starts a child, without a terminal, that dies with the thread that started it (PR_SET_PDEATHSIG).
Result<ChildProcess> spawn(const SpawnRequest& request);

// Starts a child in the way of spawn().
using Spawner = std::function<Result<ChildProcess>(const SpawnRequest&)>;

// Runs a program to its end; what it leaves running in its group is killed, and after adopt_orphans() what it
// leaves outside of it. An Error when it cannot be started.
Result<ProcessOutcome> run_process(const ProcessRequest& request, const Spawner& spawner = spawn);

// How many files a process may have open (RLIMIT_NOFILE). Each of the next three changes nothing where the
// system does not let it, and may be called in a child between fork and exec.

// Lets this process have as many as the system lets it, up to a million. Those that spawn() starts get the
// usual number: some close, or look at, all that they could have.
void raise_descriptor_limit();

// 1,024 at most, until it raises them again.
void restore_usual_descriptor_limit();

// At most so many, for good. Of the descriptors that processes of one account have sent and that are
// not received yet, no process may add to more than its own limit (unix(7), ETOOMANYREFS): a contestant that
// has far fewer than the referee cannot keep it from lending buffers.
void limit_descriptors(unsigned int most);

// The path of a program in PATH (or the name itself when it holds a slash and is executable).
std::optional<std::filesystem::path> find_program(const std::string& name);

// "exit code 3" or "signal 11 (Segmentation fault)".
std::string describe_wait_status(int status);

}  // namespace kgrade
