// The settings of `shingle serve`: --config FILE, SHINGLE_... variables, and what they mean
// together with its command line.
#pragma once

#include <memory>

#include "apps/cli/settings.hpp"
#include "apps/serve/frigate/frigate_server.hpp"
#include "apps/serve/http/http_server.hpp"
#include "apps/serve/serve_options.hpp"

namespace shingle {

// The options that these words (behind the verb) mean, settings included.
Result<std::unique_ptr<ServeOptions>> read_serve_options(const std::vector<std::string>& words,
                                                         const Environment& environment);

// What the options mean, checked as far as it can be without the models.
struct ServePlan {
  std::vector<serve::ServedModel> models;
  std::optional<serve::HttpOptions> http;  // none: not served
  serve::V2Service::Limits computing{};
  std::optional<serve::FrigateServerOptions> frigate;
  serve::OptionTexts session;
  std::string accept_models, log_level;
};
Result<ServePlan> serve_plan(const ServeOptions& options);

}  // namespace shingle
