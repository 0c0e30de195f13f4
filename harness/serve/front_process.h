// Keeps the front running: the process of the service that parses HTTP. If the front ends, does not answer or
// sends something wrong, its process is killed, and a new front is started. Clients of the old front lose
// their connections and nothing else.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "compile/layout.h"
#include "grade/failure.h"
#include "sandbox/sandbox.h"
#include "serve/front_link.h"

namespace kgrade {

struct FrontSetup {
  std::vector<std::string> command;
  std::function<void(const std::string&)> note = [](const std::string&) {};  // for the service's own log
};

// The command of a front that the sandbox confines with all layers that this machine has.
std::vector<std::string> front_command(const Sandbox& sandbox, const Layout& layout);

class FrontProcess {
 public:
  // Keeps references to the routes and to the listening socket, at which the front accepts clients.
  FrontProcess(FrontSetup setup, Routes& routes, const HttpLimits& limits, const UniqueFd& listening,
               bool is_tcp);

  // Starts the first front, and waits until it accepts clients. Fails with the reason if it does not.
  Failure start();
  // Null while no front runs.
  FrontLink* link() { return link_ ? &*link_ : nullptr; }
  // Replaces a front that has a fault. The pause before that grows if fronts do not live long. Call a few
  // times a second, and when the link has a fault.
  void look_after();

 private:
  using Steady = std::chrono::steady_clock;

  Failure begin();
  // Ends the front's process, and returns a text that says how the process ended.
  std::string end();

  FrontSetup setup_;
  Routes& routes_;
  HttpLimits limits_;
  const UniqueFd& listening_;
  bool is_tcp_;
  std::optional<FrontLink> link_;
  ChildProcess child_;
  UniqueFd words_;  // what the process prints before its end
  Steady::time_point began_, next_;
  Steady::duration pause_{};
};

}  // namespace kgrade
