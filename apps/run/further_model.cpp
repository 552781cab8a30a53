#include "apps/run/further_model.hpp"

#include <algorithm>
#include <charconv>

namespace shingle {
namespace {

constexpr size_t longest_name = 40;
constexpr uint64_t most_frames = 1'000'000;  // from one frame of a further model to the next

// Not '-': it divides the name from the output's in the names of raw files.
bool may_stand_in_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_';
}

Error refusal(const std::string& text, const std::string& why) {
  return usage_error("'" + text + "' " + why +
                     "; write NAME=FILE:EVERY, such as plates=plates.onnx:5 for every fifth frame");
}

}  // namespace

// A file's name may have '=' and ':' as well: the first '=' and the last ':' divide.
Result<FurtherModel> read_further_model(const std::string& text) {
  const size_t equals = text.find('='), colon = text.rfind(':');
  if (equals == std::string::npos) return refusal(text, "names no further model");
  const std::string name = text.substr(0, equals);
  if (name.empty() || name.size() > longest_name || !std::ranges::all_of(name, may_stand_in_name))
    return refusal(text, "has no name of 1 to " + std::to_string(longest_name) +
                             " letters, digits or '_' before the '='");
  if (colon == std::string::npos || colon < equals)
    return refusal(text, "does not say which frames the model computes");
  FurtherModel model{.name = name, .path = text.substr(equals + 1, colon - equals - 1)};
  if (model.path.empty()) return refusal(text, "names no file");
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + colon + 1, end, model.every);
  if (read.ec != std::errc() || read.ptr != end || model.every < 1 || model.every > most_frames)
    return refusal(
        text, "has no number from 1 to " + std::to_string(most_frames) + " behind the last ':'");
  return model;
}

Result<std::vector<FurtherModel>> read_further_models(const std::vector<std::string>& texts) {
  std::vector<FurtherModel> models;
  for (const std::string& text : texts) {
    auto model = read_further_model(text);
    if (!model) return model.failure();
    const auto same = [&](const FurtherModel& other) { return other.name == model->name; };
    if (std::ranges::any_of(models, same))
      return usage_error("two further models are called '" + model->name +
                         "'; give each --model a name of its own");
    models.push_back(std::move(*model));
  }
  return models;
}

}  // namespace shingle
