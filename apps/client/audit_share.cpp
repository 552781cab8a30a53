#include "apps/client/audit_share.hpp"

#include <charconv>

namespace shingle {

std::optional<double> audit_share(const std::string& text) {
  double share = 0.0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, share);
  const bool percent = read.ptr + 1 == end && *read.ptr == '%';
  if (read.ec != std::errc() || (read.ptr != end && !percent)) return std::nullopt;
  if (percent) share /= 100.0;
  return share >= 0.0 && share <= 1.0 ? std::optional(share) : std::nullopt;
}

}  // namespace shingle
