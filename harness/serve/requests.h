// The bodies of POST /v1/wait and POST /v1/grades/batch.
#pragma once

#include <string>
#include <vector>

#include "base/json_schema.h"
#include "serve/answers.h"
#include "serve/service.h"

namespace kgrade {

inline constexpr double longest_wait_s = 50;
inline constexpr std::size_t most_ids = 1024;
inline constexpr std::size_t most_in_a_batch = 256;
inline constexpr std::size_t longest_key = 200;  // of an Idempotency-Key
inline constexpr std::size_t most_listed = 200;  // jobs in an answer of GET /v1/grades

template <>
inline constexpr std::array<std::string_view, 4> enum_words<View> = {"reward", "agent", "record", "source"};

// The body of POST /v1/wait.
struct WaitRequest {
  enum class Until { any, all };
  std::vector<std::string> ids;
  double timeout_s = 0;
  Until until = Until::any;
  View view = View::reward;
};

template <>
inline constexpr std::array<std::string_view, 2> enum_words<WaitRequest::Until> = {"any", "all"};
template <>
inline constexpr const char* schema_name<WaitRequest> = "Wait";

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WaitRequest>& request) {
  archive("ids", request.ids, items(0, most_ids));
  archive.or_default("timeout_s", request.timeout_s, NumberRule{0, longest_wait_s});
  archive.or_default("until", request.until);
  archive.or_default("view", request.view, "Of finished jobs. A job without this view is shown as a Grade.");
  archive.anything_else();
}

// The body of POST /v1/grades/batch. Its items are read one by one, because a wrong item is refused alone.
struct BatchRequest {
  std::vector<std::string> items;  // as JSON
};

template <>
inline constexpr const char* schema_name<BatchRequest> = "Batch";

struct RequestTextRule {
  std::string operator()(const JsonValue& value) const { return value.dump(); }
  template <class T>
  nlohmann::ordered_json schema(SchemaDefinitions& definitions) const {
    return request_schema(definitions);
  }
};

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<BatchRequest>& request) {
  archive("items", request.items, items(0, most_in_a_batch, RequestTextRule{}));
  archive.anything_else();
}

inline nlohmann::ordered_json wait_schema(SchemaDefinitions& definitions) {
  return definitions.reference_to<WaitRequest>();
}
inline nlohmann::ordered_json batch_schema(SchemaDefinitions& definitions) {
  return definitions.reference_to<BatchRequest>();
}

}  // namespace kgrade
