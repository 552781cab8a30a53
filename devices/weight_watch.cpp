#include "devices/weight_watch.hpp"

#include <algorithm>

#include "partition/checksum.hpp"

namespace shingle {

namespace {

// A millisecond's look on the slowest boards is a dozen of these.
constexpr size_t piece_bytes = 64 * 1024;

}  // namespace

void WeightWatch::add(LayerId layer, std::span<const std::byte> bytes) {
  if (bytes.empty() || !known_.insert(bytes.data()).second) return;
  bytes_ += std::ssize(bytes);
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), piece_bytes));
    pieces_.push_back({layer, piece, checksum(piece)});
    bytes = bytes.subspan(piece.size());
  }
}

std::optional<LayerId> WeightWatch::look(double share) {
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
