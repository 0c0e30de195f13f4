#include "contest/python_host.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/text_file.h"
#include "contest/worker_process.h"

namespace kgrade {
namespace {

// Room for the files that compilers keep in the rehearsal.
constexpr std::uint64_t temporary_bytes = std::uint64_t{2} << 30;

constexpr std::size_t longest_request = std::size_t{16} << 20;
constexpr int most_builds = 64;
constexpr std::chrono::minutes longest_building{30};  // of all builds together

}  // namespace

std::filesystem::path python_library(const std::filesystem::path& worker) {
  const std::string kind = replace_all(worker.filename().string(), "kgrade-worker-", "");
  return worker.parent_path() / ("libkgrade-python-" + kind + ".so");
}

std::vector<std::string> python_command(const PythonHost& host, const std::vector<std::string>& worker) {
  // -I: imports nothing from the environment or the working folder; -B: writes nothing beside sources.
  std::vector<std::string> command = {host.program.string(), "-I", "-B"};
  if (!host.bytecode.empty())
    command.insert(command.end(), {"-X", "pycache_prefix=" + host.bytecode.string()});
  command.push_back(host.script.string());
  if (host.imports_triton) command.emplace_back("--triton");
  if (!host.cache.empty()) command.insert(command.end(), {"--cache", host.cache.string()});
  if (!host.cuda_toolkit.empty()) command.insert(command.end(), {"--toolkit", host.cuda_toolkit.string()});
  command.push_back(python_library(worker.front()).string());
  command.insert(command.end(), worker.begin() + 1, worker.end());
  return command;
}

SandboxPolicy python_policy(const PythonHost& host, const std::vector<std::string>& worker) {
  SandboxPolicy policy;
  policy.readable = host.readable;
  policy.readable.push_back(host.script.parent_path());
  if (!host.bytecode.empty()) policy.readable.push_back(host.bytecode);
  policy.readable.push_back(python_library(worker.front()));
  for (const char* path :
       {"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/include", "/usr/libexec", "/usr/lib", "/lib",
        "/lib64", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives"}) {
    policy.readable.emplace_back(path);
  }
  if (!host.cache.empty()) policy.writable.push_back(host.cache);
  policy.temporary_bytes = temporary_bytes;
  policy.starts_programs = true;
  return policy;
}

WantedBuilds::Outcome WantedBuilds::build(const UniqueFd& request) {
  if (++asked_for_ > most_builds)
    return {fmt::format("wants more than {} extensions built", most_builds), BuildAnswer::failed, UniqueFd()};
  if (spent_ > longest_building)
    return {fmt::format("its extensions take more than {} minutes to build", longest_building.count()),
            BuildAnswer::failed, UniqueFd()};
  const auto start = std::chrono::steady_clock::now();
  const BuiltExtension built = builder_(text_in(request, longest_request));
  spent_ += std::chrono::steady_clock::now() - start;
  const bool failed = built.library.empty();
  failure_ = failed ? built.message : "";
  const BuildAnswer kind = failed                ? BuildAnswer::failed
                           : built.torch_headers ? BuildAnswer::built_with_torch
                                                 : BuildAnswer::built;
  return {"", kind, failed ? memory_file(built.log) : sealed_copy(built.library)};
}

}  // namespace kgrade
