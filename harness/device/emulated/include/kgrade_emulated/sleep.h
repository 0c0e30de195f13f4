// How threads of a block wait for each other at barriers that only some of them share.
#pragma once

namespace kgrade_emulated {

// Parks the calling thread until another thread of its block wakes this key. A sleeper looks again at
// what it waits for: a wake-up says only that it may have come.
void sleep_on(const void* key);
void wake(const void* key);

// Waits until `threads` threads of the block have come with this key.
void meet_in_block(const void* key, unsigned int threads);

}  // namespace kgrade_emulated
