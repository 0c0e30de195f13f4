#include "authoring/slug.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "problem/fields.h"

namespace kgrade::authoring {
namespace {

constexpr std::size_t longest_slug = 128;

// "Row Softmax.md" as row-softmax; empty when nothing of it is left.
std::string likeness(std::string_view text) {
  if (text.ends_with(".md")) text.remove_suffix(3);
  std::string slug;
  for (const char c : text) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (kept) slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!kept && !slug.empty() && slug.back() != '-') slug += '-';
  }
  slug.resize(std::min(slug.size(), longest_slug));
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

}  // namespace

std::optional<Error> check_slug(const std::string& slug) {
  if (is_slug(slug) && !slug.ends_with('-')) return std::nullopt;
  const std::string shown = slug.size() > 60 ? slug.substr(0, 60) + "..." : slug;
  const std::string better = likeness(slug);
  return Error{
      fmt::format("'{}' cannot be a slug", shown),
      "use lower-case letters, digits and hyphens" +
          (is_slug(better) ? fmt::format(", as in `{}`", better) : std::string(", as in `row-softmax`")),
      {}};
}

}  // namespace kgrade::authoring
