// The set-up of a child process between fork and exec. It needs nothing but the C library, so that a library
// for other programs can contain it too (sandbox/zygote_library.cc).
#pragma once

#include <sys/types.h>

#include "base/subprocess.h"

namespace kgrade {

// Call in a child that was forked for this request. The child gets its own session, default signals, its
// folder and its limits, and keeps only the descriptors of the request. It dies with `parent`. Ends the
// process on failure. Makes only async-signal-safe calls.
void set_up_child(const SpawnRequest& request, pid_t parent);

}  // namespace kgrade
