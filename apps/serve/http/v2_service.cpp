#include "apps/serve/http/v2_service.hpp"

#include <algorithm>

#include "apps/serve/v2/descriptions.hpp"
#include "partition/base/text.hpp"

namespace shingle::serve {
namespace {

using State = Standing::State;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

int status_of(shingle_code code) {
  switch (code) {
    case SHINGLE_USAGE:
    case SHINGLE_BAD_INPUT:
      return 400;
    case SHINGLE_BUSY:
    case SHINGLE_CLOSED:
    case SHINGLE_NO_MEMORY:
      return 503;
    case SHINGLE_LATE:
    case SHINGLE_TIMEOUT:
      return 504;
    default:
      return 500;
  }
}

HttpAnswer failed(const CallEnd& end) { return http_error(status_of(end.code), end.sentence); }

HttpAnswer unavailable(const std::string& sentence) {
  HttpAnswer answer = http_error(503, sentence);
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

HttpAnswer not_ready(const std::string& model, const Standing& standing) {
  if (standing.state == State::unknown)
    return http_error(404, "there is no model " + in_quotes(model));
  if (standing.state == State::loading)
    return unavailable("the model " + in_quotes(model) + " is still being loaded");
  return unavailable("the model " + in_quotes(model) + " was not loaded: " + standing.error);
}

}  // namespace

HttpAnswer http_error(int status, const std::string& sentence) {
  return {.status = status, .body = describe_error(sentence)};
}

HttpAnswer V2Service::answer(const HttpRequest& request) const {
  const auto route = route_of(request.path);
  if (!route)
    return http_error(
        404, "there is no resource " + in_quotes(request.path) + "; the protocol v2 begins at /v2");
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (route->takes_post() ? request.method != "POST" : !is_read) {
    HttpAnswer refused =
        http_error(405, in_quotes(request.path) + " does not take " + in_quotes(request.method));
    refused.headers.emplace_back("Allow", route->takes_post() ? "POST" : "GET, HEAD");
    return refused;
  }
  switch (route->kind) {
    case Route::Kind::server:
      return {.body = describe_server(shingle_version())};
    case Route::Kind::live:
      return {.body = R"({"live":true})"};
    case Route::Kind::ready:
      return all_ready() ? HttpAnswer{.body = R"({"ready":true})"}
                         : HttpAnswer{.status = 503, .body = R"({"ready":false})"};
    case Route::Kind::model:
    case Route::Kind::model_ready:
      return about_models(*route);
    case Route::Kind::infer:
      return infer(*route, request);
  }
  return http_error(500, "the route is of no kind");
}

bool V2Service::all_ready() const {
  return std::ranges::all_of(models_.names(), [&](const std::string& name) {
    return models_.look(name, Use::tensors).state == State::ready;
  });
}

HttpAnswer V2Service::about_models(const Route& route) const {
  const Standing standing = models_.look(route.model, Use::tensors);
  if (standing.state != State::unknown && !route.version.empty() && route.version != "1")
    return http_error(404, "the model " + in_quotes(route.model) + " has the version 1 only");
  if (standing.state != State::ready) return not_ready(route.model, standing);
  if (route.kind == Route::Kind::model_ready)
    return {.body = "{\"name\":" + json_text(route.model) + ",\"ready\":true}"};
  return {.body = describe_model({.name = route.model,
                                  .inputs = standing.session->inputs(),
                                  .outputs = standing.session->outputs()})};
}

HttpAnswer V2Service::infer(const Route& route, const HttpRequest& request) const {
  const Standing standing = models_.look(route.model, Use::tensors);
  if (standing.state != State::unknown && !route.version.empty() && route.version != "1")
    return http_error(404, "the model " + in_quotes(route.model) + " has the version 1 only");
  if (standing.state != State::ready) return not_ready(route.model, standing);
  std::optional<size_t> json_bytes;
  if (request.json_length) {
    const auto length = read_json_length(*request.json_length, request.body.size());
    if (!length) return http_error(400, length.error());
    json_bytes = *length;
  }
  auto read = read_infer(std::as_bytes(std::span(request.body)), json_bytes);
  if (!read) return http_error(400, read.error());
  return compute(route, *standing.session, std::move(*read));
}

HttpAnswer V2Service::compute(const Route& route, const Session& session,
                              InferRequest request) const {
  constexpr milliseconds slice{100};  // between looks at whether the server is being stopped
  const auto until = steady_clock::now() + limits_.answer;
  const auto goes_on = [&] { return !stops_ && steady_clock::now() < until; };
  auto submitted = session.submit(request.inputs, slice);
  while (submitted.end.code == SHINGLE_BUSY && goes_on())
    submitted = session.submit(request.inputs, slice);
  if (submitted.end.is_final()) models_.has_ended(session, submitted.end.sentence);
  if (!submitted.end.ok()) return failed(submitted.end);
  const Request& running = *submitted.request;
  request.inputs.clear();  // they were copied
  CallEnd end = running.wait(slice);
  while (end.code == SHINGLE_TIMEOUT && goes_on()) end = running.wait(slice);
  if (end.code == SHINGLE_TIMEOUT) {
    running.cancel();
    return stops_ ? unavailable("this server is being stopped")
                  : http_error(504, "the request was not computed within " +
                                        std::to_string(limits_.answer.count()) + " ms");
  }
  if (end.is_final()) models_.has_ended(session, end.sentence);
  if (!end.ok()) return failed(end);
  const Request::Outputs outputs = running.outputs(session.outputs().size());
  if (!outputs.end.ok()) return failed(outputs.end);
  auto written = write_infer(route.model, request, outputs.views);
  if (!written) return http_error(400, written.error());
  HttpAnswer answer{.body = std::move(written->body)};
  if (written->json_bytes) {
    answer.type = "application/octet-stream";
    answer.headers.emplace_back("Inference-Header-Content-Length",
                                std::to_string(*written->json_bytes));
  }
  return answer;
}

}  // namespace shingle::serve
