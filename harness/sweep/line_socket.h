// One end of a connection over which two processes exchange lines.
#pragma once

#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace kgrade {

class LineSocket {
 public:
  explicit LineSocket(UniqueFd socket) : socket_(std::move(socket)) {}

  int descriptor() const { return socket_.get(); }
  // False when the other side is gone. `line` has no break.
  bool send(const std::string& line) const;
  // Waits until something comes; false at the end: the other side is gone.
  bool receive();
  // The next line that has come whole.
  std::optional<std::string> next();

 private:
  UniqueFd socket_;
  std::string received_;
};

}  // namespace kgrade
