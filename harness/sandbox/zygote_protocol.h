// What kgrade and its zygote (sandbox/zygote.h) say to each other, in messages of fixed size over a socket,
// and the text of a spawn request, which goes in a file in memory. That text is read by the forked child
// alone: the zygote itself never holds anything of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/subprocess.h"

namespace kgrade {

enum class ZygoteAsk : std::uint32_t {
  none = 0,  // the end: kgrade has gone
  fork = 1,
  // Before the forks of workers that need it: Triton is imported, for a GPU or for its interpreter.
  import_triton = 2,
  import_triton_interpreted = 3,
};

struct ZygoteRequest {
  ZygoteAsk ask = ZygoteAsk::none;
  // Of a fork: which descriptors come, after the text and the pipe to wait at.
  std::uint32_t has_input = 0;
  std::uint32_t has_output = 0;
  std::uint32_t has_kept = 0;
};

// The first one says whether the zygote has become one; the others answer requests.
struct ZygoteReply {
  std::int32_t result = -1;  // of a fork the child's id, else 0; below 0: failed or refused
  char reason[156] = {};     // of a refusal
};

// The descriptors of a fork, in this order: the text, the pipe, then input, output and kept.
inline constexpr std::size_t most_descriptors_of_fork = 5;

// All but the descriptors.
std::string to_text(const SpawnRequest& request);
// The reverse; nothing for any other text.
std::optional<SpawnRequest> read_spawn_request(const std::string& text);

}  // namespace kgrade
