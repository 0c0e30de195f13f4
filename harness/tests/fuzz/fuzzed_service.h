// A service for fuzzers. It has one problem, small limits and no lane of its own.
#pragma once

#include <unistd.h>

#include <cstdlib>

#include "base/temporary_directory.h"
#include "problem/problem.h"
#include "serve/service.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {

inline constexpr const char* served_problem = "vector-addition";

// A new folder, in memory if possible: a service waits for the disk before each of its answers.
inline std::filesystem::path new_state_folder() {
  const auto base =
      ::access("/dev/shm", W_OK) == 0 ? std::filesystem::path("/dev/shm") : TemporaryDirectory::base();
  std::string folder = (base / "kgrade-fuzz-XXXXXX").string();
  promise(::mkdtemp(folder.data()) != nullptr, "there is a folder");
  return folder;
}

// Opens the service again if there was one in this folder.
inline std::unique_ptr<Service> open_service(const std::filesystem::path& state) {
  static const Problem problem =
      load_problem(std::string(KGRADE_SOURCE_DIR "/problems/") + served_problem + ".md").value();
  ServiceOptions options;
  options.state = state;
  options.problems.emplace(served_problem, problem);
  options.limits.queued_of_owner = 6;
  options.limits.bytes = 4096;
  auto service = Service::open(std::move(options));
  promise(service.ok(), "a service can be opened");
  return std::move(*service);
}

}  // namespace kgrade::fuzz
