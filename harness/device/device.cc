#include "device/device.h"

#include <algorithm>

#include "base/defences.h"
#include "compile/linked_libraries.h"
#include "device/allowed_libraries.h"

namespace kgrade {
namespace {

using Paths = std::vector<std::filesystem::path>;

void append(Paths& paths, const Paths& more) { paths.insert(paths.end(), more.begin(), more.end()); }

// Where the dynamic loader looks for linked libraries. No user's files are there.
const Paths loader_folders = {"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64"};
const std::filesystem::path loader_cache = "/etc/ld.so.cache";

}  // namespace

std::vector<std::string> Device::confined(const std::vector<std::string>& worker, Libraries libraries,
                                          const SandboxPolicy& more) const {
  if (sandbox_ == nullptr || !is_on(Defence::worker_sandbox)) return worker;
  SandboxPolicy policy = worker_policy();
  Paths folders = library_folders();
  append(folders, loader_folders);
  const bool only_allowed = libraries == Libraries::none && is_on(Defence::declared_libraries);
  append(policy.readable, only_allowed ? allowed_library_files(folders, worker.front()) : folders);
  // These libraries are readable because Python loads a library of kgrade that links them too.
  append(policy.readable, libraries_beside(worker_command().front()));
  policy.readable.push_back(loader_cache);
  append(policy.readable, more.readable);
  append(policy.writable, more.writable);
  policy.starts_programs = more.starts_programs;
  policy.temporary_bytes = std::max(policy.temporary_bytes, more.temporary_bytes);
  return sandbox_->wrap(policy, worker);
}

}  // namespace kgrade
