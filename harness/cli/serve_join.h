// `kgrade serve --join URL`: a node that grades for a service on another machine.
#pragma once

#include <string>

#include "sweep/lane.h"

namespace kgrade::cli {

struct JoinArguments {
  std::string url;         // of the service
  std::string token_file;  // empty: $KGRADE_TOKEN
  std::string gpus;
  int jobs = -1;  // not given
};

// Becomes `python3 -m kgrade.join`, which starts a service on this machine and takes jobs for it. Returns an
// exit code only if that does not start: there is no Python, or not kgrade's Python package.
int join_service(const JoinArguments& arguments, const LaneOptions& lane);

}  // namespace kgrade::cli
