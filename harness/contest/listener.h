// Where a worker connects to that could not be given its end of the link: a socket in a private folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

#include "base/result.h"
#include "contest/link.h"

namespace kgrade {

class Listener {
 public:
  // An Error when the path is too long for a socket's address (unix(7): 107 bytes), or exists.
  static Result<Listener> open(const std::filesystem::path& path);

  // Waits for one connection of our own user. An Error when none comes in time, or `is_gone` says that the
  // one who was to connect has ended.
  Result<Link> accept(std::chrono::milliseconds patience, const std::function<bool()>& is_gone);

 private:
  explicit Listener(UniqueFd socket) : socket_(std::move(socket)) {}
  UniqueFd socket_;
};

// The other side: a connected socket, or none.
UniqueFd connect_to(const std::filesystem::path& path);

}  // namespace kgrade
