#include "compile/source_places.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {

int fuzz_addr2line(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const OwnSources own{"/project/mine/x.cu", "mine/x.cu", "/build-folder"};
  for (const auto& frames : parse_addr2line(text)) {
    for (const InlinedFrame& frame : frames) {
      promise(frame.file.empty() || frame.line > 0, "a file comes with a line");
    }
    const auto place = own_place(frames, own);
    promise(!place || (place->line > 0 && !place->file.empty()), "a place has a file and a line");
    promise(!place || !place->file.starts_with("/"), "a place is named as the user does");
  }
  return 0;
}

}  // namespace kgrade::fuzz
