#include "apps/client/patience.hpp"

namespace shingle {

Patience patience_of(std::optional<double> seconds) {
  if (!seconds) return {};
  const auto exactly =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds));
  return {exactly, exactly};
}

}  // namespace shingle
