#include "devices/weights/weight_watch.hpp"

#include <algorithm>

#include "partition/base/checksum.hpp"

namespace shingle {

namespace {

// A millisecond's look on the slowest boards is a dozen of these.
constexpr size_t piece_bytes = 64 * 1024;

}  // namespace

// Whoever looks meanwhile does not wait for the checksums.
void WeightWatch::add(LayerId layer, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  std::vector<Piece> fresh;
  for (std::span<const std::byte> rest = bytes; !rest.empty();) {
    const auto piece = rest.first(std::min(rest.size(), piece_bytes));
    fresh.push_back({layer, bytes.data(), piece, checksum(piece)});
    rest = rest.subspan(piece.size());
  }
  const std::lock_guard lock(mutex_);
  if (!known_.insert(bytes.data()).second) return;
  bytes_ += std::ssize(bytes);
  pieces_.insert(pieces_.end(), fresh.begin(), fresh.end());
}

void WeightWatch::remove(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes.empty() || known_.erase(bytes.data()) == 0) return;
  bytes_ -= std::ssize(bytes);
  const auto is_of_it = [&](const Piece& piece) { return piece.of == bytes.data(); };
  const auto next = pieces_.begin() + static_cast<std::ptrdiff_t>(next_);
  next_ -= static_cast<size_t>(std::count_if(pieces_.begin(), next, is_of_it));
  std::erase_if(pieces_, is_of_it);
  if (next_ == pieces_.size()) next_ = 0;
}

int64_t WeightWatch::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::optional<LayerId> WeightWatch::look(double share) {
  const std::lock_guard lock(mutex_);
  auto left = static_cast<int64_t>(share * static_cast<double>(bytes_));
  std::optional<LayerId> changed;
  for (size_t i = 0; i < pieces_.size() && (i == 0 || left > 0); ++i) {
    const Piece& piece = pieces_[next_];
    next_ = (next_ + 1) % pieces_.size();
    left -= std::ssize(piece.bytes);
    if (!changed && checksum(piece.bytes) != piece.checksum) changed = piece.layer;
  }
  return changed;
}

}  // namespace shingle
