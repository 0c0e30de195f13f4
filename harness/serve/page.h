// Files that the service sends as they are. The build puts them into the program as texts.
#pragma once

#include <string_view>

namespace kgrade::serve_page {

extern const std::string_view page;  // at /

}  // namespace kgrade::serve_page
