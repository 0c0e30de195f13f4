// The zygote of the Python that is used: which one there is.
#pragma once

#include <memory>

#include "compile/python_candidate.h"
#include "sandbox/zygote.h"

namespace kgrade {

// The zygote of these tools, which begins to import when it is first asked for. A process has one, for all of
// its runs: what it imports is the same for all. Null where workers have no namespaces that kgrade makes
// itself.
std::shared_ptr<Zygote> zygote_for(const PythonTools& tools);

}  // namespace kgrade
