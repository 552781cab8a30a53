// Server: everything that `shingle serve` runs: the models, HTTP, Frigate's detectors.
#pragma once

#include <memory>

#include "apps/serve/serve_config.hpp"

namespace shingle::serve {

class Server {
 public:
  // Listens; models are loaded meanwhile. One that does not load is noted, and the others are
  // served.
  static Result<std::unique_ptr<Server>> start(const ServePlan& plan, Log log);

  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Takes over models and HTTP of another plan. A failure leaves what was there.
  Status reload(const ServePlan& plan);
  void keep() { models_.keep(); }  // call it now and then

  std::string places() const;  // "http://127.0.0.1:8000/v2 and ipc:///tmp/frigate"
  std::vector<std::string> models() const { return models_.names(); }
  std::optional<uint16_t> http_port() const;
  // Of the loop that serves Frigate; where there is none, it is always another number.
  uint64_t turns();

 private:
  struct Web {
    struct Settings {
      HttpOptions http;
      V2Service::Limits computing;
    };
    static Result<std::unique_ptr<Web>> open(const Settings& settings, ModelHost& models,
                                             Budget& bodies);
    Web(const Settings& settings, ModelHost& models)
        : options(settings.http),
          computing(settings.computing),
          service(models, settings.computing) {}
    ~Web() { service.stop(); }  // before the server waits for its requests
    Settings settings() const { return {options, computing}; }

    HttpOptions options;
    V2Service::Limits computing;
    V2Service service;
    std::unique_ptr<HttpServer> server{};
  };
  Server(ModelHost::Options options, Log log);
  Status open_web(const ServePlan& plan);
  static std::vector<Use> eager_uses(const ServePlan& plan);

  const Log log_;
  Budget bodies_, messages_;
  ModelHost models_;
  std::unique_ptr<Web> web_;
  std::unique_ptr<FrigateServer> frigate_;
  uint64_t own_turns_ = 0;
};

}  // namespace shingle::serve
