// V2Service: requests of the Open Inference Protocol v2 and their answers. It knows no socket.
// Thread-safe: each request is answered on the thread that calls.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "apps/serve/models/model_host.hpp"
#include "apps/serve/v2/route.hpp"

namespace shingle::serve {

struct HttpRequest {
  std::string method, path;
  std::optional<std::string> json_length{};  // Inference-Header-Content-Length
  std::string body{};
};

struct HttpAnswer {
  int status = 200;
  std::string body{};
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers{};
};
HttpAnswer http_error(int status, const std::string& sentence);

class V2Service {
 public:
  struct Limits {
    std::chrono::milliseconds answer{30'000};  // that a request may wait and be computed
  };
  V2Service(ModelHost& models, const Limits& limits) : models_(models), limits_(limits) {}

  HttpAnswer answer(const HttpRequest& request) const;
  // What is being computed is answered with 503 soon.
  void stop() { stops_ = true; }

 private:
  HttpAnswer about_models(const Route& route) const;
  HttpAnswer infer(const Route& route, const HttpRequest& request) const;
  HttpAnswer compute(const Route& route, const Session& session, InferRequest request) const;
  bool all_ready() const;

  ModelHost& models_;
  const Limits limits_;
  std::atomic<bool> stops_{false};
};

}  // namespace shingle::serve
