#include "authoring/parameter_meaning.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace kgrade::authoring {
namespace {

bool has(const std::vector<std::string>& words, std::initializer_list<std::string_view> wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
  });
}

char axis_of(const std::vector<std::string>& words) {
  if (has(words, {"d", "depth", "z", "kd", "sd", "pd"})) return 'd';
  if (has(words, {"h", "height", "y", "kh", "sh", "ph"})) return 'h';
  if (has(words, {"w", "width", "x", "kw", "sw", "pw", "l", "length"})) return 'w';
  return 0;
}

ParameterRole role_of(const std::vector<std::string>& words) {
  const bool out = has(words, {"out", "output"});
  const bool in = has(words, {"in", "input"});
  if (has(words, {"padding", "pad", "pads", "ph", "pw", "pd"}))
    return out ? ParameterRole::output_padding : ParameterRole::padding;
  if (has(words, {"stride", "strides", "sh", "sw", "sd"})) return ParameterRole::stride;
  if (has(words, {"dilation", "dilations"})) return ParameterRole::dilation;
  if (has(words, {"groups", "group"}))
    return has(words, {"num", "n", "norm", "gn"}) ? ParameterRole::norm_groups : ParameterRole::groups;
  if (has(words, {"kernel", "filter", "window", "kh", "kw", "kd"}) ||
      (has(words, {"pool"}) && has(words, {"size"})))
    return ParameterRole::kernel;
  if (has(words, {"channels", "channel", "features", "filters"}))
    return out || has(words, {"filters"}) ? ParameterRole::out_channels
           : in                           ? ParameterRole::in_channels
                                          : ParameterRole::channels;
  if (has(words, {"batch", "batches"})) return ParameterRole::batch;
  return ParameterRole::extent;
}

}  // namespace

ParameterMeaning meaning_of(std::string_view name) {
  const std::vector<std::string> words = words_of_name(name);
  return {role_of(words), axis_of(words), has(words, {"pool", "pooling", "maxpool", "avgpool"})};
}

std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words(1);
  bool was_small = false;
  for (const char c : name) {
    const bool capital = c >= 'A' && c <= 'Z';
    if ((c == '_' || (capital && was_small)) && !words.back().empty()) words.emplace_back();
    if (c != '_') words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    was_small = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace kgrade::authoring
