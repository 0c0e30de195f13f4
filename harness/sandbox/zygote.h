// A Python interpreter that has imported what workers need and forks them: an import of PyTorch takes
// seconds, a fork some hundredths of one. The zygote sees neither candidates nor anything else of a run. A
// child that it forks becomes one of this process (CLONE_PARENT), is confined by the same code as every other
// (sandbox/launch.h), and where kgrade-sandbox would execute the interpreter it goes on in the one that it
// has.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/late_child.h"
#include "base/subprocess.h"
#include "base/unique_fd.h"
#include "sandbox/zygote_protocol.h"

namespace kgrade {

// How a zygote is started, and what it can take the place of.
struct ZygoteSetup {
  std::vector<std::string> interpreter;  // program and flags, as in the commands of those that it forks
  std::filesystem::path script;          // zygote.py
  std::filesystem::path library;         // libkgrade-zygote.so
  std::filesystem::path launcher;        // kgrade-sandbox
  std::vector<std::filesystem::path> programs;  // scripts that it has loaded
  std::vector<std::string> environment;
};

// Threads: all functions may be called from any.
class Zygote {
 public:
  // Returns at once; it imports meanwhile.
  explicit Zygote(ZygoteSetup setup);
  // Ends it. What it has forked ends as well, since it dies with the thread that has started the zygote.
  ~Zygote();
  Zygote(const Zygote&) = delete;
  Zygote& operator=(const Zygote&) = delete;

  // Before the workers that need it. `interpreted`: on the CPU.
  void import_triton(bool interpreted);

  // A child as spawn() starts it. Where the command is the launcher's, makes namespaces of its own, and runs
  // one of the programs, it is forked as soon as the imports have ended. Otherwise, and when the zygote fails
  // or refuses, spawn() starts it.
  Result<LateChild> spawn(const SpawnRequest& request);
  // The same for those that wait for it.
  Spawner spawner();

  // Whether such a child would be forked, now or when the imports have ended.
  bool can_fork(const SpawnRequest& request) const;
  // Waits for the imports. Empty: it forks; else why it does not.
  std::string why_not();
  // Whether it forked, and does so no more. A new one may.
  bool has_broken();
  // For tests: -1 when it does not run.
  pid_t pid();

 private:
  struct Fork;

  void keep();
  void begin();
  bool exchange(const ZygoteRequest& request, const std::vector<int>& descriptors, ZygoteReply& reply);
  bool receive(ZygoteReply& reply, std::chrono::milliseconds patience);
  void give_up(std::string reason);
  bool is_ending();
  void add(std::function<void()> task);
  void carry_out(const Fork& fork);
  Result<ChildProcess> fork(const SpawnRequest& request);

  const ZygoteSetup setup_;
  // Of the thread that keeps it: the socket is shut down by others to end it.
  UniqueFd socket_;
  UniqueFd its_socket_;
  ChildProcess process_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::optional<bool> triton_is_interpreted_;  // unset: its import has not been asked for
  std::string why_not_;
  bool is_ready_ = false;    // or has failed
  bool has_forked_ = false;  // or could have
  bool is_ending_ = false;
  std::thread keeper_;
};

}  // namespace kgrade
