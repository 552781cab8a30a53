#include "apps/serve/models/served_model.hpp"

#include <algorithm>

#include "partition/base/text.hpp"

namespace shingle::serve {
namespace {

std::string file_in(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_name(const std::string& text) {
  constexpr size_t longest = 128;
  return !text.empty() && text.size() <= longest && std::ranges::none_of(text, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte <= ' ' || byte == 127 || letter == '/' || letter == '%' || letter == '?';
  });
}

Result<ServedModel> read_one(const std::string& text) {
  ServedModel model;
  const size_t equals = text.find('=');
  if (equals != std::string::npos && text.find('/') > equals) {
    model = {text.substr(0, equals), text.substr(equals + 1)};
  } else {
    const std::string file = file_in(text);
    model = {file.substr(0, file.rfind('.')), text};
  }
  if (model.path.empty()) return usage_error(in_quotes(text) + " names no file of a model");
  if (!is_name(model.name))
    return usage_error(in_quotes(model.name) +
                       " is no name of a model, as it stands in a path of HTTP; write NAME=FILE "
                       "with a name without blanks and slashes");
  return model;
}

}  // namespace

bool ServedModel::is_called(const std::string& asked) const {
  return asked == name || asked == file_in(path);
}

Result<std::vector<ServedModel>> read_served_models(const std::vector<std::string>& texts) {
  std::vector<ServedModel> models;
  for (const std::string& text : texts) {
    auto model = read_one(text);
    if (!model) return model.failure();
    if (std::ranges::find(models, model->name, &ServedModel::name) != models.end())
      return usage_error("two models are called " + in_quotes(model->name) +
                         "; write NAME=FILE to give one another name");
    models.push_back(std::move(*model));
  }
  return models;
}

}  // namespace shingle::serve
