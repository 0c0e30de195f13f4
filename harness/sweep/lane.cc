#include "sweep/lane.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sweep/environment.h"

namespace kgrade {
namespace {

// All of this process's, since lanes are the same program, but for the folder.
std::vector<std::string> environment_with(const std::filesystem::path& folder) {
  std::vector<std::string> environment = whole_environment();
  std::erase_if(environment, [](const std::string& variable) { return variable.starts_with("TMPDIR="); });
  environment.push_back("TMPDIR=" + folder.string());
  return environment;
}

}  // namespace

Result<Lane> Lane::start(const std::vector<std::string>& command) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{fmt::format("no socket: {}", std::strerror(errno)), "raise `ulimit -n`", {}};
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  auto folder = std::make_unique<TemporaryDirectory>();
  SpawnRequest request;
  request.command = command;
  request.command.push_back(folder->path().string());
  request.environment = environment_with(folder->path());
  request.kept_fd = theirs.get();
  auto child = spawn(request);
  if (!child) return child.errors();
  return Lane(std::move(folder), std::move(*child), LineSocket(std::move(ours)));
}

LaneJob job_for(const LaneOptions& options, const Problem& problem) {
  return {options, problem.path.string(), std::string(to_string(problem.dtype)), problem.precision, {}};
}

bool Lane::give(const LaneJob& job) { return socket_.send(to_line(job)); }

bool Lane::read() { return socket_.receive(); }

std::optional<LaneMessage> Lane::next() {
  while (const auto line = socket_.next()) {
    if (auto message = read_message(*line)) return message;
  }
  return std::nullopt;
}

std::string Lane::describe_end() {
  child_.kill_group();
  return describe_wait_status(child_.wait());
}

}  // namespace kgrade
