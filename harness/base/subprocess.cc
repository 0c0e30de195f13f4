#include "base/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/child_setup.h"
#include "base/cleanup.h"
#include "base/machine_faults.h"
#include "base/unique_fd.h"

namespace kgrade {
namespace {

using Clock = std::chrono::steady_clock;

// The argv or envp for execve. `strings` must outlive the result.
std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

// Reads what is available. Returns false at the end of the stream.
bool drain(int fd, ProcessOutcome& outcome, std::size_t limit) {
  char buffer[65536];
  const ssize_t count = ::read(fd, buffer, sizeof buffer);
  if (count <= 0) return count < 0 && errno == EINTR;
  const std::size_t room = limit - std::min(limit, outcome.output.size());
  const std::size_t kept = std::min(room, static_cast<std::size_t>(count));
  outcome.output.append(buffer, kept);
  if (kept < static_cast<std::size_t>(count)) outcome.output_truncated = true;
  return true;
}

}  // namespace

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), status_(std::exchange(other.status_, std::nullopt)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(status_, other.status_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0) return;
  kill_group();
  wait();
}

void ChildProcess::kill_group() {
  if (pid_ > 0 && !status_) Cleanup::of_this_process().kill_group(pid_);
}

bool ChildProcess::has_ended() const {
  if (pid_ < 0 || status_) return true;
  // WNOWAIT keeps the process id taken until wait() has killed the group.
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
    return errno == ECHILD;
  return info.si_pid == pid_;
}

int ChildProcess::wait() {
  if (pid_ < 0) throw std::logic_error("there is no child to wait for");
  if (!status_) status_ = Cleanup::of_this_process().reap(pid_);
  return *status_;
}

std::optional<int> ChildProcess::wait_for(std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  while (!status_) {
    if (has_ended()) {
      wait();
      break;
    }
    if (Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return status_;
}

Result<ChildProcess> spawn(const SpawnRequest& request) {
  const auto program = find_program(request.command.front());
  if (!program) {
    return machine_error(fmt::format("cannot start '{}': no such program", request.command.front()),
                         "install it, or put its folder into PATH");
  }
  std::vector<char*> argv = pointers(request.command);
  std::vector<char*> envp = pointers(request.environment);
  const pid_t parent = ::getpid();
  // Between fork and exec, only async-signal-safe calls are made.
  const pid_t pid = Cleanup::of_this_process().start([&] {
    set_up_child(request, parent);
    ::execve(program->c_str(), argv.data(), envp.data());
    ::_exit(127);
  });
  if (pid < 0) {
    const int code = errno;
    return machine_error(fmt::format("cannot start a process: {}", ::strerror(code)),
                         remedy_for_machine(code));
  }
  return ChildProcess(pid);
}

std::vector<std::string> whole_environment() {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
  return environment;
}

std::vector<std::string> whole_environment(const std::filesystem::path& temporary) {
  std::vector<std::string> environment = whole_environment();
  std::erase_if(environment, [](const std::string& variable) { return variable.starts_with("TMPDIR="); });
  environment.push_back("TMPDIR=" + temporary.string());
  return environment;
}

Result<ProcessOutcome> run_process(const ProcessRequest& request, const Spawner& spawner) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    const int code = errno;
    return machine_error(fmt::format("cannot open a pipe: {}", ::strerror(code)), remedy_for_machine(code));
  }
  UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  auto child = spawner({request.command, request.environment, request.working_directory, request.limits, -1,
                        writer.get(), -1});
  if (!child) return child.errors();
  writer.reset();
  const auto start = Clock::now();

  ProcessOutcome outcome;
  const bool limited = request.limits.wall.count() > 0;
  const auto deadline = start + request.limits.wall;
  for (bool open = true; open && !outcome.timed_out;) {
    pollfd entry{reader.get(), POLLIN, 0};
    // Waits only so long before it checks whether the child has ended, because a process that the child left
    // behind may hold the pipe open.
    constexpr long long look_again = 50;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    const int wait = static_cast<int>(limited ? std::clamp<long long>(left, 0, look_again) : look_again);
    const int ready = ::poll(&entry, 1, wait);
    if (ready > 0) {
      open = drain(reader.get(), outcome, request.output_limit_bytes);
    } else if (ready == 0 && child->has_ended()) {
      // It may have written something since poll() looked. This reads what is in the pipe, up to the limit,
      // and waits for nothing.
      while (!outcome.output_truncated && ::poll(&entry, 1, 0) > 0 &&
             drain(reader.get(), outcome, request.output_limit_bytes)) {
      }
      open = false;
    } else if (ready == 0) {
      outcome.timed_out = limited && Clock::now() >= deadline;
    }
  }
  if (outcome.timed_out) child->kill_group();
  const int status = child->wait();
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return outcome;
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (::access(name.c_str(), X_OK) == 0) return name;
    return std::nullopt;
  }
  const char* variable = std::getenv("PATH");
  std::string folders = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::filesystem::path candidate = std::filesystem::path(folders.substr(begin, end - begin)) / name;
    std::error_code ignored;
    if (::access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate, ignored)) {
      return candidate;
    }
    begin = end + 1;
  }
  return std::nullopt;
}

std::string describe_wait_status(int status) {
  if (WIFEXITED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("wait status {:#x}", status);
}

bool ChildOrder::is_cancelled() const {
  const std::lock_guard lock(mutex_);
  return is_cancelled_;
}

bool ChildOrder::is_delivered() const {
  const std::lock_guard lock(mutex_);
  return child_.has_value();
}

void ChildOrder::deliver(Result<ChildProcess> child) {
  const std::lock_guard lock(mutex_);
  if (is_cancelled_) return;
  child_ = std::move(child);
  delivered_.notify_all();
}

void ChildOrder::cancel() {
  const std::lock_guard lock(mutex_);
  is_cancelled_ = true;
}

Result<ChildProcess> ChildOrder::take() {
  std::unique_lock lock(mutex_);
  delivered_.wait(lock, [this] { return child_.has_value(); });
  Result<ChildProcess> child = std::move(*child_);
  child_.reset();
  return child;
}

LateChild& LateChild::operator=(LateChild&& other) noexcept {
  std::swap(order_, other.order_);
  std::swap(child_, other.child_);
  std::swap(error_, other.error_);
  return *this;
}

bool LateChild::has_started() const { return order_ != nullptr ? order_->is_delivered() : child_.pid() >= 0; }

Result<ChildProcess> LateChild::take() {
  if (order_ != nullptr) return std::exchange(order_, nullptr)->take();
  return std::exchange(child_, {});
}

ChildProcess& LateChild::get() {
  if (order_ != nullptr) {
    auto child = take();
    if (child) {
      child_ = std::move(*child);
    } else {
      error_ = child.error().message;
    }
  }
  return child_;
}

void LateChild::kill_group() {
  if (has_started()) get();
  cancel();
  child_.kill_group();
}

void LateChild::wait() {
  if (order_ == nullptr && child_.pid() >= 0) child_.wait();
}

void LateChild::cancel() {
  if (order_ != nullptr) std::exchange(order_, nullptr)->cancel();
}

Result<LateChild> spawn_now(const SpawnRequest& request) {
  auto child = spawn(request);
  return child ? Result<LateChild>(LateChild(std::move(*child))) : child.errors();
}

}  // namespace kgrade
