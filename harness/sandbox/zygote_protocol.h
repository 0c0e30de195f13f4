// The messages between kgrade and its zygote (sandbox/zygote.h): messages of fixed size over a socket, and
// the text of a spawn request in a file in memory. Only the forked child reads that text. The zygote itself
// never has data of a run in its memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/subprocess.h"

namespace kgrade {

enum class ZygoteAsk : std::uint32_t {
  none = 0,  // the end: kgrade is gone
  fork = 1,
  // Sent before the forks of workers that need Triton. The zygote then imports Triton for a GPU, or for
  // Triton's interpreter.
  import_triton = 2,
  import_triton_interpreted = 3,
};

struct ZygoteRequest {
  ZygoteAsk ask = ZygoteAsk::none;
  // The next three are for a fork: 1 if the descriptor is sent. These descriptors follow those of the text
  // and of the pipe to wait at.
  std::uint32_t has_input = 0;
  std::uint32_t has_output = 0;
  std::uint32_t has_kept = 0;
};

// The first reply says whether the process has become a zygote. Later replies answer requests.
struct ZygoteReply {
  std::int32_t result = -1;  // the child's id for a fork, otherwise 0; negative: failed or refused
  char reason[156] = {};     // why the zygote refused
};

// The descriptors of a fork, in this order: the text, the pipe, input, output, kept.
inline constexpr std::size_t most_descriptors_of_fork = 5;

// The request as text, without its descriptors.
std::string to_text(const SpawnRequest& request);
// The inverse of to_text(). Nothing for any other text.
std::optional<SpawnRequest> read_spawn_request(const std::string& text);

}  // namespace kgrade
