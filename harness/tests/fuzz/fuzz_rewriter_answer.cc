#include "device/emulated/rewriter/rewrite.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {

int fuzz_rewriter_answer(const std::uint8_t* data, std::size_t size) {
  emulated::RewriteRequest request;
  request.source = "/mine/x.cu";
  request.output_directory = "/out";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto answer = emulated::read_answer(text, request);
  if (!answer) return 0;
  promise(!answer->ok() || (*answer)->source == rewritten_source(request), "the tree lies where it should");
  promise(answer->ok() || answer->error().location.line >= 0, "a line is a number of a line");
  promise(emulated::read_answer(to_answer(*answer), request).has_value(), "what is read can be said again");
  return 0;
}

}  // namespace kgrade::fuzz
