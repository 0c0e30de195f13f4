// How many files a process may have open (RLIMIT_NOFILE). Each of these changes nothing where the system does
// not let it, and may be called in a child between fork and exec.
#pragma once

namespace kgrade {

// Lets this process have as many as the system lets it, up to a million. Those that spawn() starts get the
// usual number: some close, or look at, all that they could have.
void raise_descriptor_limit();

// 1,024 at most, until it raises them again.
void restore_usual_descriptor_limit();

// At most so many, for good. Of the descriptors that processes of one account have sent and that are
// not received yet, no process may add to more than its own limit (unix(7), ETOOMANYREFS): a contestant that
// has far fewer than the referee cannot keep it from lending buffers.
void limit_descriptors(unsigned int most);

}  // namespace kgrade
