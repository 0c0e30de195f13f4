// Gives access to the zygote of the Python interpreter, from which workers are forked.
#pragma once

#include <memory>

#include "compile/python_candidate.h"
#include "sandbox/zygote.h"

namespace kgrade {

// The zygote of these tools. It begins to import when this is first called. All runs of a process share it,
// because its imports do not depend on the run. Null if kgrade cannot make the namespaces of workers itself.
std::shared_ptr<Zygote> zygote_for(const PythonTools& tools);

}  // namespace kgrade
