// Which resource of the protocol v2 a path names. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shingle::serve {

struct Route {
  enum class Kind : uint8_t { server, live, ready, model, model_ready, infer };
  Kind kind = Kind::server;
  std::string model{};    // of the last three
  std::string version{};  // empty: none was named

  bool takes_post() const { return kind == Kind::infer; }
  friend bool operator==(const Route&, const Route&) = default;
};

// None: there is no such resource. `path`: without query, with percent signs decoded.
std::optional<Route> route_of(std::string_view path);

}  // namespace shingle::serve
