// What a child does between its fork and what it then runs. Alone in its file, and with nothing but the C
// library, so that a library for other programs can have it too (sandbox/zygote_library.cc).
#pragma once

#include <sys/types.h>

#include "base/subprocess.h"

namespace kgrade {

// In a child that was forked for this request: a session of its own, death with `parent`, default signals,
// its descriptors and no others, its folder and limits. Ends the process where it cannot. Only
// async-signal-safe calls.
void set_up_child(const SpawnRequest& request, pid_t parent);

}  // namespace kgrade
