#include "apps/serve/v2/route.hpp"

#include <vector>

namespace shingle::serve {
namespace {

std::vector<std::string_view> parts_of(std::string_view path) {
  constexpr size_t most = 8;  // no resource has more
  std::vector<std::string_view> parts;
  while (!path.empty() && parts.size() < most) {
    path.remove_prefix(1);  // the slash
    const std::string_view part = path.substr(0, path.find('/'));
    parts.push_back(part);
    path.remove_prefix(part.size());
  }
  return parts;
}

std::optional<Route> of_model(std::vector<std::string_view> parts) {
  Route route{.kind = Route::Kind::model, .model = std::string(parts[2])};
  if (route.model.empty()) return std::nullopt;
  parts.erase(parts.begin(), parts.begin() + 3);
  if (parts.size() >= 2 && parts[0] == "versions" && !parts[1].empty()) {
    route.version = std::string(parts[1]);
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  if (parts.empty()) return route;
  if (parts.size() > 1) return std::nullopt;
  if (parts[0] == "ready") route.kind = Route::Kind::model_ready;
  if (parts[0] == "infer") route.kind = Route::Kind::infer;
  return route.kind == Route::Kind::model ? std::nullopt : std::optional(route);
}

}  // namespace

std::optional<Route> route_of(std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::vector<std::string_view> parts = parts_of(path);
  if (parts.empty() || parts[0] != "v2") return std::nullopt;
  if (parts.size() == 1) return Route{.kind = Route::Kind::server};
  if (parts.size() >= 3 && parts[1] == "models") return of_model(parts);
  if (parts.size() == 3 && parts[1] == "health" && parts[2] == "live")
    return Route{.kind = Route::Kind::live};
  if (parts.size() == 3 && parts[1] == "health" && parts[2] == "ready")
    return Route{.kind = Route::Kind::ready};
  return std::nullopt;
}

}  // namespace shingle::serve
