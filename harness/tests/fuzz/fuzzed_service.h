// A service for fuzzers. It has one problem, small limits and no lane of its own.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "base/temporary_directory.h"
#include "problem/problem.h"
#include "serve/service.h"
#include "tests/fuzz/sent_messages.h"
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

// `serve` gives a service in that folder the input, and returns the ids of all jobs that it has accepted.
// They have to be there after a restart. No descriptor may stay open.
using Serve = std::set<std::string> (*)(const std::filesystem::path& state, std::string_view input);
inline void serve_and_restart(Serve serve, std::string_view input) {
  const int free_before = first_free_descriptor();
  {
    const TemporaryDirectory folder(new_state_folder());
    const auto ids = serve(folder.path(), input);
    if (!ids.empty()) {
      const auto service = open_service(folder.path());
      for (const std::string& id : ids)
        promise(service->find("local", id) != nullptr, "an accepted job survives a restart");
    }
  }
  promise(first_free_descriptor() == free_before, "no descriptor stays open");
}

}  // namespace kgrade::fuzz
