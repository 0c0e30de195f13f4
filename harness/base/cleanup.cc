#include "base/cleanup.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "base/temporary_directory.h"

namespace kgrade {
namespace {

constexpr auto kill_timeout = std::chrono::seconds(2);

// Repeats `step` until it reports that nothing is left to do. A killed process takes a moment to end.
template <class Step>
void repeat(Step step) {
  const auto deadline = std::chrono::steady_clock::now() + kill_timeout;
  while (step() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Kills the process first: if it has not made its group yet, it can no longer do so.
void kill_with_group(pid_t leader) {
  ::kill(leader, SIGKILL);
  ::kill(-leader, SIGKILL);
}

bool runs(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

[[noreturn]] void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace

Cleanup& Cleanup::of_this_process() {
  static Cleanup* const instance = new Cleanup;
  return *instance;
}

std::filesystem::path Cleanup::make_directory(std::string pattern) {
  const std::lock_guard lock(mutex_);
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot make a temporary folder " + pattern);
  }
  paths_.insert(pattern);
  return pattern;
}

UniqueFd Cleanup::make_file(std::string& pattern) {
  const std::lock_guard lock(mutex_);
  UniqueFd file(::mkostemp(pattern.data(), O_CLOEXEC));
  if (file) paths_.insert(pattern);
  return file;
}

void Cleanup::remove_abandoned(const std::filesystem::path& folder) {
  std::call_once(abandoned_are_removed_, [&] { remove_abandoned_folders(folder); });
}

void Cleanup::remember(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  paths_.insert(path);
}

void Cleanup::forget(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  paths_.erase(path);
}

pid_t Cleanup::start(const std::function<void()>& become) {
  const std::lock_guard lock(mutex_);
  const pid_t child = ::fork();
  if (child == 0) {
    become();
    ::_exit(127);
  }
  if (child > 0) children_.insert(child);
  return child;
}

pid_t Cleanup::take_over(const std::function<pid_t()>& fork) {
  const std::lock_guard lock(mutex_);
  const pid_t child = fork();
  if (child > 0) children_.insert(child);
  return child;
}

void Cleanup::kill_group(pid_t child) {
  const std::lock_guard lock(mutex_);
  kill_with_group(child);
}

void Cleanup::kill_all() {
  const std::lock_guard lock(mutex_);
  for (const pid_t child : children_) {
    if (!spared_.contains(child)) kill_with_group(child);
  }
}

void Cleanup::spare(pid_t child) {
  const std::lock_guard lock(mutex_);
  spared_.insert(child);
}

void Cleanup::end_gently(pid_t child) {
  const std::lock_guard lock(mutex_);
  gently_ended_.insert(child);
}

int Cleanup::reap(pid_t child) {
  // While the child is not reaped, its id and its group's id cannot be given to another process.
  siginfo_t info{};
  int failure = 0;
  do {
    failure = ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0 ? 0 : errno;
  } while (failure == EINTR);
  int status = SIGKILL;
  {
    const std::lock_guard lock(mutex_);
    if (failure == 0) {
      kill_with_group(child);
      ::waitpid(child, &status, 0);
    }
    children_.erase(child);
    spared_.erase(child);
    gently_ended_.erase(child);
  }
  repeat([this] {
    const std::lock_guard lock(mutex_);
    return kill_orphans();
  });
  return status;
}

void Cleanup::adopt_orphans() {
  const std::lock_guard lock(mutex_);
  ::signal(SIGCHLD, SIG_DFL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const ProcessEntry& entry : process_table()) {
    if (entry.parent == ::getpid() && !children_.contains(entry.pid)) earlier_children_.insert(entry.pid);
  }
  adopts_ = true;
}

// setsid(2) only makes new sessions, so a descendant of a child can join neither our session nor that of
// another child. Processes that a library forks for itself stay in our session.
bool Cleanup::is_orphan(const ProcessEntry& entry) const {
  return entry.parent == ::getpid() && entry.session != ::getsid(0) && !children_.contains(entry.session) &&
         !children_.contains(entry.pid) && !earlier_children_.contains(entry.pid);
}

// Searches once. Returns true if there were any orphans. Call with the mutex held: an orphan keeps its id
// until it is reaped here.
bool Cleanup::kill_orphans() {
  if (!adopts_) return false;
  bool found = false;
  for (const ProcessEntry& entry : process_table()) {
    if (!is_orphan(entry)) continue;
    found = true;
    // Kill the group in one step. Otherwise a process that keeps forking would escape.
    if (entry.group > 1) ::kill(-entry.group, SIGKILL);
    ::kill(entry.pid, SIGKILL);
    ::waitpid(entry.pid, nullptr, WNOHANG);
  }
  return found;
}

// Returns true if any children are left. Call with the mutex held.
bool Cleanup::reap_children() {
  std::erase_if(children_, [](pid_t child) { return ::waitpid(child, nullptr, WNOHANG) != 0; });
  return !children_.empty();
}

void Cleanup::clean_up() {
  mutex_.lock();
  for (const pid_t child : gently_ended_) ::kill(-child, SIGTERM);
  if (!gently_ended_.empty())
    repeat([this] { return std::any_of(gently_ended_.begin(), gently_ended_.end(), runs); });
  for (const pid_t child : children_) kill_with_group(child);
  repeat([this] { return reap_children(); });
  repeat([this] { return kill_orphans(); });
  repeat([this] {
    // Try again if something was written meanwhile, by another thread or by a process that has not ended yet.
    std::error_code ignored;
    for (const auto& path : paths_) std::filesystem::remove_all(path, ignored);
    std::erase_if(paths_, [&](const auto& path) { return !std::filesystem::exists(path, ignored); });
    return !paths_.empty();
  });
}

void Cleanup::set_final_message(std::string text) {
  const std::lock_guard lock(mutex_);
  final_message_ = std::move(text);
}

void Cleanup::set_last_action(std::function<void()> action) {
  const std::lock_guard lock(last_action_mutex_);
  last_action_ = std::move(action);
}

void Cleanup::act_last() {
  const std::lock_guard lock(last_action_mutex_);
  if (last_action_) last_action_();
}

void Cleanup::write_final_message() const {
  // The reader may be gone already.
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, final_message_.data(), final_message_.size());
}

void clean_up_on_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    if (!is_ignored(signal)) sigaddset(&signals, signal);
  }
  // A thread waits for the signals, since none of this is safe in a handler. Children must not inherit the
  // mask: base/subprocess resets it.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int received = 0;
    sigwait(&signals, &received);
    Cleanup& cleanup = Cleanup::of_this_process();
    cleanup.act_last();
    cleanup.clean_up();
    cleanup.write_final_message();
    end_by(received);
  }).detach();
}

void adopt_orphans() { Cleanup::of_this_process().adopt_orphans(); }

}  // namespace kgrade
