#include "tests/device/emulated/checked_program.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <thread>

#include "base/subprocess.h"
#include "device/emulated/checker/checking.h"
#include "device/emulated/runtime/emulated_runtime.h"

namespace kgrade::test {
namespace {

constexpr int does_not_load = 77;

// Memory that a forked child writes and its parent reads.
class SharedBook {
 public:
  SharedBook()
      : book_(static_cast<FindingBook*>(::mmap(nullptr, sizeof(FindingBook), PROT_READ | PROT_WRITE,
                                               MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~SharedBook() { ::munmap(book_, sizeof(FindingBook)); }
  SharedBook(const SharedBook&) = delete;
  SharedBook& operator=(const SharedBook&) = delete;
  FindingBook& operator*() { return *book_; }

 private:
  FindingBook* book_;
};

// Something that the library is sure to have; null when there is no library.
const void* address_in(void* handle) {
  link_map* map = nullptr;
  if (handle == nullptr || ::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return nullptr;
  return map->l_ld;
}

[[noreturn]] void run_in_child(const std::filesystem::path& library, ThreadOrder order,
                               const std::function<void(void* handle)>& call, FindingBook& book) {
  kgrade_emulated::set_thread_order(order, 1);
  kgrade_emulated::start_checking(book);
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* const inside = address_in(handle);
  if (inside == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    ::_exit(does_not_load);
  }
  kgrade_emulated::check_library_of(inside);
  for (int i = 0; i < 2; ++i) {
    kgrade_emulated::begin_checked_call();
    call(handle);
    kgrade_emulated::end_checked_call();
  }
  std::fflush(stdout);
  ::_exit(testing::Test::HasFailure() ? 1 : 0);
}

}  // namespace

CheckedRun run_checked(const std::filesystem::path& library, ThreadOrder order,
                       const std::function<void(void* handle)>& call) {
  SharedBook book;
  const pid_t child = ::fork();
  // On a thread of its own: the first one's blocks may have run unchecked before.
  if (child == 0) std::thread([&] { run_in_child(library, order, call, *book); }).join();
  int status = 0;
  ::waitpid(child, &status, 0);
  CheckedRun run;
  run.loaded = !(WIFEXITED(status) && WEXITSTATUS(status) == does_not_load);
  run.passed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  run.findings.assign((*book).entries, (*book).entries + (*book).count);
  return run;
}

int line_of(const std::filesystem::path& library, const FoundAccess& access, const std::string& file) {
  ProcessRequest request;
  request.command = {"addr2line", "-i", "-e", library.string(), fmt::format("{:#x}", access.pc - 1)};
  for (const std::uint64_t caller : access.callers) {
    if (caller != 0) request.command.push_back(fmt::format("{:#x}", caller - 1));
  }
  request.environment = {std::string("PATH=") + std::getenv("PATH")};
  const auto outcome = run_process(request);
  std::istringstream lines(outcome ? outcome->output : "");
  for (std::string line; std::getline(lines, line);) {
    const auto place = line.find(file + ":");
    if (place != std::string::npos) return std::atoi(line.c_str() + place + file.size() + 1);
  }
  return 0;
}

std::string word(FindingKind kind) {
  constexpr const char* words[] = {"",     "out_of_bounds",     "invalid_address",   "uninitialized_read",
                                   "race", "misaligned_access", "divergent_barrier", "warp_mask",
                                   "leak", "host_access",       "unjoined_stream"};
  return words[static_cast<std::size_t>(kind)];
}

}  // namespace kgrade::test
