#include "apps/serve/server.hpp"

namespace shingle::serve {
namespace {

constexpr uint64_t bytes_of_bodies = 256 << 20, bytes_of_messages = 256 << 20;

}  // namespace

Result<std::unique_ptr<Server::Web>> Server::Web::open(const Settings& settings, ModelHost& models,
                                                       Budget& bodies) {
  auto web = std::make_unique<Web>(settings, models);
  auto server = HttpServer::start(settings.http, web->service, bodies);
  if (!server) return server.failure();
  web->server = std::move(*server);
  return web;
}

Server::Server(ModelHost::Options options, Log log)
    : log_(std::move(log)),
      bodies_(bytes_of_bodies),
      messages_(bytes_of_messages),
      models_(std::move(options)) {}

Server::~Server() {
  models_.on_change({});
  frigate_.reset();
}

// HTTP takes tensors, Frigate pictures: sessions of their own.
std::vector<Use> Server::eager_uses(const ServePlan& plan) {
  std::vector<Use> uses;
  if (plan.http) uses.push_back(Use::tensors);
  if (plan.frigate) uses.push_back(Use::pictures);
  return uses;
}

Result<std::unique_ptr<Server>> Server::start(const ServePlan& plan, Log log) {
  ModelHost::Options options{.session = plan.session, .log = log};
  if (!plan.accept_models.empty()) {
    auto shelf = Shelf::open(plan.accept_models);
    if (!shelf) return shelf.failure();
    options.shelf = std::move(*shelf);
  }
  std::unique_ptr<Server> server(new Server(std::move(options), log));
  server->models_.serve(plan.models, {});  // peers find the names as soon as they connect
  if (plan.frigate) {
    auto frigate = FrigateServer::start(*plan.frigate, server->models_, server->messages_, log);
    if (!frigate) return frigate.failure();
    server->frigate_ = std::move(*frigate);
    server->models_.on_change([raw = server->frigate_.get()] { raw->wake(); });
  }
  if (const Status open = server->open_web(plan); !open) return open.failure();
  server->models_.serve(plan.models, eager_uses(plan));
  return server;
}

Status Server::open_web(const ServePlan& plan) {
  if (!plan.http) {
    web_.reset();
    return success();
  }
  if (web_ && web_->options == *plan.http) return success();
  // At the same port the new one can listen only when the old one does not.
  const bool is_same_port = web_ && web_->server->port() == plan.http->port;
  std::optional<Web::Settings> before;
  if (is_same_port) {
    before = web_->settings();
    web_.reset();
  }
  auto fresh = Web::open({*plan.http, plan.computing}, models_, bodies_);
  if (fresh) {
    web_ = std::move(*fresh);
    return success();
  }
  if (before)
    if (auto again = Web::open(*before, models_, bodies_); again) web_ = std::move(*again);
  return fresh.failure();
}

Status Server::reload(const ServePlan& plan) {
  if (const Status open = open_web(plan); !open) return open;
  models_.serve(plan.models, eager_uses(plan));
  return success();
}

std::string Server::places() const {
  std::string text;
  if (web_) {
    const bool is_ipv6 = web_->options.address.find(':') != std::string::npos;
    text.append("http://").append(is_ipv6 ? "[" : "").append(web_->options.address);
    text.append(is_ipv6 ? "]:" : ":").append(std::to_string(web_->server->port())).append("/v2");
  }
  if (frigate_) text.append(text.empty() ? "" : " and ").append(frigate_->endpoint());
  return text;
}

std::optional<uint16_t> Server::http_port() const {
  return web_ ? std::optional(web_->server->port()) : std::nullopt;
}

uint64_t Server::turns() { return frigate_ ? frigate_->turns() : ++own_turns_; }

}  // namespace shingle::serve
