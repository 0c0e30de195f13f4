// Files that the service sends as they are, which are put into the program as texts.
#pragma once

#include <string_view>

namespace kgrade::serve_page {

extern const std::string_view page;           // at /
extern const std::string_view openapi;        // at /v1/openapi.json
extern const std::string_view record_schema;  // at /v1/record.schema.json, which the former refers to

}  // namespace kgrade::serve_page
