// The page at `/`, which is put into the program as a text.
#pragma once

#include <string_view>

namespace kgrade::serve_page {

extern const std::string_view page;

}  // namespace kgrade::serve_page
