// Decides whether a candidate or the machine is to blame for a failed build. A candidate can fill a disk, and
// a full disk can make a candidate look wrong. So a control, which is known to be right, is built at the same
// moment: if that fails too, the machine is to blame.
#pragma once

#include "base/role.h"
#include "compile/layout.h"
#include "compile/toolchain.h"

namespace kgrade {

// Free space that a build may count on beside what the control takes. It is more than the largest contestant
// that comes with kgrade needs.
inline constexpr std::uint64_t spare_room_bytes = std::uint64_t{16} << 20;

// Builds the request. After a failure that may be the machine's, waits for the other builds of this process,
// empties the output folder and builds a control with `spare_room_bytes` to spare. The control is the
// reference, or an empty function for our own contestants. An Error if the control fails in the same way;
// otherwise the outcome of one more try.
Result<BuildOutcome> build_with_control(const Toolchain& toolchain, const Problem& problem, Role role,
                                        const BuildRequest& request, const Layout& layout);

}  // namespace kgrade
