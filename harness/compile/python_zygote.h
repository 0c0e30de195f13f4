// Gives access to the zygote of the Python interpreter, from which workers are forked.
#pragma once

#include <memory>

#include "compile/python_candidate.h"
#include "sandbox/zygote.h"

namespace kgrade {

// The zygote of these tools. The zygote begins to import when this function is first called. All runs of a
// process share it, because its imports do not depend on the run. Null if kgrade itself cannot make the
// namespaces of workers.
std::shared_ptr<Zygote> zygote_for(const PythonTools& tools);

}  // namespace kgrade
