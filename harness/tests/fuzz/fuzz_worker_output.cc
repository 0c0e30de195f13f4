#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "contest/worker_tree.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {
namespace {

// 800 bytes, each of which may be shown as \xNN.
constexpr std::size_t longest_line = 4 * 800;

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

}  // namespace

int fuzz_worker_output(const std::uint8_t* data, std::size_t size) {
  const WorkerOutput words;
  // The first byte says where it is written: a worker may write anywhere in the file.
  ByteReader input(data, size);
  const auto begin = static_cast<off_t>(input.byte()) * 300;
  const std::string text = input.bytes(size > 0 ? size - 1 : 0);
  const ssize_t written = ::pwrite(words.descriptor(), text.data(), text.size(), begin);
  promise(written <= static_cast<ssize_t>(text.size()), "the file cannot grow");
  const std::string line = words.last_line();
  promise(line.size() <= longest_line, "a line is not endless");
  promise(std::none_of(line.begin(), line.end(), is_control), "a line can be shown on a terminal");
  promise(!first_invalid_utf8(line), "a line is UTF-8");
  return 0;
}

}  // namespace kgrade::fuzz
