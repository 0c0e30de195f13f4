#include "device/device.h"

#include <algorithm>
#include <array>
#include <set>
#include <thread>

#include "base/defences.h"
#include "compile/elf_file.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

using Paths = std::vector<fs::path>;

constexpr std::string_view digits_and_dots = "0123456789.";

// The name of a library without its version: "libm" for "libm.so.6" and for "libm-2.31.so". Empty for a name
// that is not a library's.
std::string_view stem_of(std::string_view file_name) {
  constexpr std::string_view mark = ".so";
  const std::size_t end = file_name.find(mark);
  if (end == std::string_view::npos) return {};
  const std::string_view version = file_name.substr(end + mark.size());
  if (version.find_first_not_of(digits_and_dots) != std::string_view::npos) return {};
  if (!version.empty() && version.front() != '.') return {};
  const std::string_view stem = file_name.substr(0, end);
  const std::size_t hyphen = stem.find_last_not_of(digits_and_dots);
  const bool versioned = hyphen != std::string_view::npos && hyphen + 1 < stem.size() && stem[hyphen] == '-';
  return versioned ? stem.substr(0, hyphen) : stem;
}

// Whether a subfolder of this name may hold libraries of the system or the driver, such as
// "x86_64-linux-gnu", "nvidia/current", "wsl/lib", or a folder for certain processors.
bool may_hold_libraries(const std::string& folder) {
  constexpr std::array<std::string_view, 6> beginnings = {"nvidia", "current",      "wsl",
                                                          "lib64",  "glibc-hwcaps", "x86-64-v"};
  return folder == "lib" || folder.find("-linux-") != std::string::npos ||
         std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return folder.starts_with(beginning); });
}

class Search {
 public:
  explicit Search(const Paths& folders) {
    constexpr int most_levels = 4;
    for (const fs::path& folder : folders) look_into(folder, most_levels);
  }

  Paths allowed() const { return allowed_; }

  // The libraries that the loader would find for the program, and the libraries that these need in turn.
  Paths needed_by(const fs::path& program) const {
    Paths found;
    std::set<std::string> names;
    Paths open = {program};
    while (!open.empty()) {
      const fs::path current = open.back();
      open.pop_back();
      const auto needed = linked_libraries(current);
      if (!needed) continue;
      for (const std::string& name : *needed) {
        if (name.find('/') != std::string::npos || !names.insert(name).second) continue;
        const Paths files = files_called(name);
        found.insert(found.end(), files.begin(), files.end());
        open.insert(open.end(), files.begin(), files.end());
      }
    }
    return found;
  }

 private:
  void look_into(const fs::path& folder, int levels) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) return;
    folders_.push_back(folder);
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      std::error_code unknown;
      if (is_allowed_without_libraries(name)) {
        allowed_.push_back(entry->path());
      } else if (levels > 1 && may_hold_libraries(name) && entry->is_directory(unknown)) {
        look_into(entry->path(), levels - 1);
      }
    }
  }

  // The files of this name in all folders, because the loader decides which file it takes.
  Paths files_called(const std::string& name) const {
    Paths files;
    for (const fs::path& folder : folders_) {
      std::error_code error;
      if (fs::is_regular_file(folder / name, error)) files.push_back(folder / name);
    }
    return files;
  }

  Paths folders_;
  Paths allowed_;
};

using Paths = std::vector<std::filesystem::path>;

void append(Paths& paths, const Paths& more) { paths.insert(paths.end(), more.begin(), more.end()); }

// Where the dynamic loader looks for linked libraries. No user's files are there.
const Paths loader_folders = {"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64"};
const std::filesystem::path loader_cache = "/etc/ld.so.cache";

}  // namespace

bool is_allowed_without_libraries(std::string_view file_name) {
  constexpr std::array<std::string_view, 10> stems = {
      "ld", "libc", "libm", "libmvec", "libdl", "libpthread", "librt", "libstdc++", "libgcc_s", "libcuda"};
  const std::string_view stem = stem_of(file_name);
  return stem.starts_with("ld-linux") || stem.starts_with("libnvidia-") ||
         std::find(stems.begin(), stems.end(), stem) != stems.end();
}

std::vector<fs::path> allowed_library_files(const std::vector<fs::path>& folders, const fs::path& program) {
  const Search search(folders);
  Paths files = search.allowed();
  const Paths needed = search.needed_by(program);
  files.insert(files.end(), needed.begin(), needed.end());
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

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

void await_freed_memory(const Device& device, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds look_again{5};
  const auto deadline = Clock::now() + patience;
  for (std::uint64_t free = device.free_bytes(); device.gates_calls() && Clock::now() < deadline;) {
    std::this_thread::sleep_for(look_again);
    const std::uint64_t now = device.free_bytes();
    if (now <= free) break;
    free = now;
  }
}

}  // namespace kgrade
