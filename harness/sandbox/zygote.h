// A zygote: a Python interpreter that imports the packages of workers, and then forks the workers. An import
// of PyTorch takes seconds, and a fork some hundredths of a second. The zygote itself never sees a candidate
// or other data of a run. A forked child becomes a child of this process (CLONE_PARENT) and is confined by
// the same code as any other child (sandbox/launch.h). The child does not execute a new interpreter but
// continues in that of the zygote.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/subprocess.h"
#include "base/unique_fd.h"
#include "sandbox/zygote_protocol.h"

namespace kgrade {

// How to start a zygote, and which commands it can replace.
struct ZygoteSetup {
  std::vector<std::string> interpreter;         // program and flags, as in the commands that it replaces
  std::filesystem::path script;                 // zygote.py
  std::filesystem::path library;                // libkgrade-zygote.so
  std::filesystem::path launcher;               // kgrade-sandbox
  std::vector<std::filesystem::path> programs;  // scripts that the zygote has loaded
  std::vector<std::string> environment;
};

// Threads: all functions may be called from any thread.
class Zygote {
 public:
  // Returns at once. The zygote imports in the background.
  explicit Zygote(ZygoteSetup setup);
  // Ends the zygote. Its forked children end too, since they die with the thread that started the zygote.
  ~Zygote();
  Zygote(const Zygote&) = delete;
  Zygote& operator=(const Zygote&) = delete;

  // Call before starting workers that need Triton. `interpreted`: Triton runs on the CPU.
  void import_triton(bool interpreted);

  // Starts a child like spawn(). The zygote forks the child once the imports have ended. It forks only for
  // commands of the launcher that make their own namespaces, hide no files and run one of `programs`. For
  // other commands, or if the zygote fails or refuses, the global spawn() starts the child.
  Result<LateChild> spawn(const SpawnRequest& request);
  // A Spawner that calls spawn() and waits for the child.
  Spawner spawner();

  // True if the zygote would fork this child, now or once the imports have ended.
  bool can_fork(const SpawnRequest& request) const;
  // Waits for the imports. Returns the reason why the zygote does not fork, or an empty text if it forks.
  std::string why_not();
  // True if the zygote was able to fork and no longer is. A new zygote may work.
  bool has_broken();
  // The zygote's process id, for tests. -1 if the zygote does not run.
  pid_t pid();

 private:
  struct Fork;

  void keep();
  void begin();
  bool exchange(const ZygoteRequest& request, const std::vector<int>& descriptors, ZygoteReply& reply);
  bool receive(ZygoteReply& reply, std::chrono::milliseconds patience);
  void give_up(std::string reason);
  bool is_ending();
  void carry_out(const Fork& fork);
  Result<ChildProcess> fork(const SpawnRequest& request);

  const ZygoteSetup setup_;
  // Used by the keeper thread. Other threads shut the socket down to end the zygote.
  UniqueFd socket_;
  UniqueFd its_socket_;
  ChildProcess process_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::optional<bool> triton_is_interpreted_;  // unset: the import was not requested
  std::string why_not_;
  bool is_ready_ = false;    // the imports have ended, or the zygote has failed
  bool has_forked_ = false;  // the zygote has forked, or was able to
  bool is_ending_ = false;
  std::thread keeper_;
};

}  // namespace kgrade
