#include "base/temporary_directory.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <thread>

namespace kgrade {
namespace {

std::mutex& live_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::set<std::filesystem::path>& live_directories() {
  static std::set<std::filesystem::path> directories;
  return directories;
}

void remove_all_live() {
  std::lock_guard lock(live_mutex());
  std::error_code ignored;
  for (const auto& directory : live_directories()) std::filesystem::remove_all(directory, ignored);
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  const char* base = ::getenv("TMPDIR");
  std::string pattern = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/kgrade-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot make a temporary folder " + pattern);
  }
  path_ = pattern;
  std::lock_guard lock(live_mutex());
  live_directories().insert(path_);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  std::lock_guard lock(live_mutex());
  live_directories().erase(path_);
}

void TemporaryDirectory::remove_on_signals() {
  // A thread waits for the signals, since removing folders is not safe inside a handler. Children must
  // not inherit the mask: base/subprocess resets it.
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int received = 0;
    sigwait(&signals, &received);
    remove_all_live();
    // Workers and compilers die with us by PR_SET_PDEATHSIG.
    ::signal(received, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, received);
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    ::raise(received);
  }).detach();
}

}  // namespace kgrade
