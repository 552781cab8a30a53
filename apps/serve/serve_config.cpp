#include "apps/serve/serve_config.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "apps/cli/common_options.hpp"
#include "partition/base/text.hpp"

namespace shingle {
namespace {

ConfiguredVerb configured_serve(ServeOptions& options) {
  return {
      .name = "serve",
      .describe = [&options](CLI::App& verb) { describe(verb, options); },
      .command_line_only = {"config"},
      // A variable that somebody left in a shell must not open this server. SHINGLE_KEYS is the
      // usual folder of keys, also beside --insecure.
      .not_by_environment = {"insecure", "keys", "expose", "accept-models", "host-name", "model"}};
}

// What stands in the environment and the file, and not on the command line.
Result<std::vector<std::string>> further_words(const std::vector<std::string>& words,
                                               const Environment& environment) {
  ServeOptions scratch;
  const ConfiguredVerb verb = configured_serve(scratch);
  const std::string file = config_among(words);
  if (file == no_config) return std::vector<std::string>{};
  const auto variables = settings_in_environment(verb, environment);
  if (!variables) return variables.failure();
  auto stated = layered(verb, settings_in_arguments(verb, words), *variables);
  if (!file.empty()) {
    const auto lines = as_bad_input(settings_in_file(verb, file));
    if (!lines) return lines.failure();
    stated = layered(verb, std::move(stated), *lines);
  }
  std::erase_if(stated, [](const Setting& each) { return each.origin == command_line_origin; });
  return arguments_of(verb, stated);
}

Result<serve::HttpOptions> http_options(const ServeOptions& options) {
  serve::HttpOptions http;
  const size_t colon = options.http.rfind(':');
  const char* end = options.http.data() + options.http.size();
  const char* digits = colon == std::string::npos ? end : options.http.data() + colon + 1;
  const auto port = std::from_chars(digits, end, http.port);
  if (colon == std::string::npos || port.ec != std::errc() || port.ptr != end)
    return usage_error("--http: " + in_quotes(options.http) +
                       " is not ADDRESS:PORT, such as 127.0.0.1:8000");
  http.address = options.http.substr(0, colon);
  if (http.address == "*") http.address = "0.0.0.0";
  if (http.address.starts_with('[') && http.address.ends_with(']'))
    http.address = http.address.substr(1, http.address.size() - 2);
  const serve::Reach reach = serve::reach_of(http.address);
  if (reach == serve::Reach::no_address)
    return usage_error("--http: " + in_quotes(http.address) + " is no address in numbers");
  if (reach == serve::Reach::others && !options.expose)
    return usage_error("--http: others would reach " + in_quotes(options.http) +
                       ", without encryption and without being asked who they are; add --expose if "
                       "you want that");
  http.hosts = {.exposed = reach == serve::Reach::others, .names = options.host_names};
  const auto bytes = memory_cap(options.max_body);
  if (!bytes) return usage_error("--max-body: " + bytes.error());
  http.body_bytes = static_cast<uint64_t>(*bytes);
  http.time = std::chrono::milliseconds(static_cast<int64_t>(options.http_seconds * 1e3));
  return http;
}

Result<serve::FrigateServerOptions> frigate_options(const ServeOptions& options) {
  auto endpoint = serve::read_frigate_endpoint(options.frigate, options.expose);
  if (!endpoint) return usage_error("--frigate: " + endpoint.error());
  serve::FrigateServerOptions frigate{.endpoint = std::move(*endpoint)};
  frigate.answers.pixels = {.floats_are_pixels = options.frigate_floats == "pixels",
                            .is_bgr = options.frigate_colour == "bgr"};
  frigate.answers.answer_in =
      std::chrono::milliseconds(std::max<int64_t>(1, static_cast<int64_t>(options.answer_in_ms)));
  return frigate;
}

serve::OptionTexts session_options(const ServeOptions& options) {
  serve::OptionTexts texts;
  for (const auto& [name, value] : options.session)
    if (!value.empty()) texts[name] = value;
  texts.try_emplace("start-patience", "20");  // Frigate has to be answered within 25 s
  if (options.insecure) texts["insecure"] = "yes";
  if (options.keep_plan) texts["keep-plan"] = "yes";
  return texts;
}

// As shingle.h says: of a session, and of all on one node of a cluster.
constexpr size_t usual_open = 4, most_open_in_cluster = 64;

// Whether all sessions fit into the place that they share in a cluster.
Status check_frames(const ServePlan& plan) {
  const auto open = plan.session.find("open");
  const size_t each = open == plan.session.end() ? usual_open : std::stoul(open->second);
  const size_t sessions = plan.models.size() * ((plan.http ? 1 : 0) + (plan.frigate ? 1 : 0));
  if (sessions * each <= most_open_in_cluster) return success();
  return usage_error("the models would have " + std::to_string(sessions * each) +
                     " frames under way, and a node of a cluster has at most " +
                     std::to_string(most_open_in_cluster) +
                     ": give a smaller --open, or start a further server with an --id of its own");
}

// What contradicts itself.
Status check(const ServePlan& plan) {
  const bool is_cluster = plan.session.contains("cluster") || plan.session.contains("broker");
  if (!plan.http && !plan.frigate)
    return usage_error("nothing would be served: --http is 'none', and there is no --frigate");
  if (plan.models.empty() && plan.accept_models.empty())
    return usage_error("there is no model to serve: name files, or give --accept-models");
  if (!plan.accept_models.empty() && !plan.frigate)
    return usage_error("--accept-models needs --frigate: only its detectors send models");
  if (!plan.accept_models.empty() && is_cluster)
    return usage_error(
        "--accept-models is for local workers: nodes of a cluster have models of their own");
  if (const Status checked = serve::check_options(plan.session); !checked) return checked;
  return is_cluster ? check_frames(plan) : success();
}

}  // namespace

Result<std::unique_ptr<ServeOptions>> read_serve_options(const std::vector<std::string>& words,
                                                         const Environment& environment) {
  const auto further = further_words(words, environment);
  if (!further) return further.failure();
  std::vector<std::string> all = *further;  // before the words: a model is the last
  all.insert(all.end(), words.begin(), words.end());
  auto options = std::make_unique<ServeOptions>();  // the parser keeps its address
  CLI::App app("", "serve");
  describe(app, *options);
  std::reverse(all.begin(), all.end());  // CLI11 takes them from the end
  try {
    app.parse(all);
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  options->words = words;
  return options;
}

Result<ServePlan> serve_plan(const ServeOptions& options) {
  ServePlan plan;
  auto models = serve::read_served_models(options.models);
  if (!models) return models.failure();
  plan.models = std::move(*models);
  if (options.http != "none") {
    auto http = http_options(options);
    if (!http) return http.failure();
    plan.computing.answer = http->time;
    plan.http = std::move(*http);
  }
  if (!options.frigate.empty()) {
    auto frigate = frigate_options(options);
    if (!frigate) return frigate.failure();
    plan.frigate = std::move(*frigate);
  }
  plan.session = session_options(options);
  plan.accept_models = options.accept_models;
  plan.log_level = options.log_level;
  if (const Status checked = check(plan); !checked) return checked.failure();
  return plan;
}

}  // namespace shingle
