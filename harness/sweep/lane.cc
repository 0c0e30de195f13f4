#include "sweep/lane.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kgrade {
namespace {

// All of this process's, since lanes are the same program, but for the folder.
std::vector<std::string> environment_with(const std::filesystem::path& folder) {
  std::vector<std::string> environment = {"TMPDIR=" + folder.string()};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("TMPDIR=")) environment.emplace_back(*variable);
  }
  return environment;
}

bool send_line(int socket, const std::string& line) {
  const std::string text = line + "\n";
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t count = ::send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// Adds what there is to read; false at the end of the stream.
bool receive(int socket, std::string& received) {
  char buffer[65536];
  const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
  if (count <= 0) return count < 0 && errno == EINTR;
  received.append(buffer, static_cast<std::size_t>(count));
  return true;
}

std::optional<std::string> take_line(std::string& received) {
  const std::size_t end = received.find('\n');
  if (end == received.npos) return std::nullopt;
  std::string line = received.substr(0, end);
  received.erase(0, end + 1);
  return line;
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
  return Lane(std::move(folder), std::move(*child), std::move(ours));
}

bool Lane::give(const LaneJob& job) { return send_line(socket_.get(), to_line(job)); }

bool Lane::read() { return receive(socket_.get(), received_); }

std::optional<LaneMessage> Lane::next() {
  while (const auto line = take_line(received_)) {
    if (auto message = read_message(*line)) return message;
  }
  return std::nullopt;
}

std::string Lane::describe_end() {
  child_.kill_group();
  return describe_wait_status(child_.wait());
}

}  // namespace kgrade
